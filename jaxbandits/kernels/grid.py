"""Grids of limits in arrays of fixed capacity, and the splitting of their cells.

The grid of z-RCUCB (Bengs & Huellermeier 2022, Algorithm 1): `limit_grid` makes a grid,
`split_cells` refines it, and `cell_at` returns the point that represents a limit.

Grid points are not sorted. A point keeps its position after it is added, and stores the
width of the cell ``(limit - width, limit]`` that it represents. A split adds points
inside the cell and narrows the cell of the point itself; no other point changes. Points
of width 0 cannot be played: unused positions, and points that only keep statistics
("watched" points). With ``inherit`` these are the points at which a cell will be split
next; with ``whole`` all points of the finest grid, sorted, from the first round on.
"""

import math
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax
from jax.typing import ArrayLike
from jaxtyping import Bool, Float, Int, Int32, Real

from jaxbandits.arrays import first_argmax, first_true, pick
from jaxbandits.arrays.real import integer, real
from jaxbandits.checks import (
    MOST,
    instance,
    kinds,
    non_negative,
    number,
    one_of,
    played,
    positive,
    shaped,
    whole,
)

HISTORIES = ("restart", "inherit", "whole")


class Grid(NamedTuple):
    """The grids of all arms ``[K, ...]``, or of one arm.

    Attributes:
      limit: f32[G], the points tau; 0 at unused positions.
      width: f32[G], width of the point's cell; 0 if the point cannot be played.
      born: i32[G], number of rounds of the arm before the point was added.
      watched: i32[G], position of the first of the ``splits - 1`` watched points inside
        the cell, for the next split; None if not needed (`restart`, `whole`).
      count: i32[], number of used positions.
    """

    limit: Float[Array, "*arms G"]
    width: Float[Array, "*arms G"]
    born: Int32[Array, "*arms G"]
    watched: Int32[Array, "*arms G"] | None
    count: Int32[Array, "*arms"]  # type: ignore[assignment]

    @property
    def playable(self) -> Bool[Array, "*arms G"]:
        """Whether each point may be played, bool[..., G]."""
        return self.width > 0

    def used(self, capacity: int) -> Bool[Array, " G"]:
        """Whether each point of one arm keeps statistics, bool[G]."""
        return jnp.arange(capacity, dtype=jnp.int32) < self.count


def limit_grid(
    num_arms: int | None,
    capacity: int,
    max_limit: float,
    splits: int = 2,
    history: str = "restart",
) -> Grid:
    """A grid with one cell ``(0, max_limit]`` for every arm.

    Args:
      num_arms: K, or None for the grid of one arm, without an axis of arms.
      capacity: G, the largest number of points of an arm.
      max_limit: positive; the largest limit.
      splits: m >= 2, number of parts into which a cell is split.
      history: which points keep statistics before they can be played. ``restart``:
        none. ``inherit``: the points at which a cell will be split next, from the
        creation of the cell on. ``whole``: all points of the finest grid, from the
        first round on.

    Returns:
      A `Grid` of arrays ``[K, G]``, or ``[G]``.

    Raises:
      TypeError, ValueError: if an argument is out of range. The capacity must be at
        least m, with ``inherit`` m**2; with ``whole`` it must be a power of m.

    Examples:
      >>> import jax.numpy as jnp
      >>> grid = limit_grid(None, 4, 1.0)
      >>> first = jnp.array([True, False, False, False])
      >>> grid, overflow = split_cells(grid, first, born=5)
      >>> grid.limit, int(grid.count), bool(overflow)
      (Array([1. , 0.5, 0. , 0. ], dtype=float32), 2, False)
      >>> int(cell_at(grid, 0.3)), int(cell_at(grid, 0.7))
      (1, 0)
    """
    check_capacity(capacity, splits, history)
    positive(max_limit=max_limit)
    played(max_limit=max_limit)
    max_limit = number("max_limit", max_limit)
    place = jnp.arange(capacity, dtype=jnp.int32)
    first = place == 0
    limit = jnp.where(first, max_limit, 0.0)
    width, count, watched = limit, 1, None
    if history == "inherit":
        inside = (place > 0) & (place < splits)
        limit = jnp.where(inside, max_limit * place.astype(float) / splits, limit)
        watched, count = first.astype(jnp.int32), splits
    if history == "whole":
        limit = max_limit * ((place + 1).astype(float) / capacity)
        width = jnp.where(place == capacity - 1, max_limit, 0.0)
        count = capacity
    one = Grid(
        limit.astype(float),
        width.astype(float),
        jnp.zeros(capacity, jnp.int32),
        watched,
        jnp.int32(count),
    )
    if num_arms is None:
        return one
    arms = whole("num_arms", num_arms, 1, MOST)
    return jax.tree.map(lambda x: jnp.broadcast_to(x, (arms, *x.shape)), one)


def check_capacity(capacity: Any, splits: int, history: str) -> int:
    """Require a valid capacity, see `limit_grid`, and return it."""
    whole("splits", splits, 2, MOST)
    one_of("history", history, HISTORIES)
    capacity = whole("capacity", capacity, 1, MOST)
    least = splits**2 if history == "inherit" else splits
    if capacity < least:
        raise ValueError(
            f"capacity must be at least {least} with splits = {splits} and "
            f"history={history!r}, got {capacity}"
        )
    if history == "whole" and splits ** round(math.log(capacity, splits)) != capacity:
        raise ValueError(
            f"capacity must be a power of splits = {splits} where history='whole', got "
            f"{capacity}"
        )
    return capacity


def cell_at(grid: Grid, limit: Real[ArrayLike, ""]) -> Int32[Array, ""]:
    """Position of the point whose cell contains a limit.

    Args:
      grid: grid of one arm.
      limit: f[] in (0, max_limit]; a larger limit counts as the largest.

    Returns:
      i32[], position of the smallest playable point that is at least the limit.
    """
    instance("grid", grid, Grid, "one arm's, of limit_grid")
    limit = real(limit=limit)
    shaped("", limit=limit)
    shaped("G", **{"grid.limit": grid.limit})
    if not isinstance(limit, jax.core.Tracer):
        positive(limit=limit)
    largest = jnp.max(grid.limit)
    above = grid.playable & (grid.limit >= jnp.minimum(limit, largest))
    return first_argmax(jnp.where(above, -grid.limit, -jnp.inf))


@kinds
def split_cells(
    grid: Grid,
    ready: Bool[ArrayLike, " G"],
    born: Int[ArrayLike, ""],
    splits: int = 2,
    history: str = "restart",
) -> tuple[Grid, Bool[Array, ""]]:
    """Split the cells of several points of one arm's grid, in order of position.

    A split is skipped if the grid has no capacity left for it.

    Args:
      grid: grid of one arm.
      ready: bool[G], points whose cells are split; all of them must be playable.
      born: i32[] >= 0, rounds of the arm so far.
      splits: m of the grid. Traced values are not checked.
      history: history of the grid.

    Returns:
      ``(grid, overflow)``, overflow bool[]: whether a split was skipped.

    Raises:
      TypeError, ValueError: if an argument has a wrong type, shape or range.
    """
    shaped("G", **{"grid.limit": grid.limit})
    check_capacity(grid.limit.shape[0], splits, history)
    if (grid.watched is not None) != (history == "inherit"):
        raise ValueError(f"history must be that of the grid, got {history!r}")
    if np.shape(ready) != grid.limit.shape or jnp.result_type(ready) != jnp.bool_:
        raise TypeError(
            f"ready must be bool[{grid.limit.shape[0]}], a truth value per place, got "
            f"{jnp.result_type(ready)}{list(np.shape(ready))}"
        )
    born = integer("born", born)
    _check_values(grid, ready, born, splits)
    ready, born = jnp.asarray(ready), born.astype(jnp.int32)
    split = SPLITS[history]

    def going(carry):
        return jnp.any(carry[1])

    def step(carry):
        grid, ready, overflow = carry
        place = first_true(ready)
        after, needed = split(grid, place, born, splits)
        fits = grid.count + needed <= ready.shape[0]
        grid = jax.tree.map(lambda new, old: jnp.where(fits, new, old), after, grid)
        rest = ready & (jnp.arange(ready.shape[0], dtype=jnp.int32) != place)
        if history != "whole":
            # All splits need equally many positions: if one does not fit, none does.
            rest &= fits
        return grid, rest, overflow | ~fits

    grid, _, overflow = lax.while_loop(going, step, (grid, ready, jnp.zeros((), bool)))
    return grid, overflow


def _check_values(grid: Grid, ready: ArrayLike, born: Array, splits: int) -> None:
    """Refuse values that `split_cells` cannot use, unless they are traced."""
    if not isinstance(born, jax.core.Tracer):
        non_negative(born=born)
    if not any(isinstance(x, jax.core.Tracer) for x in (ready, grid.width)):
        unplayable = np.flatnonzero(np.asarray(ready) & ~np.asarray(grid.playable))
        if unplayable.size:
            raise ValueError(
                "ready must be true of playable points only (those of a positive "
                f"width), got also {unplayable.tolist()}"
            )
    if grid.watched is None or any(isinstance(x, jax.core.Tracer) for x in grid):
        return
    # The first watched point inside the cell that ends at the largest limit.
    limit, width, watched = map(np.asarray, (grid.limit, grid.width, grid.watched))
    wanted = limit[0] - width[0] * (1 - 1 / splits)
    if not np.isclose(limit[watched[0]], wanted):
        raise ValueError(f"splits must be those of the grid, got {splits}")


def _split(
    grid: Grid, place: Array, born: Array, splits: int
) -> tuple[Grid, Array | int]:
    """Add the points inside the cell from left to right."""
    places = jnp.arange(grid.limit.shape[0], dtype=jnp.int32)
    right, width = pick(grid.limit, place), pick(grid.width, place)
    step = places - grid.count + 1  # 1, ..., m - 1 at the new points
    new = (step >= 1) & (step < splits)
    limit = (right - width) + step.astype(float) * width / splits
    after = grid._replace(
        limit=jnp.where(new, limit, grid.limit),
        width=jnp.where(new | (places == place), width / splits, grid.width),
        born=jnp.where(new, born, grid.born),
        count=grid.count + (splits - 1),
    )
    return after, splits - 1


def _split_watched(
    grid: Grid, place: Array, born: Array, splits: int
) -> tuple[Grid, Array | int]:
    """Make the watched points playable; add watched points inside each new cell.

    The points of the point's own cell, the rightmost, come first, then those of the
    other cells from left to right.
    """
    each = splits - 1
    places = jnp.arange(grid.limit.shape[0], dtype=jnp.int32)
    right, width = pick(grid.limit, place), pick(grid.width, place)
    narrow = width / splits
    watched = pick(grid.watched, place)  # type: ignore[arg-type]
    cell = places - watched + 1  # 1, ..., m - 1 at the watched points
    opened = (cell >= 1) & (cell < splits)
    offset = places - grid.count
    new = (offset >= 0) & (offset < splits * each)
    number, step = offset // each, offset % each + 1
    left = jnp.where(
        number == 0, right - narrow, right - width + narrow * (number - 1).astype(float)
    )
    own = places == place
    after = grid._replace(
        limit=jnp.where(new, left + step.astype(float) * narrow / splits, grid.limit),
        width=jnp.where(opened | own, narrow, grid.width),
        born=jnp.where(new, born, grid.born),
        watched=jnp.where(
            opened | own,
            grid.count + each * jnp.where(own, 0, cell),
            grid.watched,  # type: ignore[arg-type]
        ),
        count=grid.count + splits * each,
    )
    return after, splits * each


def _split_whole(
    grid: Grid, place: Array, born: Array, splits: int
) -> tuple[Grid, Array | int]:
    """Make points of the finest grid, with statistics since the first round, playable.

    A cell with a single point of the finest grid cannot be split: an overflow.
    """
    del born
    capacity = grid.limit.shape[0]
    width = pick(grid.width, place)
    points = jnp.round(width / jnp.max(grid.limit) * capacity).astype(jnp.int32)
    before = place - jnp.arange(capacity, dtype=jnp.int32)
    inside = (before >= 0) & (before < points)
    at_edge = before % jnp.maximum(points // splits, 1) == 0
    narrow = jnp.where(inside & at_edge, width / splits, grid.width)
    return grid._replace(width=narrow), (points < splits).astype(jnp.int32)


SPLITS = {"restart": _split, "inherit": _split_watched, "whole": _split_whole}
