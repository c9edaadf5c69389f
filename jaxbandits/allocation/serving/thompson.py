"""Thompson sampling where arms are served in turn: the best plan for a draw.

The game is `allocation.ordered` (future work of Montanari et al., section 7); the
policy is ours. A rate and a probability are drawn for every arm (`posterior`). The best
turns for these draws and the distribution of the budget are played, and all arms are
updated. The probability of an arm that has never received a unit is drawn uniformly. If
the distribution of the budget is not known, the observed distribution is used. Plans
hand out all units, so every budget is observed and none need be explored.
"""

from typing import NamedTuple

import jax.numpy as jnp
from jax.scipy.special import ndtr

from jaxbandits.allocation import Ordered, Turns
from jaxbandits.allocation.policies import posterior
from jaxbandits.allocation.serving.turns import (
    PLANS,
    Budgets,
    no_budgets,
    observe_budget,
    planned,
    survival_of,
)
from jaxbandits.allocation.solving import values_of_units
from jaxbandits.arrays import unit_interval
from jaxbandits.checks import one_of
from jaxbandits.checks.factory import factory
from jaxbandits.kernels.normal import normal_quantile
from jaxbandits.protocol import Policy


class State(NamedTuple):
    """Statistics of arms and budgets."""

    arms: posterior.State
    budgets: Budgets


@factory(Ordered)
def ordered_thompson(
    problem: Ordered, plan: str = "distribution"
) -> Policy[State, tuple[()], Turns]:
    """Thompson sampling with truncated likelihoods; consumes 2 K words to act.

    Args:
      problem: problem of an `allocation.ordered` environment.
      plan: ``distribution`` plays the best turns. Two baselines ignore that the budget
        is random or arms are served once: ``mean`` plays the best turns for the mean
        budget, ``greedy`` plans as if arms could be served again (`turns`).

    Raises:
      ValueError: on an unknown `plan`.
    """
    one_of("plan", plan, PLANS)
    num_arms = problem.num_arms

    def init(params):
        return State(posterior.prior(problem.arms), no_budgets(problem))

    def act(noise, view, state, params):
        z = normal_quantile(unit_interval(noise)).reshape(2, num_arms)
        rate, probability = posterior.draw(problem.arms, state.arms, *z)
        tried = state.arms.statistics.exposure.total[:, -1] > 0
        probability = jnp.where(
            tried, probability, ndtr(z[1]).astype(probability.dtype)
        )
        values = values_of_units(problem.arms, probability, rate)
        return planned(plan, values, survival_of(problem, state.budgets))

    def update(noise, view, state, action, feedback, params):
        return State(
            posterior.after(problem.arms, state.arms, feedback),
            observe_budget(state.budgets, action, feedback),
        )

    name = "Thompson" if plan == "distribution" else f"Thompson, {plan}"
    return Policy(name, init, act, update, words=(2 * num_arms, 0))
