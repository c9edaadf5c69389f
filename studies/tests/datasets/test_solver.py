"""Recorded runs of a SAT solver: the problem, and the script that made them."""

import itertools
import random
from pathlib import Path

import collect_solver_runs as collect
import numpy as np
import pytest

from jaxbandits import censored
from jaxbandits_studies import datasets


def test_the_best_limit_is_one_that_the_best_configuration_exceeds():
    """In about half of the rounds, and it is neither the smallest nor the largest."""
    game = datasets.solver()
    oracle = game.oracle()
    assert 0.4 < oracle.censoring[oracle.arm, oracle.limit] < 0.6
    assert 2 < oracle.limit < game.problem.num_limits - 1
    # To choose the configuration alone is not enough, nor is the limit.
    assert oracle.values[oracle.arm].max() - oracle.values[oracle.arm, -1] > 0.5
    assert np.sum(oracle.gaps == 0) == 1
    forest = datasets.forest().oracle()
    assert np.all(forest.censoring[forest.gaps == 0] == 0)


def test_the_shipped_runs_are_whole():
    runs = datasets.solver_runs()
    assert runs.reward.shape == (40, 100) and runs.timeout == 5_000
    stopped = np.isinf(runs.seconds)
    np.testing.assert_array_equal(runs.reward, ~stopped)
    assert runs.seconds[~stopped].max() < 5_000


def test_the_best_limit_of_all_is_a_recorded_one():
    game = datasets.solver(censored.ANY)
    oracle = game.oracle()
    flips = oracle.limit * game.provenance["seconds_per_unit"]
    assert flips == pytest.approx(round(flips), abs=1e-3)
    assert oracle.value >= datasets.solver().oracle().value


def test_the_first_rows_come_out_again(tmp_path):
    collect.main([str(tmp_path / "runs.csv"), "--runs", "1"])
    made = (tmp_path / "runs.csv").read_text().splitlines()
    runs = datasets.solver_runs()
    shipped = Path(runs.about["file"]).read_text().splitlines()
    assert made == shipped[: len(made)] and len(made) == 41


def test_walksat_finds_what_holds_and_nothing_else(monkeypatch):
    """On four variables all assignments can be tried."""
    monkeypatch.setattr(collect, "VARIABLES", 4)
    monkeypatch.setattr(collect, "TIMEOUT", 300)
    monkeypatch.setattr(collect, "RATIO", 7.0)
    solved = []
    for seed in range(12):
        clauses = collect.formula(random.Random(seed))
        holds = any(
            all(any((lit > 0) == x[abs(lit) - 1] for lit in c) for c in clauses)
            for x in itertools.product((False, True), repeat=4)
        )
        solved.append(holds)
        found = collect.walksat(clauses, 0.5, 50, random.Random(seed))
        assert (found is not None) == holds
    assert 0 < sum(solved) < 12
