"""The truncated exponential law, whose formulas cancel near 0."""

import jax.numpy as jnp

from jaxbandits.arrays.real import Floats, Reals, real

SMALL = 0.5  # below, the series; above, the formula
SERIES = (
    1 / 2,
    -1 / 12,
    1 / 720,
    -1 / 30240,
    1 / 1209600,
    -1 / 47900160,
    691 / 1307674368000,
)


def truncated_exponential_mean(v: Reals) -> Floats:
    """``g(v) = 1 / v - 1 / expm1(v)``: E[X | X <= 1] for X of rate v (appendix H).

    Args:
      v: real array > 0.

    Returns:
      Array in (0, 1/2), decreasing in v; relative error a few units in the last place.
    """
    v = real(v=v)
    small = v < SMALL
    large = jnp.where(small, 1.0, v)
    v2 = v * v
    odd = jnp.zeros_like(v)
    for coefficient in reversed(SERIES[1:]):
        odd = coefficient + v2 * odd
    return jnp.where(small, SERIES[0] + v * odd, 1 / large - 1 / jnp.expm1(large))
