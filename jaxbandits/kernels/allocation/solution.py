"""The arguments and the result of the solvers of allocation problems.

The problem, eq. (12) of the allocation paper: maximise ``sum_i f_i(x_i)`` over
``x >= 0`` with ``sum_i x_i <= B``, for functions ``f_i`` that do not decrease and are
0 at 0. They may be concave, or convex up to a mode and concave beyond it (sigmoids).
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import Array, lax
from jax.typing import ArrayLike
from jaxtyping import Bool, Float, Int32, Real

from jaxbandits.arrays.real import integer, real
from jaxbandits.checks import kinds
from jaxbandits.kernels.bisection import bisect
from jaxbandits.kernels.implicit import implicit_root

SOLVED = 0  # within the solver's stated accuracy
NOTHING_TO_GAIN = 1  # all weights are 0: the budget is split evenly
INACCURATE = 2  # the solver's check failed; the bound shows by how much
INVALID = 3  # arguments are invalid (NaN, a negative budget, ...), the result too


class Curves(NamedTuple):
    """The K functions, as a solver needs them.

    Attributes:
      value: ``x f[K] -> f[K]``, the ``f_i(x_i)``.
      fall: ``drop f[K] -> f[K]``, the inverse marginal: the largest ``x_i`` at which
        ``f_i'`` is ``exp(log_height_i - drop_i)``; with bounded marginals, the mode
        (0 if concave) where the drop is negative.
      log_height: f[K], logarithm of the largest value of ``f_i'`` where it is bounded,
        else of any reference level; -inf for a function that is 0 throughout.
      touch: f[K], point at which the tangent through the origin touches a sigmoid; 0
        for a concave function.
    """

    value: Callable[[jax.Array], jax.Array]
    fall: Callable[[jax.Array], jax.Array]
    log_height: Float[Array, " K"]
    touch: Float[Array, " K"]


@kinds
def priced(curves: Curves, price: float | Real[ArrayLike, " K"]) -> Curves:
    """The functions of the money spent, if a unit of resource has a price per arm.

    Solvers then take the budget and limits in money and return the money spent on every
    arm; divided by the price, this is the arm's amount of resource.

    Args:
      curves: functions of the resource.
      price: f[K] > 0, or one for all arms: price of a unit.

    Raises:
      TypeError: if `price` is not a real array.
      ValueError: if there is another number of prices than of functions.
    """
    prices: Any = per_arm("price", price, len(curves.log_height))
    return Curves(
        value=lambda paid: curves.value(paid / prices),
        fall=lambda drop: prices * curves.fall(drop),
        log_height=curves.log_height - jnp.log(prices),
        touch=prices * curves.touch,
    )


@kinds
def beyond(curves: Curves, least: float | Real[ArrayLike, " K"]) -> Curves:
    """The functions of the resource beyond an amount, ``f_i(l_i + x) - f_i(l_i)``.

    A sigmoid whose mode is below l_i is concave from there on. Another sigmoid has a
    tangent from the new origin, which touches nearer than the old tangent.

    Args:
      curves: functions with bounded marginals.
      least: f[K] >= 0, or one for all arms: the l_i.

    Raises:
      TypeError: if `least` is not a real array.
      ValueError: if there is another number of amounts than of functions.
    """
    start: Any = per_arm("least", least, len(curves.log_height))
    given, height = curves.value(start), curves.log_height
    alive = height > -jnp.inf
    top = jnp.where(alive, height, 0.0)
    # No drop is negative: the response is the mode.
    mode = jnp.where(alive, curves.fall(jnp.full_like(top, -1.0)), 0.0)
    concave = curves.touch <= 0
    past = alive & (start > jnp.where(concave, 0.0, mode))
    at = jnp.where(past, start, 1.0)
    _, slope = jax.jvp(curves.value, (at,), (jnp.ones_like(at),))
    steep = slope > 0
    now = jnp.where(steep, jnp.log(jnp.where(steep, slope, 1.0)), -jnp.inf)
    new_height = jnp.where(past, now, height)
    # What the level lies lower by, from which the drop is counted.
    lower = jnp.where(past & steep, top - now, 0.0)

    def fall(drop):
        return jnp.maximum(curves.fall(drop + lower) - start, 0.0)

    def sides(drop):
        """The gain at a drop, and the gain by the tangent there."""
        x = curves.fall(drop)
        return curves.value(x) - given, jnp.exp(top - drop) * (x - start)

    def touches_further(drop):
        gained, tangent = sides(drop)
        return gained < tangent

    # The old tangent touches at a drop that is too large for the new one.
    worth = curves.value(jnp.where(concave, 1.0, curves.touch))
    usable = alive & ~concave & (worth > 0)
    chord = jnp.where(usable, worth, 1.0) / jnp.where(usable, curves.touch, 1.0)
    last = jnp.where(usable, jnp.maximum(top - jnp.log(chord), 0.0), 0.0)
    drop = lax.stop_gradient(bisect(touches_further, jnp.zeros_like(last), last))

    def unmet(drop):
        gained, tangent = sides(drop)
        return jnp.where(usable & ~past, gained - tangent, 0.0)

    drop = implicit_root(unmet, drop, each=True)
    touch = jnp.maximum(curves.fall(drop) - start, 0.0)
    return Curves(
        value=lambda x: curves.value(start + x) - given,
        fall=fall,
        log_height=new_height,
        touch=jnp.where(concave | past, 0.0, touch),
    )


class Solution(NamedTuple):
    """The result of a solver.

    Attributes:
      allocation: f[K] >= 0 (i32[K] for integer problems) with sum B.
      value: f[], value of the allocation.
      bound: f[], upper bound of all values (weak duality; equal to `value` if the
        solver is exact). ``bound - value`` is the certified gap.
      status: i32[], `SOLVED`, `NOTHING_TO_GAIN`, `INACCURATE` or `INVALID`.
    """

    allocation: Real[Array, " K"]
    value: Float[Array, ""]
    bound: Float[Array, ""]
    status: Int32[Array, ""]


class Task(NamedTuple):
    """The problem that remains after every arm has its least amount.

    Attributes:
      gains: `Curves`, or f[K, N + 1], of what is given beyond the least amounts.
      budget: what is left of it.
      limit, least: amounts [K] or None; limits are of the rest.
      worth: f[], value of the least amounts, or None.
      valid: conditions, bool arrays.
    """

    gains: Any
    budget: Array
    limit: Array | None
    least: Array | None
    worth: Array | None
    valid: tuple[Array, ...]

    def whole(self, allocation: Array, *worths: Array) -> tuple[Array, ...]:
        """Amounts and values of the whole problem, from those of the rest."""
        if self.limit is not None:  # what was spread beyond a limit is worth nothing
            allocation = jnp.minimum(allocation, self.limit)
        if self.least is None or self.worth is None:
            return allocation, *worths
        return self.least + allocation, *(self.worth + each for each in worths)


def with_status(solution: Solution, *conditions: Bool[Array, "..."]) -> Solution:
    """The solution with status `INVALID` unless all conditions, bool arrays, hold."""
    valid = jnp.all(jnp.stack([jnp.all(each) for each in conditions]))
    # Of nonsense that passes the conditions (curves that return NaN), at least this.
    known = jnp.isfinite(solution.value) & jnp.isfinite(solution.bound)
    status = jnp.where(known, solution.status, INACCURATE)
    status = jnp.where(valid, status, INVALID).astype(jnp.int32)
    return solution._replace(status=status)


def per_arm(
    name: str, amounts: ArrayLike | None, num_arms: int, units: bool = False
) -> Array | None:
    """Amounts of resource per arm, given so or as one for all arms, or None.

    As real arrays [K], or as i32[K] if they are units.
    """
    if amounts is None:
        return None
    amounts = integer(name, amounts) if units else real(**{name: amounts})
    if amounts.shape not in ((), (num_arms,)):
        raise ValueError(
            f"{name} must have shape [{num_arms}], got {list(amounts.shape)}"
        )
    amounts = jnp.broadcast_to(amounts, (num_arms,))
    return amounts.astype(jnp.int32) if units else amounts


def spendable(budget: Float[Array, ""]) -> Bool[Array, ""]:
    """Whether a budget is valid: finite and >= 0, bool[]."""
    return (budget >= 0) & (budget < jnp.inf)


def evenly(like: Float[Array, " K"], budget: Float[Array, ""]) -> Float[Array, " K"]:
    """``budget / K`` for every arm, f[K]."""
    return jnp.full_like(like, 1.0) * (budget / like.shape[0])
