"""Profile-likelihood bounds of one arm's rate, for all seeds at once.

The log likelihood is concave in the rate, so it has one peak, and places on the grid
are found by counting nodes. The signed root of the likelihood ratio is nearly linear in
the log rate, so the places where it is -z and z come from a cubic through four nodes.
"""

import numpy as np

from . import formulas
from .grid import MARGIN


def bounds_of_rate(values, z, grid):
    """Places of the least and the largest rate within z of the peak.

    Args:
      values: f64[J, S], the log likelihood, concave in the rate.
      z: f64 >= 0.
      grid: the nodes.

    Returns:
      f64[2, S], in [first, last]; for seeds without a success, anything.
    """
    inside = values[MARGIN : grid.top + 1]
    rising = inside[1:] > inside[:-1]
    node = MARGIN + _count(rising)
    a, b, c, d, e = window(values, node - 2, 5)
    offset, height = formulas.peak(a, b, c, d, e, grid.first - node, grid.last - node)
    place = node + offset
    level = height - 0.5 * z * z

    below = inside < level
    under = c < level
    left = _count(below[:-1] & rising) + (under & (offset > 0))
    right = _count(below[1:] > rising) + (under & (offset < 0))
    # A peak cut off by an end has no root beyond it, so nodes there are not used.
    start = np.empty((2, node.size), np.int64)
    np.add(left, MARGIN - 2, out=start[0])
    np.minimum(start[0], int(grid.last) - 3, out=start[0], where=place >= grid.last)
    np.subtract(grid.top - 1, right, out=start[1])
    np.maximum(start[1], MARGIN, out=start[1], where=place <= grid.first)
    np.clip(start, 0, len(values) - 4, out=start)

    near = window(values, start, 4)  # [4, 2, S]
    near = 2.0 * (height - near)
    root = np.sqrt(np.maximum(near, 0.0, out=near), out=near)
    beyond = place - start
    for q in range(4):
        np.negative(root[q], out=root[q], where=beyond > q)
    target = np.array([[-z], [z]])
    with np.errstate(divide="ignore", invalid="ignore"):
        found = start + formulas.inverse_cubic(*root, target)
    low = np.clip(np.where(left > 0, found[0], grid.first), grid.first, place)
    high = np.clip(np.where(right > 0, found[1], grid.last), place, grid.last)
    return np.stack([low, high])


def window(values, start, size):
    """``values[start : start + size]`` of every seed.

    Args:
      values: f64[J, S].
      start: i64[..., S].
      size: number of nodes.

    Returns:
      f64[size, ..., S].
    """
    seeds = values.shape[1]
    flat = start * seeds + np.arange(seeds)
    steps = np.arange(size) * seeds
    return values.take(flat + steps.reshape(-1, *(1,) * start.ndim))


def _count(flags):
    """Of bool[J, S] the number per seed; bytes add up fast."""
    return flags.view(np.uint8).sum(axis=0, dtype=np.uint8).astype(np.int64)
