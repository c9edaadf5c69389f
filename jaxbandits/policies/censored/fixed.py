"""Reference points: uniform play and a fixed pair (clairvoyant if it is the best)."""

from functools import cache

import jax.numpy as jnp

from jaxbandits.kernels.select import split_index
from jaxbandits.protocol import Policy
from jaxbandits.settings.censored.types import Action, Problem


@cache
def uniform(problem: Problem) -> Policy:
    """Every pair with the same probability in every round."""

    def act(noise, view, state, params):
        del view, state, params
        pair = jnp.floor(noise[0] * problem.num_pairs).astype(jnp.int32)
        pair = jnp.minimum(pair, problem.num_pairs - 1)
        return Action(*split_index(pair, problem.num_arms, problem.num_limits))

    return Policy("uniform", _no_state, act, _no_update, uniforms=(1, 0))


@cache
def fixed_pair(problem: Problem, arm: int, limit: int) -> Policy:
    """The same pair in every round.

    With ``environment.oracle(...)``'s pair this is the clairvoyant, whose regret is 0.

    Args:
      problem: arms, limits, cost and penalty functions.
      arm: in [0, K).
      limit: position in the problem's limits, in [0, M).

    Raises:
      ValueError: if `arm` or `limit` is out of range.
    """
    for name, value, size in (
        ("arm", arm, problem.num_arms),
        ("limit", limit, problem.num_limits),
    ):
        if not 0 <= value < size:
            raise ValueError(f"{name} must lie in [0, {size}), got {value}")

    def act(noise, view, state, params):
        del noise, view, state, params
        return Action(jnp.int32(arm), jnp.int32(limit))

    return Policy(f"fixed ({arm}, {limit})", _no_state, act, _no_update)


def _no_state(params):
    del params
    return ()


def _no_update(noise, view, state, action, feedback, params):
    del noise, view, action, feedback, params
    return state
