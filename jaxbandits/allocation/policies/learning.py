"""Updates shared by all learners here: which arms are updated, and their statistics.

RA-UCB boosts one arm after the other and updates only the boosted one (Algorithm 2).
With the truncated estimator, all arms may be updated in every round.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import Array, lax
from jaxtyping import Bool, Float, Int32

from jaxbandits.allocation import Problem
from jaxbandits.allocation.policies.estimates import Estimator
from jaxbandits.allocation.policies.radii import Bounds
from jaxbandits.allocation.solving import shape_array
from jaxbandits.allocation.types import Feedback, View
from jaxbandits.arrays import constant, one_hot, pick, row, stored, with_row

STARTS = ("one_arm", "uniform_split")
UPDATES = ("boosted", "all")


class Learner(NamedTuple):
    """State of all arms, with leading axis K.

    Attributes:
      statistics: statistics of the observations.
      bounds: bounds after the arm's last observation.
      worst: f[K], pessimistic weight of an arm; None if it is not needed.
    """

    statistics: Any
    bounds: Bounds
    worst: Float[Array, " K"] | None = None


class Turn(NamedTuple):
    """Which arm has its turn in a round.

    Attributes:
      starting: bool[], whether the round belongs to the start.
      arm: i32[], the arm that gets the whole budget (in a start with one arm at a time)
        or is boosted (after the start).
    """

    starting: Bool[Array, ""]
    arm: Int32[Array, ""]


def turn(
    problem: Problem, start: str, initial: Array, round_: Int32[Array, ""]
) -> Turn:
    """The turn of a round.

    The start lasts for `initial` rounds per arm with ``one_arm`` (Algorithm 2), for
    `initial` rounds with ``uniform_split``; then the arms are boosted in turn.
    """
    rounds = jnp.round(initial).astype(jnp.int32)
    length = rounds * (problem.num_arms if start == "one_arm" else 1)
    played = round_ - 1
    starting = played < length
    first = lax.div(played, jnp.maximum(rounds, 1))  # both numbers are >= 0
    place = jnp.where(starting, first, jnp.maximum(played - length, 0))
    return Turn(starting, lax.rem(place, jnp.int32(problem.num_arms)))


def start_allocation(
    problem: Problem, start: str, now: Turn, view: View
) -> Float[Array, " K"]:
    """Amounts of all arms in a round of the start, f[K]."""
    if start == "uniform_split":
        return even_split(problem, view.budget, view.round)
    return jnp.where(one_hot(now.arm, problem.num_arms), view.budget, 0.0)


def even_split(
    problem: Problem, budget: Float[Array, ""], round_: Int32[Array, ""]
) -> Float[Array, " K"]:
    """The budget split evenly over the arms, f[K].

    For a family of integers amounts are whole units, since a part of a unit has no
    effect. The remaining units go to arm ``(round - 1) mod K`` and the arms after it.
    """
    num_arms = problem.num_arms
    if not problem.family.integer:
        return jnp.full(num_arms, 1.0 / num_arms) * budget
    units = jnp.round(budget).astype(jnp.int32)
    behind = (jnp.arange(num_arms, dtype=jnp.int32) - (round_ - 1)) % num_arms
    odd = behind < units % num_arms
    return (units // num_arms + odd).astype(float)


def learn(
    estimator: Estimator,
    learner: Learner,
    feedback: Feedback,
    now: Turn,
    renew: Callable[[Any, Array | None, Array], tuple[Bounds, Array | None]],
    start: str,
    update: str,
) -> Learner:
    """The learner after a round.

    Args:
      estimator: estimator of the arms.
      learner: learner before the round.
      feedback: feedback of the round.
      now: turn of the round.
      renew: ``(statistics, shape, arm) -> (bounds, worst)`` of one arm, after an
        observation.
      start: one of `STARTS`.
      update: one of `UPDATES`.
    """
    problem = estimator.problem
    shapes = shape_array(problem)
    everyone = jnp.arange(problem.num_arms, dtype=jnp.int32)

    def after_round(before, arm, threshold, amount):
        shape = None if shapes is None else pick(constant(shapes), arm)
        return estimator.observe(before, threshold, amount, shape), shape

    def one(learner, arm, threshold, amount):
        statistics, shape = after_round(learner.statistics, arm, threshold, amount)
        return Learner(statistics, *renew(statistics, shape, arm))

    if start == "one_arm" and update == "boosted":
        old = row(learner.statistics, now.arm)
        seen, amount = (
            pick(x, now.arm) for x in (feedback.threshold, feedback.allocation)
        )
        statistics, shape = after_round(old, now.arm, seen, amount)
        # Stored and read again: a kernel then computes the statistics only once.
        after = stored(with_row(learner.statistics, now.arm, statistics))
        new = renew(row(after, now.arm), shape, now.arm)
        return Learner(after, *with_row(learner[1:], now.arm, new))
    after = jax.vmap(one)(learner, everyone, feedback.threshold, feedback.allocation)
    if update == "all":
        return after
    observed = now.starting | (everyone == now.arm)

    def choose(new, old):
        mask = observed.reshape(-1, *(1,) * (new.ndim - 1))
        return jnp.where(mask, new, old)

    return jax.tree.map(choose, after, learner)
