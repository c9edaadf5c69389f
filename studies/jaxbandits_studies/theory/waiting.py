"""How long a cell that has begun badly waits for a draw that does it justice.

After n rounds that entered a cell, ``1 / a_n - 1`` rounds go by on average before its
hazard is drawn near the true one, a_n the chance of such a draw; and ``1 / b_j - 1``
after j gains before the mean gain is not drawn far below. A policy has logarithmic
regret only if the expectation of both falls fast with n and j, over all beginnings,
each weighed with its chance (theory/cell-thompson.md). Here they are exact.
"""

from collections.abc import Callable
from itertools import combinations_with_replacement
from typing import Annotated

import numpy as np
from scipy.special import gammaln, xlogy
from scipy.stats import binom

from jaxbandits.checks import function
from jaxbandits_studies.theory.domains import (
    Count,
    Inside,
    OfArms,
    Share,
    Whole,
    domains,
)
from jaxbandits_studies.theory.gains import chance_above

Chance = Callable[[int, float, float, float], float]


@domains
def for_hazard(
    count: Annotated[int, Whole(0)], hazard: Share[float], within: Inside[float]
) -> float:
    """``E[1 / a_n - 1]`` of a hazard by its posterior, whose prior is uniform.

    Args:
      count: n >= 0, rounds that entered the cell.
      hazard: h in [0, 1]; each of them ended there with this chance.
      within: eta in (0, 1); a_n is the chance of a draw in [h - eta, h + eta].

    Returns:
      The expectation; inf where a chance is too small to be a float.
    """
    ended = np.arange(count + 1)
    # P(Beta(1 + j, 1 + n - j) < y) is P(Bin(n + 1, y) > j), in logs, of both ends.
    ends = [max(hazard - within, 0.0), min(hazard + within, 1.0)]
    terms = binom.logpmf(np.arange(count + 2)[:, None], count + 1, ends)
    below = np.logaddexp.accumulate(terms[::-1])[::-1][1:]
    above = np.logaddexp.accumulate(terms)[:-1]
    # Differences of what is small, not of what is nearly 1.
    more, less = np.where(ended > hazard * count, below.T[::-1], above.T)
    chance = more + np.log1p(-np.exp(less - more))
    likely = binom.logpmf(ended, count, hazard)
    return float(np.sum(np.exp(likely - chance) * -np.expm1(chance)))


@domains
def for_gains(
    count: Count,
    gains: Share[OfArms],
    chances: Share[OfArms],
    within: Inside[float],
    drawn: Chance = chance_above,
) -> float:
    """``E[1 / b_j - 1]`` of mean gains, over all ways in which j gains come.

    Args:
      count: j >= 1.
      gains: real ``[n]`` in [0, 1], those that there are.
      chances: real ``[n]`` in [0, 1], how likely; they add up to 1.
      within: eta in (0, 1), below their mean mu; b_j is the chance of a draw of mu -
        eta or more.
      drawn: ``(count, mean, variance, level) -> chance`` of a draw of at least a level;
        by default that of `cell_thompson`.

    Returns:
      The expectation; inf where a chance is too small to be a float.
    """
    function("drawn", drawn)
    if not np.isclose(chances.sum(), 1):
        raise ValueError(f"chances must add up to 1, got {chances}")
    level = float(gains @ chances) - within
    if not 0 < level < 1:
        raise ValueError(f"within must be below the mean gain, got {within:g}")
    waits = 0.0
    for each in _compositions(count, gains.size):
        likely = gammaln(count + 1) + np.sum(xlogy(each, chances) - gammaln(each + 1))
        mean = float(each @ gains) / count
        variance = max(float(each @ gains**2) / count - mean**2, 0.0)
        variance = min(variance, mean * (1 - mean))
        chance = drawn(count, mean, variance, level)
        waits += np.exp(likely) * (1 / chance - 1) if chance else np.inf
    return float(waits)


def _compositions(total: int, parts: int) -> np.ndarray:
    """All ways to write a number as so many numbers >= 0, i64[., parts]."""
    bars = np.array(list(combinations_with_replacement(range(total + 1), parts - 1)))
    bars = bars.reshape(-1, parts - 1)
    ends = np.pad(bars, ((0, 0), (1, 1)))
    ends[:, -1] = total
    return np.diff(ends, axis=1)
