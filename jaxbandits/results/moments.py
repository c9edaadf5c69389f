"""What is left of many runs where only their moments are kept.

A row holds the number of runs, their mean, the sums of the second to fourth powers of
what they differ from it, the extremes, and how many runs lie in every bin of a
logarithmic scale. Rows of several blocks make those of all: the numbers of runs are
added, and so are the sums once they are moved to the common mean (Pebay 2008, "Formulas
for robust, one-pass parallel computation of covariances and arbitrary-order statistical
moments", Sandia report SAND2008-6212, eq. 2.1-2.2). A store keeps a row per block and
adds them up when it is read, always in the same order: so the result depends neither on
the order in which blocks were played nor on who played them, to the last bit.

The bins are those of DDSketch (Masson, Rim and Lee 2019, "DDSketch: a fast and
fully-mergeable quantile sketch with relative-error guarantees", PVLDB 12, 2195-2205)
with 32 equal bins to an octave in place of a logarithm, whose rounding could differ: a
number and the middle of its bin differ by at most 1 / 64 of it.
"""

from typing import NamedTuple

import numpy as np

NAMES = ("count", "mean", "m2", "m3", "m4", "min", "max")
SKETCH = "_sketch"  # how the tables of a metric are called in a dataset
BINS = 32  # of an octave
LEAST, MOST = -16, 40  # exponents of two: smaller magnitudes are 0, larger the largest
RELATIVE_ERROR = 1 / (2 * BINS)
ABSOLUTE_ERROR = 2.0**LEAST
_OCTAVES = MOST - LEAST
_ZERO = len(NAMES)  # where the runs near 0 are counted
# Rows of a table: moments, octaves of positive and of negative numbers.
SHAPE = (1 + 2 * _OCTAVES, BINS)


class Moments(NamedTuple):
    """Of runs: their number, mean, sums of powers of the differences, and extremes.

    Attributes:
      number: of runs.
      mean: NaN if a run is.
      m2, m3, m4: sums of the second, third and fourth powers of runs minus mean.
      min, max: extremes.
    """

    number: np.ndarray
    mean: np.ndarray
    m2: np.ndarray
    m3: np.ndarray
    m4: np.ndarray
    min: np.ndarray
    max: np.ndarray


def moments_of(values: np.ndarray) -> Moments:
    """Moments along the last axis of ``f64[..., S]``, S >= 1."""
    mean = values.mean(axis=-1)
    # Of equal values the mean may be rounded, and must not differ from them.
    low, high = values.min(axis=-1), values.max(axis=-1)
    mean = np.where(low == high, low, mean)
    with np.errstate(invalid="ignore"):  # Of infinities.
        rest = values - mean[..., None]
        square = rest * rest
        m2, m3, m4 = (x.sum(axis=-1) for x in (square, square * rest, square * square))
    number = np.full(mean.shape, float(values.shape[-1]))
    return Moments(number, mean, m2, m3, m4, low, high)


def joined(parts: Moments, axis: int) -> Moments:
    """Moments of all runs of several parts.

    Args:
      parts: along an axis; those without a run are left out.
      axis: which.
    """
    there = parts.number > 0
    count = parts.number.sum(axis=axis, where=there, keepdims=True)
    low = parts.min.min(axis=axis, where=there, initial=np.inf)
    high = parts.max.max(axis=axis, where=there, initial=-np.inf)
    with np.errstate(invalid="ignore", divide="ignore"):
        # Beside a mean that is there already, little is lost to rounding.
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


def table_of(values: np.ndarray) -> np.ndarray:
    """f64[..., *SHAPE], moments and sketch of ``f64[..., S]``, NaN where nothing is."""
    counts = _counts(values.reshape(-1, values.shape[-1]))
    shape = values.shape[:-1]
    octaves = counts[:, 1:].reshape(*shape, 2 * _OCTAVES, BINS)
    return _table(moments_of(values), counts[:, 0].reshape(shape), octaves)


def _table(moments: Moments, zero: np.ndarray, octaves: np.ndarray) -> np.ndarray:
    """A table of moments, runs near 0, and runs in every bin."""
    table = np.full((*zero.shape, *SHAPE), np.nan)
    table[..., 0, : len(NAMES)] = np.stack(moments, axis=-1)
    table[..., 0, _ZERO] = zero
    # An octave without a run is no number, so that a store keeps nothing of it.
    empty = (octaves == 0).all(axis=-1, keepdims=True)
    table[..., 1:, :] = np.where(empty, np.nan, octaves)
    return table


def moments_in(head: np.ndarray) -> Moments:
    """The moments of a table, from its first row ``f64[..., BINS]``."""
    count = np.nan_to_num(head[..., 0])
    return Moments(count, *(head[..., i] for i in range(1, len(NAMES))))


def quantiles_in(tables: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Quantiles of the runs of several tables, interpolated linearly between runs.

    A run is known up to `RELATIVE_ERROR` of it, or `ABSOLUTE_ERROR` if that is more,
    as long as it is below 2^40; the extremes are exact.

    Args:
      tables: f64[..., parts, *SHAPE].
      q: f64[Q], in [0, 1].

    Returns:
      f64[Q, ...]; NaN where a run is NaN, or there is none.
    """
    result = joined(moments_in(tables[..., 0, :]), -1)
    counts = np.nan_to_num(tables[..., 1:, :]).sum(axis=-3)
    zero = np.nan_to_num(tables[..., 0, _ZERO]).sum(axis=-1)
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


def _counts(rows: np.ndarray) -> np.ndarray:
    """int[N, 1 + 2 * octaves * bins] of ``f64[N, S]``; NaN is in no bin."""
    half = _OCTAVES * BINS
    counts = np.empty((len(rows), 1 + 2 * half), np.int64)
    for row, into in zip(rows, counts, strict=True):
        row = row[~np.isnan(row)]
        fraction, exponent = np.frexp(np.abs(row))
        bins = np.floor((2 * fraction - 1) * BINS)
        place = (exponent.astype(np.int64) - 1 - LEAST) * BINS
        place = place + np.where(np.isfinite(row), bins, 0).astype(np.int64)
        small = np.abs(row) < ABSOLUTE_ERROR
        place = np.where(np.abs(row) >= 2.0**MOST, half - 1, place)
        place = np.where(small, -1, place + np.where(row < 0, half, 0))
        into[:] = np.bincount(place + 1, minlength=1 + 2 * half)
    return counts
