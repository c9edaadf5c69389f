"""Cells of consumption, between limits: their hazards, and the values that follow."""

from typing import NamedTuple, Protocol

import jax.numpy as jnp
from jax import Array
from jaxtyping import Float, Int32

from jaxbandits.kernels.gamma import beta_from_uniforms
from jaxbandits.settings.censored.types import Problem


class Counts(Protocol):
    """What a state knows of the cells."""

    @property
    def entered(self) -> Int32[Array, "K M"]:
        """Rounds that entered the cell, with a limit beyond."""

    @property
    def ended(self) -> Int32[Array, "K M"]:
        """Of these, rounds that ended in it."""


class Prior(Protocol):
    """Parameters of the Beta prior of the cells' hazards, of all or ``[K, M]``."""

    @property
    def prior_ended(self) -> Float[Array, "..."]:
        """As many rounds that ended."""

    @property
    def prior_passed(self) -> Float[Array, "..."]:
        """As many that went on."""


class Believed(NamedTuple):
    """A `Prior` of every cell's hazard, f32[K, M] each."""

    prior_ended: Float[Array, "K M"]
    prior_passed: Float[Array, "K M"]


def pooled_prior(state: Counts, prior: Prior, mass: Float[Array, ""]) -> Believed:
    """A prior, and some rounds more that went as those of the other arms in a cell.

    No arm gives more than `mass` of its rounds. If these are N of all other arms, of
    which a share p ended, then ``w p`` rounds are added that ended and ``w (1 - p)``
    that passed, ``w = mass N / (mass + N)``: `mass` where much is known of the others,
    and none where nothing is.

    Args:
      state: counts.
      prior: of every cell, without the others.
      mass: above 0.
    """
    ended = state.ended.astype(float)
    passed = (state.entered - state.ended).astype(float)
    given = mass / (mass + ended + passed)  # of a round, so that all are below mass
    told_ended, told_passed = (_of_others(given * x) for x in (ended, passed))
    weight = mass / (mass + told_ended + told_passed)
    return Believed(
        prior.prior_ended + weight * told_ended,
        prior.prior_passed + weight * told_passed,
    )


def _of_others(count: Float[Array, "K M"]) -> Float[Array, "K M"]:
    """The sum over all other arms; rounding gives no less than 0."""
    return jnp.maximum(jnp.sum(count, axis=0)[None, :] - count, 0.0)


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
