"""Statistics from moments: of a store that keeps nothing else, or block by block.

The runs of a dask array are read a block at a time; a block leaves its moments, and
those are put together in the order of the blocks.
"""

import warnings
from typing import Any

import numpy as np
import scipy
import xarray as xr

from jaxbandits.results.moments import NAMES, SKETCH, Moments, moments_of
from jaxbandits.stats.moments import joined, moments_in, quantiles_in
from jaxbandits.stats.replications import shared_instances


def is_large(values: xr.DataArray) -> bool:
    """Whether values are moments, or runs that are read block by block."""
    return "moment" in values.dims or values.chunks is not None


def summed(values: xr.DataArray) -> tuple[xr.DataArray, Moments]:
    """The mean over seeds, and all moments in arrays of its shape.

    Args:
      values: as `is_large` says.

    Raises:
      ValueError: if seeds share drawn instances, whose means would be needed.
    """
    if "moment" in values.dims:
        rows = values.transpose(..., "part", "moment")
        template = rows.isel(part=0, moment=0, drop=True)
        result = joined(moments_in(rows.values), -1)
    else:
        if shared_instances(values) is not None:
            raise ValueError(
                "dataset: seeds share drawn instances, whose means are not made block "
                "by block; give what fits into memory, as in dataset.load()"
            )
        rows = values.transpose(..., "seed")
        template = rows.isel(seed=0, drop=True)
        result = joined(moments_in(_of_blocks(rows.data)), -1)
    mean = np.where(result.number > 0, result.mean, np.nan)
    center = template.copy(data=mean).astype("float64")
    gone = center.isnull() & (template.copy(data=result.number) > 0)
    # A policy without the metric has NaN everywhere.
    gone = gone & center.notnull().any([dim for dim in gone.dims if dim != "policy"])
    if number := int(gone.sum()):
        warnings.warn(
            f"{values.name!r}: values along the dimension seed are NaN in {number} of "
            f"{gone.size} samples, whose statistics are NaN",
            stacklevel=3,
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
