"""RCUCB, the Resource-censored Upper Confidence Bound.

Bengs & Huellermeier, "Multi-Armed Bandits with Censored Consumption of Resources",
2022, section 3, eqs. (8)-(12).

Idea: a round with limit tau also shows the result of every smaller limit. So the gain
of a pair is estimated from all rounds of the arm with at least this limit, and the risk
of exceeding the limit from all rounds of the arm.

Named choices (errata.md): `gain_radius` scales the first part of the confidence length;
1/2 is the constant of UCB1 in E.1. `penalty_radius` scales the second part; 1 is eq.
(12). 0 gives the paper's figures, but a run can then avoid a good pair for good.
`survival` selects the estimate of the risk from censored rounds, `radius` the
confidence length. If rewards may leave [0, 1] (footnote 1: the problem's `sigma`), the
default `gain_radius` is `sub_gaussian_gain_radius(sigma)`.
"""

from collections.abc import Callable
from typing import NamedTuple

import jax.numpy as jnp
from jax import Array
from jaxtyping import Float, Int32

from jaxbandits.arrays import CompensatedSum, pick, row, with_row
from jaxbandits.censored.policies.observed import gain_of
from jaxbandits.censored.policies.scored import Scored, plays_pairs
from jaxbandits.censored.policies.survival import (
    Survival,
    named,
    radius_of,
    sub_gaussian_gain_radius,
    survival_of,
)
from jaxbandits.censored.problem import Action, Problem
from jaxbandits.checks import NonNegative, Positive
from jaxbandits.checks.factory import factory
from jaxbandits.kernels.radii import peeling_scale
from jaxbandits.protocol import Policy


class Params(NamedTuple):
    """alpha > 0 in the confidence length, and factors >= 0 of its two parts."""

    alpha: Positive = 1.0
    penalty_radius: NonNegative = 1.0
    gain_radius: NonNegative = 1.0


class State(NamedTuple):
    """Statistics of every pair, and the two parts of its index that they determine."""

    reached: Int32[Array, "K M"]  # N_{i,tau}: rounds of the arm with a limit >= tau
    risk: tuple[Int32[Array, "K M"], ...]  # counts behind the survival estimate
    gain: CompensatedSum  # f32[K, M]  sum of gains within tau, numerator of eq. (8)
    estimate: Float[Array, "K M"]  # nu_hat, eq. (10)
    width: Float[Array, "K M"]  # confidence length over sqrt(2 alpha log t)


@factory(Problem)
def rcucb(
    problem: Problem,
    survival: str | Survival = "censored_exceeds",
    radius: str | Callable[..., Array] = "eq_12",
) -> Policy[State, Params, Action]:
    """RCUCB for a problem of the censored setting.

    Plays every arm once with the largest limit, then the first pair that maximises
    eq. (12). The policy recommends the pair that it has played most often.

    Args:
      problem: arms, limits, cost and penalty functions.
      survival: ``censored_exceeds``, eq. (9); ``kaplan_meier``, the consistent estimate
        on the grid; or your own `Survival`.
      radius: ``eq_12``, ``remark_3``, or your own function with the form of `eq_12`.

    Returns:
      A policy with `Params`; state O(K M). Its name lists deviations from the paper.

    Raises:
      ValueError: on an unknown `survival` or `radius`.
      TypeError: if `survival` or `radius` has the wrong type.
    """
    return plays_pairs(scored_rcucb(problem, survival, radius))


def scored_rcucb(
    problem: Problem,
    survival: str | Survival,
    radius: str | Callable[..., Array],
) -> Scored:
    """RCUCB's indices, eq. (12), and the plays of every pair; see `rcucb`."""
    risk = survival_of(survival)
    radius_name, length = radius_of(radius)
    shape = (problem.num_arms, problem.num_limits)

    def init(params):
        # An arm starts with its largest limit: its index is +inf until it is played.
        unplayed = jnp.where(jnp.arange(shape[1]) == shape[1] - 1, jnp.inf, 0.0)
        zeros = jnp.zeros(shape, jnp.int32)
        return State(
            zeros,
            (zeros,) * risk.num_counts,
            CompensatedSum.zeros(shape, float),
            jnp.broadcast_to(unplayed.astype(float), shape),
            jnp.zeros(shape, float),
        )

    def index(noise, view, state, params):
        log_t = jnp.log(view.round.astype(float))
        scale = peeling_scale(params.alpha * log_t)
        return state.estimate + scale * state.width  # Eq. (12)

    def update(noise, view, state, action, feedback, params):
        limits = jnp.asarray(problem.limits)
        penalties = jnp.asarray(problem.penalties())
        old = (state.reached, state.risk, state.gain)
        reached, counts, gain = row(old, action.arm)
        within = limits <= pick(limits, action.limit)
        exceeds = feedback.consumption > limits  # true at all limits if censored
        gained = gain_of(problem, feedback)
        reached = reached + within.astype(jnp.int32)
        increments = risk.observe(exceeds, within)
        counts = tuple(
            n + i.astype(jnp.int32) for n, i in zip(counts, increments, strict=True)
        )
        gain = gain.add(jnp.where(within & ~exceeds, gained, 0.0))  # Eq. (8)
        # N_{i,0}, the rounds of the arm, is N at the smallest limit. Pairs may have no
        # rounds: in `jaxbandits.live` a user may play another pair than the policy's.
        count = jnp.maximum(reached, 1).astype(float)
        rounds = count[:1]
        survival = risk.estimate(counts, rounds)  # Eq. (9)
        new = State(
            reached,
            counts,
            gain,
            jnp.where(
                reached > 0,
                gain.total / count - penalties * survival,  # Eq. (10)
                jnp.inf,
            ),
            length(count, rounds, penalties, params),
        )
        return with_row(state, action.arm, new)

    def played(state, params):
        # Rounds with exactly this limit reach it but not the next one.
        longer = jnp.pad(state.reached[:, 1:], ((0, 0), (0, 1)))
        return state.reached - longer

    name = named("RCUCB", risk.name, radius_name)
    params = Params(gain_radius=sub_gaussian_gain_radius(problem.sigma))
    return Scored(name, init, index, update, played, params)
