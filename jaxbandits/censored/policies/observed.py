"""What a round of the censored setting shows and is worth, as its policies use it."""

import jax.numpy as jnp
from jax import Array
from jaxtyping import Float, Int32

from jaxbandits.arrays import pick
from jaxbandits.censored.problem import Clocked, Continuum, Feedback, Problem


def gain_of(problem: Problem | Continuum, feedback: Feedback) -> Array:
    """``R - c(C)`` of a round that finished; of a censored one ``-c(0)``, unused.

    Args:
      problem: with its cost function.
      feedback: of the round.

    Returns:
      f32[], finite.
    """
    return feedback.reward - cost_of(problem, feedback)


def cost_of(problem: Problem | Continuum, feedback: Feedback | Clocked) -> Array:
    """``c(C)`` of a round that finished; of a censored one ``c(0)``, unused; f32[]."""
    return problem.cost(jnp.where(feedback.censored, 0.0, feedback.consumption))


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


def cells_of(
    limits: Float[Array, " M"], limit: Int32[Array, ""], feedback: Feedback | Clocked
) -> tuple[Array, Array]:
    """The cells of consumption that a round has entered, and the one that it ended in.

    The limits cut consumption into cells ``(tau_{j-1}, tau_j]``. A round with the limit
    tau_m walks through the cells up to m until it ends: nothing of this is censored.

    Args:
      limits: f32[M], increasing.
      limit: i32[], position of the limit that was played.
      feedback: of the round.

    Returns:
      ``(entered, ended)``, bool[M] each: whether the consumption was seen to lie beyond
      the cell's left end, and whether it was seen to lie in the cell.
    """
    within = jnp.arange(len(limits), dtype=jnp.int32) <= limit
    beyond = feedback.consumption > limits  # all of them if censored
    entered = within & jnp.concatenate([jnp.ones_like(beyond[:1]), beyond[:-1]])
    return entered, entered & ~beyond
