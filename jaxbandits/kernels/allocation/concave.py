"""Water-filling for any concave curves, by bisection on the water level."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax
from jax.typing import ArrayLike
from jaxtyping import Float, Real

from jaxbandits.arrays.real import real
from jaxbandits.checks import flag, kinds, shaped
from jaxbandits.kernels.allocation.solution import (
    INACCURATE,
    NOTHING_TO_GAIN,
    SOLVED,
    Curves,
    Solution,
    evenly,
    per_arm,
    spendable,
    with_status,
)
from jaxbandits.kernels.bisection import bracket
from jaxbandits.kernels.implicit import implicit_root, with_slope_of

# Levels are searched between these distances below the greatest height. At the first, a
# half-normal arm of rate 1 takes 1e-9 of resource; a marginal of exp(-600) is 0.
NEAREST, FARTHEST = 1e-18, 600.0


@kinds
def water_filling(
    curves: Curves,
    budget: Real[ArrayLike, ""],
    *,
    bounded: bool = True,
    limit: float | Real[Array, " K"] | None = None,
    least: float | Real[Array, " K"] | None = None,
) -> Solution:
    """Maximise ``sum_i f_i(x_i)`` over ``sum_i x_i = budget`` for concave ``f_i``.

    All arms are filled until their marginal values are equal; this value is the water
    level. A bisection determines its distance below the greatest height, on a
    logarithmic scale if heights are finite. A Newton step of the amounts then spends
    the budget up to rounding. The derivatives of the solution, of any order, are those
    of the level as an implicit function.

    Args:
      curves: concave curves: `touch` is 0.
      budget: f[] >= 0.
      bounded: host bool, whether all marginals are finite at 0.
      limit: f[K], or one for all arms, or None: largest amount.
      least: f[K] >= 0, or one for all arms, or None: smallest amount.

    Returns:
      A `Solution`. Resource that no arm gains from is not spent: all arms are at their
      limits or succeed for sure, as Beta arms with amount 1. The bound is that of weak
      duality at the level. The status is `INACCURATE` if more than a relative 1e-4 of
      the budget is overspent, or is left over though arms could gain. It is `INVALID`
      if a height is NaN or +inf, the budget is negative, infinite or NaN, a curve is
      not concave, or `least` exceeds the budget or `limit`.
    """
    height, budget = curves.log_height, real(budget=budget)
    shaped("K", **{"curves.log_height": height})
    bounded = flag("bounded", bounded)
    limit = per_arm("limit", limit, height.shape[0])
    least = per_arm("least", least, height.shape[0])
    alive = height > -jnp.inf
    some = jnp.any(alive)
    top = jnp.where(some, jnp.max(height), 0.0)
    below = jnp.where(alive, top - jnp.where(alive, height, 0.0), 0.0)

    def fill(level):
        drop = level - below
        active = alive & (drop > 0) if bounded else alive
        # `fall` is not called for arms with amount 0: its derivative may be infinite.
        x = jnp.where(active, curves.fall(jnp.where(active, drop, 1.0)), 0.0)
        x = x if limit is None else jnp.minimum(x, limit)
        return x if least is None else jnp.maximum(x, least)

    def level_at(position):
        return jnp.exp(position) if bounded else position

    def short(position):
        return jnp.sum(fill(level_at(position))) < budget

    ends = (np.log(NEAREST), np.log(FARTHEST)) if bounded else (-FARTHEST, FARTHEST)
    low, high = (jnp.asarray(end, height.dtype) for end in ends)
    low, high = lax.stop_gradient(bracket(short, low, high))
    # Bisection has no derivatives; the level gets those of its equation.
    low = implicit_root(lambda at: jnp.sum(fill(level_at(at))) - budget, low)
    high = with_slope_of(low, high)
    level = level_at(low)
    x, growth = jax.jvp(fill, (level,), (jnp.ones_like(level),))
    total = jnp.sum(growth)
    step = (budget - jnp.sum(x)) / jnp.where(total > 0, total, 1.0)
    stepped = jnp.maximum(x + step * growth, 0.0)
    # Where an arm is about to be filled, rounding of the level matters and the slope
    # does not show it; a mixture of the two fills spends the budget.
    more = fill(level_at(high)) - x
    open_arms = jnp.sum(more)
    share = (budget - jnp.sum(x)) / jnp.where(open_arms > 0, open_arms, 1.0)
    between = x + jnp.clip(share, 0.0, 1.0) * more
    missed = [jnp.abs(budget - jnp.sum(each)) for each in (stepped, between)]
    x = jnp.where(
        (missed[0] <= 1e-6 * budget) | (missed[0] <= missed[1]), stepped, between
    )
    value = jnp.sum(curves.value(x))
    missing = budget - jnp.sum(x)
    lost = jnp.where(some, jnp.exp(top - level) * missing, 0.0)
    full = (missing > 0) & (lost <= 1e-6 * value)
    exact = (jnp.abs(missing) <= 1e-4 * budget) | full
    status = jnp.where(exact, SOLVED, INACCURATE)
    must = jnp.zeros_like(height) if least is None else least
    rest = budget - jnp.sum(must)
    solution = Solution(
        jnp.where(some, x, must + evenly(height, rest)),
        value,
        value + lost,
        jnp.where(some, status, NOTHING_TO_GAIN).astype(jnp.int32),
    )
    allowed = must >= 0 if limit is None else (must >= 0) & (must <= limit)
    concave = curves.touch <= 0
    return with_status(
        solution,
        height < jnp.inf,
        spendable(budget),
        concave | ~alive,
        allowed,
        (rest >= 0) | (jnp.max(must) == 0),
    )


@kinds
def kkt_residual(
    curves: Curves, allocation: Real[ArrayLike, " K"], budget: Real[ArrayLike, ""]
) -> Float[Array, ""]:
    """Largest violation of the optimality conditions of concave curves.

    Let the water level m be halfway between the extreme marginals of the arms with
    positive amounts. The result is the largest of ``|f_i' - m| / m`` over these arms,
    ``(f_i' - m) / m`` over the others, with the height as the marginal at 0, and ``|sum
    x - B| / B``.

    Args:
      curves: the curves.
      allocation: f[K] >= 0.
      budget: f[] > 0.

    Returns:
      f[], 0 at an exact optimum.

    Raises:
      TypeError, ValueError: if `allocation` or `budget` is not a real array, or another
        number of amounts is given than of curves.
    """
    x, budget = real(allocation=allocation), real(budget=budget)
    shaped(f"{len(curves.log_height)}", allocation=x)
    taking = x > 0
    _, marginal = jax.jvp(
        curves.value, (jnp.where(taking, x, 1.0),), (jnp.ones_like(x),)
    )
    most = jnp.max(jnp.where(taking, marginal, -jnp.inf))
    least = jnp.min(jnp.where(taking, marginal, jnp.inf))
    level = 0.5 * (most + least)
    idle = jnp.max(jnp.where(taking, -jnp.inf, jnp.exp(curves.log_height)))
    over = jnp.maximum(idle - level, 0.0) / level
    spread = (most - level) / level
    return jnp.max(jnp.stack([spread, over, jnp.abs(jnp.sum(x) - budget) / budget]))
