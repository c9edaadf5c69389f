"""Self-sparring with independent arms, for duels of plain arms.

Sui, Zhuang, Burdick & Yue, "Multi-dueling Bandits with Dependent Arms", UAI 2017,
algorithm 2 (IndSelfSparring) with two arms in a round and a learning rate of 1.

Idea: Thompson sampling on an arm's probability to win against any opponent. Both arms
of the duel are drawn from the same posterior.
"""

from typing import NamedTuple

import jax.numpy as jnp
from jax import Array
from jaxtyping import Int32

from jaxbandits.arrays import first_argmax, stored, tally, unit_interval
from jaxbandits.checks import AtLeastOne
from jaxbandits.checks.factory import of_size
from jaxbandits.kernels.gamma import beta_from_uniforms
from jaxbandits.protocol import Policy


class Params(NamedTuple):
    """Beta(prior_win, prior_loss) prior of every arm, both at least 1."""

    prior_win: AtLeastOne = 1.0
    prior_loss: AtLeastOne = 1.0


class State(NamedTuple):
    """Posterior counts."""

    wins: Int32[Array, " n"]
    losses: Int32[Array, " n"]


@of_size
def self_sparring(num_arms: int) -> Policy[State, Params, tuple[Array, Array]]:
    """Self-sparring on `num_arms` plain arms: actions and feedback of `relative_ucb`.

    Consumes 4 n words to act; recommends the arm with the best posterior mean, twice.
    """

    def init(params):
        return State(jnp.zeros(num_arms, jnp.int32), jnp.zeros(num_arms, jnp.int32))

    def shapes(state, params):
        wins, losses = (x.astype(float) for x in state)
        return params.prior_win + wins, params.prior_loss + losses

    def act(noise, view, state, params):
        uniforms = unit_interval(noise).reshape(2, 2, num_arms)
        wins, losses = shapes(state, params)
        first, second = (
            first_argmax(stored(beta_from_uniforms(*each, wins, losses)))  # type: ignore[call-arg]
            for each in uniforms
        )
        return first, second

    def update(noise, view, state, action, feedback, params):
        first, second = action
        winner = jnp.where(feedback, first, second)
        loser = jnp.where(feedback, second, first)
        return State(tally(state.wins, winner), tally(state.losses, loser))

    def recommend(state, params):
        wins, losses = shapes(state, params)
        arm = first_argmax(wins / (wins + losses))
        return arm, arm

    name, words = "self-sparring", (4 * num_arms, 0)
    return Policy(name, init, act, update, Params(), words, recommend=recommend)
