"""The value of a round as a reduction to plain bandits sees it."""

import jax.numpy as jnp


def value_of_round(problem, limit, feedback):
    """Eq. (7): ``R - c(C)`` within the limit, ``-lambda(limit)`` beyond it.

    Args:
      problem: with its cost and penalty functions.
      limit: f32[], the limit that was played.
      feedback: of the round.

    Returns:
      f32[] in ``[-lambda(tau_max), 1]``.
    """
    safe = jnp.where(feedback.censored, 0.0, feedback.consumption)
    gain = feedback.reward - problem.cost(safe)
    return jnp.where(feedback.censored, -problem.penalty(limit), gain)
