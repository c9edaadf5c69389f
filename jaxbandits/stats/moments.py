"""Statistics from moments: of a store that keeps nothing else, or block by block.

The runs of a dask array are read a block at a time; a block leaves its moments, and
those are put together in the order of the blocks. The numbers of runs are added, and so
are the sums of powers once they are moved to the common mean (Pebay 2008, "Formulas for
robust, one-pass parallel computation of covariances and arbitrary-order statistical
moments", Sandia report SAND2008-6212, eq. 2.1-2.2). `jaxbandits.results.moments` says
what a part holds.
"""

from typing import Any

import numpy as np
import scipy
import xarray as xr

from jaxbandits.results.moments import (
    BINS,
    LEAST,
    MOST,
    NAMES,
    SKETCH,
    ZERO,
    Moments,
    moments_of,
)
from jaxbandits.stats.replications import shared_instances
from jaxbandits.stats.soundness import warn


def is_large(values: xr.DataArray) -> bool:
    """Whether values are moments, or runs that are read block by block."""
    return "moment" in values.dims or values.chunks is not None


def summed(values: xr.DataArray) -> tuple[xr.DataArray, Moments]:
    """The mean over seeds of large values, and all moments in arrays of its shape."""
    if "moment" in values.dims:
        rows = values.transpose(..., "part", "moment")
        template = rows.isel(part=0, moment=0, drop=True)
        result = joined(moments_in(rows.values))
    else:
        if shared_instances(values) is not None:
            raise ValueError(
                "dataset: seeds share drawn instances, whose means are not made block "
                "by block; give what fits into memory, as in dataset.load()"
            )
        rows = values.transpose(..., "seed")
        template = rows.isel(seed=0, drop=True)
        result = joined(moments_in(_of_blocks(rows.data)))
    mean = np.where(result.number > 0, result.mean, np.nan)
    center = template.copy(data=mean).astype("float64")
    gone = center.isnull() & (template.copy(data=result.number) > 0)
    # A policy without the metric has NaN everywhere.
    gone = gone & center.notnull().any([dim for dim in gone.dims if dim != "policy"])
    if number := int(gone.sum()):
        warn(
            f"{values.name!r}: values along the dimension seed are NaN in {number} of "
            f"{gone.size} samples, whose statistics are NaN",
            UserWarning,
        )
    return center, result._replace(mean=mean)


def sem_of(result: Moments) -> np.ndarray:
    """Standard errors of means; NaN with a single run."""
    with np.errstate(invalid="ignore", divide="ignore"):
        degrees = np.where(result.number > 1, result.number - 1, np.nan)
        return np.sqrt(result.m2 / degrees / result.number)


def half_width(result: Moments, level: float) -> np.ndarray:
    """Half widths of Student's intervals."""
    degrees = np.maximum(result.number - 1, 0)
    return scipy.special.stdtrit(degrees, (1 + level) / 2) * sem_of(result)


def quantiles_of(dataset: xr.Dataset, metric: str, q: np.ndarray) -> xr.DataArray:
    """Quantiles from sketches, ``[quantile, ...]``, or without the dim for a number."""
    tables = dataset[metric + SKETCH].transpose(..., "part", "row", "bin")
    template = tables.isel(part=0, row=0, bin=0, drop=True)
    # One point at a time: a table has thousands of bins.
    rest = [dim for dim in template.dims if dim != "checkpoint"]
    result = np.empty((q.size, *template.shape))
    for place in np.ndindex(*(template.sizes[dim] for dim in rest)):
        part = tables.isel(dict(zip(rest, place, strict=True)))
        result[(slice(None), *place)] = quantiles_in(part.values, np.atleast_1d(q))
    made = xr.DataArray(
        result, dims=("quantile", *template.dims), coords=dict(template.coords)
    ).assign_coords(quantile=np.atleast_1d(q))
    return (made if q.ndim else made.isel(quantile=0)).rename(metric)


def _of_blocks(rows: Any) -> np.ndarray:
    """f64[..., blocks, moments] of a dask array ``[..., S]``."""
    blocks = len(rows.chunks[-1])
    return np.asarray(
        rows.map_blocks(
            _stacked,
            dtype=np.float64,
            meta=np.empty((0,) * (rows.ndim + 1)),
            chunks=(*rows.chunks[:-1], (1,) * blocks, (len(NAMES),)),
            new_axis=rows.ndim,
        )
    )


def _stacked(block: np.ndarray) -> np.ndarray:
    values = np.ascontiguousarray(block, np.float64)
    return np.stack(moments_of(values), -1)[..., None, :]


def joined(parts: Moments) -> Moments:
    """Moments of all runs of several parts, the last axis; some may have no run."""
    there = parts.number > 0
    count = parts.number.sum(axis=-1, where=there)
    low = parts.min.min(axis=-1, where=there, initial=np.inf)
    high = parts.max.max(axis=-1, where=there, initial=-np.inf)
    with np.errstate(invalid="ignore", divide="ignore"):
        # Relative to an existing mean, little is lost to rounding.
        place = there.argmax(axis=-1)[..., None]
        first = np.take_along_axis(parts.mean, place, -1)
        shift = (parts.number * (parts.mean - first)).sum(axis=-1, where=there)
        mean = first[..., 0] + shift / count
        d = parts.mean - mean[..., None]
        n, m2, m3, m4 = parts.number, parts.m2, parts.m3, parts.m4
        moved = (
            m2 + n * d**2,
            m3 + 3 * d * m2 + n * d**3,
            m4 + 4 * d * m3 + 6 * d**2 * m2 + n * d**4,
        )
        m2, m3, m4 = (x.sum(axis=-1, where=there) for x in moved)
    return Moments(count, mean, m2, m3, m4, low, high)


def moments_in(head: np.ndarray) -> Moments:
    """The moments of a table, from its first row ``f64[..., BINS]``."""
    count = np.nan_to_num(head[..., 0])
    return Moments(count, *(head[..., i] for i in range(1, len(NAMES))))


def quantiles_in(tables: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Quantiles f64[Q, ...] of the runs of ``tables [..., parts, *SHAPE]``.

    Interpolated linearly between runs. Those below 2^40 are known up to a relative
    error `RELATIVE_ERROR`, or the absolute error `ABSOLUTE_ERROR` if that is larger;
    the extremes are exact. NaN where a run is NaN, or there is none.
    """
    result = joined(moments_in(tables[..., 0, :]))
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
