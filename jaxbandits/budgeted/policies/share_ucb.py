"""share-UCB: omega*-UCB with a clock per arm that counts money. Our policy.

Idea: regret is the sum over arms of the money spent on an arm times the gap of its
ratio. Hence exploration of an arm is measured by the money spent on it, S, and compared
with the money M of the clock:

    z^2 = 2 rho log(1 + M / (K^power S)).

The index is the ratio of the ends of Wilson's intervals, as in omega-UCB (eq. (2) of
Heyden et al., 2024). Arms with S below M / K^power are explored, others hardly any
more; the 1 keeps every interval's width positive. Variances are shrunk, not switched:
eta is the observed share, mixed with `prior_pulls` pulls of a prior. Low variances thus
count at once, and no eta is ever 0 (omega*'s switch can discard an arm for good,
errata.md, B8).

With any rho, some runs have linear regret if the best arm nearly always pays:
theory/share-ucb.md proves it.

Named choices:

* `clock` defines M. ``left`` is the money left, which needs the budget; ``spent`` is
  the money spent so far, which needs no knowledge.
* `pooled`: the prior's eta is the pooled variance of the arms over the largest possible
  one, or 1. Only arms with a positive observed variance enter the pool and use it.
  Equal observations do not rule out a rare different one: with a small variance from
  the pool, the arm with a rare prize was given up for good.
* `joint`: reward and cost share one interval. Two intervals allow for a low reward and
  a high cost at once, as if their correlation were -1. With `joint`, z^2 is multiplied
  by the variance of the ratio, as in Fieller's interval, over that of the box; the
  correlation is mixed with `prior_pulls` pulls of -1. If costs come with rewards (a
  click costs money and may lead to a sale), this saves a quarter to two fifths of the
  regret; if they are independent, it costs a tenth (theory/share-ucb.md).
"""

from typing import NamedTuple

import jax.numpy as jnp
from jax import Array

from jaxbandits.budgeted.policies.index_policy import index_policy
from jaxbandits.budgeted.policies.ranges import (
    largest_ratio,
    positions,
    ranges_of,
    shares,
)
from jaxbandits.budgeted.policies.shrunk import (
    joint_share,
    shrunk_correlation,
    shrunk_eta,
)
from jaxbandits.budgeted.policies.statistics import Moments, Statistics
from jaxbandits.budgeted.problem import Problem
from jaxbandits.checks import NonNegative, Positive, flag, one_of
from jaxbandits.checks.factory import factory
from jaxbandits.protocol import Policy

ALMOST_NOTHING = 1e-9  # counts as the money spent on an arm whose pulls were free
JOINT_RHO = 0.75  # default with `joint`: with 1/2, more runs gave up the best arm


class LeftParams(NamedTuple):
    """rho > 0 scales the squared normal score; power >= 0 of K in the logarithm;
    prior_pulls > 0; budget > 0 in units, by default that of the game.

    ``jaxbandits reproduce budgeted-share`` plays other values.
    """

    rho: Positive = 0.5
    power: NonNegative = 1.0
    prior_pulls: Positive = 10.0
    budget: Positive = 1.5e5


class SpentParams(NamedTuple):
    """As `LeftParams`. Power 1 avoids an arm sqrt(K) times as long after bad luck, and
    gives up the best arm in more runs (theory/share-ucb.md)."""

    rho: Positive = 0.5
    power: NonNegative = 0.5
    prior_pulls: Positive = 10.0


@factory(Problem)
def share_ucb(
    problem: Problem, clock: str = "left", pooled: bool = True, joint: bool = False
) -> Policy[Moments, LeftParams | SpentParams, Array]:
    """share-UCB.

    Args:
      problem: number of arms, and the ranges of every arm's reward and cost.
      clock: ``left`` (knows the budget) or ``spent``.
      pooled: whether arms with a positive observed variance share a prior.
      joint: whether reward and cost share one interval.

    Raises:
      ValueError: on an unknown `clock`.
    """
    flag("pooled", pooled)
    flag("joint", joint)
    knows = one_of("clock", clock, ("left", "spent")) == "left"
    ranges = ranges_of(problem)

    def index(view, state, params):
        means = state.means
        money = view.spent
        if knows:
            money = jnp.maximum(params.budget * view.unit - view.spent, 0.0)
        arms = view.num_arms.astype(float) ** params.power
        spent = jnp.maximum(means.cost.total, ALMOST_NOTHING)
        z2 = 2 * params.rho * jnp.log1p(money / (arms * spent))
        squares = state.reward.total, state.cost.total
        weight = params.prior_pulls
        eta_reward, eta_cost = (
            shrunk_eta(means.count, mean, square, weight, pooled)
            for mean, square in zip(shares(ranges, means), squares, strict=True)
        )
        if joint:
            products = state.product.total
            correlation = shrunk_correlation(means.count, products, *squares, weight)
            etas = eta_reward, eta_cost
            z2 = z2 * joint_share(ranges, means, *etas, correlation)
        return largest_ratio(ranges, means, z2 * eta_reward, z2 * eta_cost)

    def observe(row, constants, reward, cost):
        old, means = row.means, row.means.observe(reward, cost)
        observed = positions(
            ranges,
            constants,
            (reward, old.mean_reward, means.mean_reward),
            (cost, old.mean_cost, means.mean_cost),
        )
        return row.observe(means, *observed)

    def zeros(num_arms):
        return Moments.zeros(num_arms, joint)

    params = LeftParams() if knows else SpentParams()
    named = ["share-UCB"]
    named += [] if knows else ["anytime"]
    named += [] if pooled else ["own variances"]
    named += ["joint"] if joint else []
    return index_policy(
        ", ".join(named),
        problem,
        index,
        params=params._replace(rho=JOINT_RHO) if joint else params,
        statistics=Statistics(zeros, observe, ranges.constants),
    )._replace(game_params=("budget",) if knows else ())
