"""z-RCUCB, the zooming form of RCUCB for arbitrary resource limits.

Bengs & Huellermeier, "Multi-Armed Bandits with Censored Consumption of Resources",
2022, section 4, Algorithm 1, eqs. (13) and (14).

Idea: every arm has a grid of limits. A grid point represents the cell between its left
neighbour and itself. Once the point's confidence length is at most the width of its
cell, the cell is split.

Named choices (errata.md): `penalty_radius` and `gain_radius` scale the two parts of the
confidence length as in RCUCB. `smoothness` scales the widths in (13) and (14), where
the paper assumes the Lipschitz constant 1. `history` sets a new point's statistics.
"""

import math
from functools import cache, partial
from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import Bool, Int32

from jaxbandits.arrays import CompensatedSum, first_argmax, pick, row, when, with_row
from jaxbandits.censored.policies.growing import Best, play_best
from jaxbandits.censored.policies.observed import gain_of
from jaxbandits.censored.policies.survival import (
    Survival,
    named,
    sub_gaussian_gain_radius,
    survival_of,
)
from jaxbandits.censored.problem import Continuum, Feedback, RealAction, penalty_in_play
from jaxbandits.checks import (
    MOST,
    MOST_ROUNDS,
    AtLeastOne,
    BetweenZeroAndOne,
    NonNegative,
    Positive,
    kinds,
    one_of,
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
from jaxbandits.protocol import Noise, Policy, View

ANSWERS = ("finest", "safest")
BINS = 32  # bins of the histogram of grid points in the report


class Params(NamedTuple):
    """Parameters of z-RCUCB.

    Attributes:
      horizon: T, the number of rounds; by default that of the game.
      alpha: positive; as in RCUCB.
      delta: in (0, 1), the error probability.
      gain_radius, penalty_radius: factors >= 0 of the confidence length's two parts.
      smoothness: positive; factor of the cell widths; the paper has 1.
    """

    horizon: AtLeastOne = 100_000.0
    alpha: Positive = 1.0
    delta: BetweenZeroAndOne = 0.05
    gain_radius: NonNegative = 1.0
    penalty_radius: NonNegative = 1.0
    smoothness: Positive = 1.0


class Statistics(NamedTuple):
    """Statistics of grid points since their creation."""

    reached: Int32[Array, "*K G"]  # N_{i,tau}: rounds of the arm with a limit >= tau
    risk: tuple[Int32[Array, "*K G"], ...]  # counts behind the survival estimate
    gain: CompensatedSum  # f32[K, G]  sum of gains within tau


class State(NamedTuple):
    """The arms' grids, and the best pair of each arm by eq. (13)."""

    grid: Grid  # [K, G] each, [K] its count
    statistics: Statistics
    rounds: Int32[Array, " K"]  # rounds of the arm
    best: Best
    overflow: Bool[Array, ""]  # whether a grid was too small for an extension


@kinds
def grid_capacity(
    problem: Continuum,
    horizon: int,
    splits: int = 2,
    history: str = "restart",
    *,
    params: Params | None = None,
) -> int:
    """A number of grid points that no arm can exceed in `horizon` rounds.

    A cell of width w is split only when ``smoothness w >= gain_radius sqrt(2 alpha
    log(n T^2 / delta) / N)`` with N <= T, eq. (14). This bounds the level of a cell; in
    the worst case every cell is split down to that level.

    Args:
      problem: arms and largest limit are used.
      horizon: T.
      splits: m.
      history: see `z_rcucb`; ``inherit`` needs m times the points.
      params: parameters whose radii are used; the default parameters if None.

    Raises:
      ValueError, TypeError: if more than 2**16 points are needed, or `horizon` is not
        an integer >= 1.
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
        raise ValueError(
            f"capacity: {points:.3g} points may be needed for {p}, more than 2**16: "
            "give z_rcucb a smaller capacity=, and look at the metric overflow"
        )
    return points


@factory(Continuum)
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

    Plays the first pair that maximises eq. (13); new points come first. After a round,
    every point of the arm that satisfies (14) is split.

    Args:
      problem: arms, cost and penalty functions, largest limit.
      horizon: T, sets the default capacity and the parameter of that name. By default
        the parameter is the game's horizon, and the capacity that of 100,000 rounds.
      splits: m >= 2, number of parts into which a cell is split.
      history: which rounds the statistics of a new point include. ``restart``: none;
        the point is played at once. ``inherit``: all rounds since the split cell was
        created, because every cell also keeps statistics of the points at which it may
        be split. From then on, they equal the statistics of a fixed grid's points.
        ``whole``: all rounds, as in eq. (8) and as the proof of Lemma 2 needs. All
        points of the finest grid, ``max_limit / capacity`` apart, then keep statistics
        from the first round, and a split only makes points playable.
      answer: which pair is recommended, among pairs that have been played or passed.
        ``finest``: Algorithm 1's choice, the point of the finest level with the largest
        estimate. ``safest``: the point with the largest lower confidence bound. (Play
        of large limits also refines smaller ones, so the finest level need not be near
        the optimum.)
      survival: as for `rcucb`. Estimates that use the cells between neighbouring
        limits, as ``kaplan_meier``, need all points in order: ``history="whole"``.
      capacity: G, the largest number of points of an arm's grid (with ``whole``, a
        power of `splits`). A full grid is not refined further; the report shows this.
        The default is `grid_capacity` for the default radii; then parameters that may
        need more points are an error.

    Returns:
      A policy with `Params`; state O(K G). It reports ``points`` (playable points of
      all arms), ``largest_grid`` (most points of one arm), ``depth`` (finest level),
      ``overflow`` (0 or 1) and ``histogram``, i32[K, 32], playable points by limit.

    Raises:
      ValueError: if `splits`, `history`, `answer`, `survival`, `capacity` or `horizon`
        is out of range.
    """
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
    """Refuse parameters for which the default capacity may be too small."""
    leaves = np.broadcast_arrays(*(np.asarray(x, np.float64) for x in params))
    for point in zip(*(x.ravel().tolist() for x in leaves), strict=True):
        p = Params(*point)
        needed = grid_capacity(problem, math.ceil(p.horizon), splits, history, params=p)
        if needed > capacity:
            raise ValueError(
                f"capacity: {needed} points may be needed for {p}, but the default is "
                f"{capacity}; build z_rcucb(..., capacity={needed}), or choose a "
                "smaller capacity and check the metric overflow"
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
    """The policy with its default parameters, shared by all horizons."""
    its = _Algorithm(problem, splits, history, answer, risk, capacity)
    forms = (history.replace("restart", ""), answer.replace("finest", ""), risk.name)
    return Policy(
        named("z-RCUCB", *forms),
        its.init,
        play_best,  # Eq. (13)
        its.update,
        Params(),
        recommend=its.recommend,
        report=its.report,
        game_params=("horizon",),
    )


class _Algorithm(NamedTuple):
    """Algorithm 1: the functions of the policy, and the choices that they depend on."""

    problem: Continuum
    splits: int
    history: str
    answer: str
    risk: Survival
    capacity: int

    def init(self, params: Params) -> State:
        """Every arm has one cell."""
        num_arms, largest = self.problem.num_arms, self.problem.max_limit
        shape = (num_arms, self.capacity)
        zeros = jnp.zeros(shape, jnp.int32)
        counts = (zeros,) * self.risk.num_counts
        first = self.capacity - 1 if self.history == "whole" else 0
        return State(
            limit_grid(num_arms, self.capacity, largest, self.splits, self.history),
            Statistics(zeros, counts, CompensatedSum.zeros(shape, float)),
            jnp.zeros(num_arms, jnp.int32),
            Best.untried(num_arms, first, largest),
            jnp.zeros((), bool),
        )

    def estimate_and_length(
        self, grid: Grid, statistics: Statistics, rounds: Array, params: Params
    ) -> tuple[Array, Array]:
        """nu_hat, eq. (10), and the confidence length c, of points ``[..., G]``."""
        count = jnp.maximum(statistics.reached, 1).astype(float)
        since = jnp.maximum(rounds - grid.born, 1).astype(float)  # N_{i,0}
        penalty = penalty_in_play(self.problem, grid.limit)
        survival = self.risk.estimate(statistics.risk, since)  # Eq. (9)
        estimate = statistics.gain.total / count - penalty * survival  # Eq. (10)
        confidence = math.log(self.problem.num_arms) + 2 * jnp.log(params.horizon)
        scale = peeling_scale(params.alpha * (confidence - jnp.log(params.delta)))
        length = params.gain_radius / jnp.sqrt(count)
        length = length + params.penalty_radius * penalty / jnp.sqrt(since)
        return estimate, scale * length

    def after_round(
        self, grid: Grid, old: Statistics, place: Array, feedback: Feedback
    ) -> Statistics:
        """Statistics of an arm after a round at the point with position `place`."""
        gained = gain_of(self.problem, feedback)
        used = grid.used(self.capacity)
        # Points are compared by position: a recomputed limit may differ in a bit.
        reached = used & (grid.limit <= pick(grid.limit, place))
        exceeds = feedback.consumption > grid.limit  # true at all limits if censored
        gain = old.gain.add(jnp.where(reached & ~exceeds, gained, 0.0))  # Eq. (8)
        seen = self.risk.observe(exceeds, reached)
        counts = (
            n + (used & i).astype(jnp.int32)
            for n, i in zip(old.risk, seen, strict=True)
        )
        return Statistics(old.reached + reached.astype(jnp.int32), tuple(counts), gain)

    def update(
        self,
        noise: Noise,
        view: View,
        state: State,
        action: RealAction,
        feedback: Feedback,
        params: Params,
    ) -> State:
        """Learn, then split every cell that satisfies (14)."""
        rows = (state.grid, state.statistics, state.rounds, state.best.place)
        grid, old, rounds, place = row(rows, action.arm)
        statistics, rounds = self.after_round(grid, old, place, feedback), rounds + 1
        estimate, length = self.estimate_and_length(grid, statistics, rounds, params)
        tried = statistics.reached > 0
        wide = params.smoothness * grid.width >= length  # Eq. (14)
        ready = wide & tried & grid.playable

        def refine(carry):
            grids, grid, overflow = carry
            grid, full = split_cells(grid, ready, rounds, self.splits, self.history)
            return with_row(grids, action.arm, grid), grid, overflow | full

        # Most rounds split nothing; then the grids are not copied in memory.
        carry = (state.grid, grid, state.overflow)
        grids, grid, overflow = when(jnp.any(ready), refine, carry)
        # A split does not change estimates: widths change, and new points are untried.
        index = estimate + length + params.smoothness * grid.width
        index = jnp.where(tried, index, jnp.inf)  # Eq. (13)
        index = jnp.where(grid.playable, index, -jnp.inf)
        arm = (statistics, rounds, Best.of(index, grid.limit))
        old = (state.statistics, state.rounds, state.best)
        return State(grids, *with_row(old, action.arm, arm), overflow)

    def recommend(self, state: State, params: Params) -> RealAction:
        """The best point that has been played or passed; see `answer` of `z_rcucb`."""
        grid, statistics = state.grid, state.statistics
        rounds = state.rounds[:, None]
        estimate, length = self.estimate_and_length(grid, statistics, rounds, params)
        tried = grid.playable & (statistics.reached > 0)
        if self.answer == "finest":
            finest = jnp.min(jnp.where(tried, grid.width, jnp.inf))
            tried, merit = tried & (grid.width <= finest), estimate
        else:
            merit = estimate - length
        best = first_argmax(jnp.where(tried, merit, -jnp.inf))
        limit = pick(grid.limit.reshape(-1), best)
        # Before the first round: the first arm with the largest limit.
        limit = jnp.where(jnp.any(tried), limit, self.problem.max_limit)
        return RealAction(jnp.where(jnp.any(tried), best // self.capacity, 0), limit)

    def report(self, state: State, params: Params) -> dict[str, Array]:
        """How far the grids are refined; see `z_rcucb`."""
        grid, largest = state.grid, self.problem.max_limit
        per_arm = jnp.sum(grid.playable, axis=1, dtype=jnp.int32)
        narrowest = jnp.min(jnp.where(grid.playable, grid.width, jnp.inf))
        level = jnp.log(largest / narrowest) / math.log(self.splits)
        # Cells are closed on the right: a limit on an edge belongs to the left bin.
        bins = jnp.ceil(grid.limit * (BINS / largest) - 1e-4)
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
