"""What follows from results: intervals, bands, comparisons, numbers of seeds.

The seed is the unit of replication, over which everything here reduces. `mean`, `sem`,
`interval`, `quantiles`, `quantile_interval` and `final` look at one point of a curve at
a time, `band` at the whole curve. `paired_difference` compares two policies on the same
seeds, `dominance` all pairs of them. `two_level` is for instances that are a sample
themselves. `seeds_needed` and `fixed_width_interval` choose the number of seeds;
`resample` and `as_share` change the axis of curves; `summary_records` makes flat
records, `record_table` LaTeX and Markdown of them. What the seeds do not support is
warned of (`CoverageWarning`); docs/statistics.md has a table of what holds when.

What is public stands in ``__init__.pyi``; each part is imported when it is first used.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
