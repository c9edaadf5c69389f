"""Sums over what was played, from counts that lie on the host."""

import numpy as np


def weighted(counts: np.ndarray, weights: np.ndarray, axes: int) -> np.ndarray:
    """Counts times weights, summed over the last axes in float64.

    Cell after cell, each over all runs at once: so the last digits do not depend on how
    many runs there are, and the counts are read in the order in which they lie.

    Args:
      counts: integers ``[..., n, ...]``, the last `axes` of them to be summed over.
      weights: float64, of the shape of those axes or with leading axes that broadcast.
      axes: how many.

    Returns:
      float64 of the leading shape of `counts`.
    """
    total = np.zeros_like(counts[(..., *(0,) * axes)], np.float64)
    for cell in np.ndindex(counts.shape[-axes:]):
        weight = weights[(..., *cell)]
        if np.any(weight):
            total += weight * counts[(..., *cell)]
    return total
