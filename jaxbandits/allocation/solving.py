"""Solve an allocation problem, eqs. (12) and (13), by the kernel of its family."""

from functools import partial
from typing import Annotated

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.typing import ArrayLike
from jaxtyping import Float, Real

from jaxbandits.allocation.types import ROUNDING, Problem
from jaxbandits.checks import (
    at_least_zero,
    in_unit_interval,
    kinds,
    non_negative,
    numbers,
    positive,
    shaped,
    shown,
)
from jaxbandits.kernels.allocation import (
    Solution,
    exponential_water_filling,
    integer_greedy,
    integer_programming,
    sigmoid_filling,
    sigmoid_prefix,
    water_filling,
)
from jaxbandits.laws.thresholds import cascade_curves, curves, exponential


def is_concave(problem: Problem) -> bool:
    """Whether ``G(., rate)`` is concave for all arms (host)."""
    return bool(np.all(problem.family.concave(shape_array(problem))))


def check_range(problem: Problem, rate: np.ndarray) -> None:
    """Require rates in the range that the learner considers."""
    low, high = problem.lowest * (1 - ROUNDING), problem.highest * (1 + ROUNDING)
    if not np.all((rate >= low) & (rate <= high)):
        raise ValueError(
            "rate must be in [lowest, highest] = "
            f"[{problem.lowest}, {problem.highest}], got {shown(rate)}"
        )


def shape_array(problem: Problem) -> np.ndarray | None:
    """The known shapes, f64[K] on the host, or None."""
    return None if problem.shape is None else np.asarray(problem.shape)


@kinds
def solve(
    problem: Problem,
    weight: Annotated[Float[Array, " K"], non_negative],
    rate: Annotated[Float[Array, " K"], positive],
    budget: Annotated[Real[ArrayLike, ""], positive],
    *,
    limit: Annotated[Real[Array, " K"] | None, at_least_zero] = None,
    least: Annotated[Real[Array, " K"] | None, non_negative] = None,
    thorough: bool = False,
) -> Solution:
    """Maximise ``sum_i weight_i G(x_i, rate_i)`` over ``sum_i x_i = budget``.

    In a cascade, the objective is ``1 - prod_i (1 - weight_i G(x_i, rate_i))``.

    With probabilities as weights, this is problem P of eq. (12). With the weights ``p
    s(rate, rate')`` it is P~ of eq. (13): up to a constant, ``p G~(x, rate, rate') = p
    s G(x, rate)``.

    Exponential thresholds are solved exactly and other concave families by bisection.
    Sigmoids are solved by a search over prefixes of the envelope's order. Families of
    integers are solved by greedy filling if it is exact, else by dynamic programming.

    Args:
      problem: its family, shapes and largest budget are used.
      weight: f[K] >= 0.
      rate: f[K] > 0.
      budget: f[] > 0; a whole number for integers.
      limit: f[K] > 0 or None, largest amount of an arm; rounded down for integers.
      least: f[K] >= 0 or None, smallest amount of an arm; rounded up for integers.
      thorough: for sigmoids, whether to search all sets of arms, by dynamic programming
        (for benchmarks; learners do not need it).

    Returns:
      A `Solution`; its allocation holds floats.

    Raises:
      ValueError: if an array does not have one entry per arm of the problem, or a
        number that is not traced is out of range.
    """
    given = {"weight": weight, "rate": rate, "limit": limit, "least": least}
    given = {name: array for name, array in given.items() if array is not None}
    shaped(f"{problem.num_arms}", **given)
    family, shape = problem.family, shape_array(problem)
    if shape is not None:
        shape = shape.astype(jnp.result_type(weight))
    if problem.cascade:
        bounded = bool(np.all(family.bounded(shape_array(problem))))
        arms = cascade_curves(family, weight, rate, shape)
        result = water_filling(arms, budget, bounded=bounded, limit=limit, least=least)
        # From -log P(no success) to P(at least one success).
        return result._replace(
            value=-jnp.expm1(-result.value), bound=-jnp.expm1(-result.bound)
        )
    concave = is_concave(problem) and not family.integer
    if family.integer:
        most = int(problem.budget)
        ends = {
            "limit": None if limit is None else _whole(jnp.floor(limit), most),
            "least": None if least is None else _whole(jnp.ceil(least), most + 1),
        }
        values = values_of_units(problem, weight, rate)
        kernel = integer_greedy if is_concave(problem) else integer_programming
        result = kernel(values, jnp.round(budget).astype(jnp.int32), **ends)
        return result._replace(allocation=result.allocation.astype(values.dtype))
    if family is exponential and limit is None and least is None:
        return exponential_water_filling(weight, rate, budget)
    arms = curves(family, weight, rate, shape)
    if concave:
        bounded = bool(np.all(family.bounded(shape)))
        ends = {"limit": limit, "least": least}
        return water_filling(arms, budget, bounded=bounded, **ends)
    kernel = sigmoid_filling if thorough else sigmoid_prefix
    return kernel(arms, budget, limit=limit, least=least)


def values_of_units(
    problem: Problem, weight: Float[Array, " K"], rate: Float[Array, " K"]
) -> Float[Array, "K units"]:
    """``weight_i G(n, rate_i)`` for n = 0, ..., B, f[K, B + 1]."""
    shape, dtype = shape_array(problem), jnp.result_type(weight)
    units = jnp.arange(int(problem.budget) + 1).astype(dtype)
    column = None if shape is None else shape.astype(dtype)[:, None]
    return weight[:, None] * problem.family.cdf(units[None], rate[:, None], column)


def _whole(units: Array, most: int) -> Array:
    """Units as i32, at most `most`; -1 for wrong inputs (negative or NaN)."""
    return jnp.where(units >= 0, jnp.minimum(units, most), -1).astype(jnp.int32)


CERTIFIED = 1e-4  # relative gap above which a thorough search is made
MANY = 64  # for more such budgets, no thorough search is made: it would take too long


@kinds
def best_allocations(
    problem: Problem, probability: np.ndarray, rate: np.ndarray, budgets: np.ndarray
) -> np.ndarray:
    """The clairvoyant's allocation of every budget, in float64 on the host.

    For sigmoids, a thorough search is made for budgets whose prefix search has a
    certified relative gap above 1e-4, if these are at most 64. (With the 5,000 budgets
    of EdNet's users, this gap is 7e-5 on average and 8e-4 at most.)

    Args:
      problem: its family, shapes, range of rates and largest budget are used.
      probability: f64[K] in [0, 1].
      rate: f64[K] in the problem's [lowest, highest].
      budgets: f64[N], positive and at most the problem's; whole numbers for integers.

    Returns:
      f64[N, K].

    Raises:
      ValueError, TypeError: if an argument is out of its range.
    """
    in_unit_interval(probability=probability)
    positive(budgets=budgets)
    check_range(problem, numbers("rate", rate, 1))
    shaped(f"{problem.num_arms}", probability=probability, rate=rate)
    budgets = numbers("budgets", budgets, 1)
    wrong = problem.family.integer & (budgets % 1 != 0)
    if np.any(wrong | (budgets > problem.budget)):
        kind = "whole numbers" if problem.family.integer else "numbers"
        raise ValueError(
            f"budgets must be {kind} of at most the problem's, {problem.budget}, got "
            f"{shown(budgets)}"
        )
    different, place = np.unique(budgets, return_inverse=True)
    with jax.enable_x64(True):
        arms = (jnp.asarray(probability, float), jnp.asarray(rate, float))
        quick = jax.jit(jax.vmap(partial(solve, problem, *arms)))
        result = quick(jnp.asarray(different, float))
        gap = np.asarray(result.bound - result.value)
        doubtful = np.flatnonzero(gap > CERTIFIED * np.abs(result.value))
        best = np.array(result.allocation)
        if 0 < doubtful.size <= MANY and not problem.family.integer:
            search = jax.jit(partial(solve, problem, *arms, thorough=True))
            for i in doubtful:
                best[i] = search(jnp.asarray(different[i], float)).allocation
    return best[place]


def to_float32(allocations: np.ndarray) -> np.ndarray:
    """Round allocations f64[N, K] to float32 numbers with the same sums (host).

    If every amount were rounded by itself, the sum would change, and the resulting
    error in value would add up over the rounds. So a small amount, which has a finer
    grid, compensates the difference.
    """
    result = allocations.astype(np.float32).astype(float)
    excess = np.sum(result - allocations, axis=-1, keepdims=True)
    enough = 1e-3 * np.max(allocations, axis=-1, keepdims=True)  # stays above 0
    fine = np.where(allocations >= enough, allocations, np.inf)
    last = np.argmin(fine, axis=-1, keepdims=True)
    made_up = np.take_along_axis(result, last, axis=-1) - excess
    np.put_along_axis(result, last, made_up.astype(np.float32), axis=-1)
    return result


def values(
    problem: Problem, probability: np.ndarray, rate: np.ndarray, allocations: np.ndarray
) -> np.ndarray:
    """Expected rewards of allocations f64[N, K], in float64 on the host: f64[N]."""
    shape = None if problem.shape is None else np.asarray(problem.shape)[None]
    with jax.enable_x64(True):
        reached = np.asarray(problem.family.cdf(allocations, rate[None], shape))
    chances = probability * reached
    if problem.cascade:
        none = np.sum(np.log1p(-np.minimum(chances, 1 - 1e-16)), axis=-1)
        return -np.expm1(none)
    return np.sum(chances, axis=-1)
