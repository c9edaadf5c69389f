"""BTS, Budgeted Thompson Sampling.

Xia, Li, Qin, Yu & Liu, "Thompson Sampling for Budgeted Multi-Armed Bandits", IJCAI
2015; Table 2 of Heyden et al. (2024).

Idea: draw a mean reward and a mean cost of every arm from Beta posteriors and pull the
arm with the largest ratio. A reward or cost x in (0, 1) is first replaced by a
Bernoulli(x) variable. A reward or cost that the problem knows (a range without width)
is not drawn: the known number takes the place of the posterior draw.
"""

from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import Float, Int32

from jaxbandits.arrays import (
    constant,
    first_argmax,
    occurs,
    one_hot,
    unit_interval,
)
from jaxbandits.budgeted.problem import Problem
from jaxbandits.checks.factory import factory
from jaxbandits.kernels.gamma import beta_from_uniforms
from jaxbandits.protocol import Policy


class State(NamedTuple):
    """Pulls of every arm, and how often the Bernoulli reward and cost were 1."""

    pulls: Int32[Array, " K"]
    reward: Int32[Array, " K"]
    cost: Int32[Array, " K"]


@factory(Problem)
def bts(problem: Problem) -> Policy[State, tuple[()], Array]:
    """Budgeted Thompson sampling; no initial round-robin, the first maximiser wins."""
    num_arms = problem.num_arms

    def init(params):
        zeros = jnp.zeros(num_arms, jnp.int32)
        return State(zeros, zeros, zeros)

    def act(noise, view, state, params):
        pulls, reward, cost = (x.astype(float) for x in state)
        u = unit_interval(noise.reshape(4, num_arms))
        theta_reward = beta_from_uniforms(u[0], u[1], reward + 1, pulls - reward + 1)
        theta_cost = beta_from_uniforms(u[2], u[3], cost + 1, pulls - cost + 1)
        theta_reward = _unless_known(
            problem.lowest_reward, problem.highest_reward, theta_reward
        )
        theta_cost = _unless_known(
            problem.lowest_cost, problem.highest_cost, theta_cost
        )
        exists = jnp.arange(num_arms, dtype=jnp.int32) < view.num_arms
        return first_argmax(jnp.where(exists, theta_reward / theta_cost, -1.0))

    def update(noise, view, state, action, feedback, params):
        played = one_hot(action, num_arms)
        won = played & occurs(noise[0], noise[1], feedback.reward)
        paid = played & occurs(noise[2], noise[3], feedback.cost)
        return State(
            state.pulls + played.astype(jnp.int32),
            state.reward + won.astype(jnp.int32),
            state.cost + paid.astype(jnp.int32),
        )

    return Policy("BTS", init, act, update, words=(4 * num_arms, 4))


def _unless_known(
    low: tuple[float, ...], high: tuple[float, ...], drawn: Float[Array, " K"]
) -> Float[Array, " K"]:
    """Drawn means; known means where the range has no width."""
    if not (known := np.equal(low, high)).any():
        return drawn
    known, mean = constant((known, np.array(low)))
    return jnp.where(known, mean, drawn)
