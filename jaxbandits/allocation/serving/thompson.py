"""Thompson sampling where arms are served in turn: the best plan for a draw.

The game is `allocation.ordered` (future work of Montanari et al., section 7);
the policy is ours. A rate and a probability are drawn for every arm (`posterior`), and
the best turns for these and the distribution of the budget are played; all arms learn
from what they got. Of an arm that has never got anything nothing is known: the
probability is then uniform. The distribution of the budget, where learners do not know
it, is taken to be what has been seen: these plans hand out all units and see every
budget, whatever they are, so that nothing need be explored.
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
    """What is known of arms and budgets."""

    arms: posterior.State
    budgets: Budgets


@factory(Ordered)
def ordered_thompson(
    problem: Ordered, plan: str = "distribution"
) -> Policy[State, tuple[()], Turns]:
    """Thompson sampling with truncated likelihoods; consumes 2 K words to act.

    Args:
      problem: of `allocation.ordered`.
      plan: ``distribution`` for the best turns; ``mean`` for those of the mean budget
        and ``greedy`` for units as if arms could be returned to are what a learner does
        that ignores what a budget that is not known means (`turns`).

    Raises:
      ValueError: on another plan.
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
