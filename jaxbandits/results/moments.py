"""Moments and sketches of runs, which a store can keep in place of the runs.

A table has the number of runs, their mean, the sums of the second to fourth powers of
their differences from it, their extremes, and the number of runs in every bin of a
logarithmic scale. `stats.moments` joins the tables of several blocks, always in the
same order: so the result does not depend, to the last bit, on the order in which blocks
were played or on who played them.

The bins are those of DDSketch (Masson, Rim and Lee 2019, "DDSketch: a fast and
fully-mergeable quantile sketch with relative-error guarantees", PVLDB 12, 2195-2205)
with 32 equal bins to an octave in place of a logarithm, whose rounding could differ: a
number and the middle of its bin differ by at most 1 / 64 of it.
"""

from typing import NamedTuple

import numpy as np

NAMES = ("count", "mean", "m2", "m3", "m4", "min", "max")
SKETCH = "_sketch"  # end of the name of the tables of a metric in a dataset
BINS = 32  # of an octave
LEAST, MOST = -16, 40  # exponents of two: smaller magnitudes are 0, larger the largest
RELATIVE_ERROR = 1 / (2 * BINS)
ABSOLUTE_ERROR = 2.0**LEAST
_OCTAVES = MOST - LEAST
ZERO = len(NAMES)  # place of the number of runs near 0
# Rows of a table: moments, octaves of positive and of negative numbers.
SHAPE = (1 + 2 * _OCTAVES, BINS)


class Moments(NamedTuple):
    """The number of runs, their mean (NaN if a run is NaN), the sums of the second to
    fourth powers of runs minus mean, and their extremes."""

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
    # The mean of equal values may be rounded, and must be equal to them.
    low, high = values.min(axis=-1), values.max(axis=-1)
    mean = np.where(low == high, low, mean)
    with np.errstate(invalid="ignore"):  # from infinities
        rest = values - mean[..., None]
        square = rest * rest
        m2, m3, m4 = (x.sum(axis=-1) for x in (square, square * rest, square * square))
    number = np.full(mean.shape, float(values.shape[-1]))
    return Moments(number, mean, m2, m3, m4, low, high)


def table_of(values: np.ndarray) -> np.ndarray:
    """f64[..., *SHAPE], moments and sketch of ``f64[..., S]``; NaN in unused places."""
    counts = _counts(values.reshape(-1, values.shape[-1]))
    shape = values.shape[:-1]
    octaves = counts[:, 1:].reshape(*shape, 2 * _OCTAVES, BINS)
    return _table(moments_of(values), counts[:, 0].reshape(shape), octaves)


def _table(moments: Moments, zero: np.ndarray, octaves: np.ndarray) -> np.ndarray:
    """A table of moments, numbers of runs near 0, and numbers of runs in the bins."""
    table = np.full((*zero.shape, *SHAPE), np.nan)
    table[..., 0, : len(NAMES)] = np.stack(moments, axis=-1)
    table[..., 0, ZERO] = zero
    # An octave without runs is NaN, which a store compresses to nothing.
    empty = (octaves == 0).all(axis=-1, keepdims=True)
    table[..., 1:, :] = np.where(empty, np.nan, octaves)
    return table


def _counts(rows: np.ndarray) -> np.ndarray:
    """int[N, 1 + 2 * octaves * bins], runs of ``f64[N, S]`` in bins; NaN in none."""
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
