"""Self-sparring on cells between two arms whose runs all end: a bound that is computed.

Both places of a round are drawn from one normal posterior, and a duel of the two arms
says something of their difference alone (theory/self-sparring.md).

``spread`` is `reward_spread` of the policy.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import ndtr

from jaxbandits.checks import MOST
from jaxbandits_studies.theory.domains import (
    AtLeastOne,
    Count,
    Inside,
    Numbers,
    Positive,
    domains,
)

PRIOR = 12.0  # of `censored.cell_self_sparring`
_BLOCK, _GRID, _REST = 1024, 400, 1e-3
_MOST_ROUNDS = 2**53  # a float counts no further


class Difference(NamedTuple):
    """What n duels of two arms make of the difference of their estimates.

    It is ``sum_i a_i Y_i`` of the outcomes in {-1, 1}, with weights that do not depend
    on these.

    Attributes:
      forgotten: f64, 1 less the sum of the weights: the share of the prior's 0.
      squares: f64, the sum of the squared weights.
      precision: f64, P of either arm: its posterior has the variance 1 / P.
    """

    forgotten: np.ndarray
    squares: np.ndarray
    precision: np.ndarray


@domains
def difference(duels: Count) -> Difference:
    """`Difference` after 0, ..., n - 1 duels, each f64[n].

    A duel adds ``w = P / (P + 1)`` to both precisions, and the difference moves by
    ``2 w / (P + w)`` of what it is off.

    Args:
      duels: n >= 1.
    """
    result = np.empty((3, duels))
    forgotten, squares, precision = 1.0, 0.0, PRIOR
    for i in range(duels):
        result[:, i] = forgotten, squares, precision
        weight = precision / (precision + 1)
        precision += weight
        gain = 2 * weight / precision
        forgotten *= 1 - gain
        squares = (1 - gain) ** 2 * squares + gain**2
    return Difference(*result)


@domains
def chance_of_best(
    apart: Numbers, precision: Positive[Numbers], spread: Positive[float] = 2**0.5
) -> np.ndarray:
    """Lower bound of how likely a place goes to the arm that is estimated ahead.

    The estimates lie around 1/2. ``Phi(D / sqrt(2) s)`` less the chance that both draws
    are clipped at the same end, and at least ``Phi(D / 2 s)^2``.

    Args:
      apart: real in [-1, 1], D.
      precision: real > 0, P; ``s = spread / sqrt(P)``.
    """
    if not np.all(np.abs(apart) <= 1):
        raise ValueError(f"apart must be in [-1, 1], got {apart}")
    s = spread / np.sqrt(precision)
    clipped = 2 * ndtr((apart - 1) / (2 * s)) * ndtr(-(1 + apart) / (2 * s))
    ahead = ndtr(apart / (np.sqrt(2) * s)) - clipped
    return np.maximum(ahead, ndtr(apart / (2 * s)) ** 2)


@domains
def regret_bound(
    horizon: AtLeastOne[Numbers], gap: Inside[float], spread: Positive[float] = 2**0.5
) -> np.ndarray:
    """Bound on the regret of self-sparring on cells, of two arms whose runs all end.

    ``gap * sum over n of E min(1 / (2 pi_n), T (1 - pi_n))``, with pi_n of
    `chance_of_best` at the difference after n duels, and Hoeffding's bound for its law.

    Args:
      horizon: real >= 1 of any shape, T rounds.
      gap: number in (0, 1), the difference of the mean rewards.

    Returns:
      f64 of the shape of `horizon`, up to the error of a grid; T `gap` where it is not
      below that.
    """
    if np.any(horizon > _MOST_ROUNDS):
        raise ValueError(f"horizon must be at most {_MOST_ROUNDS:.2g}")
    flat = [_bound(T, gap, spread) for T in horizon.ravel()]
    return np.array(flat).reshape(horizon.shape)


def _bound(horizon: float, gap: float, spread: float) -> float:
    """For one T, in blocks of duels, until what is left is next to nothing."""
    total, most = 0.0, int(np.ceil(horizon))
    state = difference(min(most, MOST))
    for first in range(0, state.precision.size, _BLOCK):
        part = Difference(*(x[first : first + _BLOCK] for x in state))
        lost = _expected(part, horizon, gap, spread)
        total += gap * float(lost.sum())
        left = gap * float(lost[-1]) * (most - first - lost.size)
        if total >= gap * horizon or left < _REST:
            break
    return min(total + max(left, 0.0), gap * horizon)


def _expected(
    state: Difference, horizon: float, gap: float, spread: float
) -> np.ndarray:
    """``E min(1 / (2 pi), T (1 - pi))`` after so many duels, f64[n], from above.

    The function of the difference falls. Its mean is at most its value where the
    difference is as expected, and what is more below weighs no more than Hoeffding's
    bound at the right end of every cell of a grid.
    """
    centre = gap * (1 - state.forgotten)[:, None]
    x = -1 + (centre + 1) * np.linspace(0, 1, _GRID)
    best = chance_of_best(x, state.precision[:, None], spread)
    lost = np.minimum(1 / (2 * np.maximum(best, 1e-300)), horizon * (1 - best))
    falling = np.maximum.accumulate(lost[:, ::-1], axis=1)[:, ::-1]
    squares = np.maximum(state.squares, 1e-300)[:, None]
    tail = np.exp(-((centre - x) ** 2) / (2 * squares))
    return falling[:, -1] - np.sum(np.diff(falling, axis=1) * tail[:, 1:], axis=1)
