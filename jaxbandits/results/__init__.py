"""Labelled results, on the host and without JAX.

`build_dataset` puts names on the numbers of a simulation; `save` and `load` keep them
as netCDF, `open_store` opens the Zarr store of a sweep; `provenance` says what made
them. `resample` and `as_share` change the axis of curves, `at_points` picks a parameter
point per policy, and `summary_records` writes flat records for tables.

The seed is the unit of replication, over which the statistics reduce. `mean`, `sem`,
`interval`, `quantiles`, `quantile_interval` and `final` look at one point of a curve at
a time, `band` at the whole curve. `paired_difference` compares two policies on the same
seeds, `dominance` all pairs of them. `two_level` is for instances that are a sample
themselves. `seeds_needed` and `fixed_width_interval` choose the number of seeds. What
the seeds do not support is warned of (`CoverageWarning`); docs/statistics.md has a
table of what holds when.
"""

from jaxbandits.results.band import band
from jaxbandits.results.dataset import build_dataset
from jaxbandits.results.dominance import dominance
from jaxbandits.results.fixed_width import fixed_width_interval, seeds_needed
from jaxbandits.results.lookup import at_points
from jaxbandits.results.netcdf import load, save
from jaxbandits.results.pairs import PairedDifference, paired_difference
from jaxbandits.results.provenance import provenance
from jaxbandits.results.quantile_interval import QuantileInterval, quantile_interval
from jaxbandits.results.records import summary_records
from jaxbandits.results.resample import as_share, resample
from jaxbandits.results.soundness import CoverageWarning
from jaxbandits.results.statistics import (
    Interval,
    final,
    interval,
    interval_of,
    mean,
    quantiles,
    sem,
)
from jaxbandits.results.store import open_store
from jaxbandits.results.two_level import TwoLevel, two_level

__all__ = [
    "CoverageWarning",
    "Interval",
    "PairedDifference",
    "QuantileInterval",
    "TwoLevel",
    "as_share",
    "at_points",
    "band",
    "build_dataset",
    "dominance",
    "final",
    "fixed_width_interval",
    "interval",
    "interval_of",
    "load",
    "mean",
    "open_store",
    "paired_difference",
    "provenance",
    "quantile_interval",
    "quantiles",
    "resample",
    "save",
    "seeds_needed",
    "sem",
    "summary_records",
    "two_level",
]
