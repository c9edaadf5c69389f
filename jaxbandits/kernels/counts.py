"""Sums over all rounds, computed from counts."""

import jax
import jax.numpy as jnp
from jax import lax

UNROLLED = 8  # cells that are added in one pass


def weighted(counts: jax.Array, *weights: jax.Array) -> tuple[jax.Array, ...]:
    """Sums of counts times weights of the same shape, in the precision of the weights.

    Cells are added one after the other, so that the last digits do not depend on the
    number of runs in a batch. All sums are taken in one pass.
    """
    cells = (counts.reshape(-1), *(x.reshape(-1) for x in weights))

    def add(totals, cell):
        count, *weights = cell
        sums = zip(totals, weights, strict=True)
        return tuple(t + w * count.astype(w.dtype) for t, w in sums), None

    start = tuple(jnp.zeros((), x.dtype) for x in weights)
    totals, _ = lax.scan(add, start, cells, unroll=UNROLLED)
    return totals


def total(counts: jax.Array) -> jax.Array:
    """The sum of counts, i32[]."""

    def add(so_far, count):
        return so_far + count, None

    cells = counts.reshape(-1)
    so_far, _ = lax.scan(add, jnp.zeros((), cells.dtype), cells, unroll=UNROLLED)
    return so_far
