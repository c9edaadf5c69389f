"""Values of arbitrary limits where the consumptions are recorded ones.

Between two consumptions of an arm's runs nothing changes in eq. (2) but the penalty,
which grows: values are those of finitely many steps, all exact, and the best limit of a
step is its left end.
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
    """What an arm's limits let through.

    Attributes:
      edges: f64[K, n], where its steps start, increasing; +inf where there is none.
      steps: f64[K, n + 1, 2], ``E[(R - c(C)) 1{C <= tau}]`` and ``P(C > tau)`` below
        the first edge, from the first to the second, ..., from the last.
    """

    edges: np.ndarray
    steps: np.ndarray


def staircase(law: JointLaw, arms: Any, cost: Cost) -> Staircase:
    """The steps of a law that has them, f64, on the host."""
    edges, moments = law.steps(arms, cost)  # type: ignore[misc]
    gain = moments.reward - moments.cost
    return Staircase(edges, np.stack([gain, 1 - moments.probability], axis=-1))


def value_at(
    problem: Continuum, stairs: Staircase, arm: np.ndarray, limit: np.ndarray
) -> np.ndarray:
    """Eq. (2) of pairs; i[...] and f64[...], on the host."""
    arm, limit = np.asarray(arm), np.asarray(limit, np.float64)
    step = np.sum(~exceeds(stairs.edges[arm], limit[..., None]), axis=-1)
    gain, survival = np.moveaxis(stairs.steps[arm, step], -1, 0)
    penalty = penalty_at(problem, limit.ravel()).reshape(limit.shape)
    return gain - penalty * survival


def best_pair(problem: Continuum, stairs: Staircase) -> tuple[int, float, float]:
    """Arm, limit (one that float32 holds) and value of the optimum, eq. (3)."""
    least = np.float64(np.float32(problem.max_limit * 1e-9))
    edges = stairs.edges.astype(np.float32).astype(np.float64)
    reachable = (edges > 0) & ~exceeds(edges, np.float64(problem.max_limit))
    # A limit below all edges is worth most where it is least.
    limits = np.pad(np.where(reachable, edges, least), ((0, 0), (1, 0)), "constant")
    limits[:, 0] = least
    values = value_at(problem, stairs, np.arange(problem.num_arms)[:, None], limits)
    # Of pairs that are equal but for rounding, the first.
    best = np.argmax(values.ravel() >= values.max() - 1e-12)
    arm, step = np.unravel_index(best, values.shape)
    return int(arm), float(limits[arm, step]), float(values[arm, step])


def on_step(
    stairs: Staircase, arm: Int32[Array, ""], limit: Float[Array, ""]
) -> jax.Array:
    """The step of an arm on which a limit lies, f32[2]; in a game.

    By bisection: recorded runs may be many, and an array of comparisons is as long.
    """
    n = stairs.edges.shape[-1]
    step = jnp.int32(0)
    for bit in reversed(range(n.bit_length())):
        further = step + (1 << bit)
        edge = stairs.edges[arm, jnp.minimum(further, n) - 1]
        step = jnp.where((further <= n) & ~exceeds(edge, limit), further, step)
    return stairs.steps[arm, step]
