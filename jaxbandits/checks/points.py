"""Parameter points: a table of columns, from a grid of values.

A grid says in a line or two what a table of points holds in full: ``policy.over(...)``
takes the one, everything below it the other.
"""

import math
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from jaxbandits import checks
from jaxbandits.console.progress import doing

MOST = 1_000_000  # points: each is a row of the store and of its description
ENDS = {"horizon", "budget"}  # of a game, known to be large, and no worse if rounded


class Zipped(NamedTuple):
    """Columns whose i-th values belong together; see `zipped`."""

    columns: Mapping[str, Any]
    crossed: Mapping[str, Any] = {}


class Points(NamedTuple):
    """P parameter points.

    Attributes:
      columns: f64[P] by leaf; NaN where a point leaves the leaf at its default.
      count: P.
    """

    columns: dict[str, np.ndarray]
    count: int = 1  # type: ignore[assignment]

    def at(self, rows: Any) -> "Points":
        """Some of the points: a slice, a mask or a list of numbers."""
        columns = {leaf: column[rows] for leaf, column in self.columns.items()}
        return Points(columns, len(np.arange(self.count)[rows]))

    def row(self, number: int) -> dict[str, float]:
        """A point: its values by leaf, without those that are default."""
        values = {leaf: float(x[number]) for leaf, x in self.columns.items()}
        return {leaf: x for leaf, x in values.items() if not math.isnan(x)}


def zipped(columns: Mapping[str, Any], crossed: Mapping[str, Any] = {}) -> Zipped:
    """Columns of which the i-th values belong together, for ``policy.over(...)``.

    Args:
      columns: values by leaf of a policy's parameters, equally many; a single number
        goes with all of them.
      crossed: more values by leaf, of which each is combined with every row of
        `columns`.
    """
    return Zipped(columns, crossed)


def crossed_with(design: Any, crossed: Mapping[str, Any], name: str) -> Any:
    """A design of which every row is combined with each of some values by leaf.

    Args:
      design: what `zipped` gives, or None.
      crossed: the values.
      name: of what takes both, for errors.
    """
    if design is None:
        return crossed
    if not isinstance(design, Zipped):
        raise TypeError(
            f"{name}: its first argument must be what zipped(...) or sampled(...) "
            f"gives, got {checks.shown(design)}; values by name are its keywords"
        )
    for part in design:
        _check_named(name, part)
    if both := sorted({*design.columns, *design.crossed} & crossed.keys()):
        raise ValueError(f"{name}: {both} are in the design and by name")
    return Zipped(design.columns, {**design.crossed, **crossed})


def points_from(grid: Any, name: str = "points") -> Points:
    """The points of a grid.

    Args:
      grid: None for one point, at the defaults; values by leaf (numbers or lists of
        them), each combined with each; a `Params`, which is such a mapping; or what
        `zipped` gives.
      name: of the argument, for errors.

    Returns:
      The points, zipped leaves varying slowest and the last crossed one fastest.

    Raises:
      ValueError, TypeError: on a column that is empty, unequal to another that it is
        zipped with or no numbers, a leaf in both, or equal points.
    """
    if isinstance(grid, Points):
        return grid
    rows, crossed = _parts(grid)
    for part in (rows, crossed):
        _check_named(name, part)
    if both := sorted(crossed.keys() & rows.keys()):
        raise ValueError(f"{name} both crosses and zips {both}")
    crossed, rows = (
        {x: _column(f"{name}: {x}", v, x in ENDS) for x, v in part.items()}
        for part in (crossed, rows)
    )
    lengths = {x: column.size for x, column in rows.items() if column.ndim}
    if len({*lengths.values()}) > 1:
        raise ValueError(
            f"{name} must have columns of equal length to zip them, got {lengths}"
        )
    length = next(iter(lengths.values()), 1)
    sizes = [length, *(column.size for column in crossed.values())]
    count = math.prod(sizes)
    if count > MOST:
        many = f"{count}" if count < 10**15 else f"10**{math.log10(count):.0f}"
        raise ValueError(f"{name} has {many} points; at most {MOST} are possible")
    columns = {x: np.broadcast_to(column, length) for x, column in rows.items()}
    axes = [columns] + [{x: np.atleast_1d(column)} for x, column in crossed.items()]
    table = {}
    for axis, part in enumerate(axes):
        before, after = math.prod(sizes[:axis]), math.prod(sizes[axis + 1 :])
        for leaf, column in part.items():
            table[leaf] = np.tile(np.repeat(column, after), before)
    points = Points(table, count)
    with doing("comparing parameter points"):
        pair = equal_points(points)
    if pair is not None:
        raise ValueError(
            f"{name} has equal points, {points.row(pair[0])}; each may stand there once"
        )
    return points


def same_points(one: Points, other: Points) -> bool:
    """Whether two tables hold the same points in the same order."""
    return one.columns.keys() == other.columns.keys() and all(
        np.array_equal(column, other.columns[leaf], equal_nan=True)
        for leaf, column in one.columns.items()
    )


def equal_points(points: Points, dtype: Any = np.float64) -> tuple[int, int] | None:
    """Numbers of two points that are equal when they are rounded to `dtype`."""
    if not points.columns:
        return (0, 1) if points.count > 1 else None
    with np.errstate(over="ignore"):
        rows = np.stack([*points.columns.values()], 1).astype(dtype)
    # Sorted by all columns, equal rows are neighbours. (Adding 0 makes -0 a 0.)
    rows = rows + np.zeros((), dtype)
    order = np.lexsort(rows.T)
    before, after = rows[order[:-1]], rows[order[1:]]
    same = ((before == after) | (np.isnan(before) & np.isnan(after))).all(axis=1)
    if not same.any():
        return None
    first = int(np.flatnonzero(same)[0])
    low, high = sorted((int(order[first]), int(order[first + 1])))
    return low, high


def _check_named(name: str, values: Any) -> None:
    if not isinstance(values, Mapping) or not all(isinstance(x, str) for x in values):
        raise TypeError(
            f"{name} must map names of parameters to values, got {checks.shown(values)}"
        )


def _parts(grid: Any) -> tuple[Any, Any]:
    """What is zipped, and what is crossed."""
    if grid is None:
        return {}, {}
    if isinstance(grid, Zipped):
        return grid.columns, grid.crossed
    if hasattr(grid, "_asdict"):
        return {}, grid._asdict()
    return {}, grid


def _column(name: str, values: float | Iterable[float], rounded: bool) -> np.ndarray:
    """f64[n], at least one number, or f64[] of a single one.

    Args:
      name: of it, for errors.
      values: what was given.
      rounded: whether integers may be played as others that are near.
    """
    # Keys, bytes and masked numbers are none that somebody meant.
    no_list = (str, bytes, bytearray, memoryview, Mapping, set, frozenset)
    if isinstance(values, (*no_list, np.ma.MaskedArray)):
        raise TypeError(
            f"{name} must be a number or a list of them, got {checks.shown(values)}"
        )
    if not hasattr(values, "dtype") and isinstance(values, Iterable):
        values = list(islice(values, MOST + 1))
        if len(values) > MOST:
            raise ValueError(f"{name} must end: at most {MOST} values are possible")
    column = checks.numbers(name, values)
    if not rounded:
        checks.unrounded(name, values)
    if column.ndim > 1 or not column.size:
        raise ValueError(
            f"{name} must be a number or a list of them, at least one, got "
            f"{checks.shown(values)}"
        )
    if np.isnan(column).any():  # In results it says that there is no such parameter.
        raise ValueError(f"{name} must be a number, got NaN")
    return column
