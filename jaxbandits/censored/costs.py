"""Cost and penalty functions of the censored paper.

They are called with NumPy arrays (exact tables, on the host) and with JAX arrays
(inside a policy): write them with operators and ``where`` of the argument's own module.
`scaled`, `fast_track` and `late_fee` return the same function object for equal
arguments, so that equal problems compare equal and compile once.
"""

from functools import cache
from typing import Any

import jax.numpy as jnp
import numpy as np

from jaxbandits.checks import non_negative, number, played
from jaxbandits.laws.law import Cost, exceeds


def _where(condition: Any, x: Any, y: Any) -> Any:
    return (np if isinstance(condition, np.ndarray | np.bool_) else jnp).where(
        condition, x, y
    )


def _sizes(**values: float) -> list[float]:
    """Numbers >= 0, checked and converted to floats, which are hashable."""
    sizes = [number(name, value) for name, value in values.items()]
    non_negative(**values)
    played(**values)
    return sizes


def scaled(factor: float) -> Cost:
    """``x -> factor * x``: a cost or penalty proportional to the resource.

    PAR10 (section 2) is ``cost = scaled(1.0)``, ``penalty = scaled(10.0)``.

    Raises:
      ValueError: if `factor` is negative, infinite, or too large or small to play.
    """
    return _scaled(*_sizes(factor=factor))


@cache
def _scaled(factor: float) -> Cost:
    def proportional(x):
        return factor * x

    return proportional


def fast_track(compensation: float, promise: float, cost_factor: float = 0.1) -> Cost:
    """The running example's penalty (Example 2).

    ``lambda(x) = cost_factor * x`` up to the promised time and ``compensation * x``
    beyond. Whether a time is beyond the promise is decided in float32, in every
    precision: a limit above the promise only by rounding keeps the promise.

    Args:
      compensation: L, the compensation per unit of resource.
      promise: the promised time.
      cost_factor: slope of the cost function c.

    Raises:
      ValueError: if the compensation is below the cost (lambda would decrease) or an
        argument is negative, infinite, or too large or small to play.
    """
    sizes = _sizes(compensation=compensation, promise=promise, cost_factor=cost_factor)
    if compensation < cost_factor:
        raise ValueError(
            f"compensation must be at least cost_factor = {cost_factor}, got "
            f"{compensation}"
        )
    return _fast_track(*sizes)


@cache
def _fast_track(compensation: float, promise: float, cost_factor: float) -> Cost:
    def penalty(x):
        return _where(exceeds(x, promise), compensation * x, cost_factor * x)

    return penalty


def late_fee(fee: float, promise: float, cost_factor: float = 0.1) -> Cost:
    """A penalty that grows with the time over the promise, and does not jump.

    ``lambda(x) = cost_factor * x + fee * max(x - promise, 0)``. (The paper's
    `fast_track` jumps at the promise, where its own eq. (22) then fails.)

    Args:
      fee: fee per unit of resource beyond the promise.
      promise: the promised time.
      cost_factor: slope of the cost function c.

    Raises:
      ValueError: if an argument is negative, infinite, or too large or small to play.
    """
    return _late_fee(*_sizes(fee=fee, promise=promise, cost_factor=cost_factor))


@cache
def _late_fee(fee: float, promise: float, cost_factor: float) -> Cost:
    def penalty(x):
        return cost_factor * x + _where(x > promise, fee * (x - promise), 0.0)

    return penalty
