"""Labelled results, on the host and without JAX.

`build_dataset` puts names on the numbers of a simulation; `save` and `load` keep them
as netCDF; `provenance` says what made them. `mean`, `sem`, `interval`, `quantiles`,
`final` and `paired_difference` reduce over seeds, the unit of replication;
`resample` and `as_share` change the axis of curves, and `summary_records` writes flat
records for tables.
"""

from jaxbandits.results.dataset import build_dataset
from jaxbandits.results.netcdf import load, save
from jaxbandits.results.pairs import PairedDifference, paired_difference
from jaxbandits.results.provenance import provenance
from jaxbandits.results.records import summary_records
from jaxbandits.results.resample import as_share, resample
from jaxbandits.results.statistics import (
    Interval,
    final,
    interval,
    interval_of,
    mean,
    quantiles,
    sem,
)

__all__ = [
    "Interval",
    "PairedDifference",
    "as_share",
    "build_dataset",
    "final",
    "interval",
    "interval_of",
    "load",
    "mean",
    "paired_difference",
    "provenance",
    "quantiles",
    "resample",
    "save",
    "sem",
    "summary_records",
]
