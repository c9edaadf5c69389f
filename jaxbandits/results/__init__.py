"""Labelled results, on the host and without JAX.

`build_dataset` puts names on the numbers of a simulation; `save` and `load` keep them
as netCDF, `open_store` opens the Zarr store of a sweep; `provenance` says what made
them. `resample` and `as_share` change the axis of curves, `at_points` picks a parameter
point per policy. What follows from them is in `jaxbandits.stats`.
"""

from jaxbandits.results._provenance import provenance
from jaxbandits.results._resample import as_share, resample
from jaxbandits.results.dataset import build_dataset
from jaxbandits.results.lookup import at_points
from jaxbandits.results.netcdf import load, save
from jaxbandits.results.reading import open_store

__all__ = [
    "as_share",
    "at_points",
    "build_dataset",
    "load",
    "open_store",
    "provenance",
    "resample",
    "save",
]
