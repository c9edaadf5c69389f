"""RUCB, the Relative Upper Confidence Bound, for duels of plain arms.

Zoghi, Whiteson, Munos & de Rijke, "Relative Upper Confidence Bound for the K-Armed
Dueling Bandit Problem", ICML 2014, algorithm 1.

Idea: the first arm may still beat all other arms; the second arm is the strongest
opponent of the first.
"""

from typing import NamedTuple

import jax.numpy as jnp
from jax import Array
from jaxtyping import Bool, Float, Int32

from jaxbandits.arrays import first_argmax, occurs, one_hot, pick, random_argmax, tally
from jaxbandits.checks import Positive
from jaxbandits.checks.factory import of_size
from jaxbandits.protocol import Policy, View


class Params(NamedTuple):
    """alpha > 0 scales the logarithm; the proof needs more than 1/2."""

    alpha: Positive = 0.51


class State(NamedTuple):
    """Counts of wins, and the arm that is believed to be best."""

    wins: Int32[Array, "n n"]  # W, wins of the row's arm over the column's arm
    best: Int32[Array, ""]  # the only member of B, or n where B is empty


def _bounds(view: View, state: State, params: Params) -> Float[Array, "n n"]:
    """U: upper bounds of P(row beats column); 1/2 on the diagonal."""
    met = (state.wins + state.wins.T).astype(float)
    known = jnp.maximum(met, 1.0)
    width = jnp.sqrt(params.alpha * jnp.log(view.round.astype(float)) / known)
    bounds = jnp.where(met > 0, state.wins.astype(float) / known + width, 2.0)
    return jnp.where(jnp.eye(state.wins.shape[0], dtype=bool), 0.5, bounds)


def _contenders(bounds: Float[Array, "n n"]) -> Bool[Array, " n"]:
    """C: the arms that may beat all other arms."""
    return jnp.all(bounds >= 0.5, axis=1)


@of_size
def relative_ucb(num_arms: int) -> Policy[State, Params, tuple[Array, Array]]:
    """RUCB on `num_arms` plain arms.

    An action is two arms, i32[] each; the feedback, bool[], says whether the first is
    preferred. The policy recommends the arm that beats most others so far, twice.
    """

    def init(params):
        wins = jnp.zeros((num_arms, num_arms), jnp.int32)
        return State(wins, jnp.int32(num_arms))

    def thought_best(state, contenders):
        """B after lines 8 to 10: a part of C, and all of C if C has a single arm."""
        only = jnp.sum(contenders, dtype=jnp.int32) == 1
        kept = jnp.any(contenders & one_hot(state.best, num_arms))
        best = jnp.where(kept, state.best, num_arms)
        return jnp.where(only, first_argmax(contenders.astype(jnp.int32)), best)

    def act(noise, view, state, params):
        bounds = _bounds(view, state, params)
        contenders = _contenders(bounds)
        best = thought_best(state, contenders)
        others = contenders & ~one_hot(best, num_arms)
        # Uniform among the other contenders; among all arms if C is empty.
        any_other = random_argmax(others.astype(jnp.int32), noise[2])
        stays = (best < num_arms) & (~jnp.any(others) | occurs(noise[0], noise[1], 0.5))
        first = jnp.where(stays, best, any_other)
        # U of the first arm against itself is 1/2; ties with it go to the other arm.
        rivals = jnp.where(one_hot(first, num_arms), -1.0, pick(bounds.T, first))
        strongest = random_argmax(rivals, noise[3])
        return first, jnp.where(jnp.max(rivals) < 0.5, first, strongest)

    def update(noise, view, state, action, feedback, params):
        first, second = action
        winner = jnp.where(feedback, first, second)
        loser = jnp.where(feedback, second, first)
        best = thought_best(state, _contenders(_bounds(view, state, params)))
        return State(tally(state.wins, winner, loser), best)

    def recommend(state, params):
        beaten = jnp.sum(state.wins > state.wins.T, axis=1, dtype=jnp.int32)
        arm = first_argmax(beaten)
        return arm, arm

    return Policy("RUCB", init, act, update, Params(), (4, 0), recommend=recommend)
