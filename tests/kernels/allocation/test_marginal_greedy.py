"""Filling in steps: by hand, feasibility, both forms of the gain, the error's order."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxbandits.kernels.allocation import fill_in_order, marginal_greedy, water_filling
from jaxbandits.laws import thresholds
from tests.tables import each_row


def falling(x):
    """Gains of two quadratics: 3 - x and 2 - x."""
    return jnp.asarray([3.0, 2.0]) - x


def test_an_order_of_units_by_hand():
    """Gains (3,2), (2,2), (1,2), (1,1), (0,1): ties go to the first arm."""
    order = marginal_greedy(falling, 2, 1.0, 5)
    assert order.dtype == jnp.int32
    np.testing.assert_array_equal(order, [0, 0, 1, 0, 1])


@each_row(
    "budget, has",
    [
        (0.0, [0, 0]),
        (0.25, [0.25, 0]),
        (2.0, [2, 0]),
        (3.5, [2.5, 1]),
        (5.0, [3, 2]),
        (9.0, [3, 2]),  # all units are spent
    ],
)
def test_the_last_unit_is_cut(budget, has):
    order = jnp.asarray([0, 0, 1, 0, 1], jnp.int32)
    np.testing.assert_array_equal(fill_in_order(order, 2, 1.0, budget), has)


def gains(family, weight, rate, shape, step, difference):
    """The derivative (Algorithm 4) or what a unit adds (Lemma G.1)."""
    if difference:
        return lambda x: (
            weight * (family.cdf(x + step, rate, shape) - family.cdf(x, rate, shape))
        )
    return lambda x: weight * thresholds.pdf(family, x, rate, shape)


ARMS, PROBLEMS, BUDGET = 5, 96, 12.0
STEPS = (64, 128, 256)


@pytest.mark.slow
@each_row("difference", [False, True])
def test_the_error_is_of_second_order(difference):
    """Not of first order, as the bound K G_max Delta of the paper suggests.

    Algorithm 4 does not know the budget: half of the last unit is left over.
    """
    rng, family = np.random.default_rng(11), thresholds.exponential
    weight, rate = rng.uniform(0.3, [[[1.0]], [[1.5]]], (2, PROBLEMS, ARMS))

    def filled(steps, weight, rate):
        step = BUDGET / (steps + 0.5)
        gain = gains(family, weight, rate, None, step, difference)
        order = marginal_greedy(gain, ARMS, step, steps + 1)
        return fill_in_order(order, ARMS, step, BUDGET)

    def all_of(weight, rate):
        curves = thresholds.curves(family, weight, rate)
        best = water_filling(curves, jnp.asarray(BUDGET)).value
        x = jnp.stack([filled(steps, weight, rate) for steps in STEPS])
        return best - jnp.sum(jax.vmap(curves.value)(x), axis=1), x

    with jax.enable_x64(True):
        lost, x = map(np.asarray, jax.jit(jax.vmap(all_of))(weight, rate))
    np.testing.assert_allclose(np.sum(x, axis=-1), BUDGET, rtol=1e-12)
    assert np.all(x >= 0) and np.all(lost >= -1e-12)
    losses = np.mean(lost, axis=0)
    slope, _ = np.polyfit(np.log(STEPS), np.log(losses), 1)
    assert -2.1 < slope < -1.9 and losses[0] < 0.02
