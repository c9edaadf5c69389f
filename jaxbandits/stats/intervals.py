"""Statistics over seeds.

The seed is the unit of replication: seeds are independent, checkpoints of one seed are
not. So every function reduces the dimension ``seed`` and no other. Where several seeds
share a drawn instance (``runs_per_instance > 1``) the instance is the unit, and means
and their errors are over the instances' means. A seed whose value is NaN makes the
statistic NaN, with a warning that says where; seeds are never dropped. If points have
different numbers of seeds (the coordinate ``seeds``), each uses its own number.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy
import xarray as xr
from numpy.typing import ArrayLike

from jaxbandits.checks import one_of
from jaxbandits.results.lookup import check_dataset
from jaxbandits.results.moments import Moments
from jaxbandits.stats.betting import betting_ends
from jaxbandits.stats.bootstrap import bootstrap_ends
from jaxbandits.stats.checks import (
    check_bounds,
    check_level,
    check_method,
    check_probabilities,
)
from jaxbandits.stats.lookup import by_seed, metric_values, warn_of_missing
from jaxbandits.stats.moments import (
    half_width,
    is_large,
    quantiles_of,
    sem_of,
    summed,
)
from jaxbandits.stats.ragged import per_point, warn_per_point
from jaxbandits.stats.replications import replications
from jaxbandits.stats.soundness import warn, warn_of_moments, warn_of_one

METHODS = ("t", "bootstrap", "bounded")
SMALLEST = 1e-290  # smallest variance without loss of digits


class Interval(NamedTuple):
    """A mean and its confidence interval.

    Attributes:
      mean: float64, the mean over seeds, or over drawn instances that seeds share.
      lower: lower end; NaN with a single seed or instance.
      upper: upper end; NaN with a single seed or instance.
    """

    mean: xr.DataArray
    lower: xr.DataArray
    upper: xr.DataArray


def mean(dataset: xr.Dataset, metric: str) -> xr.DataArray:
    """Mean of a metric over seeds, ``[policy, params, checkpoint]``.

    Raises:
      ValueError: if `metric` is unknown.
    """
    values = metric_values(dataset, metric, moments=True, blocks=True, ragged=True)
    if is_large(values):
        return summed(values)[0]
    (result,) = per_point(
        values, lambda part: [replications(part).mean("seed", skipna=False)]
    )
    return result


def sem(dataset: xr.Dataset, metric: str) -> xr.DataArray:
    """Standard error of the mean over seeds, ``[policy, params, checkpoint]``.

    From the unbiased variance; NaN with a single seed.

    Raises:
      ValueError: if `metric` is unknown.

    Warns:
      CoverageWarning: if there is a single seed.
    """
    center, result = _mean_and_sem(dataset, metric)
    # Values that are not finite have another word.
    if result.isnull().all() and np.isfinite(center).any():
        warn_of_one(f"the standard errors of {metric!r}")
    return result


def quiet_sem(dataset: xr.Dataset, metric: str) -> xr.DataArray:
    """`sem` without warnings, for records, where unknown errors are left out."""
    return _mean_and_sem(dataset, metric)[1]


def _mean_and_sem(dataset: xr.Dataset, metric: str) -> list[xr.DataArray]:
    """The mean over seeds, and its standard error."""
    values = metric_values(dataset, metric, moments=True, blocks=True, ragged=True)
    if is_large(values):
        center, result = summed(values)
        return [center, center.copy(data=sem_of(result))]

    def of(part: xr.DataArray) -> list[xr.DataArray]:
        part = replications(part)
        return [part.mean("seed", skipna=False), _sem(part)]

    return [*per_point(values, of)]


def interval(
    dataset: xr.Dataset,
    metric: str,
    level: float = 0.95,
    method: str = "t",
    *,
    resamples: int = 9999,
    seed: int = 0,
    bounds: tuple[float, float] | None = None,
) -> Interval:
    """Confidence interval for the mean over seeds.

    Pointwise in the checkpoint: a band of such intervals does not cover the whole
    curve with probability `level`; `band` does. docs/statistics.md has a table of what
    the methods cover.

    Args:
      dataset: as `build_dataset` makes it.
      metric: name of a metric.
      level: coverage in (0, 1).
      method: "t", Student's interval; "bootstrap", the BCa interval of
        `jaxbandits.stats.bootstrap`, for many seeds of a skewed metric; or "bounded",
        an interval by betting that covers at least `level` for every distribution on
        `bounds` and every number of seeds, and is wider for it.
      resamples: number of bootstrap samples; for "bootstrap" alone, as `seed`.
      seed: seed of the bootstrap; the same seed gives the same interval.
      bounds: for "bounded", the least and the largest value that a run can have: not
        of the seeds at hand, but of all.

    Returns:
      An `Interval` of arrays ``[policy, params, checkpoint]``.

    Raises:
      ValueError: if `metric` or `method` is unknown, `level` is not in (0, 1),
        `resamples` is below ``2 / (1 - level)``, there is no seed, or `bounds` do not
        hold the values, are missing or not wanted.
      TypeError: if an argument is of another type.

    Warns:
      CoverageWarning: if with "t" or "bootstrap" the seeds at the last checkpoint do
        not support the coverage.
    """
    large = one_of("method", method, METHODS) == "t" and bounds is None
    values = metric_values(dataset, metric, moments=large, blocks=large, ragged=True)
    if is_large(values):
        return _of_moments(values, level)
    return _stated(values, level, method, resamples, seed, bounds)


def interval_of(
    values: xr.DataArray | ArrayLike,
    level: float = 0.95,
    method: str = "t",
    *,
    resamples: int = 9999,
    seed: int = 0,
    bounds: tuple[float, float] | None = None,
) -> Interval:
    """`interval` of values ``[..., seed]``, or a `DataArray` with the dimension.

    Of one value, or if a value is NaN, the interval is NaN, and a warning says so.
    """
    values = by_seed(values, "values")
    warn_of_missing(values, repr(values.name) if values.name else "values")
    return _stated(values, level, method, resamples, seed, bounds)


def _stated(values: xr.DataArray, level: float, method: str, *options: Any) -> Interval:
    """The interval, with a warning where the seeds do not support it."""
    result = _interval(values, level, method, *options)
    if method != "bounded":
        warn_per_point(values, _words(values, level))
    return result


def quiet_interval(values: xr.DataArray, level: float) -> Interval:
    """`interval_of` by Student's t, for callers that warn of many at once."""
    return _interval(values, level, "t")


def _of_moments(values: xr.DataArray, level: float) -> Interval:
    """Student's intervals from moments."""
    check_level(level)
    center, result = summed(values)
    last = Moments(*(center.copy(data=x).isel(checkpoint=-1).values for x in result))
    warn_of_moments(last, _words(values, level))
    half = half_width(result, level)
    return Interval(center, center - half, center + half)


def _words(values: xr.DataArray, level: float) -> str:
    of = f" of {values.name!r}" if values.name else ""
    return f"the {100 * level:g} % intervals{of}"


def _interval(
    values: xr.DataArray,
    level: float,
    method: str,
    resamples: int = 9999,
    seed: int = 0,
    bounds: tuple[float, float] | None = None,
) -> Interval:
    check_method(method, METHODS, level, resamples, seed)
    if (method == "bounded") != (bounds is not None):
        raise ValueError('bounds: are for the method "bounded", which needs them')
    low, high = (0.0, 1.0) if bounds is None else check_bounds(bounds, values.values)

    def of(part: xr.DataArray) -> Interval:
        part = replications(part)
        center = part.mean("seed", skipna=False)
        rows = part.transpose(..., "seed").values
        if method == "t":
            # Zero degrees of freedom give NaN in scipy, the promise for one seed.
            quantile = scipy.special.stdtrit(part.sizes["seed"] - 1, (1 + level) / 2)
            half = quantile * _sem(part)
            return Interval(center, center - half, center + half)
        if method == "bootstrap":
            ends = bootstrap_ends(rows, level, resamples, seed)
        else:
            units = betting_ends((rows - low) / (high - low), level)
            ends = low + (high - low) * units[0], low + (high - low) * units[1]
        return Interval(center, *(center.copy(data=end) for end in ends))

    return Interval(*per_point(values, of))


def quantiles(
    dataset: xr.Dataset, metric: str, q: float | Sequence[float]
) -> xr.DataArray:
    """Quantiles of a metric over seeds, interpolated linearly.

    Of single runs, also where several share a drawn instance. From a store of moments
    a run is known up to 1 / 64 of it (or 2^-16), see `jaxbandits.results.moments`; of
    dask arrays the result is one too.

    Args:
      dataset: as `build_dataset` makes it.
      metric: name of a metric.
      q: one or several probabilities in [0, 1].

    Returns:
      Array ``[quantile, policy, params, checkpoint]``, without the first dimension if
      `q` is a number.

    Raises:
      ValueError: if `metric` is unknown, `q` is empty or not in [0, 1], or there is no
        seed.
      TypeError: if `q` is no number or list of numbers.
    """
    values = metric_values(dataset, metric, moments=True, blocks=True, ragged=True)
    probabilities = check_probabilities(q, inside=False)
    if "moment" in values.dims:
        return quantiles_of(dataset, metric, probabilities)
    if values.chunks is not None:
        # All runs of a few curves at a time.
        values = values.chunk({"seed": -1, "checkpoint": 1})
    (result,) = per_point(
        values, lambda part: [part.quantile(probabilities, "seed", skipna=False)]
    )
    return result


def final(dataset: xr.Dataset, metric: str) -> xr.DataArray:
    """A metric at the last checkpoint, ``[policy, params, seed]``.

    Where points have different numbers of seeds it is NaN at those that one has not.

    Raises:
      ValueError: if `metric` is unknown, or there is no checkpoint.
    """
    check_dataset(dataset, "checkpoint")
    values = metric_values(dataset, metric, blocks=True, ragged=True)
    return values.isel(checkpoint=-1)


def variance(values: xr.DataArray) -> xr.DataArray:
    """Unbiased variance over the dimension ``seed``; NaN with a single seed.

    Raises:
      ValueError: if squared differences overflow or underflow float64.
    """
    if values.sizes["seed"] < 2:
        return xr.full_like(values.isel(seed=0, drop=True), np.nan)
    if values.chunks is None and np.isinf(values).any():
        warn(
            f"{values.name or 'values'}: some are infinite; their variance, and the "
            "errors and intervals made of it, are NaN",
            UserWarning,
        )
    with np.errstate(over="ignore", invalid="ignore"):
        result = values.var("seed", ddof=1, skipna=False)
    far = (result == np.inf) | (result < SMALLEST)
    if values.chunks is None and far.any():
        low, high = values.min("seed", skipna=False), values.max("seed", skipna=False)
        if (far & np.isfinite(low) & np.isfinite(high) & (low < high)).any():
            raise ValueError(
                f"{values.name or 'values'} must differ by 0, or by sizes in about "
                "[1e-150, 1e150], whose squares float64 holds: multiply them first"
            )
    return result


def _sem(values: xr.DataArray) -> xr.DataArray:
    return np.sqrt(variance(values) / values.sizes["seed"])  # type: ignore[return-value]
