"""The zooming bandit on the intervals of limits of all arms.

Kleinberg, Slivkins & Upfal, "Multi-Armed Bandits in Metric Spaces", 2008, in the form
of Slivkins, "Introduction to Multi-Armed Bandits", 2019, section 4.3, with a known
horizon.

Idea: every active limit covers the limits within its confidence radius. Radii shrink
with play; a limit that is no longer covered becomes active.
"""

from typing import NamedTuple

import jax.numpy as jnp
from jax import Array
from jaxtyping import Bool, Float, Int32

from jaxbandits.arrays import first_argmax, pick, row, with_row
from jaxbandits.censored.policies.growing import (
    Best,
    OwnRounds,
    play_best,
    report_points,
)
from jaxbandits.censored.problem import Continuum, RealAction, check_bounded
from jaxbandits.checks import MOST, AtLeastOne, Positive, whole
from jaxbandits.checks.factory import factory
from jaxbandits.kernels.radii import peeling_scale
from jaxbandits.protocol import Policy


class Params(NamedTuple):
    """Parameters of the zooming bandit.

    Attributes:
      horizon: T, the number of rounds; by default that of the game.
      radius: positive; factor of the confidence radius.
      smoothness: positive; the largest change of the value per unit of the limit.
    """

    horizon: AtLeastOne = 100_000.0
    radius: Positive = 1.0
    smoothness: Positive = 1.0


class State(NamedTuple):
    """Active limits in the order of their activation, and the best of each arm."""

    active: Float[Array, "K G"]  # 0 at unused positions
    rounds: OwnRounds
    count: Int32[Array, " K"]  # type: ignore[assignment]  # number of active limits
    best: Best
    overflow: Bool[Array, ""]


@factory(Continuum)
def zooming(
    problem: Continuum, capacity: int = 64
) -> Policy[State, Params, RealAction]:
    """The zooming bandit for a problem with arbitrary limits.

    Let ``r = radius (1 + L) sqrt(2 log(T) / (n + 1))`` with ``L = problem.max_charge``.
    An active limit covers all limits nearer than ``r / smoothness``. The active limit
    with the largest ``mean + 2 r`` is played. After a round, the middle of the arm's
    leftmost gap, if any, becomes active. The most played pair is recommended.

    Args:
      problem: arms, cost and penalty functions, largest limit.
      capacity: G, the largest number of active limits of an arm.

    Returns:
      A policy with `Params`; state O(K G), O(G^2) work per round. It reports ``points``
      (active limits of all arms) and ``overflow`` (0 or 1).

    Raises:
      ValueError: if `capacity` < 1, or if rewards do not lie in [0, 1].
    """
    check_bounded(problem, "zooming")
    num_arms, largest = problem.num_arms, problem.max_limit
    shape = (num_arms, whole("capacity", capacity, 1, MOST))
    places = jnp.arange(capacity, dtype=jnp.int32)

    def init(params):
        first = jnp.where(places == 0, largest / 2, 0.0).astype(float)
        return State(
            jnp.broadcast_to(first, shape),
            OwnRounds.none(shape),
            jnp.ones(num_arms, jnp.int32),
            Best.untried(num_arms, 0, largest / 2),
            jnp.zeros((), bool),
        )

    def update(noise, view, state, action, feedback, params):
        arms = (state.active, state.rounds, state.count)
        active, rounds, count = row(arms, action.arm)
        # Limits are compared by position: a recomputed one may differ in its last bit.
        own = places == pick(state.best.place, action.arm)
        rounds = rounds.after(own, problem, action, feedback)
        scale = peeling_scale(jnp.log(params.horizon))
        radius = params.radius * (1 + problem.max_charge) * scale
        radius = radius / jnp.sqrt(rounds.pulls.astype(float) + 1)
        used, reach = places < count, radius / params.smoothness
        begin, end = leftmost_gap(active, used, reach, largest)
        gap = begin < largest
        fits = count < capacity
        middle = jnp.where(gap, (begin + end) / 2, 0.0)
        active = jnp.where((places == count) & gap, middle, active)
        count = count + (gap & fits).astype(jnp.int32)
        index = rounds.mean() + 2 * radius
        index = jnp.where(rounds.pulls > 0, index, jnp.inf)
        index = jnp.where(places < count, index, -jnp.inf)
        *old, overflow = state
        arm = (active, rounds, count, Best.of(index, active))
        new = with_row(tuple(old), action.arm, arm)
        return State(*new, overflow | (gap & ~fits))  # type: ignore[call-arg]

    def recommend(state, params):
        most = first_argmax(state.rounds.pulls)
        return RealAction(most // capacity, pick(state.active.reshape(-1), most))

    return Policy(
        "zooming",
        init,
        play_best,
        update,
        Params(),
        recommend=recommend,
        report=report_points,
        game_params=("horizon",),
    )


def leftmost_gap(
    active: Float[Array, " G"],
    used: Bool[Array, " G"],
    reach: Float[Array, " G"],
    largest: float,
) -> tuple[Float[Array, ""], Float[Array, ""]]:
    """Begin and end of the leftmost gap in (0, largest]; without a gap the begin is
    +inf.

    Args:
      active: limits; each covers all limits nearer than its `reach`.
      used: whether each entry of `active` is in use.
      reach: reach of each limit.
      largest: largest limit.
    """
    low = jnp.where(used, active - reach, jnp.inf)
    high = jnp.where(used, active + reach, jnp.inf)
    starts = jnp.concatenate([jnp.zeros(1, active.dtype), high])
    at = starts[:, None]
    covered = (low[None] <= at) & (at < high[None])
    # Unused entries reach from inf to inf and cover nothing.
    open_ = ~jnp.any(covered, axis=1) & (starts < largest)
    begin = jnp.min(jnp.where(open_, starts, jnp.inf))
    end = jnp.min(jnp.where(low > begin, low, jnp.inf))
    return begin, jnp.minimum(end, largest)
