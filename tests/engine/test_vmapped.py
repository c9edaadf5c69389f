"""The engine without the lanes transform plays the same games."""

import numpy as np
import pytest

from jaxbandits import Machine, simulate
from tests.engine import budget_game
from tests.engine.test_run import COINS, FOLLOWER
from tests.games import game_for
from tests.heavy import in_short
from tests.registered import POLICIES

pytestmark = pytest.mark.oldest

# Differences in the last digit, and what they do to an index; runs that differ then
# differ in an action, of which there are few in a short game.
ROUNDS, SEEDS, MOST_DIFFERING = 40, 64, 2
NAMES = ["farewell/omega-ucb", "censored/rcucb", "budgeted/bts", "allocation/ra-ucb"]


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_it_plays_as_the_scan_engine(name):
    environment = game_for(name)
    policy = POLICIES[name](environment.problem)
    end = {"budget" if environment.game.spent is not None else "horizon": ROUNDS}
    options = {"seeds": SEEDS, "checkpoints": [ROUNDS // 2], **end}
    scan, vmap = (
        simulate(policy, environment, machine=Machine(engine=engine), **options)
        for engine in ("scan", "vmap")
    )
    different = scan["rounds"].values != vmap["rounds"].values
    different |= ~np.isclose(scan["regret"], vmap["regret"], rtol=1e-5, atol=1e-6)
    assert different.any(-1).sum() <= MOST_DIFFERING


# In games of whole numbers not a number differs.
EXACT = {
    "each in its time": (budget_game.ALTERNATE, budget_game.environment(), "budget"),
    # With a state, words, and an instance of every seed.
    "in step": (FOLLOWER, COINS, "horizon"),
}


@pytest.mark.parametrize("name", in_short(EXACT, {"in step"}))
def test_it_plays_to_the_last_bit_as_the_scan_engine(name):
    policy, game, end = EXACT[name]
    options = {end: 30, "seeds": 70, "checkpoints": [4, 30]}
    scan, vmap = (
        simulate(policy, game, machine=Machine(engine=engine), **options)
        for engine in ("scan", "vmap")
    )
    for name in scan.data_vars:
        if not name.endswith("_seconds"):
            np.testing.assert_array_equal(vmap[name], scan[name])
