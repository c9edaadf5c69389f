"""Exact water-filling for exponential curves: problems (53) and (54)."""

import jax.numpy as jnp
from jax import Array, lax
from jax.typing import ArrayLike
from jaxtyping import Real

from jaxbandits.arrays.real import real
from jaxbandits.checks import shaped
from jaxbandits.kernels.allocation.solution import (
    NOTHING_TO_GAIN,
    SOLVED,
    Solution,
    evenly,
    judged,
    spendable,
)

LEAST = 1e-30  # stands for 0 in a denominator
FEW_ARMS = 16  # up to here all pairs are compared; beyond, arms are left out in turns


def exponential_water_filling(
    weight: Real[ArrayLike, " K"],
    rate: Real[ArrayLike, " K"],
    budget: Real[ArrayLike, ""],
) -> Solution:
    """Maximise ``sum_i weight_i (1 - exp(-rate_i x_i))`` over ``sum_i x_i = budget``.

    The optimum is ``x_i = max(log(weight_i rate_i) - u, 0) / rate_i`` at the level u
    that spends the budget. A level that spends it on *some* arms, the others left out
    and no sign looked at, is never above the optimal one, and equal to it for the right
    arms; so u is the largest over the sets of the r steepest arms, r = 1, ..., K. For
    many arms it is found by leaving out those that the level of the others drowns,
    until there are none: Newton's method on a convex function made of straight lines,
    which ends after a few turns (at most K). No tolerance; differentiable wherever the
    solution is.

    Args:
      weight: f[K] >= 0.
      rate: f[K] > 0.
      budget: f[] > 0.

    Returns:
      A `Solution`; the bound is weak duality's, which the optimum attains. The status
      is `INVALID` if a number is out of its range, infinite or NaN.

    Example:
      >>> exponential_water_filling(jnp.ones(2), jnp.ones(2), 3.0).allocation
      Array([1.5, 1.5], dtype=float32)
    """
    weight, rate, budget = real(weight=weight, rate=rate, budget=budget)
    shaped("K", weight=weight, rate=rate)
    shaped("", budget=budget)
    if weight.shape != rate.shape:
        raise ValueError(
            f"weight and rate must have one shape [K], got {weight.shape} and "
            f"{rate.shape}"
        )
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
    level_of = _level_by_pairs if drop.shape[0] <= FEW_ARMS else _level_by_turns
    level = level_of(drop, finite, inverse, budget)
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
    solution = Solution(allocation, value, jnp.where(some, bound, 0.0), status)
    # 0 times infinity is NaN, which no comparison lets pass.
    sound = (weight >= 0) & (rate > 0) & (weight * rate < jnp.inf)
    return judged(solution, sound, spendable(budget))


def _level_by_pairs(drop: Array, finite: Array, inverse: Array, budget: Array) -> Array:
    """The level, from the sums over the arms at least as steep as each arm."""
    steeper = drop[None, :] <= drop[:, None]

    def sums(column):
        return jnp.sum(jnp.where(steeper, column[None, :], 0.0), axis=1)

    # Of the r steepest arms: sum (u - drop_i) / rate_i = budget, u below the top.
    return jnp.min(_spending(budget, sums(finite * inverse), sums(inverse)))


def _level_by_turns(drop: Array, finite: Array, inverse: Array, budget: Array) -> Array:
    """The level, from that of all arms downwards."""

    def level_of(taking, finite, inverse, budget):
        need = jnp.sum(jnp.where(taking, finite * inverse, 0.0))
        return _spending(budget, need, jnp.sum(jnp.where(taking, inverse, 0.0)))

    # Which arms take part has no derivative; the level of these arms has.
    fixed = lax.stop_gradient((finite, inverse, jnp.asarray(budget, finite.dtype)))
    fixed_drop = lax.stop_gradient(drop)

    def turn(carry):
        level, _ = carry
        lower = level_of(fixed_drop <= level, *fixed)
        return lower, lower < level

    start = level_of(fixed_drop < jnp.inf, *fixed)
    level, _ = lax.while_loop(lambda c: c[1], turn, (start, jnp.ones((), bool)))
    return level_of(fixed_drop <= level, finite, inverse, budget)


def _spending(budget: Array, need: Array, slope: Array) -> Array:
    """The level that spends the budget, +inf where nothing can."""
    some = slope > 0
    return jnp.where(some, (budget + need) / jnp.where(some, slope, 1.0), jnp.inf)
