"""One policy's runs at one checkpoint, point by point, and how points compare."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import xarray as xr

from jaxbandits.plots.runs import played
from jaxbandits.results.dataset import DIMS
from jaxbandits.results.lookup import metric_values
from jaxbandits.results.statistics import interval_of

# Of one sample, float64[seeds], to one number.
STATISTICS: dict[str, Callable[[np.ndarray], float]] = {
    "mean": np.mean,
    "median": np.median,
    "std": lambda sample: np.std(sample, ddof=1) if len(sample) > 1 else np.nan,
    "sem": lambda sample: STATISTICS["std"](sample) / np.sqrt(len(sample)),
}


class Samples(NamedTuple):
    """A metric of P parameter points and S seeds.

    A point has its own seeds: in a half-finished sweep, those that were played there.

    Attributes:
      values: float64[P, S].
      played: bool[P, S]; what was not played is in no statistic.
    """

    values: np.ndarray
    played: np.ndarray

    @property
    def counts(self) -> np.ndarray:
        """int[P], seeds played at every point."""
        return self.played.sum(1)

    def only(self, points: np.ndarray) -> "Samples":
        """The samples with all but some points counting as not played."""
        inside = np.isin(np.arange(len(self.values)), points)
        return self._replace(played=self.played & inside[:, None])

    def of(self, point: int) -> np.ndarray:
        """The values of one point, float64[its seeds]."""
        return self.values[point, self.played[point]]

    def difference(self, point: int, other: int) -> np.ndarray:
        """`point` minus `other`, float64[the seeds that both have]."""
        both = self.played[point] & self.played[other]
        return self.values[point, both] - self.values[other, both]


def samples(
    dataset: xr.Dataset, metric: str, policy: str, checkpoint: int = -1
) -> Samples:
    """The samples of a policy. The dataset has one instance and whatever points.

    Raises:
      ValueError: if `metric` is unknown.
    """
    dataset = dataset.sel(policy=[policy])
    # Of a store, what is not selected before the values are asked for is read.
    at_end = dataset.isel(checkpoint=[checkpoint])
    values = metric_values(at_end, metric).transpose(*DIMS)
    return Samples(values.values[0, :, :, 0], played(dataset).values[0])


def t_interval(sample: np.ndarray, level: float) -> tuple[float, float, float]:
    """Mean and Student's t interval of a sample; NaN where it is too small."""
    if sample.size == 0:
        return np.nan, np.nan, np.nan
    found = interval_of(xr.DataArray(sample, dims="seed"), level)
    return found.mean.item(), found.lower.item(), found.upper.item()


def enough_seeds(runs: Samples) -> int:
    """Half the seeds of the point that has most; what has fewer has only begun."""
    return -(-int(runs.counts.max()) // 2)


def best_point(runs: Samples, smaller_is_better: bool) -> int | None:
    """The point with the best mean, of those with enough seeds: few could be lucky."""
    # An empty sample has no mean; leave it out before it warns.
    able = np.flatnonzero(runs.counts >= max(enough_seeds(runs), 1))
    means = np.array([runs.of(point).mean() for point in able])
    if np.isnan(means).all():  # So it is if there are none.
        return None
    return int(able[(np.nanargmin if smaller_is_better else np.nanargmax)(means)])


def indistinguishable(runs: Samples, best: int, level: float) -> np.ndarray:
    """bool[P], points that the paired t test does not tell from point `best`.

    Not `best` itself, and no point without runs. The comparisons are one by one, with
    no correction for their number or for how `best` was chosen.
    """
    close = np.zeros(len(runs.values), bool)
    for point in np.flatnonzero(runs.counts):
        if point != best and not np.isnan(runs.of(point)).any():
            _, lower, upper = t_interval(runs.difference(point, best), level)
            # A difference of one seed has no interval, and so tells nothing.
            close[point] = not (lower > 0 or upper < 0)
    return close
