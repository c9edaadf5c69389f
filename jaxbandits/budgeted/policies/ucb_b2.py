"""UCB-B2: empirical Bernstein radii of reward and cost, for any joint law of the two.

Cayci, Eryilmaz & Srikant, "Budget-Constrained Bandits over General Cost and Reward
Distributions", AISTATS 2020; the eighth baseline in the published version of Heyden et
al. (KDD 2024), whose code has alpha = 2.01, lambda = 1.28 and the factor 1.4.

Idea: the error of a ratio is (error of the reward + ratio * error of the cost) / cost,
once the relative error of the cost is small enough (stability condition (7) of the
paper). Until then the index is infinite.
"""

from typing import Any, NamedTuple

import jax.numpy as jnp
from jax import Array

from jaxbandits.arrays import CompensatedSum
from jaxbandits.budgeted.policies.index_policy import index_policy
from jaxbandits.budgeted.policies.statistics import Means, Moments, Statistics
from jaxbandits.budgeted.problem import Problem
from jaxbandits.checks import AboveOne, Positive
from jaxbandits.checks.factory import factory
from jaxbandits.protocol import Policy

FACTOR = 1.4  # multiplies the error of the ratio
UNKNOWN = 0.25  # variance of an arm with one pull: the largest on [0, 1]


class Params(NamedTuple):
    """alpha > 0 in ``log(t**alpha)``; stability > 1, lambda of condition (7)."""

    alpha: Positive = 2.01
    stability: AboveOne = 1.28


def _observe(row: Moments, constants: Any, reward: Array, cost: Array) -> Moments:
    old, new = row.means, row.means.observe(reward, cost)
    rewards = reward, old.mean_reward, new.mean_reward
    return row.observe(new, rewards, (cost, old.mean_cost, new.mean_cost))


def radius(squares: CompensatedSum, means: Means, log_t: Array) -> Array:
    """``sqrt(2 v log(t**alpha) / n) + 3 log(t**alpha) / n``, v unbiased variance."""
    known = means.count - 1
    variance = squares.total / jnp.where(known > 0, known, 1.0)
    variance = jnp.where(known > 0, jnp.maximum(variance, 0.0), UNKNOWN)
    share = log_t / means.count
    return jnp.sqrt(2 * variance * share) + 3 * share


STATISTICS = Statistics(Moments.zeros, _observe)


@factory(Problem)
def ucb_b2(problem: Problem) -> Policy[Moments, Params, Array]:
    """UCB-B2."""

    def index(view, state, params):
        means = state.means
        done = jnp.maximum(view.round - 1, 1).astype(float)
        log_t = params.alpha * jnp.log(done)
        reward = radius(state.reward, means, log_t)
        cost = radius(state.cost, means, log_t)
        part = (params.stability - 1) / params.stability
        stable = cost < means.mean_cost * part  # (7); then the mean cost is positive
        least = jnp.where(stable, means.mean_cost, 1.0)
        ratio = means.mean_reward / least
        bound = ratio + FACTOR * (reward + ratio * cost) / least
        return jnp.where(stable, bound, jnp.inf)

    return index_policy(
        "UCB-B2",
        problem,
        index,
        params=Params(),
        statistics=STATISTICS,
    )
