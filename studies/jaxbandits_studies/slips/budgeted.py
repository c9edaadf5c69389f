"""Rivals as the published code of Heyden et al. (KDD 2024) plays them."""

from typing import Any

import jax.numpy as jnp
from jax import Array
from jaxtyping import Float

from jaxbandits.budgeted import Problem
from jaxbandits.budgeted.policies import ucb_b2
from jaxbandits.budgeted.policies.greedy import explore_ever_less
from jaxbandits.budgeted.policies.index_policy import index_policy
from jaxbandits.budgeted.policies.statistics import Means
from jaxbandits.checks.factory import factory
from jaxbandits.protocol import Policy

ALMOST_NOTHING = 1e-10  # added to the costs of an arm; the least cost divided by


def _ratio(view: Any, means: Means, params: Any) -> Float[Array, " K"]:
    del view, params
    return means.reward.total / (means.cost.total + ALMOST_NOTHING)


@factory(Problem)
def b_greedy_code(problem: Problem) -> Policy[Means, tuple[()], Array]:
    """b-greedy with rewards over costs + 1e-10.

    That is 0 for an arm that has cost and brought nothing, which is then left to the
    random rounds.
    """
    return index_policy(
        "b-greedy", problem, _ratio, explore=explore_ever_less, exploring_words=3
    )


@factory(Problem)
def ucb_b2_code(problem: Problem) -> Policy[ucb_b2.Moments, ucb_b2.Params, Array]:
    """UCB-B2 that compares the cost's radius with the mean *reward* in condition (7).

    In the ratio it takes no mean cost below the oracle's least.
    """

    def index(view, state, params):
        means = state.means
        done = jnp.maximum(view.round - 1, 1).astype(float)
        log_t = params.alpha * jnp.log(done)
        reward = ucb_b2.radius(state.reward, means, log_t)
        cost = ucb_b2.radius(state.cost, means, log_t)
        stable = cost < means.mean_reward
        least = jnp.maximum(means.mean_cost, view.oracle.cheapest)
        divisor = jnp.maximum(means.mean_cost, ALMOST_NOTHING)
        ratio = means.mean_reward / least
        bound = ratio + ucb_b2.FACTOR * (reward + ratio * cost) / divisor
        return jnp.where(stable, bound, jnp.inf)

    return index_policy(
        "UCB-B2, code",
        problem,
        index,
        params=ucb_b2.Params(),
        statistics=ucb_b2.STATISTICS,
    )
