"""Allocation in turns, without knowledge of the budget: exact dynamic programming.

Arms are served one after the other, each once with a number of units, until the round's
budget is used up. Unit u of a round is handed out with probability ``S(u) = P(B >=
u)``. Hence n units of arm i after the first s units have the expected value
``sum_{j=1..n} (f_i(j) - f_i(j - 1)) S(s + j)``, which depends on the budget's
distribution only through S (theory/ordered-allocation.md).
"""

from typing import Annotated, NamedTuple

import jax.numpy as jnp
from jax import Array, lax
from jax.typing import ArrayLike
from jaxtyping import Float, Int, Int32, Real

from jaxbandits.arrays import one_hot, pick, split_index, stored
from jaxbandits.arrays.real import integer, real
from jaxbandits.checks import finite, in_unit_interval, kinds
from jaxbandits.kernels.allocation.solution import (
    INVALID,
    NOTHING_TO_GAIN,
    SOLVED,
)

MOST_ARMS = 8  # all 2**K sets of arms are listed
MOST_UNITS = 32
TIE = 16  # roundings; where a budget never ends, the order does not matter, on paper


class OrderedSolution(NamedTuple):
    """The best plan and its expected value.

    Attributes:
      arms: i32[K], all arms in the order of their turns.
      amounts: i32[K] >= 0, units of the arm at the same position; their sum is N.
      value: f[], expected value of the plan.
      status: i32[], `SOLVED`, `NOTHING_TO_GAIN` or `INVALID`.
    """

    arms: Int32[Array, " K"]
    amounts: Int32[Array, " K"]
    value: Float[Array, ""]
    status: Int32[Array, ""]


@kinds
def ordered_programming(
    values: Real[ArrayLike, "K units"], survival: Real[ArrayLike, " N"]
) -> OrderedSolution:
    """The best order of arms and amounts, by dynamic programming.

    The states are the set of arms that have had their turn and the number of units
    handed out. The result is exact for any curves and any distribution, up to rounding.
    The time is of order ``2**K K N**2``, the memory of order ``2**K N``; a list of all
    plans would have ``K! C(N + K - 1, K - 1)`` entries.

    Args:
      values: f[K, N + 1], expected value of 0..N units of each arm; row-wise
        non-decreasing, 0 in the first column. K is at most 8, N at most 32.
      survival: f[N] in [0, 1], non-increasing: ``P(B >= u)``, u = 1, ..., N.

    Returns:
      `OrderedSolution`. The value is the optimum over all plans. Every plan hands out
      all N units, since units without value do no harm; the last arm gets the rest.
      Continuations that differ by at most 16 rounding errors count as equal; among
      them, the arm with the smallest position and the fewest units comes next, so that
      the plan does not depend on the last digits. The status is `INVALID` if values
      fall, are infinite or NaN, or `survival` grows or leaves [0, 1].

    Raises:
      ValueError: if there are more than 8 arms or 32 units, or the shapes do not match.

    Examples:
      Two arms and three units; the budget is 1 or 3 with equal probability:

      >>> curves = jnp.array([[0, 0.5, 0.6, 0.6], [0, 0.1, 0.3, 0.9]])
      >>> plan = ordered_programming(curves, jnp.array([1.0, 0.5, 0.5]))
      >>> plan.arms, plan.amounts
      (Array([0, 1], dtype=int32), Array([1, 2], dtype=int32))
    """
    values, survival = real(values=values), real(survival=survival)
    num_arms, size = values.shape[0], values.shape[1] - 1
    if not 1 <= num_arms <= MOST_ARMS or not 1 <= size <= MOST_UNITS:
        raise ValueError(
            f"values must have 1 to {MOST_ARMS} arms and 1 to {MOST_UNITS} units, "
            f"f[K, units + 1], got shape {list(values.shape)}"
        )
    if survival.shape != (size,):
        raise ValueError(
            f"survival must have an entry per unit, shape [{size}], got "
            f"{list(survival.shape)}"
        )
    steps = values[:, 1:] - values[:, :-1]
    before, choices = _programme(steps, survival.astype(steps.dtype))
    powers = jnp.asarray([1 << arm for arm in range(num_arms)], jnp.int32)
    places = jnp.arange(num_arms, dtype=jnp.int32)

    def take(state, place):
        served, used = state
        row = jnp.minimum(used, size - 1)  # with all units gone, any arm and 0 of them
        code = pick(choices.reshape(-1), row * (1 << num_arms) + served)
        arm, fewer = split_index(code, num_arms, size)
        left = size - used
        units = jnp.where(place == num_arms - 1, left, jnp.minimum(fewer + 1, left))
        bit = jnp.sum(jnp.where(one_hot(arm, num_arms), powers, 0), dtype=jnp.int32)
        return (served + bit, used + units), (arm, units)

    zero = jnp.zeros((), jnp.int32)
    _, (arms, amounts) = lax.scan(take, (zero, zero), places)
    rising = jnp.all(steps >= 0) & jnp.all(jnp.abs(values) < jnp.inf)
    falling = jnp.all(survival[1:] <= survival[:-1])
    sound = rising & falling & (survival[0] <= 1) & (survival[-1] >= 0)
    result = jnp.where(before > 0, SOLVED, NOTHING_TO_GAIN)
    status = jnp.where(sound, result, INVALID).astype(jnp.int32)
    return OrderedSolution(arms, amounts, before, status)


def _programme(
    steps: Float[Array, "K N"], survival: Float[Array, " N"]
) -> tuple[Float[Array, ""], Int32[Array, "N sets"]]:
    """The optimum, and the best turn for every number of units and set of served arms.

    A set is encoded as the sum of ``2**arm``, a turn as ``arm N + units - 1``.
    """
    num_arms, size = steps.shape
    sets = 1 << num_arms
    units = jnp.arange(size, dtype=jnp.int32)[:, None, None]

    def earlier(state, chance):
        """One step back by one unit: the values 1, ..., N units ahead shift by one."""
        ahead, chances = state
        chances = jnp.concatenate([chance[None], chances[:-1]])
        gains = jnp.cumsum(steps * chances[None], axis=1)
        best = jnp.zeros(sets, steps.dtype)  # with all arms served, nothing follows
        worths = []
        for arm in range(num_arms):
            then = _halves(ahead, arm)[:, :, 1]
            worths.append(stored(gains[arm][:, None, None] + then))
            most = jnp.max(worths[arm], axis=0)
            both = jnp.stack([most, jnp.zeros_like(most)], axis=1)
            best = jnp.maximum(best, both.reshape(sets))
        best = stored(best)
        turn = jnp.full(sets, num_arms * size, jnp.int32)
        for arm, worth in enumerate(worths):
            enough = _halves(best, arm)[:, 0] * (1 - TIE * jnp.finfo(best.dtype).eps)
            code = jnp.where(worth >= enough[None], arm * size + units, size * num_arms)
            first = jnp.min(code, axis=0)
            never = jnp.full_like(first, num_arms * size)
            both = jnp.stack([first, never], axis=1).reshape(sets)
            turn = jnp.minimum(turn, both)
        return (jnp.concatenate([best[None], ahead[:-1]]), chances), turn

    nothing = jnp.zeros((size, sets), steps.dtype), jnp.zeros(size, steps.dtype)
    (ahead, _), choices = lax.scan(earlier, nothing, survival, reverse=True)
    return ahead[0, 0], choices


def _halves(of_sets: Array, arm: int) -> Array:
    """Sets split by whether they contain the arm, in the axis before the last."""
    *others, sets = of_sets.shape
    return of_sets.reshape(*others, sets >> (arm + 1), 2, 1 << arm)


@kinds
def fill_in_turns(
    arms: Int[ArrayLike, " K"],
    amounts: Int[ArrayLike, " K"],
    budget: Int[ArrayLike, ""],
) -> Int32[Array, " K"]:
    """Units of every arm when the budget is used up in turns.

    Args:
      arms: i32[K], all arms in the order of their turns.
      amounts: i32[K] >= 0, units of the arm at the same position.
      budget: i32[] >= 0, units.

    Returns:
      i32[K], by arm; the sum is below the budget if the turns end before it does.
    """
    arms, amounts, budget = (
        integer(name, value).astype(jnp.int32)
        for name, value in (("arms", arms), ("amounts", amounts), ("budget", budget))
    )
    units = jnp.clip(budget - starts(amounts), 0, amounts)
    every = jnp.arange(arms.shape[0], dtype=jnp.int32)
    mine = arms[None, :] == every[:, None]
    return jnp.sum(jnp.where(mine, units[None, :], 0), axis=1, dtype=jnp.int32)


def starts(amounts: Int32[Array, " K"]) -> Int32[Array, " K"]:
    """Units handed out before every turn, i32[K]."""
    return jnp.cumsum(amounts, dtype=jnp.int32) - amounts


@kinds
def worth_of_turns(
    values: Annotated[Real[ArrayLike, "K units"], finite],
    survival: Annotated[Real[ArrayLike, " N"], in_unit_interval],
) -> Float[Array, "K units units"]:
    """Expected value of n units of an arm after the first s units of a round.

    Args:
      values: f[K, N + 1], as for `ordered_programming`.
      survival: f[N], as for `ordered_programming`.

    Returns:
      f[K, N + 1, N + 1], by arm, s and n; units beyond N have value 0. The value of a
      plan is the sum over its turns.
    """
    values, survival = real(values=values), real(survival=survival)
    steps = values[:, 1:] - values[:, :-1]
    size = steps.shape[1]
    padded = jnp.concatenate([survival, jnp.zeros(size + 1, survival.dtype)])
    chances = jnp.stack([padded[s : s + size] for s in range(size + 1)])
    worth = jnp.cumsum(steps[:, None] * chances[None], axis=2)
    return jnp.pad(worth, ((0, 0), (0, 0), (1, 0)))
