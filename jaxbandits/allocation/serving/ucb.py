"""UCB by arm and unit where arms are served in turn: optimism without a family.

The game is `allocation.ordered` (future work of Montanari et al., section 7); the
policy is ours and optimistic, as CUCB (Chen, Wang & Yuan, ICML 2013). A round in which
an arm gets at least n units shows whether n units would have sufficed (eq. 5). The
share of successes in these rounds estimates the value of n units, for any family and
any budgets. Its upper bound is that of UCB. Values do not decrease in n, so a bound for
n units also holds for fewer units.
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
    """alpha > 0 scales the logarithm in the confidence length."""

    alpha: Positive = 1.0


class State(NamedTuple):
    """Counts by arm and units n = 1, ..., N, and counts of budgets."""

    tried: Int32[Array, "K N"]  # rounds in which the arm got at least n units
    enough: Int32[Array, "K N"]  # of these, rounds in which n units were enough
    budgets: Budgets


@factory(Ordered)
def ordered_ucb(
    problem: Ordered, plan: str = "distribution"
) -> Policy[State, Params, Turns]:
    """The best turns for upper bounds ``mean + sqrt(alpha log t / (2 n))``.

    Args:
      problem: problem of an `allocation.ordered` environment.
      plan: as for `ordered_thompson`.

    Raises:
      ValueError: on an unknown `plan`.
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
