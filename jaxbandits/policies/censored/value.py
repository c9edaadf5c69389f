"""The value of a round as a reduction to plain bandits sees it."""

import jax.numpy as jnp
from jax import Array
from jaxtyping import Float

from jaxbandits.policies.censored.observed import gain_of
from jaxbandits.settings.censored.types import Continuum, Feedback, Problem


def value_of_round(
    problem: Problem | Continuum, penalty: Float[Array, ""], feedback: Feedback
) -> Float[Array, ""]:
    """Eq. (7): ``R - c(C)`` within the limit tau, ``-lambda(tau)`` beyond it.

    Args:
      problem: with its cost function.
      penalty: f32[], lambda at the limit that was played.
      feedback: of the round.

    Returns:
      f32[] in ``[-lambda(tau_max), 1]``.
    """
    return jnp.where(feedback.censored, -penalty, gain_of(problem, feedback))
