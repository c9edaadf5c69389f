"""Sums over what was played, from counts."""

import jax
import jax.numpy as jnp
from jax import lax


def weighted(counts: jax.Array, weights: jax.Array) -> jax.Array:
    """The sum of counts times weights, in the precision of the weights.

    Cell after cell: so the last digits do not depend on how many runs are mapped over.

    Args:
      counts: integers, of any shape.
      weights: floats of the same shape.
    """
    counts, weights = counts.reshape(-1), weights.reshape(-1)

    def add(total, cell):
        count, weight = cell
        return total + weight * count.astype(weight.dtype), None

    total, _ = lax.scan(add, jnp.zeros((), weights.dtype), (counts, weights))
    return total


def share(counts: jax.Array, chosen: jax.Array) -> jax.Array:
    """Which part of all counts lies where `chosen` is true; 0 if there are none."""
    counts = counts.astype(float)
    part = jnp.sum(jnp.where(chosen, counts, 0.0))
    return part / jnp.maximum(jnp.sum(counts), 1.0)
