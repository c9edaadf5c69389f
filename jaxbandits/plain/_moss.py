"""MOSS, minimax optimal strategy in the stochastic case, for rewards in [0, 1].

Audibert & Bubeck, "Minimax Policies for Adversarial and Stochastic Bandits", 2009.
"""

from typing import NamedTuple

import jax.numpy as jnp
from jax import Array
from jaxtyping import Float, Int32

from jaxbandits.arrays import CompensatedSum, first_argmax, row, with_row
from jaxbandits.checks import Positive
from jaxbandits.checks.factory import of_size
from jaxbandits.protocol import Policy


class Params(NamedTuple):
    """horizon: the number of rounds T, which MOSS must know; by default the game's."""

    horizon: Positive = 100_000.0


class State(NamedTuple):
    """Statistics of every arm and its index, which does not depend on the round."""

    pulls: Int32[Array, " n"]
    reward: CompensatedSum  # f32[n]
    index: Float[Array, " n"]  # type: ignore[assignment]  # +inf before the first pull


@of_size
def moss(num_arms: int) -> Policy[State, Params, Array]:
    """MOSS on `num_arms` plain arms: action i32[], feedback the reward f32[].

    Pulls the first maximiser of ``mean + sqrt(max(log(T / (n pulls)), 0) / pulls)``.
    """

    def init(params):
        return State(
            jnp.zeros(num_arms, jnp.int32),
            CompensatedSum.zeros(num_arms, float),
            jnp.full(num_arms, jnp.inf, float),
        )

    def act(noise, view, state, params):
        return first_argmax(state.index)

    def update(noise, view, state, action, feedback, params):
        old = (state.pulls, state.reward)
        pulls, reward = row(old, action)
        pulls, reward = pulls + 1, reward.add(feedback)
        count = pulls.astype(float)
        log_share = jnp.log(params.horizon / (num_arms * count))
        index = reward.total / count + jnp.sqrt(jnp.maximum(log_share, 0.0) / count)
        new = State(pulls, reward, index)
        return with_row(state, action, new)

    return Policy("MOSS", init, act, update, Params(), game_params=("horizon",))
