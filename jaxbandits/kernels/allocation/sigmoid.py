"""Allocation among sigmoids: a good allocation and a bound on the best one.

Weibull feedback with shape above 1 makes every term of eq. (12) convex up to a mode and
concave beyond it. At an optimum all arms but at most one lie at 0 or beyond their modes
(two arms inside their convex parts gain by trading), so that the problem is to choose a
set of arms: given the set, the rest is concave water-filling. The concave envelopes
(the tangent from the origin, then the function) give a Lagrangian dual, which bounds
every allocation from above, and an order in which good sets are nearly prefixes.
"""

import itertools
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax
from jax.typing import ArrayLike
from jaxtyping import Bool, Float, Real

from jaxbandits.arrays import first_argmax, one_hot, pick
from jaxbandits.arrays.real import real
from jaxbandits.checks import kinds, shaped, whole
from jaxbandits.kernels.allocation.solution import (
    INACCURATE,
    NOTHING_TO_GAIN,
    SOLVED,
    Curves,
    Solution,
    beyond,
    judged,
    per_arm,
    spendable,
)

REACH = 10.0  # searches go from the top slope down to exp(-REACH**2) of it
HALVINGS = 8  # of [0, REACH], before the faster false position is safe
TINY = 1e-30  # keeps a quotient finite where the budget is 0
WINDOW = (-1, 0, 1, 2)  # prefixes tried, as distances from the critical arm
NODES = 65  # multipliers at which sets are compared
SHORTLIST = 64  # sets per round that are compared with care
FINALISTS = 8  # of these, filled exactly
LEVELS = 16  # points of a convex branch that are compared


@kinds
def sigmoid_prefix(
    curves: Curves,
    budget: Real[ArrayLike, ""],
    *,
    limit: Real[Array, " K"] | None = None,
    least: Real[Array, " K"] | None = None,
) -> Solution:
    """Fill the best of a few prefixes of the arms, ordered by envelope slope.

    The critical arm is the one at which the dual solution runs out of budget; prefixes
    that end next to it are filled to equal marginals, and one arm alone with all of the
    budget competes with them. Concave arms belong to every prefix. Element-wise
    operations, reductions and comparisons of pairs only. Differentiable wherever the
    set of arms that get something stays the same.

    Args:
      curves: K functions with bounded marginals.
      budget: f[] >= 0, the B of eq. (12).
      limit: f[K] > 0 or None, the most that every arm may take.
      least: f[K] >= 0 or None, what every arm must get; ``jax.jvp`` of `value` must
        then be finite at x > 0.

    Returns:
      `Solution`; the bound is the dual of the envelopes. Budget that no arm can turn
      into reward is spread in proportion, but not beyond limits; with nothing to gain
      what arms must not get is split evenly. The status is `INVALID` if a height is NaN
      or +inf, a limit not positive, the budget negative, infinite or NaN, or what arms
      must get negative, more than the budget or than they may take.
    """
    task = _task(curves, budget, limit, least)
    start = _best_prefix(task.curves, task.budget)
    return _checked(task, start.allocation, start.value, start.bound)


@kinds
def sigmoid_filling(
    curves: Curves,
    budget: Real[ArrayLike, ""],
    rounds: int = 3,
    *,
    limit: Real[Array, " K"] | None = None,
    least: Real[Array, " K"] | None = None,
) -> Solution:
    """Improve `sigmoid_prefix` by exchanging arms, then let one arm be convex.

    A round compares all sets that differ in one to three arms, by their duals (an upper
    bound, which is tight if the set is feasible), and fills the most promising ones
    exactly. At last one arm may stay below its mode, while another comes or goes. Not a
    proof: about one in a thousand problems with a tight budget has a better allocation
    two such moves away. About K**3 sets are compared: meant for K up to 100 or so.

    Args:
      curves: K functions with bounded marginals, of which ``jax.jvp`` of `value` is
        finite at x > 0.
      budget: f[] >= 0.
      rounds: rounds of exchanges, >= 0.
      limit: f[K] > 0 or None, the most that every arm may take.
      least: f[K] >= 0 or None, what every arm must get.

    Returns:
      `Solution`, worth at least that of `sigmoid_prefix` and with the same bound.

    Raises:
      TypeError: `rounds` is not an integer.
      ValueError: `rounds` is negative.
    """
    rounds = whole("rounds", rounds, 0)
    task = _task(curves, budget, limit, least)
    curves, budget = task.curves, task.budget
    start = _best_prefix(curves, budget)
    screen = _screen(curves, start.log_nu)

    # The first turn goes to prefixes of other orders: one loop compiles faster.
    others = _other_orders(screen, start.modes, budget)

    def fill(members):
        return _fill(curves, start.modes, budget, members)

    def exchange(turn, best):
        trials = _neighbours(screen, start.modes, budget, best[2])
        trials = jnp.where(turn == 0, others, trials)
        filled, worth = jax.vmap(fill)(trials)
        first = first_argmax(worth)
        better = pick(worth, first) > best[1]
        result = pick(filled, first), pick(worth, first), pick(trials, first)
        return tuple(jnp.where(better, f, b) for f, b in zip(result, best, strict=True))

    best = (start.allocation, start.value, start.members)
    allocation, value, members = lax.fori_loop(0, 1 + rounds, exchange, best)
    filled, worth = _one_convex(curves, start.modes, screen, budget, members)
    better = worth > value
    allocation = jnp.where(better, filled, allocation)
    value = jnp.where(better, worth, value)
    return _checked(task, allocation, value, start.bound)


class _Task(NamedTuple):
    """What is left to solve once every arm has what it must get."""

    curves: Curves  # of what is given beyond
    budget: Float[Array, ""]  # of the rest
    limit: Float[Array, " K"] | None  # of the rest
    least: Float[Array, " K"] | None
    worth: Float[Array, ""] | None  # of what arms must get
    valid: tuple[jax.Array, ...]  # conditions


def _task(
    curves: Curves, budget: ArrayLike, limit: Array | None, least: ArrayLike | None
) -> _Task:
    budget = real(budget=budget)
    shaped("K", **{"curves.log_height": curves.log_height})
    shaped("", budget=budget)
    num_arms = curves.log_height.shape[0]
    limit, least = per_arm("limit", limit, num_arms), per_arm("least", least, num_arms)
    if least is None:
        valid = () if limit is None else (limit > 0,)
        return _Task(*_up_to(budget, limit, curves), limit, None, None, valid)
    dtype = curves.log_height.dtype
    least = jnp.asarray(least, dtype)
    worth = jnp.sum(curves.value(least))
    rest, valid = jnp.asarray(budget, dtype) - jnp.sum(least), (least >= 0,)
    if limit is not None:
        limit = jnp.asarray(limit, dtype)
        valid = (*valid, limit > 0, limit >= least)
        limit = jnp.maximum(limit - least, TINY)  # so little that it is worth nothing
    curves, rest = _up_to(rest, limit, beyond(curves, least))
    return _Task(curves, rest, limit, least, worth, valid)


def _up_to(
    budget: ArrayLike, limit: Array | None, curves: Curves
) -> tuple[Curves, Array]:
    """Curves that end at the budget, which makes their envelopes lower, or at limits.

    Where the tangent touches beyond, the envelope is the chord to the end: up to the
    touching point, ``f(x) / x`` grows. Beyond a limit nothing is gained.

    Returns:
      ``(curves, budget f[])``.
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


class _Start(NamedTuple):
    """What `sigmoid_prefix` finds, for `sigmoid_filling` to begin with."""

    allocation: Float[Array, " K"]
    value: Float[Array, ""]
    members: Bool[Array, " K"]
    bound: Float[Array, ""]
    log_nu: Float[Array, ""]  # the multiplier of the dual
    modes: Float[Array, " K"]  # inf for functions that are 0


def _best_prefix(curves: Curves, budget: Array) -> _Start:
    """The work of `sigmoid_prefix`: a `_Start`."""
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
    return _Start(
        jnp.where(better, jnp.where(single, budget, 0.0), pick(filled, first)),
        jnp.maximum(jnp.max(alone), pick(worth, first)),
        jnp.where(better, single, pick(trials, first)),
        bound,
        (cheap + dear) / 2,
        modes,
    )


def _fill(
    curves: Curves, modes: Array, budget: Array, members: Array
) -> tuple[Array, Array]:
    """Water-filling of the given arms beyond their modes.

    In the square root s of the drop of log nu below the steepest marginal: responses
    begin like a square root of the drop at a mode, and are smooth in s.

    Args:
      curves: the K functions.
      modes: f[K].
      budget: f[].
      members: bool[K].

    Returns:
      ``(allocation f[K], value f[])``. If the modes alone exceed the budget, the arms
      get it in proportion to their modes.
    """
    heights = _heights(curves)
    members = members & _alive(curves)
    top = jnp.max(jnp.where(members, heights, -jnp.inf))
    top = jnp.where(jnp.any(members), top, 0.0)
    least = jnp.where(members, modes, 0.0)

    def narrow(trip, state):
        low, high, missing, excess, below, above, last = state
        # False position, the Illinois way: the end that stays loses half its weight.
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


def _screen(curves: Curves, log_nu: Array) -> tuple[Array, Array]:
    """Multipliers nu f[G], and what arms beyond their modes are worth there, f[G, K].

    Denser around the dual solution, which most sets in question have in common.
    """
    steps = jnp.linspace(-2.5, 2.5, NODES, dtype=log_nu.dtype)
    log_nus = log_nu + jnp.sign(steps) * jnp.expm1(jnp.abs(steps))
    heights, alive = _heights(curves), _alive(curves)

    def gains(log_nu):
        x = curves.fall(heights - log_nu)
        return jnp.where(alive, curves.value(x) - jnp.exp(log_nu) * x, 0.0)

    return jnp.exp(log_nus), jax.vmap(gains)(log_nus)


def _moves(num_arms: int) -> np.ndarray:
    """All choices of one to three arms, i32[M, 3]; `num_arms` stands for no arm."""
    arms = range(num_arms)
    moves = [c for r in (1, 2, 3) for c in itertools.combinations(arms, r)]
    padded = [(*c, num_arms, num_arms)[:3] for c in moves]
    return np.asarray(padded, np.int32)


def _finalists(num_arms: int) -> int:
    return min(FINALISTS, len(_moves(num_arms)))


def _other_orders(screen: tuple[Array, Array], modes: Array, budget: Array) -> Array:
    """The most promising sets of the arms that gain most at a multiplier.

    Few arms on a tight budget are ordered otherwise than by the slopes of envelopes.

    Returns:
      bool[FINALISTS, K].
    """
    nus, gains = screen
    size = gains.shape[1]
    rank = jnp.argsort(jnp.argsort(-gains[::4], axis=1), axis=1)
    sets = rank[:, None, :] <= jnp.arange(size)[None, :, None]
    worth = jnp.einsum(
        "hk,gnk->hgn", gains, sets.astype(gains.dtype), precision=lax.Precision.HIGHEST
    )
    worth = _least(worth + (nus * budget)[:, None, None])
    # Neighbouring multipliers mostly agree; one copy of a set is enough.
    copies = jnp.all(sets[1:] == sets[:-1], axis=2)
    copies = jnp.pad(copies, ((1, 0), (0, 0)))
    fits = jnp.sum(jnp.where(sets, modes[None, None, :], 0.0), axis=2) <= budget
    worth = jnp.where(fits & ~copies, worth, -jnp.inf).ravel()
    _, places = lax.top_k(worth, _finalists(size))
    return sets.reshape(-1, size)[places]


def _least(duals: Array) -> Array:
    """The least value over multipliers, f[G, ...] -> f[...], by a parabola.

    The nodes alone leave up to a percent, and too many sets within it.
    """
    place = jnp.clip(jnp.argmin(duals, axis=0), 1, duals.shape[0] - 2)[None]
    before, here, after = (
        jnp.take_along_axis(duals, place + step, axis=0)[0] for step in (-1, 0, 1)
    )
    bend = before + after - 2 * here
    inside = (here <= before) & (here <= after) & (bend > 0)
    drop = jnp.square(before - after) / (8 * jnp.where(inside, bend, 1.0))
    return jnp.minimum(jnp.minimum(before, after), here - jnp.where(inside, drop, 0.0))


def _neighbours(
    screen: tuple[Array, Array], modes: Array, budget: Array, members: Array
) -> Array:
    """The most promising sets that differ in one to three arms, bool[FINALISTS, K].

    Three, because one large arm must often give way to two small ones at once.
    """
    size = members.size
    nus, gains = screen
    moves = _moves(size)

    def changed(worth, moves):
        """The sum of f[K] over the set after each move, f[M]."""
        base = jnp.sum(jnp.where(members, worth, 0.0))
        change = jnp.pad(jnp.where(members, -worth, worth), (0, 1))
        return base + change[moves[:, 0]] + change[moves[:, 1]] + change[moves[:, 2]]

    def duals(nus, gains, moves):
        worth = jax.vmap(changed, in_axes=(0, None))(gains, moves)
        return worth + (nus * budget)[:, None]

    # At every fourth multiplier for all, then at all of them for the best ones.
    fits = changed(modes, moves) <= budget
    worth = jnp.min(duals(nus[::4], gains[::4], moves), axis=0)
    worth = jnp.where(fits, worth, -jnp.inf)
    _, listed = lax.top_k(worth, min(SHORTLIST, len(moves)))
    worth = _least(duals(nus, gains, jnp.asarray(moves)[listed]))
    worth = jnp.where(fits[listed], worth, -jnp.inf)
    _, places = lax.top_k(worth, _finalists(size))
    places = listed[places]

    def move(place):
        flips = jnp.asarray(moves)[place][:, None] == jnp.arange(size)[None, :]
        return members ^ jnp.any(flips, axis=0)

    return jax.vmap(move)(places)


def _one_convex(
    curves: Curves,
    modes: Array,
    screen: tuple[Array, Array],
    budget: Array,
    members: Array,
) -> tuple[Array, Array]:
    """The best allocation found with one arm below its mode, and its value.

    Arm j sits at a level of its convex branch, whether it was a member or not, and arm
    i changes sides (index K: none does).
    """
    size = members.size
    nus, gains = screen
    highest = jnp.minimum(modes, budget)
    fractions = (jnp.arange(LEVELS, dtype=modes.dtype) + 0.5) / LEVELS
    levels = fractions[:, None] * highest[None, :]
    own = jnp.where(members[None, :], gains, 0.0)
    change = jnp.pad(jnp.where(members[None, :], -gains, gains), ((0, 0), (0, 1)))
    base = nus * budget + jnp.sum(own, axis=1)
    rises = jax.vmap(curves.value)(levels).T
    spent = nus[:, None, None] * levels.T[None]
    rest = base[:, None, None] + change[:, :, None] - own[:, None, :]
    rest = rest[::4, :, :, None] - spent[::4, None]
    worth = jnp.min(rest, axis=0) + rises[None]
    i, j = jnp.arange(size + 1)[:, None], jnp.arange(size)[None, :]
    allowed = (i != j) & ((curves.touch > 0) & _alive(curves))[None, :]
    held = jnp.where(members, modes, 0.0)
    moved = jnp.pad(jnp.where(members, -modes, modes), (0, 1))
    least = jnp.sum(held) + moved[:, None] - held[None, :]
    allowed = allowed[:, :, None] & (least[:, :, None] + levels.T[None] <= budget)
    best = jnp.max(jnp.where(allowed, worth, -jnp.inf), axis=2).ravel()
    _, listed = lax.top_k(best, min(SHORTLIST, best.size))
    i, j = listed // size, listed % size
    rest = (base[:, None] + change[:, i] - own[:, j])[:, :, None] - spent[:, j]
    worth = jnp.where(allowed[i, j], _least(rest) + rises[j], -jnp.inf)
    _, places = lax.top_k(jnp.max(worth, axis=1), min(FINALISTS, best.size))

    def balanced(place):
        flipped, convex = one_hot(i[place], size), one_hot(j[place], size)
        others = (members ^ flipped) & ~convex
        at = jnp.argmax(worth[place])
        step = highest[j[place]] / LEVELS
        # Near its maximum the screen is flat, and wrong by a level or two.
        ends = jnp.maximum(at - 2, 0) * step, jnp.minimum(at + 3, LEVELS) * step
        return _balance(curves, modes, budget, others, convex, ends)

    filled, values = jax.vmap(balanced)(places)
    first = first_argmax(values)
    return pick(filled, first), pick(values, first)


def _balance(
    curves: Curves,
    modes: Array,
    budget: Array,
    others: Array,
    convex: Array,
    ends: tuple[Array, Array],
) -> tuple[Array, Array]:
    """One arm within `ends`, the others filled, at equal marginals.

    The multiplier of the others decides both: they take their responses, the one arm
    takes the rest, and its marginal says in which direction to move.
    """
    heights = _heights(curves)
    others = others & _alive(curves)
    top = jnp.max(jnp.where(others, heights, -jnp.inf))
    top = jnp.where(jnp.any(others), top, 0.0)
    lowest, highest = ends

    def halve(_, state):
        low, high, below, above = state
        s = (low + high) / 2
        x = jnp.where(others, curves.fall(heights - top + s * s), 0.0)
        left = budget - jnp.sum(x)
        place = jnp.broadcast_to(jnp.clip(left, lowest, highest), x.shape)
        _, slopes = jax.jvp(curves.value, (place,), (jnp.ones_like(place),))
        slope = jnp.sum(jnp.where(convex, slopes, 0.0))
        wants_less = slope < jnp.exp(top - s * s)
        others_more = (left > highest) | ((left >= lowest) & wants_less)
        return (
            jnp.where(others_more, s, low),
            jnp.where(others_more, high, s),
            jnp.where(others_more, x, below),
            jnp.where(others_more, above, x),
        )

    zero = jnp.zeros_like(budget)
    least = jnp.where(others, modes, 0.0)
    trips = 18 if _is_single(budget.dtype) else 28
    start = (zero, zero + REACH, least, least)
    _, _, below, above = lax.fori_loop(0, trips, halve, start)
    x = (below + above) / 2
    left = jnp.maximum(budget - jnp.sum(x), 0.0)
    allocation = _rescaled(jnp.where(convex, left, x), budget)
    return allocation, jnp.sum(curves.value(allocation))


def _checked(task: _Task, allocation: Array, value: Array, bound: Array) -> Solution:
    """The solution with its status; the even split where nothing is to be gained."""
    curves, budget, limit, least, worth, valid = task
    nothing = ~jnp.any(_alive(curves))
    even = jnp.broadcast_to(budget / allocation.size, allocation.shape)
    allocation = jnp.where(nothing, even, allocation)
    rounding = 64 * jnp.finfo(value.dtype).eps
    filled = jnp.abs(jnp.sum(allocation) - budget) <= rounding * budget
    if limit is not None:
        # What was spread beyond a limit is worth nothing.
        allocation = jnp.minimum(allocation, limit)
    bound = jnp.where(nothing, 0.0, bound)
    if least is not None:
        allocation, value, bound = least + allocation, worth + value, worth + bound  # type: ignore[operator]
    consistent = value <= bound * (1 + rounding)
    status = jnp.where(filled & consistent, SOLVED, INACCURATE)
    status = jnp.where(nothing, NOTHING_TO_GAIN, status).astype(jnp.int32)
    solution = Solution(allocation, value, jnp.maximum(bound, value), status)
    heights = curves.log_height < jnp.inf
    return judged(solution, heights, spendable(budget), *valid)
