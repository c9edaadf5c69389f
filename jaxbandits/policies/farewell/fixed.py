"""Reference points: uniform play and a fixed pair (clairvoyant if it is the best)."""

from functools import cache

import jax.numpy as jnp

from jaxbandits.kernels.select import split_index
from jaxbandits.protocol import Policy
from jaxbandits.settings.farewell.types import Action, Problem


@cache
def uniform(problem: Problem) -> Policy:
    """Every pair with the same probability in every epoch."""

    def act(noise, view, state, params):
        del view, state, params
        pair = jnp.floor(noise[0] * problem.num_pairs).astype(jnp.int32)
        pair = jnp.minimum(pair, problem.num_pairs - 1)
        return Action(*split_index(pair, problem.num_arms, problem.num_waits))

    return Policy("uniform", lambda params: (), act, _no_update, uniforms=(1, 0))


@cache
def fixed_pair(problem: Problem, arm: int, wait: int) -> Policy:
    """The same pair in every epoch.

    With ``environment.oracle(...)``'s pair this is the clairvoyant, whose regret is 0.

    Args:
      problem: number of macro-arms and waits.
      arm: in [0, K).
      wait: position of the wait, in [0, D).

    Raises:
      ValueError: if `arm` or `wait` is out of range.
    """
    for name, value, size in (
        ("arm", arm, problem.num_arms),
        ("wait", wait, problem.num_waits),
    ):
        if not 0 <= value < size:
            raise ValueError(f"{name} must lie in [0, {size}), got {value}")

    def act(noise, view, state, params):
        del noise, view, state, params
        return Action(jnp.int32(arm), jnp.int32(wait))

    return Policy(f"fixed ({arm}, {wait})", lambda params: (), act, _no_update)


def _no_update(noise, view, state, action, feedback, params):
    del noise, view, action, feedback, params
    return state
