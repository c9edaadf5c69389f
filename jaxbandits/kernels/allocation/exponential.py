"""Exact water-filling for exponential curves: problems (53) and (54)."""

import jax.numpy as jnp
from jax import Array, lax
from jax.typing import ArrayLike
from jaxtyping import Real

from jaxbandits.arrays import multiply_add
from jaxbandits.arrays.real import real
from jaxbandits.checks import kinds
from jaxbandits.kernels.allocation.solution import (
    INACCURATE,
    NOTHING_TO_GAIN,
    SOLVED,
    Solution,
    evenly,
    spendable,
    with_status,
)

LEAST = 1e-30  # stands for 0 in a denominator
NEVER = 1e30  # stands for the drop of an arm with weight 0
FEW_ARMS = 16  # up to this K all pairs are compared; above, arms are removed in turns


@kinds
def exponential_water_filling(
    weight: Real[ArrayLike, " K"],
    rate: Real[ArrayLike, " K"],
    budget: Real[ArrayLike, ""],
) -> Solution:
    """Maximise ``sum_i weight_i (1 - exp(-rate_i x_i))`` over ``sum_i x_i = budget``.

    The optimum is ``x_i = max(log(weight_i rate_i) - u, 0) / rate_i`` at the level u
    that spends the budget. For any set of arms, consider the level that spends the
    budget on this set without the condition x_i >= 0. It is never above u, and equal to
    u for the optimal set. So u is the largest level over the sets of the r steepest
    arms, r = 1, ..., K. For many arms, the arms with negative amounts at the current
    level are removed until there are none: this is Newton's method on a convex,
    piecewise linear function, and ends after a few turns (at most K). There is no
    tolerance; derivatives exist wherever the solution has them.

    Args:
      weight: f[K] >= 0.
      rate: f[K] > 0.
      budget: f[] >= 0.

    Returns:
      A `Solution`; the bound is that of weak duality, which the optimum attains. The
      status is `INVALID` if a number is out of its range, infinite or NaN, and
      `INACCURATE` where numbers so far apart (1e30 beside 1e-30) underflow on the way
      that not all of the budget is spent.

    Examples:
      >>> exponential_water_filling(jnp.ones(2), jnp.ones(2), 3.0).allocation
      Array([1.5, 1.5], dtype=float32)
    """
    weight, rate, budget = real(weight=weight, rate=rate, budget=budget)
    steep = weight * rate
    steepest = jnp.max(steep)
    some, alive = steepest > 0, steep > 0
    # Everything is relative to the steepest arm: with a small budget, the levels differ
    # by less than the rounding of a logarithm.
    unit = 1 / jnp.where(some, steepest, 1.0)
    drop = jnp.where(alive, -jnp.log(jnp.where(alive, steep, 1.0) * unit), NEVER)
    inverse = jnp.where(alive, 1 / rate, 0.0)
    level_of = _level_by_pairs if drop.shape[0] <= FEW_ARMS else _level_by_turns
    level = level_of(drop, inverse, budget)
    level = jnp.where(some, level, 0.0)
    x = jnp.maximum(level - drop, 0.0) * inverse
    # Rounding of the level is worth much where a rate is small: spend what is missing.
    taking = jnp.where(x > 0, inverse, 0.0)
    missing = budget - jnp.sum(x)
    x = jnp.maximum(x + missing * taking / jnp.maximum(jnp.sum(taking), LEAST), 0.0)
    allocation = jnp.where(some, x, evenly(weight, budget))
    value = jnp.sum(weight * -jnp.expm1(-rate * allocation))
    price = steepest * jnp.exp(-level)
    # Weak duality at that price: every arm may take what is best for it alone.
    bound = jnp.sum(weight * -jnp.expm1(-rate * x) - price * x) + price * budget
    # Numbers far apart may underflow on the way.
    spent = jnp.abs(budget - jnp.sum(allocation)) <= 1e-4 * budget
    solved = jnp.where(spent, SOLVED, INACCURATE)
    status = jnp.where(some, solved, NOTHING_TO_GAIN).astype(jnp.int32)
    solution = Solution(allocation, value, jnp.where(some, bound, 0.0), status)
    # 0 times infinity is NaN, which no comparison lets pass.
    sound = (weight >= 0) & (rate > 0) & (weight * rate < jnp.inf)
    return with_status(solution, sound, spendable(budget))


def _level_by_pairs(drop: Array, inverse: Array, budget: Array) -> Array:
    """The level, from the amounts that fill the steeper arms down to each arm."""
    # Which arms take part has no derivative; the level of these arms has.
    fixed, slope, most = lax.stop_gradient((drop, inverse, budget))
    cost = jnp.zeros_like(drop)
    for k in range(drop.shape[0]):
        cost = multiply_add(jnp.maximum(fixed - fixed[k], 0.0), slope[k], cost)
    return _level_of(cost <= most, drop, inverse, budget)


def _level_by_turns(drop: Array, inverse: Array, budget: Array) -> Array:
    """The level, from that of all arms downwards."""
    # Which arms take part has no derivative; the level of these arms has.
    fixed = lax.stop_gradient((drop, inverse, jnp.asarray(budget, drop.dtype)))

    def turn(carry):
        level, _ = carry
        lower = _level_of(fixed[0] <= level, *fixed)
        return lower, lower < level

    start = _level_of(fixed[0] < NEVER, *fixed)
    level, _ = lax.while_loop(lambda c: c[1], turn, (start, jnp.ones((), bool)))
    return _level_of(fixed[0] <= level, drop, inverse, budget)


def _level_of(taking: Array, drop: Array, inverse: Array, budget: Array) -> Array:
    """The level that spends the budget on some arms, `NEVER` where nothing can."""
    each = jnp.where(taking, inverse, 0.0)
    need, slope = jnp.sum(drop * each), jnp.sum(each)
    some = slope > 0
    return jnp.where(some, (budget + need) / jnp.where(some, slope, 1.0), NEVER)
