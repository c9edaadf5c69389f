"""Parameter points from columns of values: crossed, zipped, or both."""

import itertools
import math
from collections.abc import Iterable, Mapping

import numpy as np

from jaxbandits.checks import one_of

Point = dict[str, float]
MODES = ("cross", "zip")
MOST = 1_000_000  # points: each is a row of the store and of its description


def points_from(
    cross: Mapping[str, Iterable[float]] = {},
    zipped: Mapping[str, Iterable[float]] = {},
    name: str = "grid",
) -> list[Point]:
    """Every combination of the crossed values with every row of the zipped ones.

    Args:
      cross: values by leaf, each combined with each.
      zipped: values by leaf, the i-th ones together.
      name: of the argument, for errors.

    Returns:
      The points, the zipped leaves varying slowest and the last crossed one fastest;
      one without leaves if there are no columns.

    Raises:
      ValueError: on a column that is empty, unequal to another or no numbers, a leaf in
        both, or equal points.
    """
    for part in (cross, zipped):
        if not isinstance(part, Mapping) or not all(isinstance(k, str) for k in part):
            raise TypeError(f"{name} must map names of leaves to values, got {part!r}")
    if both := sorted(cross.keys() & zipped.keys()):
        raise ValueError(f"{name} both crosses and zips {both}")
    crossed, rows = (
        {leaf: _column(f"{name}[{leaf!r}]", values) for leaf, values in part.items()}
        for part in (cross, zipped)
    )
    if len({len(column) for column in rows.values()}) > 1:
        raise ValueError(f"{name} must have columns of equal length to zip them")
    lengths = [len(column) for column in [*rows.values()][:1] + [*crossed.values()]]
    number = math.prod(lengths)
    if number > MOST:
        raise ValueError(f"{name} has {number} points; at most {MOST} are possible")
    tuples = zip(*rows.values(), strict=True) if rows else [()]
    points = [
        dict(zip((*rows, *crossed), (*row, *combination), strict=True))
        for row, combination in itertools.product(
            tuples, itertools.product(*crossed.values())
        )
    ]
    if len({tuple(point.values()) for point in points}) < len(points):
        raise ValueError(f"{name} has equal points; each may stand there once")
    return points


def columns(grid: Mapping[str, Iterable[float]], mode: str, name: str) -> list[Point]:
    """`points_from` for a grid that is all crossed or all zipped."""
    if not isinstance(grid, Mapping):
        raise TypeError(f"{name} must be a mapping from leaves to values")
    one_of("mode", mode, MODES)
    if not grid:
        raise ValueError(f"{name} must name at least one leaf with values")
    return points_from(**{"cross" if mode == "cross" else "zipped": grid}, name=name)


def _column(name: str, values: Iterable[float]) -> list[float]:
    try:
        # Keys, bytes and masked numbers are none that somebody meant.
        no_list = isinstance(values, str | bytes | Mapping | np.ma.MaskedArray)
        column = np.asarray([] if no_list else list(values))
    except (TypeError, ValueError):  # A single number, lists of unequal lengths.
        column = np.empty(0)
    if column.ndim != 1 or column.size == 0 or column.dtype.kind not in "iuf":
        raise ValueError(f"{name} must be a list of numbers, at least one")
    if np.isnan(column).any():  # In results it says that there is no such parameter.
        raise ValueError(f"{name} must not have NaN")
    return column.astype(np.float64).tolist()
