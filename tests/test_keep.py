"""Counts on request: what is on record leaves the device as it is."""

import math
from functools import partial

import numpy as np
import pytest

from jaxbandits import Store, budgeted, simulate
from tests.games import coins
from tests.registered import POLICIES
from tests.tables import assert_refused

GAME = coins([0.3, 0.5])
UCB = POLICIES["censored/ucb"](GAME.problem)
OPTIONS = {"horizon": 40, "checkpoints": [1, 17], "seeds": 70}


@pytest.fixture(scope="module")
def data():
    return simulate(UCB, GAME, keep=("pulls",), **OPTIONS)


def test_counts_are_those_behind_the_metrics(data):
    arms, limits = GAME.problem.num_arms, GAME.problem.num_limits
    pulls = data["pulls"]
    assert pulls.dims[-2:] == ("pulls_0", "pulls_1")
    assert pulls.shape == (1, 1, 70, 3, arms, limits)
    np.testing.assert_array_equal(pulls.sum(["pulls_0", "pulls_1"]), data["rounds"])
    gaps = GAME.oracle().gaps
    for seed in (0, 69):
        for place in range(3):
            cells = (pulls.values[0, 0, seed, place] * gaps).ravel()
            found = data["regret"].values[0, 0, seed, place]
            assert found == pytest.approx(math.fsum(cells), rel=1e-14)


def test_nothing_else_changes(data):
    plain = simulate(UCB, GAME, **OPTIONS)
    assert set(data.data_vars) - set(plain.data_vars) == {"pulls"}
    for name in plain.data_vars:
        np.testing.assert_array_equal(plain[name], data[name])


@pytest.mark.slow
def test_games_with_a_budget_keep_them_too():
    game = budgeted.s_br(4)
    policy = POLICIES["budgeted/omega-star-ucb"](game.problem)
    found = simulate(policy, game, budget=30.0, seeds=5, keep=("pulls",))
    np.testing.assert_array_equal(found["pulls"].sum("pulls_0"), found["rounds"])


def test_a_sweep_keeps_them(data, tmp_path):
    def swept(metrics, **options):
        path = tmp_path / "sweep.zarr"
        return simulate(
            [UCB], GAME, store=Store(path, metrics=metrics), **OPTIONS | options
        )

    found = swept(keep=iter(["pulls"]), metrics=["optimal"])
    assert set(found.data_vars) >= {"optimal", "pulls"} and "regret" not in found
    np.testing.assert_array_equal(found["pulls"][0], data["pulls"][0])
    with pytest.raises(ValueError, match="keep: .* in the store, nothing now"):
        swept(metrics=["optimal"])


WRONG_NAMES = {
    "keep must be a list of names, got 'pulls'": "pulls",
    "keep must be a list of names, got 3": 3,
    "keep: a name must be a string": (3,),
    "keep must have different names": ("pulls", "pulls"),
    r"'pull' is no array on .* in .*; known are \['pulls', 'censored'\]": ("pull",),
    r"keep names \['censored'\], which the results have": ("censored",),
}


def test_names_are_checked_before_anything_is_played(monkeypatch):
    monkeypatch.setattr("jaxbandits.simulation.fill.play", None)
    play = partial(simulate, UCB, GAME, **OPTIONS)
    rows = {words: partial(play, keep=keep) for words, keep in WRONG_NAMES.items()}
    assert_refused(rows)


def test_what_is_no_array_is_not_kept():
    with pytest.raises(ValueError, match=r"'spent' .*; known are \['pulls'\]"):
        game = budgeted.s_br(4)
        policy = POLICIES["budgeted/omega-star-ucb"](game.problem)
        simulate(policy, game, budget=30.0, seeds=5, keep=("spent",))
