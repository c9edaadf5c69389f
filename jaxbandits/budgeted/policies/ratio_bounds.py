"""m-UCB, c-UCB and i-UCB: three ways to add Hoeffding's radius to a ratio.

Xia, Qin, Ding, Li, Zhang, Yu & Liu, "Finite budget analysis of multi-armed bandit
problems", Neurocomputing 258, 2017; Table 2 of Heyden et al. (2024), whose clock is
t - 1, the number of pulls before this round.

MRCB (Xia et al., "Budgeted Multi-Armed Bandits with Multiple Plays", IJCAI 2016) with
one play per round is m-UCB.
"""

from typing import NamedTuple

import jax.numpy as jnp
from jax import Array
from jaxtyping import Float

from jaxbandits.budgeted.policies.index_policy import index_policy
from jaxbandits.budgeted.policies.statistics import Means, ratio_to_cost
from jaxbandits.budgeted.problem import Problem, View
from jaxbandits.checks import Positive
from jaxbandits.checks.factory import factory
from jaxbandits.protocol import Policy


class Params(NamedTuple):
    """alpha > 0 scales the radius ``alpha sqrt(log(t - 1) / n)``."""

    alpha: Positive


def radius(view: View, means: Means, scale: Float[Array, ""]) -> Float[Array, " K"]:
    """``scale sqrt(log(t - 1) / n)`` of every arm; 0 in the first round."""
    done = jnp.maximum(view.round - 1, 1).astype(float)
    return scale * jnp.sqrt(jnp.log(done) / means.count)


@factory(Problem)
def m_ucb(problem: Problem) -> Policy[Means, Params, Array]:
    """m-UCB: upper bound of the reward over lower bound of the cost; +inf if that
    lower bound is not positive."""

    def index(view, means, params):
        epsilon = radius(view, means, params.alpha)
        reward = jnp.minimum(means.mean_reward + epsilon, 1.0)
        cost = jnp.where(means.mean_cost > 0, means.mean_cost - epsilon, 0.0)
        return ratio_to_cost(reward, cost)

    return index_policy("m-UCB", problem, index, params=Params(2.0**-4))


@factory(Problem)
def c_ucb(problem: Problem) -> Policy[Means, Params, Array]:
    """c-UCB: ``(reward + radius) / cost``."""

    def index(view, means, params):
        epsilon = radius(view, means, params.alpha)
        return ratio_to_cost(means.mean_reward + epsilon, means.mean_cost)

    return index_policy("c-UCB", problem, index, params=Params(2.0**-3))


@factory(Problem)
def i_ucb(problem: Problem) -> Policy[Means, Params, Array]:
    """i-UCB: ``reward / cost + radius``."""

    def index(view, means, params):
        return means.ratio + radius(view, means, params.alpha)

    return index_policy("i-UCB", problem, index, params=Params(2.0**-2))


@factory(Problem)
def mrcb(problem: Problem) -> Policy[Means, Params, Array]:
    """MRCB with one play per round: `m_ucb` under its other name."""
    return m_ucb(problem)._replace(name="MRCB, one play")
