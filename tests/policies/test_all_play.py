"""Every policy of the registry is compiled and plays: on each JAX that is supported."""

import numpy as np
import pytest

from jaxbandits.policies import REGISTRY
from jaxbandits.simulate import simulate
from tests.games import game_for

ROUNDS = 12


@pytest.mark.parametrize("name", list(REGISTRY))
def test_it_plays(name):
    game = game_for(name)
    policy = REGISTRY[name](game.problem)
    by_budget = game.spent is not None
    end = {"budget" if by_budget else "horizon": ROUNDS}
    data = simulate(policy, game, seeds=3, checkpoints=[ROUNDS // 2], **end)
    assert np.isfinite(data["regret"].values).all()
    rounds = data["rounds"].isel(checkpoint=-1).values
    assert np.all(rounds >= 2) if by_budget else np.all(rounds == ROUNDS)
