"""Budget-UCB and UCB-BV1: indices that need the least expected cost of all arms.

No learner knows that cost. By default it comes from the environment's oracle. With
``minimum_cost="range"`` both policies use the least possible cost instead, which is
known where costs are bounded away from 0 (as waiting times are).

Sources: Xia, Ding, Zhang, Yu & Qin, "Budgeted Bandit Problems with Continuous Random
Costs", ACML 2015 (Budget-UCB); Ding, Qin, Zhang & Liu, "Multi-Armed Bandit with Budget
Constraint and Variable Costs", AAAI 2013 (UCB-BV1); Table 2 of Heyden et al. (2024).

Named choice: Budget-UCB's `log_factor` is 1 in Table 2 and 2 in the published code.
"""

from collections.abc import Callable
from typing import NamedTuple

import jax.numpy as jnp
from jax import Array

from jaxbandits.budgeted.policies.index_policy import index_policy
from jaxbandits.budgeted.policies.ratio_bounds import radius
from jaxbandits.budgeted.policies.statistics import Means, ratio_to_cost
from jaxbandits.budgeted.problem import Problem, View
from jaxbandits.checks import Positive, one_of
from jaxbandits.checks.factory import factory
from jaxbandits.protocol import Policy

SOURCES = ("oracle", "range")


class Params(NamedTuple):
    """log_factor > 0 in the radius ``sqrt(log_factor log(t - 1) / n)``."""

    log_factor: Positive = 1.0


def _least_cost(problem: Problem, source: str) -> Callable[[View], Array | float]:
    """``view -> lambda``, the least expected cost of an arm or a lower bound of it."""
    one_of("minimum_cost", source, SOURCES)
    least = min(problem.lowest_cost)
    if source == "range" and least <= 0:
        raise ValueError(
            "minimum_cost='range' needs a problem whose costs are bounded away from 0"
        )
    return lambda view: view.oracle.cheapest if source == "oracle" else least


@factory(Problem)
def budget_ucb(
    problem: Problem, minimum_cost: str = "oracle"
) -> Policy[Means, Params, Array]:
    """Budget-UCB.

    Args:
      problem: what the learner knows.
      minimum_cost: where lambda comes from, ``oracle`` or ``range``.

    Raises:
      ValueError: on an unknown `minimum_cost`, or ``range`` where costs may be 0.
    """
    least = _least_cost(problem, minimum_cost)

    def index(view, means, params):
        epsilon = radius(view, means, jnp.sqrt(params.log_factor))
        reward = jnp.minimum(means.mean_reward + epsilon, 1.0)
        cost = jnp.maximum(means.mean_cost - epsilon, least(view))
        bonus = epsilon * (1 + reward / cost)
        return ratio_to_cost(means.mean_reward + bonus, means.mean_cost)

    return index_policy("Budget-UCB", problem, index, params=Params())


@factory(Problem)
def ucb_bv1(
    problem: Problem, minimum_cost: str = "oracle"
) -> Policy[Means, Params, Array]:
    """UCB-BV1. Arguments and errors as for `budget_ucb`."""
    least = _least_cost(problem, minimum_cost)

    def index(view, means, params):
        epsilon = radius(view, means, jnp.sqrt(params.log_factor))
        slack = least(view) - epsilon
        return means.ratio + ratio_to_cost((1 + 1 / least(view)) * epsilon, slack)

    return index_policy("UCB-BV1", problem, index, params=Params())
