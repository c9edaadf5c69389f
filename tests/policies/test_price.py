"""Price Thompson sampling: at a price, bad luck that came once is drawn once."""

from itertools import product
from types import SimpleNamespace

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxbandits import budgeted
from jaxbandits.arrays import CompensatedSum
from jaxbandits.budgeted import make_problem
from jaxbandits.budgeted.policies.price_thompson import State
from jaxbandits.plain.gains import Sums, lacks
from tests.tables import each_row

DRAWS, PULLS = 20_000, 10**6
VIEW = SimpleNamespace(num_arms=2)


def state_of(*arms):
    """Of pairs (reward, cost), f[n, 2] for every arm."""

    def total(values):
        values = jnp.asarray(values, jnp.float32)
        return CompensatedSum(values, jnp.zeros_like(values))

    x, z = ([np.asarray(arm, float)[:, i] for arm in arms] for i in (0, 1))
    sums = [
        Sums(*(total([np.sum(a**power) for a in each]) for power in (1, 2)))
        for each in (x, z)
    ]
    pulls = jnp.array([len(a) for a in x], jnp.int32)
    both = total([np.sum(a * b) for a, b in zip(x, z, strict=True)])
    return State(pulls, *sums, both)


@pytest.fixture(scope="module")
def first_pulled():
    """How often arm 0 of two is pulled, of many draws."""
    policy = budgeted.price_thompson(make_problem(2))
    words = jax.random.bits(jax.random.key(3), (DRAWS, policy.words[0]))

    @jax.jit
    def played(state):
        return jax.vmap(lambda noise: policy.act(noise, VIEW, state, ()))(words)

    return lambda state: np.mean(np.asarray(played(state)) == 0)


@each_row("share", [0.0, 0.3, 1.0])
def test_what_pulls_lack(rng, share):
    """(1 - s)(1 - r) + s c of every pull."""
    arms = rng.random((3, 7, 2))
    found = lacks(*state_of(*arms), jnp.full(3, share, jnp.float32))
    each = (1 - share) * (1 - arms[..., 0]) + share * arms[..., 1]
    np.testing.assert_allclose(found.total, each.sum(axis=1), rtol=1e-5)
    np.testing.assert_allclose(found.square, (each**2).sum(axis=1), rtol=1e-5)


@each_row("level, failures", product([0.2, 0.45], [1, 4, 8]))
def test_an_arm_of_failures_is_tried_as_one_coin_would_be(
    first_pulled, level, failures
):
    """Nothing for a cost of 1, again and again, beside a sure q for 1 - q.

    What it lacks was 1 each time: a draw is of Beta(n + 1, 1), and must be 1 - q or
    less at any price. Drawn apart, reward and cost would both have to be so.
    """
    known = np.tile([level, 1 - level], (PULLS, 1))
    tried = first_pulled(state_of(np.tile([0.0, 1.0], (failures, 1)), known))
    chance = (1 - level) ** (failures + 1)
    error = np.sqrt(chance * (1 - chance) / DRAWS)
    assert abs(tried - chance) < 4 * error + 2e-4


def test_costs_that_vary_with_rewards_are_one_gain(first_pulled):
    """At a ratio of 1/2, r - c / 2 never varies: the arm is as good as known."""
    rng = np.random.default_rng(5)
    reward = rng.choice([0.1, 0.4], 400)
    alike = np.stack([reward, 2 * reward], axis=1)
    apart = np.stack([reward, 2 * rng.permutation(reward)], axis=1)
    # Its ratio is 2 % less than that of the other arm.
    better = np.tile([0.255, 0.5], (PULLS, 1))
    one, two = (first_pulled(state_of(x, better)) for x in (alike, apart))
    assert two > 0.25 and one < 0.1
