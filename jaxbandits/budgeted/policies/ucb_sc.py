"""KL-UCB-SC+ and UCB-SC+: upper confidence bounds of the ratio itself.

Watanabe, Komiyama, Nakamura & Kudo, "KL-UCB-Based Policy for Budgeted Multi-Armed
Bandits with Stochastic Action Costs", 2017, and "UCB-SC: A Fast Variant of KL-UCB-SC",
2018 (Table 2 of Heyden et al. 2024).

Idea: the index is the largest ratio of means in a joint ball around the observed means.
Its radius is ``log(t / n) / n``, measured by the KL divergence (KL-UCB-SC+), or by
Pinsker's lower bound of it (UCB-SC+, which then has a closed form).
"""

import jax.numpy as jnp
from jax import Array
from jaxtyping import Float

from jaxbandits.budgeted.policies.index_policy import index_policy
from jaxbandits.budgeted.policies.statistics import Means
from jaxbandits.budgeted.problem import Problem, View
from jaxbandits.checks.factory import factory
from jaxbandits.kernels.radii import kl_ratio_bound
from jaxbandits.protocol import Policy


def _log_share(view: View, means: Means) -> Float[Array, " K"]:
    """``log(t / n)``."""
    return jnp.log(view.round.astype(float) / means.count)


@factory(Problem)
def ucb_sc_plus(problem: Problem) -> Policy[Means, tuple[()], Array]:
    """UCB-SC+; the index is +inf while the ball reaches a cost of 0."""

    def index(view, means, params):
        reward, cost = means.mean_reward, means.mean_cost
        share = _log_share(view, means) / (2 * means.count)
        finite = cost * cost > share
        spread = jnp.where(finite, reward * reward + cost * cost - share, 1.0)
        alpha = jnp.sqrt(share / spread)
        bound = (reward + alpha * cost) / jnp.where(finite, cost - alpha * reward, 1.0)
        return jnp.where(finite, bound, jnp.inf)

    return index_policy("UCB-SC+", problem, index)


@factory(Problem)
def kl_ucb_sc_plus(problem: Problem) -> Policy[Means, tuple[()], Array]:
    """KL-UCB-SC+; a search for every index in every round takes 50 times as long."""

    def index(view, means, params):
        free = means.mean_cost <= 0
        cost = jnp.where(free, 1.0, means.mean_cost)
        share = _log_share(view, means) / means.count
        bound = kl_ratio_bound(means.mean_reward, cost, share)
        return jnp.where(free, jnp.inf, bound)

    return index_policy("KL-UCB-SC+", problem, index)
