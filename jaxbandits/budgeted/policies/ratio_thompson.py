"""Thompson sampling on mean rewards and mean costs of any law. Our policy.

Idea: draw a mean reward and an independent mean cost of every arm, and pull the arm
with the largest ratio, as BTS does (Xia et al. 2015). For Bernoulli rewards and costs
this is BTS, draw by draw. BTS replaces other observations by Bernoulli variables, and
so loses the variance: a reward that is always 0.4 becomes random. Here the number, sum
and sum of squares of observations give a two-point law with their mean and variance
(plain/gains.py). One point is the largest reward (for costs, the smallest cost). Of all
such laws, this one makes high draws most likely: an arm with a bad start is not given
up too soon. No initial round-robin, no radius, no budget, no horizon.

Proofs: theory/ratio-thompson.md.
"""

from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import Float, Int32

from jaxbandits.arrays import constant, first_argmax, row, unit_interval, with_row
from jaxbandits.budgeted.policies.ranges import positions, ranges_of
from jaxbandits.budgeted.policies.statistics import ratio_to_cost
from jaxbandits.budgeted.problem import Problem
from jaxbandits.checks.factory import factory
from jaxbandits.plain.gains import WORDS, Gains, Sums
from jaxbandits.protocol import Policy


class State(NamedTuple):
    """Rewards and costs of every arm, as positions in their ranges."""

    pulls: Int32[Array, " K"]
    rewards: Sums  # f32[K]
    costs: Sums  # f32[K]


def draws(
    state: State, uniforms: Float[Array, "2 3 K"]
) -> tuple[Float[Array, " K"], Float[Array, " K"]]:
    """Draws of mean rewards and mean costs; no drawn cost is 0."""
    rewards, costs = (Gains.of(state.pulls, sums) for sums in state[1:])
    return rewards.drawn(uniforms[0]), costs.drawn_cost(uniforms[1])


@factory(Problem)
def ratio_thompson(problem: Problem) -> Policy[State, tuple[()], Array]:
    """Thompson sampling on ratios; the first maximiser is pulled.

    Args:
      problem: number of arms, and the ranges of every arm's reward and cost.

    Returns:
      A policy without parameters; state O(K); consumes 6 K words to act.
    """
    num_arms = problem.num_arms
    ranges = ranges_of(problem)

    def init(params):
        nothing = Sums.zeros((num_arms,))
        return State(jnp.zeros(num_arms, jnp.int32), nothing, nothing)

    def act(noise, view, state, params):
        reward, cost = draws(state, unit_interval(noise).reshape(2, WORDS, num_arms))
        reward = _between(problem.lowest_reward, problem.highest_reward, reward)
        cost = _between(problem.lowest_cost, problem.highest_cost, cost)
        exists = jnp.arange(num_arms, dtype=jnp.int32) < view.num_arms
        return first_argmax(jnp.where(exists, ratio_to_cost(reward, cost), -1.0))

    def update(noise, view, state, action, feedback, params):
        old, constants = row((state, constant(ranges.constants)), action)
        given = (feedback.reward,), (feedback.cost,)
        (reward,), (cost,) = positions(ranges, constants, *given)
        new = State(old.pulls + 1, old.rewards.add(reward), old.costs.add(cost))
        return with_row(state, action, new)

    return Policy("ratio TS", init, act, update, words=(2 * WORDS * num_arms, 0))


def _between(low: tuple[float, ...], high: tuple[float, ...], share: Array) -> Array:
    first, width = constant((np.array(low), np.array(high) - np.array(low)))
    return first + width * share
