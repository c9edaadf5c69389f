"""Statistics of results: intervals, bands, comparisons, numbers of seeds.

The seed is the unit of replication; all statistics reduce over it. `mean`, `sem`,
`interval`, `quantiles`, `quantile_interval` and `final` treat each checkpoint
separately, `band` the whole curve. `paired_difference` compares two policies on the
same seeds, `dominance` all pairs of policies. `two_level` is for instances that are
themselves a sample. `seeds_needed` and `fixed_width_interval` choose the number of
seeds. `resample` and `as_share` change the axis of curves. `summary_records` makes flat
records, `record_table` turns them into LaTeX or Markdown. A `CoverageWarning` says if
the seeds do not support a coverage; docs/statistics.md has a table of guarantees.

``__init__.pyi`` lists all public names; each part is imported when it is first used.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
