"""Allocation among sigmoids: a good allocation and a bound on the best one.

Weibull thresholds with shape above 1 make every term of eq. (12) convex up to a mode
and concave beyond it. At an optimum, at most one arm lies strictly between 0 and its
mode (two such arms would gain by trading). So the problem is to choose a set of arms;
given the set, the rest is concave water-filling. The concave envelopes (the tangent
from the origin, then the function) give a Lagrangian dual, which bounds the value of
every allocation, and an order of arms whose prefixes are nearly optimal sets.
"""

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax
from jax.typing import ArrayLike
from jaxtyping import Real

from jaxbandits.arrays import first_argmax, one_hot, pick
from jaxbandits.arrays.real import real
from jaxbandits.checks import MOST, kinds, shaped, whole
from jaxbandits.kernels.allocation.integer import programming
from jaxbandits.kernels.allocation.solution import (
    INACCURATE,
    NOTHING_TO_GAIN,
    SOLVED,
    Curves,
    Solution,
    Task,
    beyond,
    per_arm,
    spendable,
    with_status,
)

REACH = 10.0  # searches go from the top slope down to exp(-REACH**2) of it
HALVINGS = 8  # halvings of [0, REACH] before the faster false position is safe
TINY = 1e-30  # keeps a quotient finite where the budget is 0
WINDOW = (-1, 0, 1, 2)  # prefixes tried, as distances from the critical arm
HALVED = 12  # how often `sigmoid_filling` halves its unit
REFINED = 3  # units that an arm may gain or lose after each halving


@kinds
def sigmoid_prefix(
    curves: Curves,
    budget: Real[ArrayLike, ""],
    *,
    limit: float | Real[Array, " K"] | None = None,
    least: float | Real[Array, " K"] | None = None,
) -> Solution:
    """Fill the best of a few prefixes of the arms, ordered by envelope slope.

    The critical arm is the first arm, in this order, that the dual solution's budget
    does not cover. Prefixes that end near it are filled to equal marginals; one arm
    with the whole budget is also tried. Concave arms belong to every prefix. All
    operations are element-wise, reductions or comparisons of pairs. The result is
    differentiable where the set of arms with positive amounts does not change.

    Args:
      curves: K functions with bounded marginals.
      budget: f[] >= 0, the B of eq. (12).
      limit: f[K] > 0, or one for all arms, or None: largest amount.
      least: f[K] >= 0, or one for all arms, or None: smallest amount; ``jax.jvp`` of
        `value` must then be finite at x > 0.

    Returns:
      `Solution`; the bound is the dual of the envelopes. Budget that no arm can turn
      into reward is spread in proportion, up to the limits; if nothing can be gained,
      the budget beyond `least` is split evenly. The status is `INVALID` if a height is
      NaN or +inf, a limit is not positive, the budget is negative, infinite or NaN, or
      `least` is negative or exceeds the budget or `limit`.
    """
    task = _task(curves, budget, limit, least)
    return _checked(task, *_best_prefix(task.gains, task.budget))


@kinds
def sigmoid_filling(
    curves: Curves,
    budget: Real[ArrayLike, ""],
    units: int = 256,
    *,
    limit: float | Real[Array, " K"] | None = None,
    least: float | Real[Array, " K"] | None = None,
) -> Solution:
    """The best allocation in units of the budget, with smaller and smaller units.

    Dynamic programming over multiples of ``budget / units`` is exact for any curves.
    Hence it selects the arms with positive amounts, including one below its mode if
    that is best. The search is repeated near the result with units of half the size,
    until these are negligible. Differences within the first units, about ``(K /
    units)**2 / 8`` of the value, may be lost. The time is of order ``K units**2 +
    K**3``.

    Args:
      curves: K functions with bounded marginals.
      budget: f[] >= 0.
      units: number of units of the budget in the first search.
      limit: f[K] > 0, or one for all arms, or None: largest amount.
      least: f[K] >= 0, or one for all arms, or None: smallest amount.

    Returns:
      `Solution` with at least the value of `sigmoid_prefix`, and with the same bound.

    Raises:
      TypeError, ValueError: if `units` is not an integer >= 1.
    """
    units = whole("units", units, 1, MOST)
    task = _task(curves, budget, limit, least)
    start, value, bound = _best_prefix(task.gains, task.budget)
    x = _rescaled(_in_units(task.gains, task.budget, units), task.budget)
    worth = jnp.sum(task.gains.value(x))
    allocation = jnp.where(worth > value, x, start)
    return _checked(task, allocation, jnp.maximum(worth, value), bound)


def _in_units(curves: Curves, budget: Array, units: int) -> Array:
    """The best allocation f[K], by dynamic programming with ever finer units."""
    num_arms, dtype = curves.log_height.shape[0], curves.log_height.dtype

    def best(x, step, moves):
        """The best moves of all arms by some steps that do not change the sum."""
        at = x[:, None] + moves[None].astype(dtype) * step
        worth = jax.vmap(curves.value, 1, 1)(jnp.maximum(at, 0.0))
        # A multiple of the step may miss 0 by a rounding error.
        worth = jnp.where(at > -step / 2, worth, -jnp.inf)
        chosen, _ = programming(worth, jnp.int32(moves.size - 1))
        return jnp.maximum(x + moves[chosen].astype(dtype) * step, 0.0)

    def finer(trip, x):
        step = budget / units * 0.5 ** (1 + trip.astype(dtype))
        moves = jnp.arange(num_arms * REFINED + 1, dtype=jnp.int32) - REFINED
        return best(x, step, moves)

    moves = jnp.arange(units + 1, dtype=jnp.int32)
    x = best(jnp.zeros(num_arms, dtype), budget / units, moves)
    return lax.fori_loop(jnp.int32(0), jnp.int32(HALVED), finer, x)


def _task(
    curves: Curves,
    budget: ArrayLike,
    limit: ArrayLike | None,
    least: ArrayLike | None,
) -> Task:
    budget = real(budget=budget)
    shaped("K", **{"curves.log_height": curves.log_height})
    num_arms = curves.log_height.shape[0]
    limit, least = per_arm("limit", limit, num_arms), per_arm("least", least, num_arms)
    if least is None:
        valid = () if limit is None else (limit > 0,)
        return Task(*_up_to(budget, limit, curves), limit, None, None, valid)
    dtype = curves.log_height.dtype
    least = jnp.asarray(least, dtype)
    worth = jnp.sum(curves.value(least))
    rest, valid = jnp.asarray(budget, dtype) - jnp.sum(least), (least >= 0,)
    if limit is not None:
        limit = jnp.asarray(limit, dtype)
        valid = (*valid, limit > 0, limit >= least)
        limit = jnp.maximum(limit - least, TINY)  # an amount without value
    curves, rest = _up_to(rest, limit, beyond(curves, least))
    return Task(curves, rest, limit, least, worth, valid)


def _up_to(
    budget: ArrayLike, limit: Array | None, curves: Curves
) -> tuple[Curves, Array]:
    """Curves that end at the budget or at limits, with lower envelopes; the budget.

    If the tangent touches beyond the end, the envelope is the chord to the end, as
    ``f(x) / x`` grows up to the touching point. Beyond a limit the curve is constant.
    """
    budget = jnp.asarray(budget, curves.log_height.dtype)
    end = budget if limit is None else jnp.minimum(budget, limit)

    def value(x):
        return curves.value(x if limit is None else jnp.minimum(x, limit))

    def fall(drop):
        return jnp.minimum(curves.fall(drop), end)

    # A sigmoid touches somewhere, also where there is nothing to spend.
    touch = jnp.minimum(curves.touch, jnp.maximum(end, TINY))
    return Curves(value, fall, curves.log_height, touch), budget


def _alive(curves: Curves) -> Array:
    return curves.log_height > -jnp.inf


def _heights(curves: Curves) -> Array:
    """log_height, finite also for functions that are 0."""
    return jnp.where(_alive(curves), curves.log_height, 0.0)


def _is_single(dtype: np.dtype) -> bool:
    return jnp.finfo(dtype).bits == 32


def _log_slopes(curves: Curves) -> Array:
    """Logarithm of the slope of each envelope at 0; -inf for functions that are 0."""
    sigmoid = curves.touch > 0
    touched = curves.value(curves.touch)
    usable = _alive(curves) & sigmoid & (touched > 0)
    log_value = jnp.log(jnp.where(usable, touched, 1.0))
    chord = log_value - jnp.log(jnp.where(usable, curves.touch, 1.0))
    return jnp.where(sigmoid, jnp.where(usable, chord, -jnp.inf), curves.log_height)


def _best_prefix(curves: Curves, budget: Array) -> tuple[Array, Array, Array]:
    """Allocation f[K], value f[] and bound f[] of `sigmoid_prefix`."""
    heights, alive, log_slope = _heights(curves), _alive(curves), _log_slopes(curves)
    top = jnp.max(log_slope)
    top = jnp.where(top > -jnp.inf, top, 0.0)
    sigmoid = alive & (curves.touch > 0)
    always = alive & ~sigmoid

    def halve(_, ends):
        # As in `_fill`, but the envelopes' responses jump: halvings only.
        low, high, above = ends
        middle = (low + high) / 2
        log_nu = top - middle * middle
        active = always | (sigmoid & (log_slope >= log_nu))
        x = jnp.where(active, curves.fall(heights - log_nu), 0.0)
        short = jnp.sum(x) <= budget
        return (
            jnp.where(short, middle, low),
            jnp.where(short, high, middle),
            jnp.where(short, above, x),
        )

    zero = jnp.zeros_like(budget)
    trips = 18 if _is_single(budget.dtype) else 28
    start = (zero, zero + REACH, jnp.zeros_like(heights))
    low, high, x = lax.fori_loop(0, trips, halve, start)
    cheap, dear = top - high * high, top - low * low

    # The critical arm: the first, by envelope slope, that the budget does not cover.
    steeper = log_slope[None, :] > log_slope[:, None]
    tied = log_slope[None, :] == log_slope[:, None]
    index = jnp.arange(log_slope.size, dtype=jnp.int32)
    before = steeper | (tied & (index[None, :] <= index[:, None]))
    before = before & sigmoid[None, :]
    rank = jnp.sum(before, axis=1, dtype=jnp.int32)
    spent = jnp.sum(jnp.where(before, x[None, :], 0.0), axis=1)
    spent = spent + jnp.sum(jnp.where(always, x, 0.0))
    covered = sigmoid & (log_slope >= cheap) & (spent <= budget)
    critical = 1 + jnp.sum(covered, dtype=jnp.int32)

    # The dual has a kink at the critical slope and is smooth elsewhere.
    # An arm whose limit leaves it nothing has no slope at all.
    at_kink = sigmoid & (rank == critical) & (log_slope > -jnp.inf)
    kink = jnp.sum(jnp.where(at_kink, log_slope, 0.0))
    kink = jnp.where(jnp.any(at_kink), kink, cheap)
    log_nus = jnp.stack([cheap, kink, dear, jnp.max(heights) + 1])
    responses = jax.vmap(lambda log_nu: curves.fall(heights - log_nu))(log_nus)
    # No marginal is that steep: the responses are modes. Worthless arms fit nowhere.
    modes = jnp.where(alive, responses[3], jnp.inf)

    def dual(log_nu, x):
        # Weak duality: valid for any multiplier, however roughly it was found.
        gains = jnp.maximum(curves.value(x) - jnp.exp(log_nu) * x, 0.0)
        return jnp.exp(log_nu) * budget + jnp.sum(gains)

    bound = jnp.min(jax.vmap(dual)(log_nus[:3], responses[:3]))

    trials = jnp.stack([always | (sigmoid & (rank <= critical + w)) for w in WINDOW])
    filled, worth = jax.vmap(lambda m: _fill(curves, modes, budget, m))(trials)
    first = first_argmax(worth)
    # One arm with all of the budget, which also covers budgets below every mode.
    alone = curves.value(jnp.broadcast_to(budget, heights.shape))
    single = one_hot(first_argmax(alone), alone.size) & alive
    better = jnp.max(alone) > pick(worth, first)
    return (
        jnp.where(better, jnp.where(single, budget, 0.0), pick(filled, first)),
        jnp.maximum(jnp.max(alone), pick(worth, first)),
        bound,
    )


def _fill(
    curves: Curves, modes: Array, budget: Array, members: Array
) -> tuple[Array, Array]:
    """Allocation f[K] and value f[] of arms filled beyond their modes f[K].

    The search variable is s, the square root of the drop of log nu below the steepest
    marginal: near a mode, responses grow like this root, and they are smooth in s. If
    the modes alone exceed the budget, the arms get it in proportion to their modes.
    """
    heights = _heights(curves)
    members = members & _alive(curves)
    top = jnp.max(jnp.where(members, heights, -jnp.inf))
    top = jnp.where(jnp.any(members), top, 0.0)
    least = jnp.where(members, modes, 0.0)

    def narrow(trip, state):
        low, high, missing, excess, below, above, last = state
        # False position, Illinois rule: the weight of the end that stays is halved.
        secant = low + (high - low) * (missing / (missing + excess))
        s = jnp.where(trip < HALVINGS, (low + high) / 2, secant)
        x = jnp.where(members, curves.fall(heights - top + s * s), 0.0)
        left = budget - jnp.sum(x)
        short = left >= 0
        again = short == last
        kept = jnp.where(again & (trip > HALVINGS), 0.5, 1.0)
        return (
            jnp.where(short, s, low),
            jnp.where(short, high, s),
            jnp.where(short, left, missing * kept),
            jnp.where(short, excess * kept, -left),
            jnp.where(short, x, below),
            jnp.where(short, above, x),
            short,
        )

    zero = jnp.zeros_like(budget)
    missing = jnp.maximum(budget - jnp.sum(least), 0.0)
    # The weight of an end that was never visited need only be positive.
    start = (zero, zero + REACH, missing, budget + TINY, least, least, zero > 0)
    trips = HALVINGS + (5 if _is_single(budget.dtype) else 8)
    _, _, _, _, below, above, _ = lax.fori_loop(0, trips, narrow, start)
    # Both ends are optimal for budgets of their own; what lies between is nearly so.
    missing, slack = budget - jnp.sum(below), jnp.sum(above - below)
    share = jnp.where(slack > 0, missing / jnp.where(slack > 0, slack, 1.0), 0.0)
    share = jnp.clip(share, 0.0, 1.0)
    allocation = _rescaled(below + share * (above - below), budget)
    return allocation, jnp.sum(curves.value(allocation))


def _rescaled(allocation: Array, budget: Array) -> Array:
    """In proportion to `allocation`, of sum `budget`; zeros stay zeros."""
    total = jnp.sum(allocation)
    return allocation * (budget / jnp.where(total > 0, total, 1.0))


def _checked(task: Task, allocation: Array, value: Array, bound: Array) -> Solution:
    """The solution with its status; the even split where nothing is to be gained."""
    curves, budget = task.gains, task.budget
    nothing = ~jnp.any(_alive(curves))
    even = jnp.broadcast_to(budget / allocation.size, allocation.shape)
    allocation = jnp.where(nothing, even, allocation)
    rounding = 64 * jnp.finfo(value.dtype).eps
    filled = jnp.abs(jnp.sum(allocation) - budget) <= rounding * budget
    bound = jnp.where(nothing, 0.0, bound)
    allocation, value, bound = task.whole(allocation, value, bound)
    consistent = value <= bound * (1 + rounding)
    status = jnp.where(filled & consistent, SOLVED, INACCURATE)
    status = jnp.where(nothing, NOTHING_TO_GAIN, status).astype(jnp.int32)
    solution = Solution(allocation, value, jnp.maximum(bound, value), status)
    heights = curves.log_height < jnp.inf
    return with_status(solution, heights, spendable(budget), *task.valid)
