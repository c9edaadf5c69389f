"""studies/allocation_forms.py fills mixtures of curves as they should be filled."""

import allocation_forms as study
import jax.numpy as jnp
import numpy as np
import pytest

from jaxbandits import allocation
from jaxbandits.kernels.allocation import exponential_water_filling


def arms_of(rate, probability):
    rate, p = (jnp.asarray(x, jnp.float32) for x in (rate, probability))
    return study.Mixture(rate, jnp.full_like(p, 1 / p.shape[1]), p, p * p)


@pytest.mark.slow  # as mixtures are
def test_one_curve_is_filled_as_the_kernel_does():
    problem = allocation.simulation(3).problem
    p, rate = np.array([0.9, 0.5, 0.2]), np.array([0.1, 0.6, 1.5])
    found = study.filled(problem, arms_of(rate[:, None], p[:, None]), 12.0)
    best = exponential_water_filling(
        jnp.asarray(p, jnp.float32), jnp.asarray(rate, jnp.float32), 12.0
    ).allocation
    np.testing.assert_allclose(found, best, atol=0.02)
    assert np.min(best) > 0.5 and np.ptp(best) > 2


@pytest.mark.slow
def test_mixtures_end_at_one_marginal_value():
    problem = allocation.simulation(2).problem
    rate, p = np.array([[0.05, 0.8], [0.3, 0.4]]), np.array([[0.9, 0.4], [0.7, 0.5]])
    x = np.asarray(study.filled(problem, arms_of(rate, p), 20.0), np.float64)
    assert x.sum() == pytest.approx(20, abs=1e-3) and x.min() > 1
    slope = np.mean(p * rate * np.exp(-rate * x[:, None]), axis=1)
    assert slope[0] == pytest.approx(slope[1], rel=0.02)
