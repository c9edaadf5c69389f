"""Cells of consumption, between limits: their hazards, and the values that follow."""

from typing import Protocol

import jax.numpy as jnp
from jax import Array
from jaxtyping import Float, Int32

from jaxbandits.censored.problem import Problem
from jaxbandits.kernels.gamma import beta_from_uniforms


class Counts(Protocol):
    """What a state knows of the cells."""

    @property
    def entered(self) -> Int32[Array, "K M"]:
        """Rounds that entered the cell, with a limit beyond."""

    @property
    def ended(self) -> Int32[Array, "K M"]:
        """Of these, rounds that ended in it."""


class Prior(Protocol):
    """Parameters of the Beta prior of every cell's hazard."""

    @property
    def prior_ended(self) -> Float[Array, ""]:
        """As many rounds that ended."""

    @property
    def prior_passed(self) -> Float[Array, ""]:
        """As many that went on."""


def drawn_hazards(
    first: Float[Array, "K M"], second: Float[Array, "K M"], state: Counts, prior: Prior
) -> Float[Array, "K M"]:
    """The chance to end in each cell that was entered, drawn from its posterior.

    Args:
      first, second: uniforms.
      state: counts.
      prior: its parameters, at least 1.
    """
    passed = prior.prior_passed + (state.entered - state.ended).astype(float)
    return beta_from_uniforms(
        first, second, prior.prior_ended + state.ended.astype(float), passed
    )


def expected_hazards(state: Counts, prior: Prior) -> Float[Array, "K M"]:
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
