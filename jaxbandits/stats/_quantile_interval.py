"""Distribution-free confidence intervals for quantiles over seeds.

Between two order statistics. The number of seeds at or below a quantile is binomial
whatever the distribution: Scheffe and Tukey (1945), "Non-parametric estimation I",
Ann. Math. Stat. 16, 187-192 (for distributions with atoms too); David and Nagaraja
(2003), "Order Statistics", Section 7.1.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import scipy
import xarray as xr

from jaxbandits.stats.checks import check_level, check_probabilities
from jaxbandits.stats.lookup import metric_values
from jaxbandits.stats.replications import shared_instances
from jaxbandits.stats.soundness import warn


class QuantileInterval(NamedTuple):
    """A quantile over seeds and its confidence interval.

    Attributes:
      quantile: float64, the sample's quantile, interpolated linearly.
      lower: lower end, an order statistic; NaN where there are too few seeds.
      upper: upper end, likewise.
    """

    quantile: xr.DataArray
    lower: xr.DataArray
    upper: xr.DataArray


def quantile_interval(
    dataset: xr.Dataset,
    metric: str,
    q: float | Sequence[float],
    level: float = 0.95,
) -> QuantileInterval:
    """Equal-tailed confidence interval for quantiles of a metric over seeds.

    Either end is missed with probability at most ``(1 - level) / 2``: with S seeds and
    B binomial (S, q), the lower end is the largest order statistic ``X_(l)`` with
    ``P(B < l) <= (1 - level) / 2`` and the upper end the smallest ``X_(u)`` with
    ``P(B >= u) <= (1 - level) / 2``. For the median at level 0.95 it takes 6 seeds to
    have both, for the quantile 0.95 it takes 72 to have an upper end.

    Args:
      dataset: as `build_dataset` makes it.
      metric: name of a metric.
      q: one or several probabilities in (0, 1).
      level: coverage in (0, 1), a lower bound for every distribution.

    Returns:
      A `QuantileInterval` of arrays ``[quantile, policy, params, checkpoint]``,
      without the first dimension if `q` is a number. An end that no order statistic
      gives is NaN; so is everything where a seed is NaN.

    Raises:
      ValueError: if `metric` is unknown, `q` is empty, `q` or `level` is not in (0, 1),
        there is no seed, or seeds share drawn instances.
      TypeError: if `q` or `level` is of another type.

    Warns:
      CoverageWarning: if there are too few seeds for an end.
    """
    values = metric_values(dataset, metric)
    check_level(level)
    probabilities = np.atleast_1d(check_probabilities(q, inside=True))
    if shared_instances(values) is not None:
        raise ValueError(
            "dataset: several seeds share a drawn instance (runs_per_instance > 1), "
            "and order statistics take independent runs; keep one run of each, as in "
            'dataset.isel(seed=np.unique(dataset["instance"], return_index=True)[1])'
        )
    center = values.quantile(q, "seed", skipna=False)
    size = values.sizes["seed"]
    tail = (1 - level) / 2
    # ppf is the smallest k with P(B <= k) >= tail, so that P(B < k) < tail.
    lower = scipy.stats.binom.ppf(tail, size, probabilities).astype(int)
    upper = scipy.stats.binom.ppf(1 - tail, size, probabilities).astype(int) + 1
    if np.any(lower < 1) or np.any(upper > size):
        warn(
            f"the {100 * level:g} % intervals of quantiles of {metric!r} lack an end, "
            f"which is NaN: {size} seeds are too few for it"
        )
    ordered = np.sort(values.transpose("seed", ...).values, axis=0)
    nan = np.full_like(ordered[:1], np.nan)
    # The order statistics 0 and size + 1 do not exist, and NaN sorts to the end.
    ordered = np.concatenate([nan, np.where(np.isnan(ordered[-1]), nan, ordered), nan])
    ends = (ordered[place].reshape(center.shape) for place in (lower, upper))
    return QuantileInterval(center, *(center.copy(data=end) for end in ends))
