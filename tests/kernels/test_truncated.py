"""The truncated exponential mean against 50-digit decimals."""

from decimal import Decimal, localcontext

import jax
import numpy as np

from jaxbandits.kernels.truncated import SMALL, truncated_exponential_mean
from tests.tables import in_both_precisions

mean = jax.jit(truncated_exponential_mean)
slope = jax.jit(jax.vmap(jax.grad(truncated_exponential_mean)))


def exact(v):
    """``g(v)`` and ``g'(v)``; their usual forms, in 50 digits."""
    with localcontext() as context:
        context.prec = 50
        v = Decimal(float(v))
        rest = v.exp() - 1
        g = 1 / v - 1 / rest
        return float(g), float((rest + 1) / rest**2 - 1 / v**2)


def grid(dtype):
    """Both sides of the place where the series ends, and far from it."""
    near = SMALL * (1 + np.linspace(-0.02, 0.02, 21))
    return np.concatenate([np.geomspace(1e-8, 80, 60), near]).astype(dtype)


@in_both_precisions
def test_values_and_slopes_are_those_of_fifty_digits(dtype):
    v = grid(dtype)
    g, derivative = np.array([exact(x) for x in v]).T
    # In float64 the series, of six terms, is what limits: 5e-13 where it ends.
    tight = 6e-7 if dtype == np.float32 else 1e-12
    np.testing.assert_allclose(mean(v), g, rtol=tight)
    assert mean(v).dtype == dtype
    # The slope of the formula cancels more than the formula.
    np.testing.assert_allclose(slope(v), derivative, rtol=100 * tight)
