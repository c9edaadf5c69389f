"""Discounted omega-UCB, for arms whose laws change. Our policy.

Idea: omega-UCB's ratio of interval ends (eq. (2) of Heyden et al., 2024), computed from
discounted statistics as in D-UCB (Garivier & Moulines, "On Upper-Confidence Bound
Policies for Switching Bandit Problems", ALT 2011, section 3). With g = 1 - 1 / memory,
the discounted number of pulls of an arm is

    n = sum of g^(t - s) over its pulls s < t.

Rewards and costs are discounted alike. z^2 = 2 rho log max(1, N), where N is the sum of
n over all arms and at most the memory. An arm that is not pulled is forgotten, hence
every arm is tried again and again. If no arm changes, this costs regret linear in the
budget; a longer memory makes it smaller (theory/discounted-omega.md).
"""

from typing import Any, NamedTuple

import jax.numpy as jnp
from jax import Array
from jaxtyping import Float

from jaxbandits.budgeted.policies.index_policy import (
    Learning,
    after_start,
    index_policy,
    update_arm,
)
from jaxbandits.budgeted.policies.ranges import largest_ratio, ranges_of
from jaxbandits.budgeted.policies.statistics import Statistics
from jaxbandits.budgeted.problem import Problem
from jaxbandits.checks import AboveOne, Positive
from jaxbandits.checks.factory import factory
from jaxbandits.protocol import Policy, Update

LEAST = 1e-30  # smallest divisor; an arm with a smaller count is forgotten


class Params(NamedTuple):
    """rho > 0 scales the squared normal score; memory > 1, in pulls."""

    rho: Positive = 0.25
    memory: AboveOne = 4_000.0


class DiscountedSums(NamedTuple):
    """Discounted sums of every arm."""

    count: Float[Array, " K"]  # type: ignore[assignment]
    reward: Float[Array, " K"]
    cost: Float[Array, " K"]

    @property
    def mean_reward(self) -> Array:
        """Mean reward; 0 for a forgotten arm."""
        return self.reward / jnp.maximum(self.count, LEAST)

    @property
    def mean_cost(self) -> Array:
        """Mean cost; 0 for a forgotten arm."""
        return self.cost / jnp.maximum(self.count, LEAST)

    @classmethod
    def zeros(cls, num_arms: int) -> "DiscountedSums":
        """Statistics before the first pull."""
        return cls(*[jnp.zeros(num_arms, float)] * 3)

    def observe(self, constants: Any, reward: Array, cost: Array) -> "DiscountedSums":
        """The row of one arm after one more pull."""
        return DiscountedSums(self.count + 1, self.reward + reward, self.cost + cost)


def _fading(statistics: Statistics) -> Update:
    """An `update` that discounts all arms before it adds the observation of one."""
    pulled = update_arm(statistics)

    def update(noise, view, state, action, feedback, params):
        # x - x / m, not x (1 - 1 / m): the latter factor has few digits in float32.
        faded = DiscountedSums(*(x - x / params.memory for x in state))
        return pulled(noise, view, faded, action, feedback, params)

    return update


@factory(Problem)
def discounted_omega_ucb(problem: Problem) -> Policy[DiscountedSums, Params, Array]:
    """Discounted omega-UCB.

    Args:
      problem: number of arms, and the ranges of every arm's reward and cost.
    """
    ranges = ranges_of(problem)

    def index(view, state, params):
        z2 = 2 * params.rho * jnp.log(jnp.maximum(jnp.sum(state.count), 1.0))
        return largest_ratio(ranges, state, z2, z2)

    return index_policy(
        "discounted omega-UCB",
        problem,
        index,
        params=Params(),
        statistics=Statistics(DiscountedSums.zeros, DiscountedSums.observe),
        learning=Learning(_fading, after_start),
    )
