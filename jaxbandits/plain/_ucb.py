"""UCB with exploration constant alpha, for rewards in [0, 1].

Auer, Cesa-Bianchi & Fischer, "Finite-time Analysis of the Multiarmed Bandit Problem",
2002 (their UCB1 is alpha = 4); in the form of Bengs & Huellermeier (2022), E.1.
"""

from typing import NamedTuple

import jax.numpy as jnp
from jax import Array
from jaxtyping import Float, Int32

from jaxbandits.arrays import CompensatedSum, first_argmax, row, with_row
from jaxbandits.checks import Positive
from jaxbandits.checks.factory import of_size
from jaxbandits.kernels.radii import hoeffding_scale
from jaxbandits.protocol import Policy, View


class Params(NamedTuple):
    """alpha > 0 scales the logarithm in the confidence length."""

    alpha: Positive = 1.0


class State(NamedTuple):
    """Statistics of every arm, and the two parts of its index that follow from them."""

    pulls: Int32[Array, " n"]
    reward: CompensatedSum  # f32[n]
    mean: Float[Array, " n"]  # +inf before the first pull
    width: Float[Array, " n"]  # 1 / sqrt(pulls)


def upper_bounds(view: View, state: State, params: Params) -> Float[Array, " n"]:
    """``mean + sqrt(alpha log t / (2 pulls))`` of every arm; +inf without pulls."""
    log_t = jnp.log(view.round.astype(float))
    return state.mean + hoeffding_scale(params.alpha * log_t) * state.width


@of_size
def ucb(num_arms: int) -> Policy[State, Params, Array]:
    """UCB on `num_arms` plain arms: action i32[], feedback the reward f32[].

    Pulls every arm once in order, then the first maximiser of
    ``mean + sqrt(alpha log t / (2 pulls))``.
    """

    def init(params):
        return State(
            jnp.zeros(num_arms, jnp.int32),
            CompensatedSum.zeros(num_arms, float),
            jnp.full(num_arms, jnp.inf, float),
            jnp.zeros(num_arms, float),
        )

    def act(noise, view, state, params):
        return first_argmax(upper_bounds(view, state, params))

    def update(noise, view, state, action, feedback, params):
        old = (state.pulls, state.reward)
        pulls, reward = row(old, action)
        pulls, reward = pulls + 1, reward.add(feedback)
        per_pull = 1 / pulls.astype(float)
        new = State(pulls, reward, reward.total * per_pull, jnp.sqrt(per_pull))
        return with_row(state, action, new)

    return Policy("UCB", init, act, update, Params())
