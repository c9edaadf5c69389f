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
    """The point where a function turns from negative to positive, in [low, high].

    If a Newton step leaves the bracket, or the slope has the wrong sign, the middle of
    the bracket is taken instead. The loop over steps is unrolled: on a CPU its overhead
    would exceed the work of a step. Near a simple zero each step doubles the digits.
    The derivative is that of the implicit function where the last step was Newton's.

    Args:
      function: ``f[...] -> (value, slope)``, element by element.
      low, high, start, steps: ends, the first point between them, number of steps.
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
