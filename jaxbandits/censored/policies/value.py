"""The value of a round as a reduction to plain bandits sees it."""

import jax.numpy as jnp
from jax import Array
from jaxtyping import Float, Int32

from jaxbandits.arrays import pick
from jaxbandits.censored.policies.observed import gain_of
from jaxbandits.censored.problem import Continuum, Feedback, Problem


def value_of_round(
    problem: Problem | Continuum, penalty: Float[Array, ""], feedback: Feedback
) -> Float[Array, ""]:
    """Eq. (7): ``R - c(C)`` within the limit tau, ``-lambda(tau)`` beyond it.

    Args:
      problem: with its cost function.
      penalty: f32[], lambda at the limit that was played.
      feedback: of the round.

    Returns:
      f32[] in ``[-problem.max_charge, 1]``.
    """
    return jnp.where(feedback.censored, -penalty, gain_of(problem, feedback))


def reward_of_round(
    problem: Problem, limit: Int32[Array, ""], feedback: Feedback
) -> Float[Array, ""]:
    """`value_of_round` for a plain bandit: rescaled to [0, 1], as in E.1.

    E.1 rescales by ``lambda(tau_max)``; a cost may be larger than that.

    Args:
      problem: with its cost and penalty functions.
      limit: i32[], position of the limit that was played.
      feedback: of the round.
    """
    penalty = pick(jnp.asarray(problem.penalties(), float), limit)
    largest = problem.max_charge
    return (value_of_round(problem, penalty, feedback) + largest) / (1 + largest)
