"""Counts on request: what is on record leaves the device as it is."""

from functools import partial

import numpy as np
import pytest

from jaxbandits import Store, budgeted, simulate
from tests.engine import budget_game
from tests.registered import POLICIES
from tests.tables import assert_refused

GAME = budget_game.environment()
OPTIONS = {"horizon": 40, "checkpoints": [1, 17], "seeds": 70}


@pytest.fixture(scope="module")
def data():
    return simulate(budget_game.ALTERNATE, GAME, keep=("pulls",), **OPTIONS)


def test_counts_are_those_behind_the_metrics(data):
    pulls = data["pulls"]
    assert pulls.dims[-1] == "pulls_0" and pulls.shape == (1, 1, 70, 3, 2)
    np.testing.assert_array_equal(pulls.sum("pulls_0"), data["rounds"])
    np.testing.assert_array_equal(pulls[..., 0], data["first"])


def test_nothing_else_changes(data):
    plain = simulate(budget_game.ALTERNATE, GAME, **OPTIONS)
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
            [budget_game.ALTERNATE],
            GAME,
            store=Store(path, metrics=metrics),
            **OPTIONS | options,
        )

    found = swept(keep=iter(["pulls"]), metrics=["spent"])
    assert set(found.data_vars) >= {"spent", "pulls"} and "first" not in found
    np.testing.assert_array_equal(found["pulls"][0], data["pulls"][0])
    with pytest.raises(ValueError, match="keep: .* in the store, nothing now"):
        swept(metrics=["spent"])


WRONG_NAMES = {
    "keep must be a list of names, got 'pulls'": "pulls",
    "keep must be a list of names, got 3": 3,
    "keep: a name must be a string": (3,),
    r"keep names \['spent'\], which the results have": ("spent",),
    "keep must have different names": ("pulls", "pulls"),
    r"'pull' is no array on .* in .*; known are \['pulls', 'spent'\]": ("pull",),
}


def test_names_are_checked_before_anything_is_played(monkeypatch):
    monkeypatch.setattr("jaxbandits.simulation.fill.play", None)
    play = partial(simulate, budget_game.ALTERNATE, GAME, **OPTIONS)
    rows = {words: partial(play, keep=keep) for words, keep in WRONG_NAMES.items()}
    assert_refused(rows)
