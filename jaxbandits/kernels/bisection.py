"""Bisection with a fixed number of steps: no run of a batch waits for another."""

from collections.abc import Callable

import jax.numpy as jnp
from jax import Array, lax
from jaxtyping import Bool

from jaxbandits.arrays.real import Floats, Reals, alike, real
from jaxbandits.checks import MOST, function, whole

TRIPS = {jnp.dtype("float32"): 32, jnp.dtype("float64"): 62}


def bracket(
    below: Callable[[Floats], Bool[Array, "*shape"]],
    low: Reals,
    high: Reals,
    trips: int | None = None,
) -> tuple[Floats, Floats]:
    """The last interval of a bisection; see `bisect`.

    Returns:
      ``(low, high)``.
    """
    function("below", below)
    low, high = jnp.broadcast_arrays(*alike(*real(low=low, high=high)))

    def halve(_, ends):
        low, high = ends
        middle = 0.5 * (low + high)
        up = below(middle)
        if (kind := jnp.result_type(up)) != jnp.bool_:
            raise TypeError(f"below must return true or false, got {kind}")
        if jnp.broadcast_shapes(jnp.shape(up), low.shape) != low.shape:
            raise ValueError(
                "below must return one answer for each point between low and high, "
                f"shape {list(low.shape)}, got {list(jnp.shape(up))}"
            )
        return jnp.where(up, middle, low), jnp.where(up, high, middle)

    default = TRIPS[low.dtype]
    trips = default if trips is None else whole("trips", trips, 0, MOST)
    return lax.fori_loop(0, trips, halve, (low, high))


def bisect(
    below: Callable[[Floats], Bool[Array, "*shape"]],
    low: Reals,
    high: Reals,
    trips: int | None = None,
) -> Floats:
    """The point where a predicate turns from true to false.

    The result has derivative 0 with respect to everything that `below` uses, which is
    wrong: a predicate has no slope. For a derivative, take a Newton step of the
    underlying function from ``lax.stop_gradient(bisect(...))``; it has the derivative
    of the implicit function, as in `allocation.water_filling`.

    Args:
      below: ``f[...] -> bool[...]``, element by element; true below the point.
      low: real array, lower end; `below` is true there, or the point is there.
      high: real array, upper end; `below` is false there. Both broadcast together.
      trips: number of halvings; by default 32 in float32 and 62 in float64.

    Returns:
      f[...] in [low, high].

    Raises:
      TypeError: if an end is not a real array, or `below` does not return booleans.
      ValueError: if `below` returns more entries than the ends have.
    """
    low, high = bracket(below, low, high, trips)
    return 0.5 * (low + high)
