"""What follows from results: intervals, bands, comparisons, numbers of seeds.

The seed is the unit of replication, over which everything here reduces. `mean`, `sem`,
`interval`, `quantiles`, `quantile_interval` and `final` look at one point of a curve at
a time, `band` at the whole curve. `paired_difference` compares two policies on the same
seeds, `dominance` all pairs of them. `two_level` is for instances that are a sample
themselves. `seeds_needed` and `fixed_width_interval` choose the number of seeds;
`summary_records` makes flat records, `record_table` LaTeX
and Markdown of them. What the seeds do not support is warned of (`CoverageWarning`);
docs/statistics.md has a table of what holds when.
"""

from jaxbandits.stats._band import band
from jaxbandits.stats._dominance import dominance
from jaxbandits.stats._quantile_interval import QuantileInterval, quantile_interval
from jaxbandits.stats._record_table import record_table
from jaxbandits.stats._two_level import TwoLevel, two_level
from jaxbandits.stats.fixed_width import fixed_width_interval, seeds_needed
from jaxbandits.stats.intervals import (
    Interval,
    final,
    interval,
    interval_of,
    mean,
    quantiles,
    sem,
)
from jaxbandits.stats.pairs import PairedDifference, paired_difference
from jaxbandits.stats.record import Entry, Record, entry, make_record
from jaxbandits.stats.records import summary_records
from jaxbandits.stats.soundness import CoverageWarning

__all__ = [
    "CoverageWarning",
    "Entry",
    "Interval",
    "PairedDifference",
    "QuantileInterval",
    "Record",
    "TwoLevel",
    "band",
    "dominance",
    "entry",
    "final",
    "fixed_width_interval",
    "interval",
    "interval_of",
    "make_record",
    "mean",
    "paired_difference",
    "quantile_interval",
    "quantiles",
    "record_table",
    "seeds_needed",
    "sem",
    "summary_records",
    "two_level",
]
