"""Profile-likelihood bounds of one arm's rate, for the tuned Numba loop.

Kept is the score, the derivative of the log likelihood in the log rate: other than the
likelihood it takes no logarithm per node. Its root, looked for from where it was
before, is the peak, and its integral from there is what the likelihood loses. The
signed root of the likelihood ratio is nearly linear in the log rate, so the places
where it is -z and z come from a cubic through four nodes.
"""

import math

import numba

from . import formulas
from .grid import MARGIN, PER_OCTAVE

NEWTON_STEPS = 2
STEP = math.log(2.0) / PER_OCTAVE  # of the log rate, between nodes

compiled = numba.njit(fastmath=True, error_model="numpy", cache=True)
inverse_cubic = compiled(formulas.inverse_cubic)


@compiled
def integral(score, node):
    """Of the cubic through four nodes, over the cell ``[node, node + 1]``."""
    inner, outer = score[node] + score[node + 1], score[node - 1] + score[node + 2]
    return STEP / 24.0 * (13.0 * inner - outer)


@compiled
def root_beside(score, node, end):
    """Where the score vanishes in the cell of a node, and its integral from the node.

    Args:
      score: f64[J].
      node: the beginning of the cell.
      end: the largest offset allowed.

    Returns:
      ``(x, integral)``: x in [0, 1], an end of the cell if there is no root in it.
    """
    a, b, c, d = score[node - 1], score[node], score[node + 1], score[node + 2]
    # The cubic through the four, in powers of the offset from the node.
    first = c - a / 3.0 - 0.5 * b - d / 6.0
    second = 0.5 * (a + c) - b
    third = (d - a) / 6.0 + 0.5 * (b - c)
    if b <= 0.0:
        x = 0.0
    elif c >= 0.0:
        x = 1.0
    else:
        x = b / (b - c)
        for _ in range(NEWTON_STEPS):
            value = b + x * (first + x * (second + x * third))
            slope = first + x * (2.0 * second + x * 3.0 * third)
            x = min(max(x - value / slope, 0.0), 1.0)
    x = min(x, end)
    area = x * (b + x * (first / 2.0 + x * (second / 3.0 + x * third / 4.0)))
    return x, STEP * area


@compiled
def place_of(drop, start, place, z):
    """Where the signed root is z, from the nodes ``start, ..., start + 3``."""
    a, b, c, d = drop[start], drop[start + 1], drop[start + 2], drop[start + 3]
    at = place - start
    a = math.sqrt(max(2.0 * a, 0.0)) * (-1.0 if at > 0.0 else 1.0)
    b = math.sqrt(max(2.0 * b, 0.0)) * (-1.0 if at > 1.0 else 1.0)
    c = math.sqrt(max(2.0 * c, 0.0)) * (-1.0 if at > 2.0 else 1.0)
    d = math.sqrt(max(2.0 * d, 0.0)) * (-1.0 if at > 3.0 else 1.0)
    return start + inverse_cubic(a, b, c, d, z)


@compiled
def bounds_of_rate(score, drop, node, z, first, last):
    """Places of the least and the largest rate within z of the peak.

    Args:
      score: f64[J].
      drop: f64[J], scratch: what the log likelihood loses from the peak to a node.
      node: where to begin to look for the peak.
      z: f64 >= 0.
      first: place of the least possible rate.
      last: place of the largest.

    Returns:
      ``(low, high, node)``: the places, in [first, last], and the node of the peak.
    """
    top = int(math.ceil(last))
    while node < top - 1 and score[node + 1] > 0.0:
        node += 1
    while node > MARGIN and score[node] <= 0.0:
        node -= 1
    x, area = root_beside(score, node, last - node)
    place, enough = node + x, 0.5 * z * z
    drop[node] = area
    drop[node - 1] = area + integral(score, node - 1)
    drop[node + 1] = area - integral(score, node)
    drop[node + 2] = drop[node + 1] - integral(score, node + 1)

    # A peak cut off by an end has no root beyond it, so nodes there are not used.
    j = node
    while j >= MARGIN and drop[j] <= enough:
        j -= 1
        drop[j] = drop[j + 1] + integral(score, j)
    low = first
    if j >= MARGIN:
        drop[j - 1] = drop[j] + integral(score, j - 1)
        start = j - 1
        if place >= last:
            start = min(start, int(last) - 3)
            for i in range(j - 2, start - 1, -1):
                drop[i] = drop[i + 1] + integral(score, i)
        low = min(max(place_of(drop, start, place, -z), first), place)

    j = node + 1
    while j <= top and drop[j] <= enough:
        j += 1
        drop[j] = drop[j - 1] - integral(score, j - 1)
    high = last
    if j <= top:
        drop[j + 1] = drop[j] - integral(score, j)
        start = j - 2
        if place <= first:
            start = max(start, MARGIN)
            drop[j + 2] = drop[j + 1] - integral(score, j + 1)
        high = max(min(place_of(drop, start, place, z), last), place)
    return low, high, node
