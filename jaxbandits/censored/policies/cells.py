"""Cells of consumption, between limits: their hazards, and the values that follow."""

from typing import Any

import jax.numpy as jnp
from jax import Array
from jaxtyping import Float

from jaxbandits.censored.problem import Problem
from jaxbandits.kernels.gamma import beta_from_uniforms


def drawn_hazards(
    first: Float[Array, "K M"], second: Float[Array, "K M"], state: Any, prior: Any
) -> Float[Array, "K M"]:
    """The chance to end in each cell that was entered, drawn from its posterior.

    Args:
      first, second: uniforms.
      state: with `entered`, the rounds that entered a cell with a limit beyond it, and
        `ended`, those of them that ended there; i32[K, M] each.
      prior: of the Beta law, with `prior_ended` and `prior_passed`, at least 1: as many
        rounds that ended, and that went on.
    """
    passed = prior.prior_passed + (state.entered - state.ended).astype(float)
    return beta_from_uniforms(
        first, second, prior.prior_ended + state.ended.astype(float), passed
    )


def expected_hazards(state: Any, prior: Any) -> Float[Array, "K M"]:
    """Their posterior means."""
    both = prior.prior_ended + prior.prior_passed
    ended, entered = state.ended.astype(float), state.entered.astype(float)
    return (prior.prior_ended + ended) / (both + entered)


def values_of_pairs(
    problem: Problem, hazard: Float[Array, "K M"], gain: Float[Array, "K M"]
) -> Float[Array, "K M"]:
    """Eq. (2) of all pairs.

    Args:
      problem: with its penalties.
      hazard: the chance to end in each cell that was entered.
      gain: the mean gain of rounds that end in it.
    """
    survival = jnp.cumprod(1 - hazard, axis=1)
    entering = jnp.pad(survival[:, :-1], ((0, 0), (1, 0)), constant_values=1.0)
    earned = jnp.cumsum(entering * hazard * gain, axis=1)
    return earned - jnp.asarray(problem.penalties())[None, :] * survival
