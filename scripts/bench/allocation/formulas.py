"""Interpolation between nodes, elementwise: for arrays, and for numbers under Numba."""

import numpy as np

NEWTON_STEPS = 2
FLAT = -1e-12  # stands for a curvature that is not negative


def peak(a, b, c, d, e, low, high):
    """Offset and height of the maximum of the quartic through five nodes.

    Args:
      a, b, c, d, e: the values at offsets -2, ..., 2; of the nodes allowed, that at 0
        is the largest.
      low, high: least and largest offset allowed.
    """
    # Derivatives at offset 0.
    first = (a - e) / 12 + (d - b) * (2 / 3)
    second = (b + d) * (4 / 3) - (a + e) / 12 - 2.5 * c
    third = (e - a) / 2 + b - d
    fourth = a + e - 4 * (b + d) + 6 * c
    low, high = np.maximum(low, -1.0), np.minimum(high, 1.0)
    x = 0.0 * c
    for _ in range(NEWTON_STEPS):
        slope = first + x * (second + x * (third / 2 + x * fourth / 6))
        bend = second + x * (third + x * fourth / 2)
        x = np.minimum(np.maximum(x - slope / np.minimum(bend, FLAT), low), high)
    height = c + x * (first + x * (second / 2 + x * (third / 6 + x * fourth / 24)))
    return x, height


def cubic(a, b, c, d, x):
    """The cubic through four nodes at 0, ..., 3, taken at x."""
    first = b - a
    second = c - b - first
    third = d - c - (c - b) - second
    return a + x * (first + (x - 1) * (second / 2 + (x - 2) * third / 6))


def inverse_cubic(a, b, c, d, value):
    """Where a function has a value that it has not at nodes 0, ..., 3, but near.

    The place as a cubic of the value, without any iteration.

    Args:
      a, b, c, d: increasing values at the nodes.
      value: the one looked for.
    """
    ab, bc, cd = 1 / (b - a), 1 / (c - b), 1 / (d - c)
    abc, bcd = (bc - ab) / (c - a), (cd - bc) / (d - b)
    abcd = (bcd - abc) / (d - a)
    return (value - a) * (ab + (value - b) * (abc + (value - c) * abcd))
