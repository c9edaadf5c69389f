from ._band import band
from ._dominance import dominance
from ._quantile_interval import QuantileInterval, quantile_interval
from ._record_table import record_table
from ._two_level import TwoLevel, two_level
from .fixed_width import fixed_width_interval, seeds_needed
from .intervals import (
    Interval,
    final,
    interval,
    interval_of,
    mean,
    quantiles,
    sem,
)
from .pairs import PairedDifference, paired_difference
from .record import Entry, Record, entry, make_record
from .records import summary_records
from .soundness import CoverageWarning

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
