"""Every policy of the registry is compiled and plays: on each JAX that is supported."""

import numpy as np
import pytest

from jaxbandits.engine import rollout
from jaxbandits.engine.xla import compiler_options
from jaxbandits.policies import REGISTRY
from jaxbandits.simulate import simulate
from tests.games import game_for

ROUNDS = 12
# LLVM's part takes most of the time and is not what differs between versions.
QUICK = {"xla_backend_optimization_level": 0, "xla_llvm_disable_expensive_passes": True}


@pytest.fixture(autouse=True, scope="module")
def quickly_compiled():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            rollout, "compiler_options", lambda mesh: compiler_options(mesh) | QUICK
        )
        yield
    # Nobody else shall have these programs.
    rollout.program.cache_clear()
    rollout._drawing.cache_clear()


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
