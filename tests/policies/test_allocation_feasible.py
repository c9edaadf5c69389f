"""Rates that would need p > 1: what `feasible` draws of an arm that gets little."""

import jax.numpy as jnp
import numpy as np
import pytest
from scipy.special import ndtri

from jaxbandits import allocation
from jaxbandits.allocation.policies.estimates import (
    FINE,
    Estimator,
    probability_bound,
)
from jaxbandits.allocation.policies.posterior import State, _room, draw
from jaxbandits.arrays import CompensatedSum

ROUNDS, AMOUNT, SUCCESSES = 10_000, 0.5, 905


@pytest.fixture(scope="module")
def starved():
    """905 successes with half a unit each, at thresholds as of no rate at all.

    Truncated to [0, 1/2] they are evenly spread, which fits the least rate best; but at
    that rate half a unit is enough in 1.2 % of rounds, and not in 9 %.
    """
    problem = allocation.simulation(1).problem
    estimator = Estimator(problem, FINE)
    rate = np.asarray(estimator.grid.nodes(), np.float64)
    reached = -np.expm1(-rate * AMOUNT)
    seen = (np.arange(SUCCESSES) + 0.5) / SUCCESSES * AMOUNT
    density = SUCCESSES * np.log(rate / reached) - rate * seen.sum()

    def total(values):
        exact = np.asarray(values, np.float64)[None]
        high = exact.astype(np.float32)
        return CompensatedSum(jnp.asarray(high), jnp.asarray(exact - high, jnp.float32))

    statistics = estimator.zeros()._replace(
        successes=jnp.array([SUCCESSES], jnp.int32),
        likelihood=total(density),
        exposure=total(ROUNDS * reached),
    )
    arm = statistics._replace(
        **{
            name: type(x)(*(part[0] for part in x)) if isinstance(x, tuple) else x[0]
            for name, x in statistics._asdict().items()
            if x is not None
        }
    )
    found = estimator.estimate(arm, None)
    return problem, arm, State(statistics, type(found)(*(x[None] for x in found)))


def test_the_bound_is_one_where_the_room_ends(starved):
    """By hand: n + z^2/2 + z sqrt(n + z^2/4) is 4 at n = 2, z = 1."""
    _, arm, _ = starved
    four = jnp.full_like(arm.exposure.total, 4.0)
    arm = arm._replace(
        successes=jnp.int32(2), exposure=arm.exposure._replace(total=four)
    )
    assert float(_room(arm, jnp.float32(4.0))) == pytest.approx(1)
    inside = probability_bound(arm, jnp.float32(20.0), jnp.float32(0.9))
    assert float(probability_bound(arm, jnp.float32(20.0), jnp.float32(1.0))) == 1
    assert float(inside) == pytest.approx((2 + 0.405 + 0.9 * 2.2025**0.5) / 4)


@pytest.mark.slow
def test_what_is_drawn_agrees_with_the_successes(starved):
    problem, _, state = starved
    found = {}
    for feasible in (False, True):
        successes, rates = [], []
        for u in (0.05, 0.5, 0.95):
            for v in (0.05, 0.5, 0.95):
                z = (jnp.array([ndtri(x)], jnp.float32) for x in (u, v))
                rate, p = (float(x[0]) for x in draw(problem, state, *z, feasible))
                assert 0 <= p <= 1
                successes.append(ROUNDS * p * -np.expm1(-rate * AMOUNT))
                rates.append(rate)
        found[feasible] = np.array(successes), np.array(rates)
    # p is cut off at 1, whatever the rate: far fewer successes than there were.
    assert np.min(found[False][0]) < 0.5 * SUCCESSES
    # Within the errors of a count; and no rate whose p would exceed 1.
    assert np.all(np.abs(found[True][0] - SUCCESSES) < 4 * SUCCESSES**0.5)
    least = -np.log1p(-SUCCESSES / ROUNDS) / AMOUNT
    assert np.all(found[True][1] > 0.9 * least)


def test_names_tell_the_two_apart():
    problem = allocation.simulation(3).problem
    made = allocation.thompson(problem, draws=8, feasible=True)
    assert made.name == "Thompson, mean of 8, feasible"
    assert made is not allocation.thompson(problem, draws=8)
