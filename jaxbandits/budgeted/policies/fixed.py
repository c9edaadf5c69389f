"""Reference points: uniform play, one arm, and the clairvoyant."""

from typing import Any

import jax.numpy as jnp
from jax import Array

from jaxbandits.arrays import position
from jaxbandits.budgeted.problem import Feedback, Problem, View
from jaxbandits.checks import whole
from jaxbandits.checks.factory import factory
from jaxbandits.protocol import Act, Noise, Policy


def _stateless(
    name: str, act: Act, words: tuple[int, int] = (0, 0)
) -> Policy[Any, Any, Array]:
    return Policy(name, lambda params: (), act, _no_update, words=words)


def _no_update(
    noise: Noise, view: View, state: Any, action: Array, feedback: Feedback, params: Any
) -> Any:
    return state


@factory(Problem)
def uniform(problem: Problem) -> Policy[tuple[()], tuple[()], Array]:
    """Every arm with the same probability in every round."""

    def act(noise, view, state, params):
        return position(noise[0], view.num_arms)

    return _stateless("uniform", act, (1, 0))


@factory(Problem)
def clairvoyant(problem: Problem) -> Policy[tuple[()], tuple[()], Array]:
    """The best arm in every round, which only the oracle knows. Its regret is 0."""

    def act(noise, view, state, params):
        return view.oracle.best

    return _stateless("clairvoyant", act)


@factory(Problem)
def fixed(problem: Problem, arm: int) -> Policy[tuple[()], tuple[()], Array]:
    """The same arm in every round.

    Raises:
      ValueError, TypeError: if `arm` is no integer in [0, K).
    """
    whole("arm", arm, 0, problem.num_arms - 1)

    def act(noise, view, state, params):
        return jnp.int32(arm)

    return _stateless(f"arm {arm}", act)
