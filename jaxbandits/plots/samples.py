"""One policy's runs at one checkpoint, point by point, and how points compare."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import xarray as xr

from jaxbandits.plots.runs import number_per_run, played
from jaxbandits.results.dataset import DIMS
from jaxbandits.stats.intervals import quiet_interval
from jaxbandits.stats.pair_tests import t_test
from jaxbandits.stats.replications import group, shared_instances

# Of one sample, float64[seeds], to one number. Median and deviation are of single runs,
# the others of replications.
OF_RUNS = ("median", "std")
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
      played: bool[P, S], whether a run was played; other runs are ignored.
      drawn: [S], the drawn instance of every seed; None if no two seeds share one.
    """

    values: np.ndarray
    played: np.ndarray
    drawn: np.ndarray | None = None

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
        return np.asarray(self.values[point, self.played[point]])

    def replications(self, point: int) -> np.ndarray:
        """As `of`, or the means of the drawn instances that seeds share."""
        return self._independent(self.values[point], self.played[point])

    def difference(self, point: int, other: int) -> np.ndarray:
        """`point` minus `other`: replications on the seeds that both have."""
        both = self.played[point] & self.played[other]
        return self._independent(self.values[point] - self.values[other], both)

    def _independent(self, row: np.ndarray, there: np.ndarray) -> np.ndarray:
        if self.drawn is None or not there.any():
            return np.asarray(row[there])
        return group(self.drawn[there]).means(row[there])


def samples(
    dataset: xr.Dataset, metric: str, policy: str, checkpoint: int = -1
) -> Samples:
    """The samples of a policy. The dataset has one instance and whatever points."""
    dataset = dataset.sel(policy=[policy])
    # Of a store, what is not selected before the values are asked for is read.
    at_end = dataset.isel(checkpoint=[checkpoint])
    values = number_per_run(at_end, metric).transpose(*DIMS)
    ran = played(dataset).values[0]
    return Samples(values.values[0, :, :, 0], ran, shared_instances(dataset))


def t_interval(sample: np.ndarray, level: float) -> tuple[float, float, float]:
    """Mean and Student's t interval of a sample; NaN where it is too small."""
    if sample.size == 0:
        return np.nan, np.nan, np.nan
    result = quiet_interval(xr.DataArray(sample, dims="seed"), level)
    return result.mean.item(), result.lower.item(), result.upper.item()


def enough_seeds(runs: Samples) -> int:
    """Half the largest number of seeds of a point; points with fewer are ignored."""
    return -(-int(runs.counts.max()) // 2)


def best_point(runs: Samples, smaller_is_better: bool) -> int | None:
    """The point with the best mean, of those with enough seeds: few could be lucky."""
    # An empty sample has no mean; leave it out before it warns.
    able = np.flatnonzero(runs.counts >= max(enough_seeds(runs), 1)).tolist()
    means = np.array([runs.replications(point).mean() for point in able])
    if np.isnan(means).all():  # So it is if there are none.
        return None
    return int(able[(np.nanargmin if smaller_is_better else np.nanargmax)(means)])


def may_be_best(
    runs: Samples, best: int, level: float, smaller_is_better: bool
) -> np.ndarray:
    """bool[P], points that are not significantly worse than point `best`.

    Not `best` itself, and no point without runs. Paired t tests, one-sided and with
    Bonferroni's correction for the k points with runs: whichever point has the best
    true mean, it is `best` or among these with probability at least `level`, however
    `best` was chosen (it is left out only if its own test against one of the k - 1
    others errs). What the seeds do not support
    (`jaxbandits.stats.pair_tests.t_test`) makes no point surely worse.
    """
    points = np.flatnonzero(runs.counts).tolist()
    each = 1 - 2 * (1 - level) / max(len(points) - 1, 1)
    not_worse = np.zeros(len(runs.values), bool)
    for point in points:
        if point != best and not np.isnan(runs.of(point)).any():
            difference = runs.difference(point, best)
            if not smaller_is_better:
                difference = -difference
            scale = np.abs(runs.of(point)).max()
            result = t_test(difference, each, scale) if difference.size else None
            worse = result and result.sign > 0 and result.p <= 1 - each
            not_worse[point] = not worse
    return not_worse
