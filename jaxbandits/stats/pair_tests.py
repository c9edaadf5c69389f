"""Tests of differences over seeds, and the conditions under which they give no result.

All take ``pairs`` f64[..., S] and return a `_Result`; `level` is that of one test.
"""

from typing import NamedTuple

import numpy as np
import scipy

from jaxbandits.stats.betting import betting_ends, betting_test
from jaxbandits.stats.soundness import FEWEST, constant, moments

# Skewness against an end of the interval, over sqrt(S), beyond which it is not said.
# Half of what intervals warn at: verdicts on many pairs lie further in the tails.
AGAINST = 0.15


class _Result(NamedTuple):
    """The results of a test for each pair.

    Attributes:
      p: f64[...], two-sided p value; NaN if the test gives no result.
      sign: f64[...], sign of the difference.
      lower: f64[...], end of the interval of the mean difference; NaN without a result.
      upper: f64[...], the other end.
      reason: str[...], why the test gives no result; else empty.
    """

    p: np.ndarray
    sign: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    reason: np.ndarray


def t_test(pairs: np.ndarray, level: float, scale: np.ndarray) -> _Result:
    """Student's test and interval of the mean, where the seeds support them.

    A tail of unobserved seeds makes the end of the interval on its side unreliable. So
    an end needs `FEWEST` seeds, not all equal, and a skewness towards it of at most
    ``AGAINST sqrt(S)``. A verdict needs the end nearer to 0.

    For few distinct values there is a continuity correction, half the smallest step of
    their mean: on a lattice the t statistic exceeds its quantiles too often.

    `scale` [...] is the magnitude of the subtracted values, for their rounding errors.
    """
    size = pairs.shape[-1]
    center = pairs.mean(axis=-1)
    if size < FEWEST:
        nothing = np.full(center.shape, np.nan)
        reason = np.full(center.shape, f"fewer than {FEWEST} replications")
        return _Result(nothing, np.sign(center), nothing, nothing, reason)
    equal = constant(pairs, scale)
    error = np.where(equal, np.nan, pairs.std(axis=-1, ddof=1) / np.sqrt(size))
    step = _smallest_gap(pairs) / (2 * size)
    p = 2 * scipy.stats.t.sf(np.maximum(np.abs(center) - step, 0) / error, size - 1)
    half = scipy.stats.t.isf((1 - level) / 2, size - 1) * error + step
    skewness = np.where(equal, np.nan, moments(pairs)[0])
    # Comparisons with NaN are False: what is equal or undefined supports nothing.
    low = skewness >= -AGAINST * np.sqrt(size)
    high = skewness <= AGAINST * np.sqrt(size)
    apart = np.where(center > 0, low, high)
    return _Result(
        np.where(apart, p, np.nan),
        np.sign(center),
        np.where(low, center - half, np.nan),
        np.where(high, center + half, np.nan),
        np.where(
            apart, "", np.where(equal, "equal on all seeds", "skewed towards the rest")
        ),
    )


def sign_test(pairs: np.ndarray) -> _Result:
    """Whether more seeds are above 0 than below; nothing about means.

    Exact for every distribution: given that it is not 0, a difference is above with
    probability 1/2 if both signs are equally likely.
    """
    above, below = (pairs > 0).sum(axis=-1), (pairs < 0).sum(axis=-1)
    p = 2 * scipy.stats.binom.cdf(np.minimum(above, below), above + below, 0.5)
    nothing = np.full(above.shape, np.nan)
    p = np.where(np.isnan(pairs).any(axis=-1), np.nan, np.minimum(p, 1))
    return _Result(p, np.sign(above - below), nothing, nothing, np.full(p.shape, ""))


def bounded_test(pairs: np.ndarray, level: float, width: float) -> _Result:
    """Test and interval of the mean by betting, for differences within ``+- width``."""
    units = (pairs / width + 1) / 2
    p, sign = betting_test(units, level)
    lower, upper = ((2 * end - 1) * width for end in betting_ends(units, level))
    return _Result(p, sign, lower, upper, np.full(p.shape, ""))


def _smallest_gap(pairs: np.ndarray) -> np.ndarray:
    """Smallest gap between distinct values if most are ties, else 0; f64[...]."""
    gaps = np.diff(np.sort(pairs, axis=-1), axis=-1)
    # What rounding sets apart is no gap.
    distinct = gaps > 1e-9 * gaps.sum(axis=-1, keepdims=True)
    least = np.where(distinct, gaps, np.inf).min(axis=-1)
    lattice = 2 * (1 + distinct.sum(axis=-1)) <= pairs.shape[-1]
    return np.where(lattice & np.isfinite(least), least, 0)
