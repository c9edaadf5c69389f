"""Moments and quantiles of many runs, from the moments and sketches of their parts.

The numbers of runs are added, and so are the sums of powers once they are moved to the
common mean (Pebay 2008, "Formulas for robust, one-pass parallel computation of
covariances and arbitrary-order statistical moments", Sandia report SAND2008-6212, eq.
2.1-2.2). `jaxbandits.results.moments` says what a part holds.
"""

import numpy as np

from jaxbandits.results.moments import BINS, LEAST, MOST, NAMES, ZERO, Moments


def joined(parts: Moments, axis: int) -> Moments:
    """Moments of all runs of several parts.

    Args:
      parts: moments along an axis; parts without a run are ignored.
      axis: the axis of the parts.
    """
    there = parts.number > 0
    count = parts.number.sum(axis=axis, where=there, keepdims=True)
    low = parts.min.min(axis=axis, where=there, initial=np.inf)
    high = parts.max.max(axis=axis, where=there, initial=-np.inf)
    with np.errstate(invalid="ignore", divide="ignore"):
        # Relative to an existing mean, little is lost to rounding.
        first = np.take_along_axis(
            parts.mean, there.argmax(axis=axis, keepdims=True), axis
        )
        shift = (parts.number * (parts.mean - first)).sum(
            axis=axis, where=there, keepdims=True
        )
        mean = first + shift / count
        d = parts.mean - mean
        n, m2, m3, m4 = parts.number, parts.m2, parts.m3, parts.m4
        moved = (
            m2 + n * d**2,
            m3 + 3 * d * m2 + n * d**3,
            m4 + 4 * d * m3 + 6 * d**2 * m2 + n * d**4,
        )
        m2, m3, m4 = (x.sum(axis=axis, where=there) for x in moved)
    number, mean = count.squeeze(axis), mean.squeeze(axis)
    return Moments(number, mean, m2, m3, m4, low, high)


def moments_in(head: np.ndarray) -> Moments:
    """The moments of a table, from its first row ``f64[..., BINS]``."""
    count = np.nan_to_num(head[..., 0])
    return Moments(count, *(head[..., i] for i in range(1, len(NAMES))))


def quantiles_in(tables: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Quantiles of the runs of several tables, interpolated linearly between runs.

    Runs below 2^40 are known up to a relative error `RELATIVE_ERROR`, or the absolute
    error `ABSOLUTE_ERROR` if that is larger; the extremes are exact.

    Args:
      tables: f64[..., parts, *SHAPE].
      q: f64[Q], in [0, 1].

    Returns:
      f64[Q, ...]; NaN where a run is NaN, or there is none.
    """
    result = joined(moments_in(tables[..., 0, :]), -1)
    counts = np.nan_to_num(tables[..., 1:, :]).sum(axis=-3)
    zero = np.nan_to_num(tables[..., 0, ZERO]).sum(axis=-1)
    positive, negative = (
        half.reshape(*half.shape[:-2], -1) for half in np.split(counts, 2, axis=-2)
    )
    scale = (2.0 ** np.arange(LEAST, MOST))[:, None] * (
        1 + (np.arange(BINS) + 0.5) / BINS
    )
    middles = np.concatenate([-scale.ravel()[::-1], [0.0], scale.ravel()])
    ordered = np.concatenate(
        [negative[..., ::-1], zero[..., None], positive], axis=-1
    ).cumsum(axis=-1)
    total = ordered[..., -1]
    rank = q.reshape(-1, *(1,) * total.ndim) * np.maximum(total - 1, 0)

    def run(number: np.ndarray) -> np.ndarray:
        """The run of a number, from 0, in increasing order."""
        place = (ordered <= number[..., None]).sum(axis=-1)
        about = middles[np.minimum(place, middles.size - 1)]
        about = np.where(number == 0, result.min, about)
        about = np.where(number == total - 1, result.max, about)
        return np.clip(about, result.min, result.max)

    low = np.floor(rank)
    below, above = run(low), run(np.minimum(low + 1, np.maximum(total - 1, 0)))
    with np.errstate(invalid="ignore"):  # Of infinities.
        value = below + (rank - low) * (above - below)
    value = np.where(rank == low, below, value)
    return np.where((total == result.number) & (total > 0), value, np.nan)
