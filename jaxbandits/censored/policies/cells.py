"""Cells of consumption between limits: their hazards, and the values of the limits."""

from typing import Any

import jax.numpy as jnp
from jax import Array
from jaxtyping import Float

from jaxbandits.censored.problem import Problem
from jaxbandits.kernels.gamma import beta_from_uniforms


def drawn_hazards(
    first: Float[Array, "K M"], second: Float[Array, "K M"], state: Any, prior: Any
) -> Float[Array, "K M"]:
    """Posterior draws of the hazards, P(a run ends in a cell that it has entered).

    Args:
      first, second: uniforms.
      state: has `entered`, the rounds that entered a cell with a limit beyond it, and
        `ended`, the part of these rounds that ended there; i32[K, M] each.
      prior: has the Beta prior's `prior_ended` and `prior_passed`, both at least 1: as
        if so many rounds had ended in the cell and passed it.
    """
    passed = prior.prior_passed + (state.entered - state.ended).astype(float)
    return beta_from_uniforms(
        first, second, prior.prior_ended + state.ended.astype(float), passed
    )


def expected_hazards(state: Any, prior: Any) -> Float[Array, "K M"]:
    """Posterior means of the hazards; arguments as for `drawn_hazards`."""
    both = prior.prior_ended + prior.prior_passed
    ended, entered = state.ended.astype(float), state.entered.astype(float)
    return (prior.prior_ended + ended) / (both + entered)


def values_of_pairs(
    problem: Problem, hazard: Float[Array, "K M"], gain: Float[Array, "K M"]
) -> Float[Array, "K M"]:
    """Values of all pairs, eq. (2).

    Args:
      problem: its penalties are used.
      hazard: hazard of each cell.
      gain: mean gain of the rounds that end in each cell.
    """
    survival = jnp.cumprod(1 - hazard, axis=1)
    entering = jnp.pad(survival[:, :-1], ((0, 0), (1, 0)), constant_values=1.0)
    earned = jnp.cumsum(entering * hazard * gain, axis=1)
    return earned - jnp.asarray(problem.penalties())[None, :] * survival
