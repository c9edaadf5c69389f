"""theory/mean-allocation.md: exponential arms, noise in place of draws."""

import jax
import numpy as np
import pytest

from jaxbandits.kernels.allocation import exponential_water_filling

BUDGET = 10.0
PROBABILITY, RATE = np.array([0.9, 0.7, 0.6]), np.array([0.3, 0.5, 0.4])


def worth(amounts):
    """V, f64[...]."""
    return np.sum(-PROBABILITY * np.expm1(-RATE * amounts), axis=-1)


def optima(spread, shape, seed=0):
    """Of parameters around the true ones, f64[*shape, 3]."""
    rng = np.random.default_rng(seed)
    factors = np.exp(spread * rng.standard_normal((2, *shape, 3)))
    with jax.enable_x64(True):
        solve = exponential_water_filling
        for _ in shape:
            solve = jax.vmap(solve, in_axes=(0, 0, None))
        found = jax.jit(solve)(PROBABILITY * factors[0], RATE * factors[1], BUDGET)
        return np.asarray(found.allocation)


def test_the_mean_is_worth_at_least_as_much_as_its_parts():
    parts = optima(1.0, (200, 4))
    assert np.all(worth(parts.mean(axis=1)) >= worth(parts).mean(axis=1) - 1e-12)
    # Arms are left out by some of these and never by the mean of those that do not.
    assert np.mean(parts == 0) > 0.02
    assert np.all(parts.mean(axis=1) >= parts.max(axis=1) / 4 - 1e-12)


@pytest.mark.slow
def test_the_noise_of_one_draw_is_shared_by_many():
    """Within a tenth: small noise, of which the square is what counts."""
    best = worth(optima(0.0, (1,)))[0]
    parts = optima(0.03, (20_000, 8))
    one = best - worth(parts).mean()
    mean = best - worth(parts.mean(axis=1)).mean()
    assert abs(mean / one - 1 / 8) < 0.0125


def test_of_sigmoids_the_mean_may_be_worth_nothing():
    """Two arms that need all of the budget: half of it for each is none."""

    def steps(amounts):
        return np.sum(amounts >= BUDGET, axis=-1)

    both = BUDGET * np.eye(2)
    assert steps(both).tolist() == [1, 1] and steps(both.mean(axis=0)) == 0
