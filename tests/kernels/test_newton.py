"""Guarded Newton steps against known zeros."""

import itertools

import jax
import jax.numpy as jnp
import numpy as np

from jaxbandits.kernels.interpolation import guarded_newton
from tests.tables import each_row

newton = jax.jit(guarded_newton, static_argnums=(0, 4))

# Function and slope, bracket, zero.
CASES = {
    "linear": (lambda x: (3 * x - 1, 3.0 + 0 * x), (0, 1), 1 / 3),
    "cube": (lambda x: (x**3 - 2, 3 * x**2), (0, 2), 2 ** (1 / 3)),
    # From an end where the slope vanishes, and where a step would leave the bracket.
    "arc tangent": (lambda x: (jnp.arctan(x - 1), 1 / (1 + (x - 1) ** 2)), (-40, 9), 1),
    "steep": (lambda x: (jnp.tanh(50 * x), 50 / jnp.cosh(50 * x) ** 2), (-1, 1.5), 0),
}


@each_row("name, start", itertools.product(CASES, ("low", "high")))
def test_zeros_are_found_from_either_end(name, start):
    function, (low, high), zero = CASES[name]
    with jax.enable_x64(True):
        low, high = jnp.float64(low), jnp.float64(high)
        begin = low if start == "low" else high
        found = np.asarray(newton(function, low, high, begin, 20))
    np.testing.assert_allclose(found, zero, atol=1e-9)
