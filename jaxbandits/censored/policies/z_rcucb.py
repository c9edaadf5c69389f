"""z-RCUCB, the zooming form of RCUCB for arbitrary resource limits.

Bengs & Huellermeier, "Multi-Armed Bandits with Censored Consumption of Resources",
2022, section 4, Algorithm 1, eqs. (13) and (14).

Idea: every arm keeps a grid of limits. Each grid point stands for the cell between its
left neighbour and itself; once the point's confidence length is below the width of its
cell, the cell is split.

Named choices (errata.md): `penalty_radius` and `gain_radius` scale the parts of
the confidence length as in RCUCB, `smoothness` the widths in (13) and (14), where the
paper assumes the Lipschitz constant 1. `history` says what a new point knows.
"""

import math
from functools import cache, partial
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import Bool, Float, Int32

from jaxbandits.arrays import (
    CompensatedSum,
    first_argmax,
    pick,
    row,
    when,
    with_row,
)
from jaxbandits.censored.policies.observed import gain_of
from jaxbandits.censored.policies.survival import (
    Survival,
    named,
    sub_gaussian_gain_radius,
    survival_of,
)
from jaxbandits.censored.problem import (
    Continuum,
    Problem,
    RealAction,
    check_continuum,
    penalty_in_play,
)
from jaxbandits.checks import (
    MOST,
    MOST_ROUNDS,
    at_least_one,
    between_zero_and_one,
    kinds,
    non_negative,
    one_of,
    positive,
    whole,
)
from jaxbandits.checks.factory import check_problem, factory
from jaxbandits.kernels.grid import (
    HISTORIES,
    Grid,
    check_capacity,
    limit_grid,
    split_cells,
)
from jaxbandits.kernels.radii import peeling_scale
from jaxbandits.protocol import Policy

ANSWERS = ("finest", "safest")
BINS = 32  # of the histogram of grid points in the report


class Params(NamedTuple):
    """What z-RCUCB is told.

    Attributes:
      horizon: T, the number of rounds; the game's own by default.
      alpha: > 0, as in RCUCB.
      delta: in (0, 1), the error probability.
      gain_radius, penalty_radius: factors >= 0 of the confidence length's two parts.
      smoothness: > 0, factor of the cell widths; the paper's is 1.
    """

    horizon: float = 100_000.0
    alpha: float = 1.0
    delta: float = 0.05
    gain_radius: float = 1.0
    penalty_radius: float = 1.0
    smoothness: float = 1.0


def _check(params: Params) -> None:
    at_least_one(horizon=params.horizon)
    positive(alpha=params.alpha, smoothness=params.smoothness)
    between_zero_and_one(delta=params.delta)
    non_negative(gain_radius=params.gain_radius, penalty_radius=params.penalty_radius)


class _Statistics(NamedTuple):
    """What the points of a grid have seen since they came into being."""

    reached: Int32[Array, "K G"]  # N_{i,tau}: rounds of the arm with a limit >= tau
    risk: tuple[Int32[Array, "K G"], ...]  # counts behind the survival estimate
    gain: CompensatedSum  # f32[K, G]  sum of gains within tau


class State(NamedTuple):
    """The arms' grids, and the best pair of each arm by eq. (13)."""

    grid: Grid  # [K, G] each, [K] its count
    statistics: _Statistics
    rounds: Int32[Array, " K"]  # rounds of the arm
    index: Float[Array, " K"]  # type: ignore[assignment]  # largest index of the arm's points
    place: Int32[Array, " K"]  # the point that has it
    limit: Float[Array, " K"]  # its limit
    overflow: Bool[Array, ""]  # whether a grid was too small for an extension


class _Judgement(NamedTuple):
    """Estimates of grid points; all arrays ``[..., G]``."""

    estimate: Any  # nu_hat, eq. (10)
    length: Any  # c, the confidence length


@kinds
def grid_capacity(
    problem: Continuum,
    horizon: int,
    splits: int = 2,
    history: str = "restart",
    *,
    params: Params | None = None,
) -> int:
    """A capacity that no arm can exceed in `horizon` rounds.

    A cell of width w is split only when ``smoothness w >= gain_radius sqrt(2 alpha
    log(n T^2 / delta) / N)`` with N <= T, eq. (14), which bounds the level; at worst
    every cell is split down to it.

    Args:
      problem: the problem.
      horizon: T.
      splits: m.
      history: see `z_rcucb`; ``inherit`` needs m times the points.
      params: their radii count; defaults if None.

    Raises:
      ValueError, TypeError: if that is more than 2**16 points, or `horizon` is no
        integer >= 1.
    """
    check_problem("grid_capacity", problem, Continuum)
    p = params or Params()
    whole("horizon", horizon, 1, MOST_ROUNDS)
    whole("splits", splits, 2, MOST)
    one_of("history", history, HISTORIES)
    share = 2 * p.alpha * math.log(problem.num_arms * horizon**2 / p.delta) / horizon
    width = max(p.gain_radius, 1e-9) * math.sqrt(share) / p.smoothness
    finest = max(problem.max_limit / width, 1.0)
    cells = splits ** (math.floor(math.log(finest, splits) + 1e-9) + 1)
    points = cells * (splits if history == "inherit" else 1)
    if points > 2**16:
        raise ValueError(f"capacity: {points} points may come to be needed; choose one")
    return points


@factory(Continuum, Problem)
def z_rcucb(
    problem: Continuum,
    horizon: int | None = None,
    splits: int = 2,
    *,
    history: str = "restart",
    answer: str = "finest",
    survival: str | Survival = "censored_exceeds",
    capacity: int | None = None,
) -> Policy[State, Params, RealAction]:
    """z-RCUCB for a problem with arbitrary limits.

    Plays the first pair that maximises eq. (13); new points first. After a round every
    point of the arm that satisfies (14) is split.

    Args:
      problem: arms, cost and penalty functions, largest limit.
      horizon: T, for the default capacity and the parameter of that name. By default
        the parameter is the game's, and the capacity that of 100,000 rounds.
      splits: m >= 2, cells into which one cell is split.
      history: what a new point knows. ``restart``: nothing, its counts start from zero
        (and it is played at once). ``inherit``: every cell also keeps the statistics of
        the points at which it would be split, from the moment it comes into being; a
        split makes them playable. No estimate is borrowed from another limit: from that
        moment on they are what a fixed grid's points would be. ``whole``: all rounds,
        as eq. (8) says and the proof of Lemma 2 needs: the points of the finest grid,
        ``max_limit / capacity`` apart, watch from the first round, and splits only make
        them playable.
      answer: the pair that is recommended, among those that have been played or
        passed. ``finest``: Algorithm 1's, a point of the finest level, of several the
        one with the largest estimate. ``safest``: the point with the largest lower
        confidence bound (small limits are refined along with the large ones that are
        played, so that the finest level need not be near the optimum).
      survival: as for `rcucb`. What needs the cells between neighbouring limits, as
        ``kaplan_meier``, needs all points in their order: ``history="whole"``.
      capacity: G, the largest number of points of an arm's grid (with ``whole``, a
        power of `splits`). A grid that is full is not refined further, and the report
        says so. By default `grid_capacity` for the default radii; to play with others,
        or for more rounds, that may need more, is then an error.

    Returns:
      A policy with `Params`; state O(K G). It reports ``points`` (playable points of
      all arms), ``largest_grid`` (of one arm), ``depth`` (finest level), ``overflow``
      (0 or 1) and ``histogram``, i32[K, 32], playable points by limit.

    Raises:
      ValueError: naming `splits`, `history`, `answer`, `survival`, `capacity` or
        `horizon` if out of range.
      TypeError: if the problem has a grid of limits.
    """
    check_continuum(problem, "z_rcucb")
    whole("splits", splits, 2, MOST)
    one_of("history", history, HISTORIES)
    one_of("answer", answer, ANSWERS)
    risk = survival_of(survival)
    if risk.num_counts > 1 and history != "whole":
        raise ValueError(
            f"survival: {risk.name} needs all points in their order, history='whole', "
            f"got history={history!r}"
        )
    by_default = capacity is None
    if by_default:
        longest = int(Params().horizon) if horizon is None else horizon
        least = splits**2 if history == "inherit" else splits
        capacity = max(grid_capacity(problem, longest, splits, history), least)
    capacity = check_capacity(capacity, splits, history)
    policy = _z_rcucb(problem, splits, history, answer, risk, capacity)
    if by_default:
        fits = partial(_check_fits, problem, splits, history, capacity)
        policy = policy._replace(check=fits)
    params = Params(gain_radius=sub_gaussian_gain_radius(problem.sigma))
    if horizon is None:
        return policy._replace(params=params)
    whole("horizon", horizon, 1, MOST_ROUNDS)
    return policy._replace(
        params=params._replace(horizon=float(horizon)), game_params=()
    )


def _check_fits(
    problem: Continuum, splits: int, history: str, capacity: int, params: Params
) -> None:
    """Refuse parameters for which a capacity chosen by default may be too small."""
    _check(params)
    leaves = np.broadcast_arrays(*(np.asarray(x, np.float64) for x in params))
    for point in zip(*(x.ravel().tolist() for x in leaves), strict=True):
        p = Params(*point)
        needed = grid_capacity(problem, math.ceil(p.horizon), splits, history, params=p)
        if needed > capacity:
            raise ValueError(
                f"capacity: {needed} places may be needed for {p}, and {capacity} is "
                f"what the default parameters need; build z_rcucb(..., capacity="
                f"{needed}), or choose a smaller one and look at the metric overflow"
            )


@cache
def _z_rcucb(
    problem: Continuum,
    splits: int,
    history: str,
    answer: str,
    risk: Survival,
    capacity: int,
) -> Policy[State, Params, RealAction]:
    num_arms, shape = problem.num_arms, (problem.num_arms, capacity)

    def init(params):
        del params
        zeros = jnp.zeros(shape, jnp.int32)
        first = capacity - 1 if history == "whole" else 0
        return State(
            limit_grid(num_arms, capacity, problem.max_limit, splits, history),
            _Statistics(
                zeros, (zeros,) * risk.num_counts, CompensatedSum.zeros(shape, float)
            ),
            jnp.zeros(num_arms, jnp.int32),
            jnp.full(num_arms, jnp.inf, float),
            jnp.full(num_arms, first, jnp.int32),
            jnp.full(num_arms, problem.max_limit, float),
            jnp.zeros((), bool),
        )

    def act(noise, view, state, params):
        del noise, view, params
        arm = first_argmax(state.index)  # Eq. (13)
        return RealAction(arm, pick(state.limit, arm))

    def judge(
        grid: Grid, statistics: _Statistics, rounds: Array, params: Params
    ) -> _Judgement:
        count = jnp.maximum(statistics.reached, 1).astype(float)
        since = jnp.maximum(rounds - grid.born, 1).astype(float)  # N_{i,0}
        penalty = penalty_in_play(problem, grid.limit)
        survival = risk.estimate(statistics.risk, since)  # Eq. (9)
        estimate = statistics.gain.total / count - penalty * survival  # Eq. (10)
        confidence = math.log(num_arms) + 2 * jnp.log(params.horizon)
        scale = peeling_scale(params.alpha * (confidence - jnp.log(params.delta)))
        length = params.gain_radius / jnp.sqrt(count)
        length = length + params.penalty_radius * penalty / jnp.sqrt(since)
        return _Judgement(estimate, scale * length)

    def learn(grid, old, place, feedback):
        gained = gain_of(problem, feedback)
        used = grid.used(capacity)
        # Known by its place: a limit that is computed twice may differ in its last bit.
        reached = used & (grid.limit <= pick(grid.limit, place))
        exceeds = feedback.consumption > grid.limit  # all of them if censored
        gain = old.gain.add(jnp.where(reached & ~exceeds, gained, 0.0))  # Eq. (8)
        seen = risk.observe(exceeds, reached)
        counts = (
            n + (used & i).astype(jnp.int32)
            for n, i in zip(old.risk, seen, strict=True)
        )
        return _Statistics(old.reached + reached.astype(jnp.int32), tuple(counts), gain)

    def update(noise, view, state, action, feedback, params):
        del noise, view
        rows = (state.grid, state.statistics, state.rounds, state.place)
        grid, old, rounds, place = row(rows, action.arm)
        statistics, rounds = learn(grid, old, place, feedback), rounds + 1
        judged = judge(grid, statistics, rounds, params)
        tried = statistics.reached > 0
        wide = params.smoothness * grid.width >= judged.length  # Eq. (14)
        ready = wide & tried & grid.playable

        def refine(carry):
            grids, grid, overflow = carry
            grid, full = split_cells(grid, ready, rounds, splits, history)
            return with_row(grids, action.arm, grid), grid, overflow | full

        # Most rounds split nothing, and leave the grids where they lie in memory.
        carry = (state.grid, grid, state.overflow)
        grids, grid, overflow = when(jnp.any(ready), refine, carry)
        # A split moves no estimate: only widths change, and new points are untried.
        index = judged.estimate + judged.length + params.smoothness * grid.width
        index = jnp.where(tried, index, jnp.inf)  # Eq. (13)
        index = jnp.where(grid.playable, index, -jnp.inf)
        best = first_argmax(index)
        best_of_arm = (pick(index, best), best, pick(grid.limit, best))
        _, *old, _ = state
        rows = [statistics, rounds, *best_of_arm]
        return State(grids, *with_row(old, action.arm, rows), overflow)  # type: ignore[call-arg]

    def recommend(state, params):
        grid = state.grid
        judged = judge(grid, state.statistics, state.rounds[:, None], params)
        tried = grid.playable & (state.statistics.reached > 0)
        if answer == "finest":
            finest = jnp.min(jnp.where(tried, grid.width, jnp.inf))
            tried, merit = tried & (grid.width <= finest), judged.estimate
        else:
            merit = judged.estimate - judged.length
        best = first_argmax(jnp.where(tried, merit, -jnp.inf))
        limit = pick(grid.limit.reshape(-1), best)
        # Nothing has been played: the first arm with the largest limit.
        limit = jnp.where(jnp.any(tried), limit, problem.max_limit)
        return RealAction(jnp.where(jnp.any(tried), best // capacity, 0), limit)

    def report(state, params):
        del params
        grid = state.grid
        per_arm = jnp.sum(grid.playable, axis=1, dtype=jnp.int32)
        narrowest = jnp.min(jnp.where(grid.playable, grid.width, jnp.inf))
        level = jnp.log(problem.max_limit / narrowest) / math.log(splits)
        # Cells are closed on the right: a limit on an edge belongs to the left bin.
        bins = jnp.ceil(grid.limit * (BINS / problem.max_limit) - 1e-4)
        bins = jnp.maximum(bins, 1)
        inside = bins[..., None] == jnp.arange(1.0, BINS + 1)[None, None]
        counted = jnp.sum(inside & grid.playable[..., None], axis=1, dtype=jnp.int32)
        return {
            "points": jnp.sum(per_arm),
            "largest_grid": jnp.max(per_arm),
            "depth": jnp.round(level),
            "overflow": state.overflow.astype(jnp.int32),
            "histogram": counted,
        }

    return Policy(
        named(
            "z-RCUCB",
            "" if history == "restart" else history,
            "" if answer == "finest" else answer,
            risk.name,
        ),
        init,
        act,
        update,
        Params(),
        check=_check,
        recommend=recommend,
        report=report,
        game_params=("horizon",),
    )
