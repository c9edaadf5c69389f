"""Reference policies: uniform play, one fixed arm, and the clairvoyant."""

import jax.numpy as jnp
from jax import Array

from jaxbandits.arrays import position
from jaxbandits.budgeted.problem import Problem
from jaxbandits.checks import whole
from jaxbandits.checks.factory import factory
from jaxbandits.protocol import Policy, no_state, no_update


@factory(Problem)
def uniform(problem: Problem) -> Policy[tuple[()], tuple[()], Array]:
    """Pull every arm with the same probability in every round."""

    def act(noise, view, state, params):
        return position(noise[0], view.num_arms)

    return Policy("uniform", no_state, act, no_update, words=(1, 0))


@factory(Problem)
def clairvoyant(problem: Problem) -> Policy[tuple[()], tuple[()], Array]:
    """Pull the best arm, which only the oracle knows, in every round: regret 0."""

    def act(noise, view, state, params):
        return view.oracle.best

    return Policy("clairvoyant", no_state, act, no_update)


@factory(Problem)
def fixed(problem: Problem, arm: int) -> Policy[tuple[()], tuple[()], Array]:
    """Pull the same arm in every round.

    Raises:
      ValueError, TypeError: if `arm` is not an integer in [0, K).
    """
    whole("arm", arm, 0, problem.num_arms - 1)

    def act(noise, view, state, params):
        return jnp.int32(arm)

    return Policy(f"arm {arm}", no_state, act, no_update)
