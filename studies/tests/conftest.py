"""Small runs of experiments, each made once, and rehearsals without play."""

import os
import sys
from functools import cache
from pathlib import Path

import matplotlib
import numpy as np
import pytest

from jaxbandits import Machine
from jaxbandits.checks.points import points_from, zipped
from jaxbandits.protocol import Entry
from jaxbandits.results import build_dataset
from jaxbandits_studies import REGISTRY, Options
from jaxbandits_studies.allocation import families
from jaxbandits_studies.common import playing
from jaxbandits_studies.common.data import FOLDER
from jaxbandits_studies.judging.protocol import TUNING_SEED

sys.path.append(str(Path(__file__).parents[1]))  # where the scripts are
ROOT_SEEDS = (0, TUNING_SEED, families.ROOT_SEED)
TINY = Options(seeds=2, horizon=30, progress=False)
METRICS = {
    "censored": ("regret", "censored", "optimal", "reward", "gain", "simple_regret"),
    "budgeted": ("regret", "optimal"),
    "allocation": ("regret", "realised_regret", "reward", "spent"),
    "farewell": ("regret", "realised_regret", "optimal", "epochs"),
}


@pytest.fixture(scope="session")
def tiny():
    """``tiny(name)``: the outcome of an experiment with 2 seeds and 30 rounds."""
    return cache(lambda name: REGISTRY[name].run(TINY))


def _given(entry):
    """What a policy is played over: a number by leaf, or one for every point."""
    if not isinstance(entry, Entry):
        return {}
    return entry.grid.row(0) if entry.grid.count == 1 else entry.grid.columns


@pytest.fixture
def no_data(monkeypatch):
    """Whatever the user's environment says, there are no data sets."""
    monkeypatch.delenv(FOLDER, raising=False)


@pytest.fixture(scope="session")
def rehearsed():
    """Outcomes and calls of rehearsals."""
    return {}


@pytest.fixture
def rehearsal(monkeypatch, rehearsed):
    """``rehearsal(name, **options)``: an outcome without play, and the calls.

    A call is what `simulate` would have been given: policies, environment, and the
    other arguments by name, with ``grid``: what the policies are played over. In place
    of a run, every metric of policy number i (0, 1, ...) is ``i + 1`` at the end and a
    tenth of it before, for every seed and point.
    Equal rehearsals are held once.
    """

    def stand_in(policies, environment, *, seeds, machine, root_seed, **end):
        assert machine == Machine() and root_seed in ROOT_SEEDS
        seeds = [*range(seeds)] if isinstance(seeds, int) else list(seeds)
        grid = {label: _given(entry) for label, entry in policies.items()}
        policies = {
            label: entry.policy if isinstance(entry, Entry) else entry
            for label, entry in policies.items()
        }
        points = {
            label: points_from(zipped(policy.params._asdict() | grid[label]))
            for label, policy in policies.items()
            if policy.params
        }
        for label, given in points.items():
            policies[label].check_params(
                policies[label].params._replace(**given.columns)
            )
        calls.append(
            (policies, environment, end | {"grid": grid, "root_seed": root_seed})
        )
        setting = environment.provenance["setting"]
        by_budget = "budget" in end
        last = end["budget" if by_budget else "horizon"]
        growth = {
            p: np.array([0.1, 1.0])
            * np.ones((points[p].count if p in points else 1, len(seeds), 1))
            for p in policies
        }
        return build_dataset(
            {
                p: dict.fromkeys(METRICS[setting], (i + 1) * growth[p])
                for i, p in enumerate(policies)
            },
            {p: np.ceil(last * growth[p]).astype(int) for p in policies},
            checkpoints=[-(-last // 10), last],
            checkpoint_kind="spent" if by_budget else "round",
            seeds=seeds,
            params={
                p: points[p].row(0) if points[p].count == 1 else points[p].columns
                for p in points
            }
            | {p: {} for p in policies if p not in points},
            compile_seconds=dict.fromkeys(policies, 0.0),
            run_seconds=dict.fromkeys(policies, 0.0),
            environment=environment.name,
            setting=setting,
            provenance={},
        )

    def rehearse(name, **options):
        chosen = Options(seeds=3, horizon=70)._replace(**options)
        size = tuple(matplotlib.rcParams["figure.figsize"])  # as the style has it
        key = name, chosen, os.environ.get(FOLDER), size
        if key not in rehearsed:
            calls.clear()
            monkeypatch.setattr(playing, "simulate", stand_in)
            rehearsed[key] = REGISTRY[name].run(chosen), [*calls]
        return rehearsed[key]

    calls = []
    return rehearse
