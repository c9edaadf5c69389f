"""Statistics over seeds.

The seed is the unit of replication: seeds are independent, checkpoints of one seed are
not. So every function reduces the dimension ``seed`` and no other. A seed whose value
is NaN makes the statistic NaN; seeds are never dropped in silence.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import xarray as xr
from scipy import stats

from jaxbandits.results.bootstrap import bootstrap_ends
from jaxbandits.results.checks import check_choice, check_level, check_resamples
from jaxbandits.results.lookup import metric_values


class Interval(NamedTuple):
    """A mean and its confidence interval.

    Attributes:
      mean: float64, the mean over seeds.
      lower: lower end; NaN with a single seed.
      upper: upper end; NaN with a single seed.
    """

    mean: xr.DataArray
    lower: xr.DataArray
    upper: xr.DataArray


def mean(dataset: xr.Dataset, metric: str) -> xr.DataArray:
    """Mean of a metric over seeds, ``[policy, params, checkpoint]``.

    Raises:
      ValueError: if `metric` is unknown.
    """
    return metric_values(dataset, metric).mean("seed", skipna=False)


def sem(dataset: xr.Dataset, metric: str) -> xr.DataArray:
    """Standard error of the mean over seeds, ``[policy, params, checkpoint]``.

    From the unbiased variance; NaN with a single seed.

    Raises:
      ValueError: if `metric` is unknown.
    """
    return _sem(metric_values(dataset, metric))


def interval(
    dataset: xr.Dataset,
    metric: str,
    level: float = 0.95,
    method: str = "t",
    *,
    resamples: int = 9999,
    seed: int = 0,
) -> Interval:
    """Confidence interval for the mean over seeds.

    Pointwise in the checkpoint: a band of such intervals does not cover the whole
    curve with probability `level`; `band` does.

    Args:
      dataset: as `build_dataset` makes it.
      metric: name of a metric.
      level: coverage in (0, 1).
      method: "t", Student's interval, or "bootstrap", the BCa interval of
        `jaxbandits.results.bootstrap`, for many seeds of a skewed metric.
      resamples: number of bootstrap samples.
      seed: seed of the bootstrap; the same seed gives the same interval.

    Returns:
      An `Interval` of arrays ``[policy, params, checkpoint]``.

    Raises:
      ValueError: if `metric` or `method` is unknown, `level` is not in (0, 1), or
        `resamples` is below ``2 / (1 - level)``.
    """
    values = metric_values(dataset, metric)
    return interval_of(values, level, method, resamples=resamples, seed=seed)


def interval_of(
    values: xr.DataArray,
    level: float = 0.95,
    method: str = "t",
    *,
    resamples: int = 9999,
    seed: int = 0,
) -> Interval:
    """`interval` of an array with a dimension ``seed``."""
    check_level(level)
    check_choice("method", method, ("t", "bootstrap"))
    center = values.mean("seed", skipna=False)
    if method == "bootstrap":
        check_resamples(resamples, level)
        rows = values.transpose(..., "seed").values
        ends = bootstrap_ends(rows, level, resamples, seed)
        return Interval(center, *(center.copy(data=end) for end in ends))
    # Zero degrees of freedom give NaN in scipy, which is the promise for one seed.
    half = stats.t.ppf((1 + level) / 2, values.sizes["seed"] - 1) * _sem(values)
    return Interval(center, center - half, center + half)


def quantiles(
    dataset: xr.Dataset, metric: str, q: float | Sequence[float]
) -> xr.DataArray:
    """Quantiles of a metric over seeds, interpolated linearly.

    Args:
      dataset: as `build_dataset` makes it.
      metric: name of a metric.
      q: one or several probabilities in [0, 1].

    Returns:
      Array ``[quantile, policy, params, checkpoint]``, without the first dimension if
      `q` is a number.

    Raises:
      ValueError: if `metric` is unknown or `q` is not in [0, 1].
    """
    values = metric_values(dataset, metric)
    if not np.all((np.asarray(q) >= 0) & (np.asarray(q) <= 1)):
        raise ValueError(f"q: must be in [0, 1], got {q}")
    return values.quantile(q, "seed", skipna=False)


def final(dataset: xr.Dataset, metric: str) -> xr.DataArray:
    """A metric at the last checkpoint, ``[policy, params, seed]``.

    Raises:
      ValueError: if `metric` is unknown.
    """
    return metric_values(dataset, metric).isel(checkpoint=-1)


def variance(values: xr.DataArray) -> xr.DataArray:
    """Unbiased variance over the dimension ``seed``; NaN with a single seed."""
    if values.sizes["seed"] < 2:
        return xr.full_like(values.isel(seed=0, drop=True), np.nan)
    return values.var("seed", ddof=1, skipna=False)


def _sem(values: xr.DataArray) -> xr.DataArray:
    return np.sqrt(variance(values) / values.sizes["seed"])
