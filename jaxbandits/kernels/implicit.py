"""Derivatives of the result of a search, by the implicit function theorem."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array, lax
from jaxtyping import Float

from jaxbandits.checks import kinds, shaped


@kinds
def implicit_root(
    function: Callable[[Array], Array],
    root: Float[Array, "*n"],
    each: bool = False,
) -> Float[Array, "*n"]:
    """A known root of a function, with derivatives of any order.

    Args:
      function: differentiable, ``f[] -> f[]`` or ``f[n] -> f[n]``; the root is
        differentiated with respect to the numbers that it closes over.
      root: f[] or f[n], from any search; its own derivatives are ignored.
      each: host bool, whether the function works element by element.

    Returns:
      `root`. Derivatives, forward or backward, are not finite if the Jacobian of n
      functions is singular. For a scalar root (and with `each`) they are 0 where the
      function is flat.
    """

    def solve(linear, target):
        if target.ndim and not each:
            return jnp.linalg.solve(jax.jacobian(linear)(target), target)
        slope = linear(jnp.ones_like(target))
        return jnp.where(slope == 0, 0.0, target / jnp.where(slope == 0, 1.0, slope))

    return lax.custom_root(function, lax.stop_gradient(root), lambda _, x: x, solve)


@kinds
def with_slope_of(source: Array, value: Array) -> Array:
    """Return one array with the derivatives of another of the same shape and dtype.

    Args:
      source: its derivatives are used. Under `jit` it is not computed unless the result
        is differentiated.
      value: the array to return; its own derivatives are ignored.

    Raises:
      TypeError, ValueError: if one is no array, or they differ in shape.
    """
    shaped(" ".join(map(str, jnp.shape(source))), value=value)
    return _with_slope_of(source, value)


@jax.custom_jvp
def _with_slope_of(source: Array, value: Array) -> Array:
    del source
    return value


@_with_slope_of.defjvp
def _(primals: tuple[Array, Array], tangents: tuple[Array, Array]) -> tuple[Any, Any]:
    source, value = primals
    return _with_slope_of(source, value), tangents[0]
