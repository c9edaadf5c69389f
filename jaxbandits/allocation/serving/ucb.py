"""UCB by arm and unit where arms are served in turn: optimism without a family.

The game is `allocation.ordered` (future work of Montanari et al., section 7);
the policy is ours, an optimistic one as CUCB (Chen, Wang & Yuan, ICML 2013). Whenever
an arm gets at least n units, it is seen whether its threshold is at most n (eq. 5): so
the share of such rounds is an estimate of what n units are worth, whatever the family,
whatever cut the round short. Its upper bound is that of UCB; and as n units are worth
no more than those that follow are, every bound holds for fewer units, too.
"""

from typing import NamedTuple

import jax.numpy as jnp
from jax import Array, lax
from jaxtyping import Int32

from jaxbandits.allocation import Ordered, Turns
from jaxbandits.allocation.serving.turns import (
    PLANS,
    Budgets,
    no_budgets,
    observe_budget,
    planned,
    survival_of,
)
from jaxbandits.checks import Positive, one_of
from jaxbandits.checks.factory import factory
from jaxbandits.kernels.radii import hoeffding_scale
from jaxbandits.protocol import Policy


class Params(NamedTuple):
    """alpha > 0, scales the logarithm in the confidence length."""

    alpha: Positive = 1.0


class State(NamedTuple):
    """Counts by arm and units n = 1, ..., N, and what is known of budgets."""

    tried: Int32[Array, "K N"]  # rounds in which the arm got at least n
    enough: Int32[Array, "K N"]  # those in which n were enough
    budgets: Budgets


@factory(Ordered)
def ordered_ucb(
    problem: Ordered, plan: str = "distribution"
) -> Policy[State, Params, Turns]:
    """The best turns for upper bounds ``mean + sqrt(alpha log t / (2 n))``.

    Args:
      problem: of `allocation.ordered`.
      plan: as for `ordered_thompson`.

    Raises:
      ValueError: on another plan.
    """
    one_of("plan", plan, PLANS)
    shape = problem.num_arms, problem.units

    def init(params):
        none = jnp.zeros(shape, jnp.int32)
        return State(none, none, no_budgets(problem))

    def act(noise, view, state, params):
        count = jnp.maximum(state.tried, 1).astype(float)
        mean = state.enough.astype(float) / count
        scale = hoeffding_scale(params.alpha * jnp.log(view.round.astype(float)))
        upper = jnp.minimum(mean + scale / jnp.sqrt(count), 1.0)
        upper = jnp.where(state.tried > 0, upper, 1.0)
        least = lax.cummin(upper, axis=1, reverse=True)
        values = jnp.pad(least, ((0, 0), (1, 0)))
        return planned(plan, values, survival_of(problem, state.budgets))

    def update(noise, view, state, action, feedback, params):
        units = 1 + jnp.arange(problem.units, dtype=jnp.int32)[None].astype(float)
        tried = feedback.allocation[:, None] >= units
        enough = tried & (feedback.threshold[:, None] <= units)
        return State(
            state.tried + tried.astype(jnp.int32),
            state.enough + enough.astype(jnp.int32),
            observe_budget(state.budgets, action, feedback),
        )

    name = "UCB by units" if plan == "distribution" else f"UCB by units, {plan}"
    return Policy(name, init, act, update, Params())
