"""Cost and penalty functions of the censored paper.

They are called with NumPy arrays (exact tables, on the host) and with JAX arrays
(inside a policy): write them with operators and ``where`` of the argument's own module.
`scaled`, `fast_track` and `late_fee` return one and the same function for equal
arguments, so that problems built twice compare equal and compile once.
"""

from functools import cache

import jax.numpy as jnp
import numpy as np


def _where(condition, x, y):
    return (np if isinstance(condition, np.ndarray | np.bool_) else jnp).where(
        condition, x, y
    )


@cache
def scaled(factor: float):
    """``x -> factor * x``: a cost or penalty proportional to the resource.

    PAR10 (section 2) is ``cost = scaled(1.0)``, ``penalty = scaled(10.0)``.

    Raises:
      ValueError: if `factor` is negative.
    """
    if not factor >= 0:
        raise ValueError(f"factor must be >= 0, got {factor}")

    def proportional(x):
        return factor * x

    return proportional


@cache
def fast_track(compensation: float, promise: float, cost_factor: float = 0.1):
    """The running example's penalty (Example 2).

    ``lambda(x) = cost_factor * x`` up to the promised time and ``compensation * x``
    beyond.

    Args:
      compensation: L, the compensation per unit of resource.
      promise: the promised time.
      cost_factor: slope of the cost function c.

    Raises:
      ValueError: if the compensation is below the cost (lambda would decrease) or an
        argument is negative.
    """
    if not (promise >= 0 and compensation >= cost_factor >= 0):
        raise ValueError(
            "need promise >= 0 and compensation >= cost_factor >= 0, got "
            f"{promise=}, {compensation=}, {cost_factor=}"
        )

    def penalty(x):
        return _where(x <= promise, cost_factor * x, compensation * x)

    return penalty


@cache
def late_fee(fee: float, promise: float, cost_factor: float = 0.1):
    """A penalty that grows with the time over the promise, and does not jump.

    ``lambda(x) = cost_factor * x + fee * max(x - promise, 0)``. (The paper's
    `fast_track` jumps at the promise, where its own eq. (22) then fails.)

    Args:
      fee: per unit of resource beyond the promise.
      promise: the promised time.
      cost_factor: slope of the cost function c.

    Raises:
      ValueError: if an argument is negative.
    """
    if not (promise >= 0 and fee >= 0 and cost_factor >= 0):
        raise ValueError(
            f"need fee, promise, cost_factor >= 0, got {fee=}, {promise=}, "
            f"{cost_factor=}"
        )

    def penalty(x):
        return cost_factor * x + _where(x > promise, fee * (x - promise), 0.0)

    return penalty
