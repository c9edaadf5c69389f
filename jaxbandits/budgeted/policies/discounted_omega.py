"""Discounted omega-UCB, for arms that change. Ours.

Idea: omega-UCB's ratio of ends (eq. (2) of Heyden et al., 2024) on statistics that
forget, as in D-UCB (Garivier & Moulines, "On Upper-Confidence Bound Policies for
Switching Bandit Problems", ALT 2011, section 3). With g = 1 - 1 / memory, an arm's

    n = sum of g^(t - s) over its pulls s < t, likewise rewards and costs,

count, z^2 = 2 rho log max(1, N) with N the n of all arms together, which is at most the
memory. What is not pulled is forgotten, so that every arm is tried again and again: the
price where nothing changes is regret linear in the budget, the smaller the longer the
memory (theory/discounted-omega.md).
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

LEAST = 1e-30  # of a count that is divided by: less is forgotten


class Params(NamedTuple):
    """rho > 0 scales the squared normal score; memory > 1, in pulls."""

    rho: Positive = 0.25
    memory: AboveOne = 4_000.0


class Faded(NamedTuple):
    """What is remembered of the arms: sums whose terms fade."""

    count: Float[Array, " K"]  # type: ignore[assignment]
    reward: Float[Array, " K"]
    cost: Float[Array, " K"]

    @property
    def mean_reward(self) -> Array:
        """0 of an arm that is forgotten."""
        return self.reward / jnp.maximum(self.count, LEAST)

    @property
    def mean_cost(self) -> Array:
        """0 of an arm that is forgotten."""
        return self.cost / jnp.maximum(self.count, LEAST)

    @classmethod
    def zeros(cls, num_arms: int) -> "Faded":
        """Before the first pull."""
        return cls(*[jnp.zeros(num_arms, float)] * 3)

    def observe(self, constants: Any, reward: Array, cost: Array) -> "Faded":
        """The row of one arm after one more pull."""
        return Faded(self.count + 1, self.reward + reward, self.cost + cost)


def _fading(statistics: Statistics) -> Update:
    """`update` where everything fades before the arm's statistics change."""
    pulled = update_arm(statistics)

    def update(noise, view, state, action, feedback, params):
        # x - x / m and not x (1 - 1 / m): that factor has few digits in float32.
        faded = Faded(*(x - x / params.memory for x in state))
        return pulled(noise, view, faded, action, feedback, params)

    return update


@factory(Problem)
def discounted_omega_ucb(problem: Problem) -> Policy[Faded, Params, Array]:
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
        statistics=Statistics(Faded.zeros, Faded.observe),
        learning=Learning(_fading, after_start),
    )
