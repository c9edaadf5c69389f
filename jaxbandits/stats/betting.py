"""Means of bounded variables, with guarantees for every number of seeds.

The hedged capital of Waudby-Smith and Ramdas (2024), "Estimating means of bounded
random variables by betting", JRSS B 86, 1-27 (arXiv:2010.09686), Theorem 3. A gambler
bets that the next value is above m, with stakes that depend on earlier values. If the
mean is m, his capital is a nonnegative martingale. It exceeds 1 / alpha with
probability at most alpha (Ville 1939), for every distribution on the bounds. Half of
the capital bets on values above m, half on values below. Stakes are those for a fixed
number of values, Eq. (26), with the cut c = 3/4.

The values must be independent, in an order that does not depend on them (seeds).
"""

import numpy as np
from numpy.typing import ArrayLike

# Largest share of the capital that one value may lose.
CUT = 0.75
_BISECTIONS = 40


def betting_test(
    units: np.ndarray, level: float, m: float = 0.5
) -> tuple[np.ndarray, np.ndarray]:
    """Two-sided p values of "the mean is m", and the side of m on which it seems to be.

    Of units f64[..., S] in [0, 1], with stakes chosen for an error rate of ``1 -
    level``; the p values hold for all rates. They are NaN where a value is NaN. The
    side is 1 for above m, -1 for below.
    """
    stakes = _stakes(units, level)
    above = _log_capital(units, stakes, m)
    below = _log_capital(1 - units, stakes, 1 - m)
    p = np.minimum(1, 2 * np.exp(-np.maximum(above, below)))
    return p, np.where(above >= below, 1, -1)


def betting_ends(units: np.ndarray, level: float) -> tuple[np.ndarray, np.ndarray]:
    """Ends of confidence intervals for means of units f64[..., S] in [0, 1].

    They cover with at least the probability `level` for every distribution and every S.
    NaN where a value is NaN.
    """
    stakes = _stakes(units, level)
    lower = _lower_end(units, stakes, level)
    upper = 1 - _lower_end(1 - units, stakes, level)
    unknown = np.isnan(units).any(axis=-1)
    return np.where(unknown, np.nan, lower), np.where(unknown, np.nan, upper)


def _stakes(units: np.ndarray, level: float) -> np.ndarray:
    """Stakes f64[..., S] before the cut, from the variance of earlier values."""
    size = units.shape[-1]
    count = np.arange(1, size + 1)
    mean = (0.5 + np.cumsum(units, axis=-1)) / (count + 1)
    variance = (0.25 + np.cumsum((units - mean) ** 2, axis=-1)) / (count + 1)
    start = np.full((*units.shape[:-1], 1), 0.25)
    before = np.concatenate([start, variance[..., :-1]], axis=-1)
    return np.sqrt(2 * np.log(2 / (1 - level)) / (size * before))


def _log_capital(units: np.ndarray, stakes: np.ndarray, m: ArrayLike) -> np.ndarray:
    """f64[...], the largest log capital of bets on a mean above ``m [...]``."""
    m = np.asarray(m)[..., None]
    bets = np.minimum(stakes, CUT / m)
    return np.cumsum(np.log1p(bets * (units - m)), axis=-1).max(axis=-1)


def _lower_end(units: np.ndarray, stakes: np.ndarray, level: float) -> np.ndarray:
    """The m below which the bets on a larger mean have won; they win less at larger m.

    The result is the end of the bracket that makes the interval wider.
    """
    threshold = np.log(2 / (1 - level))
    low, high = np.zeros(units.shape[:-1]), units.mean(axis=-1)
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        won = _log_capital(units, stakes, np.maximum(middle, 1e-300)) > threshold
        low, high = np.where(won, middle, low), np.where(won, high, middle)
    return low
