"""Fractional KUBE: knapsack-based upper confidence bound exploration.

Tran-Thanh, Chapman, Rogers & Jennings, "Knapsack Based Optimal Policies for
Budget-Limited Multi-Armed Bandits", AAAI 2012.

Deviation: the paper's costs are known constants; here the running mean replaces them.
This is the fractional form, which pulls the arm with the largest density. The integer
form fills a knapsack with the remaining money and draws an arm from it. It is not
implemented; the paper reports that it is up to 40 % better in its experiments.
"""

from typing import NamedTuple

import jax.numpy as jnp
from jax import Array

from jaxbandits.budgeted.policies.index_policy import index_policy
from jaxbandits.budgeted.policies.statistics import Means, ratio_to_cost
from jaxbandits.budgeted.problem import Problem
from jaxbandits.checks import Positive
from jaxbandits.checks.factory import factory
from jaxbandits.protocol import Policy


class Params(NamedTuple):
    """scale > 0 in ``sqrt(scale log t / n)``; the paper has 2."""

    scale: Positive = 2.0


@factory(Problem)
def kube(problem: Problem) -> Policy[Means, Params, Array]:
    """Fractional KUBE with the running mean cost."""

    def index(view, means, params):
        log_t = jnp.log(view.round.astype(float))
        bonus = jnp.sqrt(params.scale * log_t / means.count)
        return ratio_to_cost(means.mean_reward + bonus, means.mean_cost)

    return index_policy("KUBE", problem, index, params=Params())
