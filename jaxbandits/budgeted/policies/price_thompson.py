"""Thompson sampling at a price of money: reward and cost make one gain. Our policy.

Idea: let a unit of money be worth p rewards. A pull with reward r and cost c then gains
``r - p c``. The price p is the largest ratio of an arm's posterior mean reward to its
posterior mean cost. At this price the posterior mean gain of that arm is 0, the largest
of all arms. Draw the mean gain of every arm and pull the arm with the largest draw.

A draw uses the variance of the gain, hence of reward and cost jointly (plain/gains.py):
a click costs money and may lead to a sale. `ratio_thompson` draws reward and cost
independently: if a high reward comes with a low cost, it needs two lucky draws to make
up for one unlucky pull. No initial round-robin, no radius, no budget, no horizon.

Proofs: theory/price-thompson.md.
"""

from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import Int32

from jaxbandits.arrays import (
    CompensatedSum,
    constant,
    first_argmax,
    row,
    unit_interval,
    with_row,
)
from jaxbandits.budgeted.policies.ranges import positions, ranges_of
from jaxbandits.budgeted.policies.statistics import ratio_to_cost
from jaxbandits.budgeted.problem import Problem
from jaxbandits.checks.factory import factory
from jaxbandits.plain.gains import WORDS, Gains, Sums, shortfalls
from jaxbandits.protocol import Policy


class State(NamedTuple):
    """Rewards and costs of every arm, as positions in their ranges."""

    pulls: Int32[Array, " K"]
    rewards: Sums  # f32[K]
    costs: Sums  # f32[K]
    products: CompensatedSum  # f32[K]  of the reward and the cost of a pull


@factory(Problem)
def price_thompson(problem: Problem) -> Policy[State, tuple[()], Array]:
    """Thompson sampling where the best ratio is the price of money; first maximiser.

    Args:
      problem: number of arms, and the ranges of every arm's reward and cost.

    Returns:
      A policy without parameters; state O(K); consumes 3 K words to act.
    """
    num_arms = problem.num_arms
    ranges = ranges_of(problem)
    # Rewards in the first row, costs in the second, [2, K].
    lowest = np.array([problem.lowest_reward, problem.lowest_cost])
    highest = np.array([problem.highest_reward, problem.highest_cost])

    def init(params):
        nothing = Sums.zeros((num_arms,))
        pulls = jnp.zeros(num_arms, jnp.int32)
        return State(pulls, nothing, nothing, nothing.gain)

    def act(noise, view, state, params):
        exists = jnp.arange(num_arms, dtype=jnp.int32) < view.num_arms
        low, high, (wide, dear) = constant((lowest, highest, highest - lowest))
        reward, cost = (
            Gains.of(state.pulls, sums).expected()
            for sums in (state.rewards, state.costs)
        )
        ratio = ratio_to_cost(low[0] + wide * reward, low[1] + dear * cost)
        price = jnp.max(jnp.where(exists, ratio, 0.0))
        # A pull gains `high[0] - price low[1]` less `scale` times a shortfall.
        scale = wide + price * dear
        share = price * dear / jnp.where(scale > 0, scale, 1.0)
        uniforms = unit_interval(noise).reshape(WORDS, num_arms)
        shortfall = shortfalls(*state, share).drawn_cost(uniforms)  # type: ignore[call-arg]
        gain = high[0] - price * low[1] - scale * shortfall
        return first_argmax(jnp.where(exists, gain, -jnp.inf))

    def update(noise, view, state, action, feedback, params):
        old, constants = row((state, constant(ranges.constants)), action)
        given = (feedback.reward,), (feedback.cost,)
        (reward,), (cost,) = positions(ranges, constants, *given)
        new = State(
            old.pulls + 1,
            old.rewards.add(reward),
            old.costs.add(cost),
            old.products.add(reward * cost),
        )
        return with_row(state, action, new)

    return Policy("price TS", init, act, update, words=(WORDS * num_arms, 0))
