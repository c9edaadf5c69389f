"""Every policy of the registry is compiled and plays: on each JAX that is supported.

The short run has one, and makes the programs of a few, one for every machinery
(`tests/policies/compiled.py`); all play there in the plain loop, in their contract or
beside their twin. A variant, which is another policy with an option, is made into a
program by the engine; XLA compiles it with ``-m slow`` only.
"""

import numpy as np
import pytest

from jaxbandits import simulate
from jaxbandits.engine import lanes, run
from jaxbandits.policies import REGISTRY
from tests.games import game_for
from tests.heavy import on_each_jax
from tests.policies.compiled import LOWERED_SHORT, PLAY_LONG, PLAY_SHORT

ROUNDS = 12
# What the engine has no rule of its own for, by setting: normal scores (from JAX 0.12
# on), and a table that every run reads at a place of its own; and, once for every run,
# the draw of an instance.
DRAWN = {"bitcast_convert_type", "random_bits", "random_wrap"}
NORMAL_SCORES = {"polynomial"}
FALLS_BACK = {
    "censored": NORMAL_SCORES,
    "continuum": NORMAL_SCORES | {"dynamic_slice"},
    "combinatorial": NORMAL_SCORES,
    "dueling": NORMAL_SCORES,
}


@pytest.fixture
def fallen_back(monkeypatch):
    """Names of operations that fell back to ``jax.vmap``, while there are programs."""
    names = set()
    fallback = lanes._fallback

    def noted(eqn, inputs):
        names.add(eqn.primitive.name)
        return fallback(eqn, inputs)

    monkeypatch.setattr(lanes, "_fallback", noted)
    return names


def played(name):
    """Three runs of a few rounds."""
    environment = game_for(name)
    policy = REGISTRY[name](environment.problem)
    end = {"horizon" if environment.game.spent is None else "budget": ROUNDS}
    return simulate(policy, environment, seeds=3, checkpoints=[ROUNDS // 2], **end)


def assert_mapped(name, fallen_back):
    """All operations have a rule in the engine, but for those that are known."""
    assert fallen_back - DRAWN <= FALLS_BACK.get(name.split("/")[0], set())


@pytest.mark.parametrize("name", on_each_jax(REGISTRY, PLAY_SHORT, long=PLAY_LONG))
def test_it_plays(name, fallen_back):
    data = played(name)
    assert np.isfinite(data["regret"].values).all()
    rounds = data["rounds"].isel(checkpoint=-1).values
    by_budget = game_for(name).game.spent is not None
    assert np.all(rounds >= 2) if by_budget else np.all(rounds == ROUNDS)
    assert_mapped(name, fallen_back)


class LoweredError(Exception):
    """There is a program, which is not compiled."""


@pytest.mark.parametrize(
    "name", on_each_jax([*PLAY_LONG, *LOWERED_SHORT], LOWERED_SHORT)
)
def test_its_program_is_made(name, fallen_back, monkeypatch):
    def lowered(advance, call, clock):
        advance.lower(*call)
        raise LoweredError

    monkeypatch.setattr(run, "_compiled", lowered)
    with pytest.raises(LoweredError):
        played(name)
    assert_mapped(name, fallen_back)
