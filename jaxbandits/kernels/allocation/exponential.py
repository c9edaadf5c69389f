"""Exact water-filling for exponential curves: problems (53) and (54)."""

import chex
import jax.numpy as jnp

from jaxbandits.kernels.allocation.solution import (
    NOTHING_TO_GAIN,
    SOLVED,
    Solution,
    evenly,
)

LEAST = 1e-30  # stands for 0 in a denominator
FEW_ARMS = 32  # up to here all pairs are compared; beyond, the arms are sorted


def exponential_water_filling(weight, rate, budget) -> Solution:
    """Maximise ``sum_i weight_i (1 - exp(-rate_i x_i))`` over ``sum_i x_i = budget``.

    The optimum is ``x_i = max(log(weight_i rate_i) - u, 0) / rate_i`` at the level u
    that spends the budget. A level that spends it on *some* arms, the others left out
    and no sign looked at, is never above the optimal one, and equal to it for the right
    arms; so u is the largest over the sets of the r steepest arms, r = 1, ..., K. No
    tolerance, no search; differentiable wherever the solution is.

    Args:
      weight: f[K] >= 0.
      rate: f[K] > 0.
      budget: f[] > 0.

    Returns:
      A `Solution`; the bound is weak duality's, which the optimum attains.

    Example:
      >>> exponential_water_filling(jnp.ones(2), jnp.ones(2), 3.0).allocation
      Array([1.5, 1.5], dtype=float32)
    """
    weight, rate = jnp.asarray(weight), jnp.asarray(rate)
    chex.assert_rank([weight, rate, budget], [1, 1, 0])
    chex.assert_equal_shape([weight, rate])
    steep = weight * rate
    steepest = jnp.max(steep)
    some = steepest > 0
    # Everything is relative to the steepest arm: with a small budget, the levels differ
    # by less than the rounding of a logarithm.
    drop = jnp.where(
        steep > 0,
        -jnp.log(jnp.where(steep > 0, steep, 1.0) / jnp.where(some, steepest, 1.0)),
        jnp.inf,
    )
    finite = jnp.where(steep > 0, drop, 0.0)
    inverse = jnp.where(steep > 0, 1 / rate, 0.0)
    need, slope = _sums_of_steepest(drop, finite * inverse, inverse)
    # Of the r steepest arms: sum (u - drop_i) / rate_i = budget, u below the top.
    level = jnp.min(
        jnp.where(slope > 0, (budget + need) / jnp.where(slope > 0, slope, 1), jnp.inf)
    )
    level = jnp.where(some, level, 0.0)
    x = jnp.maximum(level - finite, 0.0) * inverse
    # Rounding of the level is worth much where a rate is small: spend what is missing.
    taking = jnp.where(x > 0, inverse, 0.0)
    missing = budget - jnp.sum(x)
    x = jnp.maximum(x + missing * taking / jnp.maximum(jnp.sum(taking), LEAST), 0.0)
    allocation = jnp.where(some, x, evenly(weight, budget))
    value = jnp.sum(weight * -jnp.expm1(-rate * allocation))
    price = steepest * jnp.exp(-level)
    # Weak duality at that price: every arm may take what is best for it alone.
    bound = jnp.sum(weight * -jnp.expm1(-rate * x) - price * x) + price * budget
    status = jnp.where(some, SOLVED, NOTHING_TO_GAIN).astype(jnp.int32)
    return Solution(allocation, value, jnp.where(some, bound, 0.0), status)


def _sums_of_steepest(drop, *columns):
    """For every arm, the sums of the columns over the arms at least as steep."""
    if drop.shape[0] <= FEW_ARMS:
        steeper = drop[None, :] <= drop[:, None]
        return [jnp.sum(jnp.where(steeper, c[None, :], 0.0), axis=1) for c in columns]
    order = jnp.argsort(drop)
    return [jnp.cumsum(column[order]) for column in columns]
