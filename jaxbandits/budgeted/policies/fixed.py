"""Reference points: uniform play, one arm, and the clairvoyant."""

import jax.numpy as jnp
from jax import Array

from jaxbandits.arrays import position
from jaxbandits.budgeted.problem import Problem
from jaxbandits.checks import whole
from jaxbandits.checks.factory import factory
from jaxbandits.plain.pairs import no_state, no_update
from jaxbandits.protocol import Policy


@factory(Problem)
def uniform(problem: Problem) -> Policy[tuple[()], tuple[()], Array]:
    """Every arm with the same probability in every round."""

    def act(noise, view, state, params):
        return position(noise[0], view.num_arms)

    return Policy("uniform", no_state, act, no_update, words=(1, 0))


@factory(Problem)
def clairvoyant(problem: Problem) -> Policy[tuple[()], tuple[()], Array]:
    """The best arm in every round, which only the oracle knows. Its regret is 0."""

    def act(noise, view, state, params):
        return view.oracle.best

    return Policy("clairvoyant", no_state, act, no_update)


@factory(Problem)
def fixed(problem: Problem, arm: int) -> Policy[tuple[()], tuple[()], Array]:
    """The same arm in every round.

    Raises:
      ValueError, TypeError: if `arm` is no integer in [0, K).
    """
    whole("arm", arm, 0, problem.num_arms - 1)

    def act(noise, view, state, params):
        return jnp.int32(arm)

    return Policy(f"arm {arm}", no_state, act, no_update)
