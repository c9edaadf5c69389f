"""Every policy of the registry is compiled and plays: on each JAX that is supported."""

from importlib import import_module

import numpy as np
import pytest

from jaxbandits.policies import REGISTRY
from jaxbandits.simulate import simulate
from tests.games import game_for

ROUNDS = 12
# What the engine has no rule of its own for, by setting: normal scores (from JAX 0.12
# on), and a table that every run reads at a place of its own; and, once for every run,
# the draw of an instance.
DRAWN = {"bitcast_convert_type", "random_bits", "random_wrap"}
NORMAL_SCORES = {"polynomial"}
FALLS_BACK = {
    "censored": NORMAL_SCORES,
    "continuum": NORMAL_SCORES | {"dynamic_slice"},
}


@pytest.fixture
def fallen_back(monkeypatch):
    """Names of operations that fell back to ``jax.vmap``, while there are programs."""
    lanes, names = import_module("jaxbandits.engine.lanes"), set()
    fallback = lanes._fallback

    def noted(eqn, inputs):
        names.add(eqn.primitive.name)
        return fallback(eqn, inputs)

    monkeypatch.setattr(lanes, "_fallback", noted)
    return names


@pytest.mark.parametrize("name", list(REGISTRY))
def test_it_plays(name, fallen_back):
    environment = game_for(name)
    policy = REGISTRY[name](environment.problem)
    by_budget = environment.game.spent is not None
    end = {"budget" if by_budget else "horizon": ROUNDS}
    data = simulate(policy, environment, seeds=3, checkpoints=[ROUNDS // 2], **end)
    assert np.isfinite(data["regret"].values).all()
    rounds = data["rounds"].isel(checkpoint=-1).values
    assert np.all(rounds >= 2) if by_budget else np.all(rounds == ROUNDS)
    assert fallen_back - DRAWN <= FALLS_BACK.get(name.split("/")[0], set())
