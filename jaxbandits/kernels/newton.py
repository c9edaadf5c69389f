"""Newton's method inside a bracket, with a fixed number of steps."""

from collections.abc import Callable

import jax.numpy as jnp
from jax import lax

from jaxbandits.arrays.real import Floats, Reals, alike, real


def guarded_newton(
    function: Callable[[Floats], tuple[Floats, Floats]],
    low: Reals,
    high: Reals,
    start: Reals,
    steps: int,
) -> Floats:
    """The point where a function turns from negative to positive.

    A step that leaves the bracket, or that a slope of the wrong sign asks for, is
    replaced by the middle of the bracket. The steps are a loop that
    XLA writes out: on a CPU a loop of so little work would cost more than the work.

    Args:
      function: ``f[...] -> (value, slope)``, element by element.
      low: real array, where it is negative or the point lies.
      high: real array, where it is positive or the point lies.
      start: real array in [low, high].
      steps: how many; near a simple zero each doubles the number of digits.

    Returns:
      f[...] in [low, high]. Differentiable, as the implicit function that it is, where
      the last step was Newton's.
    """

    def step(bracket, _):
        x, low, high = bracket
        value, slope = function(x)
        below = value < 0
        low, high = jnp.where(below, x, low), jnp.where(below, high, x)
        usable = slope > 0
        after = x - value / jnp.where(usable, slope, 1.0)
        inside = usable & (low <= after) & (after <= high)
        return (jnp.where(inside, after, 0.5 * (low + high)), low, high), None

    bracket = jnp.broadcast_arrays(*alike(*real(start=start, low=low, high=high)))
    (x, _, _), _ = lax.scan(step, tuple(bracket), None, length=steps, unroll=steps)
    return x
