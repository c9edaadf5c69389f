"""The zooming bandit on the intervals of limits of all arms.

Kleinberg, Slivkins & Upfal, "Multi-Armed Bandits in Metric Spaces", 2008, in the form
of Slivkins, "Introduction to Multi-Armed Bandits", 2019, section 4.3, with a known
horizon.

Idea: every active limit covers what lies within its confidence radius. Radii shrink
with play; a limit that is no longer covered becomes active.
"""

from functools import cache
from typing import NamedTuple

import jax.numpy as jnp
from jax import Array
from jaxtyping import Bool, Float, Int32

from jaxbandits.arrays import CompensatedSum, first_argmax, pick, row, with_row
from jaxbandits.censored.policies.value import value_of_round
from jaxbandits.censored.problem import (
    Continuum,
    Problem,
    RealAction,
    check_bounded,
    check_continuum,
    penalty_in_play,
)
from jaxbandits.checks import MOST, at_least_one, positive, whole
from jaxbandits.checks.factory import factory
from jaxbandits.kernels.radii import peeling_scale
from jaxbandits.protocol import Policy


class Params(NamedTuple):
    """What the policy is told.

    Attributes:
      horizon: T, the number of rounds; the game's own by default.
      radius: > 0, factor of the confidence radius.
      smoothness: > 0, how much the value may change per unit of the limit.
    """

    horizon: float = 100_000.0
    radius: float = 1.0
    smoothness: float = 1.0


def _check(params: Params) -> None:
    at_least_one(horizon=params.horizon)
    positive(radius=params.radius, smoothness=params.smoothness)


class State(NamedTuple):
    """Active limits in the order of their activation, and the best of each arm."""

    active: Float[Array, "K G"]  # 0 where nothing is
    pulls: Int32[Array, "K G"]
    value: CompensatedSum  # f32[K, G]
    count: Int32[Array, " K"]  # type: ignore[assignment]  # used places
    index: Float[Array, " K"]  # type: ignore[assignment]
    place: Int32[Array, " K"]
    limit: Float[Array, " K"]
    overflow: Bool[Array, ""]


@factory(Continuum, Problem)
def zooming(
    problem: Continuum, capacity: int = 64
) -> Policy[State, Params, RealAction]:
    """The zooming bandit for a problem with arbitrary limits.

    With ``r = radius (1 + lambda(tau_max)) sqrt(2 log(T) / (n + 1))`` an active limit
    covers what is nearer than ``r / smoothness``; the one with the largest ``mean + 2
    r`` is played. After a round the middle of the leftmost gap of the arm, if there is
    one, becomes active. It recommends the pair that it has played most often.

    Args:
      problem: arms, cost and penalty functions, largest limit.
      capacity: largest number of active limits of an arm.

    Returns:
      A policy with `Params`; state O(K G), O(G^2) work per round. It reports ``points``
      (active limits of all arms) and ``overflow`` (0 or 1).

    Raises:
      ValueError: if `capacity` < 1, or if rewards do not lie in [0, 1].
      TypeError: if the problem has a grid of limits.
    """
    check_continuum(problem, "zooming")
    check_bounded(problem, "zooming")
    whole("capacity", capacity, 1, MOST)
    return _zooming(problem, capacity)


@cache
def _zooming(problem: Continuum, capacity: int) -> Policy[State, Params, RealAction]:
    num_arms, shape = problem.num_arms, (problem.num_arms, capacity)
    places = jnp.arange(capacity, dtype=jnp.int32)
    largest, span = problem.max_limit, 1 + problem.max_charge

    def init(params):
        del params
        first = jnp.where(places == 0, largest / 2, 0.0).astype(float)
        return State(
            jnp.broadcast_to(first, shape),
            jnp.zeros(shape, jnp.int32),
            CompensatedSum.zeros(shape, float),
            jnp.ones(num_arms, jnp.int32),
            jnp.full(num_arms, jnp.inf, float),
            jnp.zeros(num_arms, jnp.int32),
            jnp.full(num_arms, largest / 2, float),
            jnp.zeros((), bool),
        )

    def act(noise, view, state, params):
        del noise, view, params
        arm = first_argmax(state.index)
        return RealAction(arm, pick(state.limit, arm))

    def radii(pulls, params):
        scale = peeling_scale(jnp.log(params.horizon))
        return params.radius * span * scale / jnp.sqrt(pulls.astype(float) + 1)

    def leftmost_gap(active, used, radius, params):
        """Where the leftmost gap begins and ends; both beyond the end if none."""
        reach = radius / params.smoothness
        low = jnp.where(used, active - reach, jnp.inf)
        high = jnp.where(used, active + reach, jnp.inf)
        starts = jnp.concatenate([jnp.zeros(1, active.dtype), high])
        at = starts[:, None]
        covered = (low[None] <= at) & (at < high[None])
        # Places that are not used reach from inf to inf, and cover nothing.
        open_ = ~jnp.any(covered, axis=1) & (starts < largest)
        begin = jnp.min(jnp.where(open_, starts, jnp.inf))
        end = jnp.min(jnp.where(low > begin, low, jnp.inf))
        return begin, jnp.minimum(end, largest)

    def update(noise, view, state, action, feedback, params):
        del noise, view
        rows = (state.active, state.pulls, state.value, state.count)
        active, pulls, total, count = row(rows, action.arm)
        # Known by its place: a limit that is computed twice may differ in its last bit.
        own = places == pick(state.place, action.arm)
        value = value_of_round(
            problem, penalty_in_play(problem, action.limit), feedback
        )
        pulls, total = (
            pulls + own.astype(jnp.int32),
            total.add(jnp.where(own, value, 0.0)),
        )
        radius = radii(pulls, params)
        begin, end = leftmost_gap(active, places < count, radius, params)
        gap = begin < largest
        fits = count < capacity
        middle = jnp.where(gap, (begin + end) / 2, 0.0)
        active = jnp.where((places == count) & gap, middle, active)
        count = count + (gap & fits).astype(jnp.int32)
        index = total.total / jnp.maximum(pulls, 1).astype(float) + 2 * radius
        index = jnp.where(pulls > 0, index, jnp.inf)
        index = jnp.where(places < count, index, -jnp.inf)
        best = first_argmax(index)
        best_of_arm = (pick(index, best), best, pick(active, best))
        rows = (active, pulls, total, count, *best_of_arm)
        *old, overflow = state
        new = with_row(tuple(old), action.arm, rows)
        return State(*new, overflow | (gap & ~fits))  # type: ignore[call-arg]

    def recommend(state, params):
        del params
        most = first_argmax(state.pulls)
        return RealAction(most // capacity, pick(state.active.reshape(-1), most))

    def report(state, params):
        del params
        return {
            "points": jnp.sum(state.count),
            "overflow": state.overflow.astype(jnp.int32),
        }

    return Policy(
        "zooming",
        init,
        act,
        update,
        Params(),
        check=_check,
        recommend=recommend,
        report=report,
        game_params=("horizon",),
    )
