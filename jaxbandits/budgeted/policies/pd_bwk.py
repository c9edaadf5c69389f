"""PD-BwK, the primal-dual algorithm for bandits with knapsacks.

Badanidiyuru, Kleinberg & Slivkins, "Bandits with Knapsacks", FOCS 2013, Algorithm 2,
with two resources: money, and `horizon` rounds.

Idea: every resource has a price that rises with its consumption. Pull the arm with the
largest optimistic reward per optimistic cost at these prices.
"""

from typing import NamedTuple

import jax.numpy as jnp
from jax import Array
from jaxtyping import Float

from jaxbandits.arrays import pick
from jaxbandits.budgeted.policies.index_policy import after_start, best_arm, update_arm
from jaxbandits.budgeted.policies.statistics import MEANS, Means, ratio_to_cost
from jaxbandits.budgeted.problem import Problem
from jaxbandits.checks import NonNegative, Positive
from jaxbandits.checks.factory import factory
from jaxbandits.protocol import Policy


class Params(NamedTuple):
    """What PD-BwK must know, and the constant of its radius.

    Attributes:
      budget: B, in the units of `simulate`'s budget; by default the budget of the game.
      horizon: an upper bound on the number of rounds; 0 means as many rounds as the
        budget has units.
      confidence: C_rad of the radius; 0 means ``log(2 horizon K)``.
    """

    budget: Positive = 1.5e5
    horizon: NonNegative = 0.0
    confidence: NonNegative = 0.0


class State(NamedTuple):
    """Statistics, and the log of the price of money over the price of a round."""

    means: Means
    log_price: Float[Array, ""]


@factory(Problem)
def pd_bwk(problem: Problem) -> Policy[State, Params, Array]:
    """PD-BwK with the resources money and rounds, both of budget B."""
    update_means = update_arm(MEANS)

    def bounds(view, means, params):
        """Optimistic reward and cost of every arm, their section 4."""
        rounds = 2 * horizon(params) * view.num_arms.astype(float)
        given = params.confidence > 0
        confidence = jnp.where(given, params.confidence, jnp.log(rounds))

        def radius(mean):
            return jnp.sqrt(confidence * mean / means.count) + confidence / means.count

        reward = jnp.minimum(means.mean_reward + radius(means.mean_reward), 1.0)
        cost = jnp.maximum(means.mean_cost - radius(means.mean_cost), 0.0)
        return reward, cost

    def horizon(params):
        return jnp.where(params.horizon > 0, params.horizon, params.budget)

    def per_round(view, params):
        """What a round consumes of the rounds' budget, and the prices' growth rate."""
        budget = params.budget * view.unit
        epsilon = jnp.minimum(jnp.sqrt(jnp.log(2.0) / budget), 1.0)
        return budget / horizon(params), jnp.log1p(epsilon)

    def init(params):
        return State(Means.zeros(problem.num_arms), jnp.zeros((), float))

    def act(noise, view, state, params):
        reward, cost = bounds(view, state.means, params)
        time, _ = per_round(view, params)
        # The larger price is scaled to 1, so that nothing overflows.
        money_price = jnp.exp(jnp.minimum(state.log_price, 0.0))
        time_price = jnp.exp(jnp.minimum(-state.log_price, 0.0))
        index = ratio_to_cost(reward, money_price * cost + time_price * time)
        return after_start(best_arm(index, view, noise[0]), view)

    def update(noise, view, state, action, feedback, params):
        _, cost = bounds(view, state.means, params)
        time, growth = per_round(view, params)
        rise = growth * (pick(cost, action) - time)
        started = view.round > view.num_arms
        means = update_means(noise, view, state.means, action, feedback, params)
        return State(means, state.log_price + jnp.where(started, rise, 0.0))

    return Policy(
        "PD-BwK", init, act, update, Params(), (1, 0), game_params=("budget",)
    )
