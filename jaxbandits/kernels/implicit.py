"""Derivatives of what a search found, by the implicit function theorem."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array, lax
from jaxtyping import Float

from jaxbandits.checks import kinds


@kinds
def implicit_root(
    function: Callable[[Array], Array],
    root: Float[Array, "*n"],
    each: bool = False,
) -> Float[Array, "*n"]:
    """A known root of a function, with derivatives of any order.

    Args:
      function: of one number or of n, ``f[n] -> f[n]``, differentiable; the derivatives
        are those by the numbers that it uses.
      root: f[] or f[n], however it was found; its own derivatives do not count.
      each: host bool, whether the function works element by element.

    Returns:
      `root`. Derivatives, forward or backward, are not finite where the Jacobian of n
      functions is singular; those of one number (with `each`, of all) are 0 where its
      function is flat.
    """

    def solve(linear, target):
        if target.ndim and not each:
            return jnp.linalg.solve(jax.jacobian(linear)(target), target)
        slope = linear(jnp.ones_like(target))
        return jnp.where(slope == 0, 0.0, target / jnp.where(slope == 0, 1.0, slope))

    return lax.custom_root(function, lax.stop_gradient(root), lambda _, x: x, solve)


@jax.custom_jvp
def with_slope_of(source: Array, value: Array) -> Array:
    """A value that has the derivatives of another of its shape and dtype.

    Args:
      source: whose derivatives it has; what it costs is saved, under `jit`, where
        nothing is differentiated.
      value: what is returned; its own derivatives do not count.
    """
    del source
    return value


@with_slope_of.defjvp
def _(primals: tuple[Array, Array], tangents: tuple[Array, Array]) -> tuple[Any, Any]:
    source, value = primals
    return with_slope_of(source, value), tangents[0]
