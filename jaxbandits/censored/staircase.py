"""Values of arbitrary limits for recorded runs.

Between two recorded consumptions of an arm, only the penalty in eq. (2) changes, and it
increases. So gains and risks are step functions of the limit, known exactly, and the
best limit of a step is its left end.
"""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import Float, Int32

from jaxbandits.censored.problem import Continuum, penalty_at
from jaxbandits.laws.law import Cost, JointLaw, exceeds


class Staircase(NamedTuple):
    """Expected gain and risk of every arm as step functions of the limit.

    Attributes:
      edges: f64[K, n], limits at which steps start, increasing; +inf for unused ones.
      steps: f64[K, n + 1, 2], ``E[(R - c(C)) 1{C <= tau}]`` and ``P(C > tau)`` below
        the first edge, from the first edge to the second, ..., from the last edge on.
    """

    edges: np.ndarray
    steps: np.ndarray


def staircase(law: JointLaw, arms: Any, cost: Cost) -> Staircase:
    """The step functions of a law of recorded runs, f64, on the host."""
    edges, moments = law.steps(arms, cost)  # type: ignore[misc]
    gain = moments.reward - moments.cost
    return Staircase(edges, np.stack([gain, 1 - moments.probability], axis=-1))


def value_at(
    problem: Continuum, stairs: Staircase, arm: np.ndarray, limit: np.ndarray
) -> np.ndarray:
    """Values of pairs, eq. (2); arms are i[...], limits f64[...]; on the host."""
    arm, limit = np.asarray(arm), np.asarray(limit, np.float64)
    step = np.sum(~exceeds(stairs.edges[arm], limit[..., None]), axis=-1)
    gain, survival = np.moveaxis(stairs.steps[arm, step], -1, 0)
    penalty = penalty_at(problem, limit.ravel()).reshape(limit.shape)
    return gain - penalty * survival


def best_pair(problem: Continuum, stairs: Staircase) -> tuple[int, float, float]:
    """Arm, limit (a float32 number) and value of the optimum, eq. (3)."""
    least = np.float64(np.float32(problem.max_limit * 1e-9))
    edges = stairs.edges.astype(np.float32).astype(np.float64)
    reachable = (edges > 0) & ~exceeds(edges, np.float64(problem.max_limit))
    # Of the limits below all edges, the least has the largest value.
    limits = np.pad(np.where(reachable, edges, least), ((0, 0), (1, 0)), "constant")
    limits[:, 0] = least
    values = value_at(problem, stairs, np.arange(problem.num_arms)[:, None], limits)
    # The first of the pairs that differ only by rounding errors.
    best = np.argmax(values.ravel() >= values.max() - 1e-12)
    arm, step = np.unravel_index(best, values.shape)
    return int(arm), float(limits[arm, step]), float(values[arm, step])


def on_step(
    stairs: Staircase, arm: Int32[Array, ""], limit: Float[Array, ""]
) -> jax.Array:
    """The step of an arm on which a limit lies, f32[2]; used in a game.

    The search is a bisection, since there may be many recorded runs.
    """
    n = stairs.edges.shape[-1]
    step = jnp.int32(0)
    for bit in reversed(range(n.bit_length())):
        further = step + (1 << bit)
        edge = stairs.edges[arm, jnp.minimum(further, n) - 1]
        step = jnp.where((further <= n) & ~exceeds(edge, limit), further, step)
    return stairs.steps[arm, step]
