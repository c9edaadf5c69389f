"""Recorded runs of configured forests: the problem, collecting."""

import json
from importlib import import_module

import numpy as np
import pandas as pd
import pytest

from jaxbandits import simulate
from jaxbandits.censored import fixed
from jaxbandits_studies import datasets

GOOD = pd.DataFrame(
    {
        "run": [1, 0, 0, 1, 0, 1],
        "trees": [100, 100, 200, 200, 300, 300],
        "reward": [0.5, 0.75, 1.0, 0.0, 0.25, 0.5],
        "seconds": [2.0, 1.0, 3.0, 5.0, 4.0, 8.0],
    }
)


def test_the_problem_by_hand(write):
    """First runs take 1, 3, 4 s: quartiles 2 and 3.5; 8 s are one unit."""
    runs = datasets.load_runs(write(GOOD.to_csv(index=False)))
    game = datasets.forest(runs, num_limits=4)
    np.testing.assert_allclose(game.problem.limits, np.array([2, 2.5, 3, 3.5]) / 8)
    assert game.problem.max_limit == 3.5 / 8
    oracle = game.oracle()
    # Arm 1 is always in time: mean reward 0.625 less mean cost 1.5 / 8.
    np.testing.assert_allclose(oracle.values[0], 0.625 - 1.5 / 8)
    # Arm 2 within 3 s: one run of two, else the penalty 10 * 3 / 8.
    within_3 = (1 - 3 / 8) / 2 - 10 * 3 / 8 / 2
    np.testing.assert_allclose(oracle.values[1, 2], within_3)
    np.testing.assert_allclose(oracle.censoring[1], [1, 1, 0.5, 0.5])


def test_rewards_and_gains_are_booked_from_counts(write):
    runs = datasets.load_runs(write(GOOD.to_csv(index=False)))
    game = datasets.forest(runs, num_limits=4)
    data = simulate(
        fixed(game.problem, 1, 2), game, horizon=50, seeds=64, checkpoints=[50]
    ).isel(policy=0, params=0, checkpoint=0)
    np.testing.assert_allclose(data["reward"], 50 * 0.5)
    oracle = game.oracle()
    np.testing.assert_allclose(data["gain"], 50 * oracle.values[1, 2])
    np.testing.assert_allclose(data["regret"], 50 * oracle.gaps[1, 2])
    assert abs(data["censored"].mean() - 0.5) < 4 * 0.5 / np.sqrt(50 * 64)


def test_bad_options_and_times_without_a_spread_are_refused(write):
    runs = datasets.load_runs(write(GOOD.to_csv(index=False)))
    for bad in ({"num_limits": 1}, {"unit": 0.0}, {"unit": np.nan}):
        with pytest.raises(ValueError, match=next(iter(bad))):
            datasets.forest(runs, **bad)
    equal = datasets.load_runs(
        write(GOOD.assign(seconds=1.0).to_csv(index=False)), timeout=2
    )
    with pytest.raises(ValueError, match="quartiles"):
        datasets.forest(equal)


def test_the_shipped_runs_are_of_672_configurations():
    runs = datasets.forest_runs()
    assert len(runs.configurations) == 672
    assert runs.reward.shape[1] >= 3
    assert {"machine", "versions", "data", "seconds"} <= set(runs.about)
    assert runs.timeout is None and np.isfinite(runs.seconds).all()
    # More trees take longer: the median over the other parameters.
    trees = np.array([c["trees"] for c in runs.configurations])
    medians = [np.median(runs.seconds[trees == n]) for n in range(100, 701, 100)]
    assert np.all(np.diff(medians) > 0)
    assert 0.9 < runs.reward.min() < runs.reward.max() < 1


@pytest.fixture
def collect(monkeypatch):
    pytest.importorskip("sklearn", reason="scikit-learn is not installed")
    module = import_module("collect_forest_runs")
    monkeypatch.setattr(module, "GRID", [(2, 1, 3, 0.5), (3, 2, 5, 0.8)])
    monkeypatch.setattr(module, "ProcessPoolExecutor", _Here)
    monkeypatch.setattr(module, "as_completed", iter)
    return module


class _Here:
    """Runs jobs at once in this process, where the fixture's changes hold."""

    def __init__(self, jobs, initializer, initargs):
        initializer(*initargs)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return False

    def submit(self, job, *args):
        result = job(*args)
        return type("Done", (), {"result": staticmethod(lambda: result)})

    def shutdown(self, **options):
        pass


@pytest.fixture
def houses(tmp_path):
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {"Area": rng.uniform(50, 150, 40), "Style": ["None", "b"] * 20}
    )
    table["Sale_Price"] = 1000 * table["Area"] + rng.normal(0, 100, 40)
    path = tmp_path / "houses.csv"
    table.to_csv(path)
    return path


def test_collecting_goes_on_where_it_was(collect, houses, tmp_path):
    """A file cut off in the middle of a line is completed, and nothing is redone."""
    out = tmp_path / "out.csv"
    command = [str(houses), str(out), "--runs", "2"]
    collect.main(command)
    whole = out.read_text()
    assert len(whole.splitlines()) == 5
    assert json.loads(out.with_suffix(".json").read_text())["data"]["rows"] == 40
    lines = whole.splitlines(keepends=True)
    out.write_text("".join(lines[:3]) + lines[3][:7])
    collect.main(command)
    again = out.read_text().splitlines()
    assert again[:3] == whole.splitlines()[:3]

    def rewards(lines):
        return sorted(line.rsplit(",", 1)[0] for line in lines[1:])

    assert rewards(again) == rewards(whole.splitlines())  # all but the seconds
    collect.main(command)
    assert out.read_text().splitlines() == again
    runs = datasets.load_runs(out)
    assert runs.reward.shape == (2, 2)
