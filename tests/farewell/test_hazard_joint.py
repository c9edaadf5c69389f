"""Hazard TS with reward and time together: bad luck that came once is drawn once."""

import sys
from importlib import import_module
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.integrate import quad

from jaxbandits import farewell
from jaxbandits.arrays import CompensatedSum
from jaxbandits.farewell import Action, Feedback, Problem
from jaxbandits.farewell.policies.hazard_thompson import State
from jaxbandits.plain.gains import Sums
from tests.tables import each_row

sys.path.append(str(Path(__file__).resolve().parents[2] / "studies"))
bounds = import_module("bounds")

DRAWS, EPOCHS, WAIT = 20_000, 10**6, 10
GAP = Problem(2, 1, waits=(WAIT,))


def state_of(*arms):
    """Of pairs (reward, time), f[n, 2] for every arm: epochs that ended in the gap."""

    def total(values):
        values = jnp.asarray(values, jnp.float32)[:, None]
        return CompensatedSum(values, jnp.zeros_like(values))

    arms = [np.asarray(arm, float) for arm in arms]
    pairs = [(arm[:, 0], (arm[:, 1] - 1) / (WAIT - 1)) for arm in arms]
    sums = [
        Sums(*(total([np.sum(x[i] ** power) for x in pairs]) for power in (1, 2)))
        for i in (0, 1)
    ]
    count = jnp.array([[len(arm)] for arm in arms], jnp.int32)
    return State(count, count, *sums, total([np.sum(x * z) for x, z in pairs]))


@pytest.fixture(scope="module")
def first_played():
    """How often arm 0 of two is played, of many draws."""
    policy = farewell.hazard_thompson(GAP, joint=True)
    words = jax.random.bits(jax.random.key(3), (DRAWS, policy.words[0]))

    @jax.jit
    def played(state):
        act = jax.vmap(lambda noise: policy.act(noise, None, state, policy.params).arm)
        return act(words)

    return lambda state: np.mean(np.asarray(played(state)) == 0)


def chance_after_failures(n, rate, price):
    """That arm 0 is drawn above a rate after n epochs that came last with nothing.

    They lacked all there is: the share that a worth does not lack is of Beta(1, n + 1),
    a hazard of Beta(n + 1, 1). To end is worth 1 - price - (1 + 9 price) lack, after a
    mean time that is the posterior mean; else the wait is lost.
    """
    time = 1 + (WAIT - 1) * (n + 1) / (n + 2)

    def density(hazard):
        goes_on = (1 - hazard) * WAIT
        least = goes_on * price + (rate - price) * (hazard * time + goes_on)
        lack = (1 - price - least / hazard) / (1 + (WAIT - 1) * price)
        return (n + 1) * hazard**n * np.clip(lack, 0.0, 1.0) ** (n + 1)

    return quad(density, 0, 1)[0]


# That of the other arm; an arm of which nothing is known has a hazard of 1/2, a reward
# of 1/2 and ends at 5.5, or has waited for 10.
PRICES = [(0, 0.005, 0.25 / 7.75), (1, 0.08, 0.08), (3, 0.08, 0.08), (6, 0.08, 0.08)]


@each_row("failures, rate, price", PRICES)
def test_an_arm_of_failures_is_tried_as_one_number_would_be(
    first_played, failures, rate, price
):
    """Drawn apart, reward and time both have to be lucky."""
    known = np.tile([rate, 1.0], (EPOCHS, 1))
    failed = np.tile([0.0, WAIT], (failures, 1))
    tried = first_played(state_of(failed, known))
    chance = chance_after_failures(failures, rate, price)
    error = np.sqrt(chance * (1 - chance) / DRAWS)
    assert abs(tried - chance) < 4 * error + 2e-4


def test_times_that_vary_with_rewards_are_one_worth(first_played):
    """At a rate of 0.1, r - c / 10 never varies: the arm is as good as known."""
    rng = np.random.default_rng(5)
    time = rng.integers(1, WAIT + 1, 1000)
    alike = np.stack([0.098 * time, time], axis=1)
    apart = np.stack([0.098 * rng.permutation(time), time], axis=1)
    better = np.tile([0.5, 5.0], (EPOCHS, 1))
    one, two = (first_played(state_of(x, better)) for x in (alike, apart))
    assert two > 0.1 and one < 0.02


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


def test_the_option_is_true_or_false():
    with pytest.raises(TypeError, match="^joint must be True or False"):
        farewell.hazard_thompson(GAP, joint="yes")
    assert farewell.hazard_thompson(GAP, joint=True).name == "hazard TS, joint"


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
