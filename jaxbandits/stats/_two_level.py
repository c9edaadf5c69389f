"""Statistics for instances that are a sample: runs within drawn instances.

A run of instance i has the value ``mean + a_i + e_ij``, ``a_i`` with the variance
`between` and ``e_ij`` with the variance `within`, all independent. Runs of one
instance share ``a_i``: the instance is the unit of replication, and an interval that
takes the runs for independent is too narrow. Searle, Casella and McCulloch (1992),
"Variance Components", Chapter 3.
"""

from typing import NamedTuple

import numpy as np
import xarray as xr

from jaxbandits.results.dataset import DIMS
from jaxbandits.results.names import INSTANCE
from jaxbandits.stats.bootstrap import BATCH
from jaxbandits.stats.checks import check_method
from jaxbandits.stats.intervals import quiet_interval, variance
from jaxbandits.stats.lookup import metric_values
from jaxbandits.stats.replications import group as group_of
from jaxbandits.stats.replications import shared_instances
from jaxbandits.stats.soundness import warn_of_coverage


class TwoLevel(NamedTuple):
    """A mean over instances, its interval, and the components of its variance.

    Attributes:
      mean: float64, the unweighted mean of the instances' means.
      lower: lower end; NaN with a single instance.
      upper: upper end; NaN with a single instance.
      between: variance between instances, >= 0; NaN with a single instance or without
        an instance that has two runs.
      within: variance between the runs of an instance; NaN without an instance that
        has two runs.
    """

    mean: xr.DataArray
    lower: xr.DataArray
    upper: xr.DataArray
    between: xr.DataArray
    within: xr.DataArray


def two_level(
    dataset: xr.Dataset,
    metric: str,
    level: float = 0.95,
    group: str = "instance",
    method: str = "t",
    *,
    resamples: int = 9999,
    seed: int = 0,
) -> TwoLevel:
    """Mean over instances and runs where both are samples.

    With I instances, of which the i-th has n_i runs with the mean m_i:

    - The mean is that of the m_i, each with the weight 1 / I. It is unbiased for all
      group sizes, also if an instance's number of runs depends on its mean.
    - "t": Student's interval of the m_i, with I - 1 degrees of freedom. Exact for
      normal values and equal group sizes. For unequal ones the m_i have unequal
      variances; the interval then covers with at least the probability `level` for
      normal values and levels from 0.917 on (Ibragimov and Mueller 2010, "t-statistic
      based correlation and heterogeneity robust inference", JBES 28, 453-468).
    - "bootstrap": percentile interval where I instances are drawn with replacement and
      then n_i runs with replacement within each. The second step counts the variance
      `within` once more than the m_i already show it, so that the interval is a little
      wide, by a factor of up to about sqrt(2) (Davison and Hinkley 1997, "Bootstrap
      Methods and their Application", Section 3.8). With less than about 20 instances
      prefer "t".
    - ``within`` is the pooled variance within instances, ``sum_ij (y_ij - m_i)^2 /
      (N - I)`` for N runs; ``between`` is the variance of the m_i (divisor I - 1)
      minus ``within * mean(1 / n_i)``, or 0 if that is negative. For equal group sizes
      it is the estimate of the analysis of variance; for unequal ones that of the
      unweighted sums of squares. Both are unbiased but for the cut at 0.

    Args:
      dataset: as `build_dataset` makes it.
      metric: name of a metric.
      level: coverage in (0, 1).
      group: name of a coordinate over ``seed`` with the number of the instance that a
        seed's run played in, or of a further dimension of the metric (``environment``).
        A dimension's entries must be a sample of instances, with independent runs:
        where the same seed makes the same noise in every instance, what a seed does to
        all of them alike is not in the interval. Its variance falls as 1 over the
        number of seeds, so that it matters with few seeds only.
      method: "t" or "bootstrap".
      resamples: number of bootstrap samples.
      seed: seed of the bootstrap; the same seed gives the same interval.

    Returns:
      A `TwoLevel` of arrays ``[policy, params, checkpoint]``; NaN where a run is NaN.

    Raises:
      ValueError: if `metric` or `method` is unknown, `level` is not in (0, 1), `group`
        is neither a coordinate over ``seed`` nor a further dimension or has missing
        numbers, or `resamples` is below ``2 / (1 - level)``.

    Warns:
      CoverageWarning: if the instances' means at the last checkpoint do not support the
        coverage.
    """
    values = metric_values(dataset, metric)
    check_method(method, ("t", "bootstrap"), level, resamples, seed)
    runs, numbers = _runs(values, group)
    template = runs.isel(run=0, drop=True)
    groups = group_of(numbers)
    sizes = groups.sizes
    bare = runs.transpose(..., "run").values
    means = groups.means(bare)
    rows = bare[..., groups.order]
    residuals = rows - np.repeat(means, sizes, axis=-1)
    units = xr.DataArray(means, dims=(*template.dims, "seed"), coords=template.coords)
    within = np.full(template.shape, np.nan)
    if len(numbers) > len(sizes):
        within = (residuals**2).sum(axis=-1) / (len(numbers) - len(sizes))
    within = template.copy(data=within)
    # np.maximum keeps NaN, where a comparison would make it 0.
    between = np.maximum(variance(units) - within * np.mean(1 / sizes), 0)
    mean, lower, upper = quiet_interval(units, level)
    warn_of_coverage(units, f"the {100 * level:g} % intervals of {metric!r}")
    if method == "bootstrap" and len(sizes) > 1:
        ends = _bootstrap_ends(rows, groups.starts, sizes, level, resamples, seed)
        lower, upper = (mean + end for end in ends)
    return TwoLevel(mean, lower, upper, between, within)  # type: ignore[arg-type]


def _runs(values: xr.DataArray, group: str) -> tuple[xr.DataArray, np.ndarray]:
    """The values with one dimension ``run``, and every run's instance."""
    if not isinstance(group, str):
        raise TypeError(f"group must be a name, got {group!r}")
    if group in set(values.dims) - set(DIMS):
        # Bare, as stacking builds an index of labels that nothing reads.
        bare = values.drop_vars([group, "seed"], errors="ignore")
        runs = bare.stack(run=(group, "seed"), create_index=False)
        numbers = np.repeat(np.arange(values.sizes[group]), values.sizes["seed"])
    elif group in values.coords and values[group].dims == ("seed",) and group != "seed":
        runs, numbers = values.rename(seed="run"), values[group].values
    else:
        raise ValueError(
            f"group: {group!r} must be a coordinate over seed or a dimension besides "
            f"{', '.join(DIMS)}"
        )
    if np.any(numbers != numbers):
        raise ValueError(f"group: {group!r} has missing numbers (NaN)")
    if group == INSTANCE:
        shared_instances(values)  # refuses what was drawn apart under the same number
    along = [name for name, coord in runs.coords.items() if "run" in coord.dims]
    return runs.drop_vars(along), numbers


def _bootstrap_ends(
    rows: np.ndarray,
    starts: np.ndarray,
    sizes: np.ndarray,
    level: float,
    resamples: int,
    seed: int,
) -> np.ndarray:
    """f64[2, ...], the ends minus the mean, from ``rows [..., N]`` sorted by instance.

    A resampled mean is a weighted mean of the runs. An instance that was drawn c times
    has c n runs drawn from its n, each of the weight 1 / (n I). All rows use the same
    resamples, a batch of rows and of resamples at a time.
    """
    *shape, total = rows.shape
    rows, groups, tail = rows.reshape(-1, total), len(sizes), (1 - level) / 2
    # Differences from a run: exactly 0 if all are equal, and free of cancellation.
    rows = rows - rows[:, :1]
    center = (np.add.reduceat(rows, starts, axis=1) / sizes).mean(axis=1)
    ends = np.empty((2, len(rows)))
    most, step = max(1, BATCH // resamples), max(1, BATCH // total)
    for batch in (slice(i, i + most) for i in range(0, len(rows), most)):
        rng = np.random.default_rng(seed)
        drawn = np.empty((len(rows[batch]), resamples))
        for first in range(0, resamples, step):
            part = drawn[:, first : first + step]
            times = rng.multinomial(groups, np.full(groups, 1 / groups), part.shape[1])
            weights = [
                rng.multinomial(count * size, np.full(size, 1 / size)) / (size * groups)
                for count, size in zip(times.T, sizes, strict=True)
            ]
            part[:] = rows[batch] @ np.concatenate(weights, axis=1).T
        part = drawn - center[batch, None]
        ends[:, batch] = np.quantile(part, [tail, 1 - tail], axis=1)
    return ends.reshape(2, *shape)
