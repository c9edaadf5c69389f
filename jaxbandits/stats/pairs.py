"""Two policies compared on the same seeds."""

from typing import NamedTuple

import xarray as xr

from jaxbandits.results.lookup import check_policies
from jaxbandits.stats.intervals import quiet_interval, variance
from jaxbandits.stats.lookup import metric_values
from jaxbandits.stats.replications import replications
from jaxbandits.stats.soundness import warn_of_coverage


class PairedDifference(NamedTuple):
    """A policy minus a baseline, seed by seed.

    Attributes:
      mean: float64 ``[params, checkpoint]``, the mean difference over seeds, or over
        drawn instances that seeds share.
      lower: lower end of its confidence interval; NaN with a single seed.
      upper: upper end; NaN with a single seed.
      variance_reduction: variance of the difference for independent seeds, over its
        actual variance. Above 1, common random numbers helped: without them, so many
        times more seeds would be needed. Infinite if the difference is the same for
        every seed, NaN if both policies are constant.
    """

    mean: xr.DataArray
    lower: xr.DataArray
    upper: xr.DataArray
    variance_reduction: xr.DataArray


def paired_difference(
    dataset: xr.Dataset,
    metric: str,
    policy: str,
    baseline: str,
    level: float = 0.95,
) -> PairedDifference:
    """Compare two policies that were played with the same environment noise.

    With common random numbers, ``Var(X - Y) = Var X + Var Y - 2 Cov(X, Y)`` is smaller
    than the sum of the variances if a bad seed for one policy is bad for the other.
    The interval is Student's t interval of the per-seed differences.

    Args:
      dataset: as `build_dataset` makes it.
      metric: name of a metric.
      policy: name of the policy.
      baseline: name of the policy to subtract.
      level: coverage of the interval in (0, 1).

    Returns:
      A `PairedDifference` of arrays ``[params, checkpoint]``; parameter points are
      compared number by number.

    Raises:
      ValueError: if `metric`, `policy` or `baseline` is unknown, or `level` is not in
        (0, 1).

    Warns:
      CoverageWarning: if the differences at the last checkpoint do not support the
        coverage.
    """
    values = metric_values(dataset, metric)
    check_policies(dataset, [policy])
    check_policies(dataset, [baseline], "baseline")
    first = values.sel(policy=policy, drop=True)
    second = values.sel(policy=baseline, drop=True)
    # The two sides carry different parameters, which xarray would drop or refuse.
    first, second = (
        side.drop_vars(set(side.coords) - set(side.dims))
        for side in map(replications, (first, second))
    )
    difference = first - second
    paired, unpaired = variance(difference), variance(first) + variance(second)
    # Division by a NaN instead of 0 keeps quiet; then put what 0 means.
    ratio = unpaired / paired.where(paired > 0)
    ratio = ratio.where(~((paired == 0) & (unpaired > 0)), float("inf"))
    result = quiet_interval(difference, level)
    what = f"the {100 * level:g} % intervals of '{policy}' minus '{baseline}'"
    warn_of_coverage(difference, what)
    return PairedDifference(*result, ratio)
