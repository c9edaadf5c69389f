"""Two parameters of a policy as rows and columns."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import xarray as xr

from jaxbandits.plots.points import cells, check_at, the_policy
from jaxbandits.plots.samples import OF_RUNS, STATISTICS, Samples


class Grid(NamedTuple):
    """Values of two parameters and the points that have them.

    Attributes:
      x: float64[X], the distinct values, increasing.
      y: float64[Y].
      points: int[Y, X], number of the parameter point; -1 if no point has these values.
    """

    x: np.ndarray
    y: np.ndarray
    points: np.ndarray

    def places(self, points: Any) -> tuple[np.ndarray, np.ndarray]:
        """Rows and columns of some points."""
        rows, columns = np.nonzero(np.isin(self.points, points))
        return rows, columns


def grid_policy(dataset: xr.Dataset, policy: str | None, x: str, y: str) -> str:
    """The name of the policy that has both parameters; arguments as `plot_heat_map`."""
    if x == y:
        raise ValueError(f"y must be another parameter than x, got {y!r} for both")
    return the_policy(dataset, policy, {"x": x, "y": y})


def grid_of(
    dataset: xr.Dataset, policy: str, x: str, y: str, at: Mapping[str, float]
) -> Grid:
    """The grid of a policy's points, at the values of `at`."""
    check_at(dataset, [policy], at)
    result = cells(dataset, policy, (x, y), at)
    if not result:
        raise ValueError(f"at: no point of {policy!r} has all of {dict(at)}")
    xs, ys = (np.unique(column) for column in zip(*result, strict=True))
    points = np.full((len(ys), len(xs)), -1)
    for (at_x, at_y), point in result.items():
        points[np.searchsorted(ys, at_y), np.searchsorted(xs, at_x)] = point
    return Grid(xs, ys, points)


def grid_values(grid: Grid, runs: Samples, statistic: str) -> np.ndarray:
    """float64[Y, X]; NaN where there is no run or the metric is undefined."""
    values = np.full(grid.points.shape, np.nan)
    for place, point in np.ndenumerate(grid.points):
        if point >= 0 and runs.counts[point]:
            of = runs.of if statistic in OF_RUNS else runs.replications
            values[place] = STATISTICS[statistic](of(point))
    return values
