"""Allocation in whole units: exact dynamic programming, and the greedy.

Eq. (12) of the allocation paper if the resource comes in units (impressions, in its
section 5): maximise ``sum_i values[i, n_i]`` over integers ``n_i >= 0`` whose sum is at
most the budget. Values do not decrease, so that the whole budget may be spent.
"""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax
from jax.typing import ArrayLike
from jaxtyping import Int, Real

from jaxbandits.arrays import first_argmax, one_hot
from jaxbandits.arrays.real import integer, real
from jaxbandits.checks import kinds
from jaxbandits.kernels.allocation.solution import (
    INACCURATE,
    NOTHING_TO_GAIN,
    SOLVED,
    Solution,
    Task,
    per_arm,
    with_status,
)


@kinds
def integer_programming(
    values: Real[ArrayLike, "K units"],
    budget: Int[ArrayLike, ""],
    *,
    limit: int | Int[ArrayLike, " K"] | None = None,
    least: int | Int[ArrayLike, " K"] | None = None,
) -> Solution:
    """The best allocation, by dynamic programming over the arms.

    Ties are broken from the last arm to the first: each takes the smallest optimal
    number of units, and the first arm gets the rest. The time is of order K N**2, the
    memory of order K N.

    Args:
      values: f[K, N + 1], value of 0..N units of each arm; row-wise non-decreasing,
        0 in the first column.
      budget: i32[] in [0, N]; may differ from call to call.
      limit: i32[K] >= 0, or one for all arms, or None: largest number of units.
      least: i32[K] >= 0, or one for all arms, or None: smallest number of units.

    Returns:
      `Solution` with an i32[K] allocation of sum `budget`; the bound equals the value,
      and both are differentiable by `values`. If no (more) units have value, they are
      spread evenly, and the first arms take the remaining ones. With limits, units
      without value may be left over. The status is `INVALID` if the budget is not in
      [0, N], values fall, are infinite or NaN, or `least` is negative or exceeds the
      budget or `limit`.

    Raises:
      TypeError: if the budget, `limit` or `least` does not hold integers.
      ValueError: if `limit` or `least` does not have one entry per arm.
    """
    task = _task(values, budget, limit, least)
    allocation, value = programming(task.gains, task.budget)
    return _solution(task, allocation, value, value)


@jax.custom_jvp
def programming(values: Array, budget: Array) -> tuple[Array, Array]:
    """Allocation i32[K] and value f[]."""
    size = values.shape[1]
    nowhere = jnp.full(size, -jnp.inf, values.dtype)

    def add_arm(best, gains):
        # With b units, the arms so far hold b - n of them: a window that slides down.
        padded = jnp.concatenate([nowhere, best])

        def offer(n, state):
            best, choice = state
            rest = lax.dynamic_slice_in_dim(padded, size - n, size)
            worth = rest + gains[n]
            better = worth > best
            return jnp.where(better, worth, best), jnp.where(better, n, choice)

        start = nowhere, jnp.zeros(size, jnp.int32)
        return lax.fori_loop(jnp.int32(0), jnp.int32(size), offer, start)

    best, choices = lax.scan(add_arm, values[0], values[1:])

    def trace_back(left, choice):
        return left - choice[left], choice[left]

    first, others = lax.scan(trace_back, budget, choices, reverse=True)
    return jnp.concatenate([first[None], others]), best[budget]


@programming.defjvp
def _(primals: tuple[Array, Array], tangents: tuple[Array, Array]) -> tuple[Any, Any]:
    allocation, value = programming(*primals)
    slope = _worth(tangents[0], allocation)
    return (allocation, value), (_no_slope(allocation), slope)


def _worth(values: Array, allocation: Array) -> Array:
    """Value of an allocation. Its derivative by `values` is direct: the allocation does
    not change for small changes of `values`."""
    return jnp.sum(jnp.take_along_axis(values, allocation[:, None], axis=1))


def _no_slope(allocation: Array) -> np.ndarray:
    return np.zeros(allocation.shape, jax.dtypes.float0)


@kinds
def integer_greedy(
    values: Real[ArrayLike, "K units"],
    budget: Int[ArrayLike, ""],
    *,
    limit: int | Int[ArrayLike, " K"] | None = None,
    least: int | Int[ArrayLike, " K"] | None = None,
) -> Solution:
    """Give one unit at a time to the arm that gains most by it; ties to the first arm.

    The result is exact if the rows of `values` are concave; for discrete Weibull laws
    of shape up to 2.5 it loses up to 25 %.

    Args:
      values: f[K, N + 1], as for `integer_programming`.
      budget: i32[] in [0, N].
      limit, least: as for `integer_programming`.

    Returns:
      `Solution`; the bound is the Lagrangian dual, i.e. the value of the concave
      majorants of the rows, up to rounding. Status and errors are those of
      `integer_programming`. The status is `INACCURATE` if the value is below the bound
      by more than a relative 1e-4, which can happen if rows are not concave. Value and
      bound are differentiable by `values`.
    """
    task = _task(values, budget, limit, least)
    return _solution(task, *_greedy(task.gains, task.budget))


@jax.custom_jvp
def _greedy(values: Array, budget: Array) -> tuple[Array, Array, Array]:
    """Allocation i32[K], value f[] and bound f[]."""
    num_arms, size = values.shape
    steps = jnp.pad(values[:, 1:] - values[:, :-1], ((0, 0), (0, 1)))

    def give(unit, allocation):
        gains = jnp.take_along_axis(steps, allocation[:, None], axis=1)[:, 0]
        chosen = one_hot(first_argmax(gains), num_arms) & (unit < budget)
        return allocation + chosen.astype(jnp.int32)

    start = jnp.zeros(num_arms, jnp.int32)
    allocation = lax.fori_loop(jnp.int32(0), jnp.int32(size - 1), give, start)
    taken = jnp.take_along_axis(values, allocation[:, None], axis=1)
    value = jnp.sum(taken)
    return allocation, value, jnp.maximum(_dual(values, steps, budget), value)


@_greedy.defjvp
def _(primals: tuple[Array, Array], tangents: tuple[Array, Array]) -> tuple[Any, Any]:
    values, budget = primals
    allocation, value, bound = _greedy(values, budget)
    slope = _worth(tangents[0], allocation)
    # The concave majorants mix the allocations on both sides of the dual's price.
    units = jnp.arange(values.shape[1], dtype=values.dtype)
    ends = _prices(values, values[:, 1:] - values[:, :-1], budget)
    more, fewer = (jnp.argmax(values - price * units[None], axis=1) for price in ends)
    spare, missing = jnp.sum(more) - budget, budget - jnp.sum(fewer)
    share = jnp.where(missing > 0, missing / jnp.maximum(spare + missing, 1), 0.0)
    share = jnp.minimum(share, 1.0).astype(values.dtype)
    mixed = share * _worth(tangents[0], more)
    mixed = mixed + (1 - share) * _worth(tangents[0], fewer)
    slopes = slope, jnp.where(bound > value, mixed, slope)
    return (allocation, value, bound), (_no_slope(allocation), *slopes)


def _task(
    values: ArrayLike,
    budget: ArrayLike,
    limit: ArrayLike | None,
    least: ArrayLike | None,
) -> Task:
    """The problem of units beyond least amounts; those beyond limits add nothing."""
    values, budget = real(values=values), integer("budget", budget)
    budget, last = budget.astype(jnp.int32), values.shape[1] - 1
    rising, finite = values[:, 1:] >= values[:, :-1], jnp.abs(values) < jnp.inf
    valid = (rising, finite, (budget >= 0) & (budget <= last))
    if limit is None and least is None:
        return Task(values, budget, None, None, None, valid)
    zero = jnp.zeros(values.shape[0], jnp.int32)
    limit = per_arm("limit", limit, zero.size, units=True)
    least = per_arm("least", least, zero.size, units=True)
    most, must = zero + (last if limit is None else limit), zero
    if least is not None:
        must = zero + least
    units = must[:, None] + jnp.arange(last + 1, dtype=jnp.int32)[None]
    at = jnp.clip(units, 0, jnp.clip(most, 0, last)[:, None])
    reached = jnp.take_along_axis(values, at, axis=1)
    rest = budget - jnp.sum(must, dtype=jnp.int32)
    valid = (*valid, must >= 0, must <= most, rest >= 0)
    worth = jnp.sum(reached[:, 0])
    beyond = reached - reached[:, :1]
    return Task(beyond, jnp.maximum(rest, 0), most - must, must, worth, valid)


def _dual(values: Array, steps: Array, budget: Array) -> Array:
    """Least ``price * budget + sum_i max_n (values[i, n] - price * n)``, by halving."""
    units = jnp.arange(values.shape[1], dtype=values.dtype)

    def bound(price):
        profits = values - price * units[None, :]
        return price * budget.astype(values.dtype) + jnp.sum(jnp.max(profits, axis=1))

    low, high = _prices(values, steps, budget)
    return jnp.minimum(bound(low), bound(high))


def _prices(values: Array, steps: Array, budget: Array) -> tuple[Array, Array]:
    """Two prices of a unit: at the first, arms take too much; at the second, at most
    the budget."""
    units = jnp.arange(values.shape[1], dtype=values.dtype)

    def halve(_, ends):
        low, high = ends
        price = (low + high) / 2
        # Not by comparing with the maximum: XLA may compute the profits twice, and
        # differently in the last bit. Exact ties are rare and harmless.
        best = jnp.argmax(values - price * units[None, :], axis=1)
        dear = jnp.sum(best).astype(values.dtype) <= budget.astype(values.dtype)
        return jnp.where(dear, low, price), jnp.where(dear, price, high)

    trips = 30 if jnp.finfo(values.dtype).bits == 32 else 56
    top = jnp.max(steps)
    return lax.fori_loop(0, trips, halve, (jnp.zeros_like(top), top))


def _solution(task: Task, allocation: Array, value: Array, bound: Array) -> Solution:
    nothing, budget = jnp.max(task.gains) <= 0, task.budget
    num_arms = allocation.size
    each, odd = budget // num_arms, budget % num_arms
    index = jnp.arange(num_arms, dtype=jnp.int32)
    even = each + (index < odd).astype(jnp.int32)
    allocation = jnp.where(nothing, even, allocation)
    allocation, value, bound = task.whole(allocation, value, bound)
    certified = jnp.where(bound - value <= 1e-4 * bound, SOLVED, INACCURATE)
    status = jnp.where(nothing, NOTHING_TO_GAIN, certified).astype(jnp.int32)
    return with_status(Solution(allocation, value, bound, status), *task.valid)
