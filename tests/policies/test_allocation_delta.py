"""The delta method's error of p is the one that many data sets have."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxbandits.allocation import make_problem
from jaxbandits.allocation.policies.estimates import Estimator
from jaxbandits.allocation.policies.radii import Scales, bounds, delta
from jaxbandits.laws.thresholds import exponential

BUDGET, RATE, P = 40.0, 0.1, 0.9
AMOUNTS = np.tile([40.0, 30.0, 20.0], 20).astype(np.float32)


@pytest.mark.slow
def test_spread_of_the_probability():
    """60 rounds at allocations that mostly suffice: coins of .8, not a Poisson count,
    which would spread it by twice as much."""
    problem = make_problem(exponential, 1, BUDGET, lowest=1 / 40, highest=2)
    estimator = Estimator(problem, variances=True)
    empty = jax.tree.map(lambda x: x[0], estimator.zeros())
    rng = np.random.default_rng(0)
    shape = 400, len(AMOUNTS)
    drawn = np.where(rng.random(shape) < P, rng.exponential(1 / RATE, shape), np.inf)
    seen = np.where(drawn <= AMOUNTS, drawn, np.inf).astype(np.float32)

    def run(thresholds):
        def add(statistics, pair):
            return estimator.observe(statistics, *pair, None), None

        statistics, _ = jax.lax.scan(add, empty, (thresholds, jnp.asarray(AMOUNTS)))
        return statistics

    statistics = jax.jit(jax.vmap(run))(jnp.asarray(seen))
    # log e = 1: the scale is z squared, small, so that no interval is cut at 1.
    small = Scales(1e-4, 1e-4)
    found = jax.vmap(
        lambda s: bounds(estimator, delta, s, jnp.e, small, None, jnp.int32(0))
    )(statistics)
    error = (found.probability - found.probability_low) / 1e-2
    inside = np.asarray(found.probability) < 1
    spread = np.std(np.asarray(found.probability))
    # Of 400 data sets: 1/sqrt(800) = 3.5 % of the spread, three times that.
    np.testing.assert_allclose(
        np.sqrt(np.mean(np.asarray(error)[inside] ** 2)), spread, rtol=0.11
    )
