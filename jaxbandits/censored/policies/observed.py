"""Gain, value, reward and cells of a round of the censored setting, for policies."""

from typing import Annotated

import jax.numpy as jnp
from jax import Array
from jaxtyping import Float, Int32

from jaxbandits.arrays import pick
from jaxbandits.censored.problem import (
    ConsumptionFeedback,
    Continuum,
    Feedback,
    Problem,
)
from jaxbandits.checks import (
    at_least_zero,
    finite,
    increasing,
    is_traced,
    kinds,
)
from jaxbandits.checks.rounds import positions


@kinds
def gain_of(problem: Problem | Continuum, feedback: Feedback) -> Array:
    """``R - c(C)`` of a finished round; of a censored round ``-c(0)``, which is unused.

    Args:
      problem: its cost function is used.
      feedback: feedback of the round.

    Returns:
      f32[], finite.

    Raises:
      TypeError, ValueError: if an argument is none, or feedback that is not traced has
        a number that no round gives.
    """
    _check_numbers(feedback)
    return feedback.reward - cost_of(problem, feedback)


def cost_of(
    problem: Problem | Continuum, feedback: Feedback | ConsumptionFeedback
) -> Array:
    """``c(C)`` of a finished round, f32[]; of a censored round ``c(0)``, unused."""
    return problem.cost(jnp.where(feedback.censored, 0.0, feedback.consumption))


def value_of_round(
    problem: Problem | Continuum, penalty: Float[Array, ""], feedback: Feedback
) -> Float[Array, ""]:
    """Eq. (7): ``R - c(C)`` within the limit tau, ``-lambda(tau)`` beyond it.

    Args:
      problem: its cost function is used.
      penalty: f32[], lambda at the limit that was played.
      feedback: feedback of the round.

    Returns:
      f32[] in ``[-problem.max_charge, 1]``.
    """
    return jnp.where(feedback.censored, -penalty, gain_of(problem, feedback))


def reward_of_round(
    problem: Problem, limit: Int32[Array, ""], feedback: Feedback
) -> Float[Array, ""]:
    """`value_of_round` rescaled to [0, 1] for a plain bandit, as in E.1.

    E.1 uses the scale ``lambda(tau_max)``; here it is ``problem.max_charge``, which is
    larger if a cost exceeds lambda(tau_max).

    Args:
      problem: its cost and penalty functions are used.
      limit: i32[], position of the limit that was played.
      feedback: feedback of the round.
    """
    penalty = pick(jnp.asarray(problem.penalties(), float), limit)
    largest = problem.max_charge
    return (value_of_round(problem, penalty, feedback) + largest) / (1 + largest)


@kinds
def cells_of(
    limits: Annotated[Float[Array, " M"], increasing],
    limit: Int32[Array, ""],
    feedback: Feedback | ConsumptionFeedback,
) -> tuple[Array, Array]:
    """The cells of consumption that a round entered, and the cell in which it ended.

    The limits cut consumption into cells ``(tau_{j-1}, tau_j]``. A round with limit
    tau_m passes through cells 1 to m until it ends; these cells are not censored.

    Args:
      limits: f32[M], increasing.
      limit: i32[], position of the limit that was played.
      feedback: feedback of the round.

    Returns:
      ``(entered, ended)``, bool[M] each: whether the consumption is known to exceed the
      cell's left end, and whether it is known to lie in the cell.

    Raises:
      TypeError, ValueError: if an argument is none, or a number that is not traced is
        out of range.
    """
    _check_numbers(feedback)
    if not is_traced(limit):
        positions("limit", limit, len(limits))
    within = jnp.arange(len(limits), dtype=jnp.int32) <= limit
    beyond = feedback.consumption > limits  # true at all limits if censored
    entered = within & jnp.concatenate([jnp.ones_like(beyond[:1]), beyond[:-1]])
    return entered, entered & ~beyond


def _check_numbers(feedback: Feedback | ConsumptionFeedback) -> None:
    """Require a reward and a consumption that a round may have, unless traced."""
    for name, value in feedback._asdict().items():
        if not is_traced(value) and name in _RANGES:
            _RANGES[name](**{f"feedback.{name}": value})


_RANGES = {"reward": finite, "consumption": at_least_zero}
