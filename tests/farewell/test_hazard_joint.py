"""Hazard TS with reward and time together: bad luck that came once is drawn once."""

import sys
from importlib import import_module
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxbandits import farewell
from jaxbandits.arrays import CompensatedSum
from jaxbandits.farewell import Action, Feedback, Problem
from jaxbandits.plain.gains import Sums

sys.path.append(str(Path(__file__).resolve().parents[2] / "studies"))
bounds = import_module("bounds")

GAP = Problem(2, 1, waits=(10,))


def test_without_gaps_it_changes_nothing():
    """Both are traced to the same program."""

    def programs(joint):
        policy = farewell.hazard_thompson(Problem(2, 3), joint=joint)
        noise, state = jnp.zeros(policy.words[0], jnp.uint32), policy.init(())
        action = Action(jnp.int32(0), jnp.int32(0))
        answer = Feedback(jnp.float32(0.4), jnp.int32(1), jnp.float32(1.0))
        act = jax.make_jaxpr(policy.act)(noise, None, state, policy.params)
        update = jax.make_jaxpr(policy.update)(None, None, state, action, answer, ())
        return policy.words, str(act), str(update)

    assert programs(False) == programs(True)


def test_giving_up_may_cost_a_unit():
    """Known so well that draws hardly vary: of 10 epochs 3 end in unit 1, 2 in unit 2.

    Rates of the waits: 0.3 and 5 / 12; 5 / 17, if giving up cost the wait. All rewards
    are 1.
    """
    policy = farewell.hazard_thompson(Problem(1, 2, "unit"))
    entered, ended = np.array([[[100_000, 70_000]], [[30_000, 20_000]]], np.int32)
    ones = CompensatedSum(np.float32(ended), np.zeros((1, 2), np.float32))
    state = policy.init(policy.params)._replace(
        entered=entered, ended=ended, rewards=Sums(ones, ones)
    )
    words = np.full(policy.words[0], 2**31, np.uint32)
    action = jax.jit(policy.act)(words, None, state, policy.params)
    assert (int(action.arm), int(action.wait)) == (0, 1)


def test_the_game_of_the_page():
    game = bounds.coin_in_a_gap()
    np.testing.assert_allclose(game.oracle().rate, 0.5 / 5.5)
    np.testing.assert_allclose(np.max(game.oracle().gaps), 0.5 / 5.5 - 0.08)
    thinned = bounds.with_gaps(101, (3, 10), falling=True)
    assert thinned.problem == Problem(3, 2, waits=(3, 10))
    chance = np.asarray(thinned.setup.reward.probability)
    np.testing.assert_allclose(chance[:, 5], chance[:, 0] / 2, rtol=1e-6)
    assert not np.any(chance[:, -1])


@pytest.mark.slow
def test_fewer_runs_are_lost_in_a_gap():
    """The table of theory/hazard-thompson.md, with fewer runs."""
    apart, joint = bounds.both_hazards(bounds.coin_in_a_gap(), np.array([10_000]), 512)
    error = np.hypot(*(x.std() / x.size**0.5 for x in (apart, joint)))
    assert joint.mean() < apart.mean() - 3 * error
