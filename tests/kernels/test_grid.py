"""Grids of limits against plain Python lists."""

import itertools
from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np

from jaxbandits.kernels import cell_at, limit_grid, split_cells
from tests.tables import assert_refused, each_row

LARGEST, CAPACITY = 1.5, 40
GROWING = ("restart", "inherit")  # grids that grow by places; `whole` is below
SPLITS = (2, 3)  # an even number and an odd one
by_case = each_row("history, splits", itertools.product(GROWING, SPLITS))


@dataclass
class Point:
    """A point, its cell's width (0: not playable), and where its watched ones are."""

    limit: float
    width: float
    born: int
    watched: int = 0


class Model:
    """The grid of one arm as a list of points, extended one split after the other."""

    def __init__(self, capacity, splits, history):
        self.capacity, self.splits = capacity, splits
        self.inherit = history == "inherit"
        self.points = [Point(LARGEST, LARGEST, 0)]
        self.overflow = False
        if self.inherit:
            self.watch(self.points[0], 0)

    def watch(self, point, born):
        """Add the points at which the point's cell would be split."""
        point.watched = len(self.points)
        self.points += self.inside(point.limit, point.width, 0.0, born)

    def inside(self, right, width, new_width, born):
        """The points strictly inside ``(right - width, right]``, left to right."""
        m = self.splits
        limits = [right - width + s * width / m for s in range(1, m)]
        return [Point(limit, new_width, born) for limit in limits]

    def extend(self, ready, born):
        """Split the cells of the ready places in order, until there is no room."""
        m = self.splits
        for place in np.flatnonzero(ready).tolist():
            point = self.points[place]
            needed = (m - 1) * (m if self.inherit else 1)
            if len(self.points) + needed > self.capacity:
                self.overflow = True
                return
            narrow = point.width / m
            if not self.inherit:
                self.points += self.inside(point.limit, point.width, narrow, born)
                point.width = narrow
                continue
            opened = self.points[point.watched : point.watched + m - 1]
            for cell in [point, *opened]:
                cell.width = narrow
                self.watch(cell, born)

    def playable(self):
        return [p for p in self.points if p.width > 0]


def started(capacity, splits, history, num_arms=1):
    return start_now(num_arms, capacity, LARGEST, splits, history)


def of_arm(grid, arm=0):
    return jax.tree.map(lambda x: np.asarray(x)[arm], grid)


start_now = jax.jit(limit_grid, static_argnums=(0, 1, 2, 3, 4))
extend_now = jax.jit(split_cells, static_argnums=(3, 4))


def assert_equal(grid, model):
    """Every used place, and nothing beyond."""
    used, capacity = len(model.points), grid.limit.shape[0]
    assert int(grid.count) == used
    names = ("limit", "width", "born", "watched")
    columns = {n: np.array([getattr(p, n) for p in model.points]) for n in names}
    for name in names[:3]:
        found = np.asarray(getattr(grid, name))
        np.testing.assert_allclose(found[:used], columns[name], rtol=1e-6)
        assert not np.any(found[used:])
    np.testing.assert_array_equal(grid.used(capacity), np.arange(capacity) < used)
    playable = columns["width"] > 0
    np.testing.assert_array_equal(grid.playable[:used], playable)
    if model.inherit:
        found = np.asarray(grid.watched)[:used]
        np.testing.assert_array_equal(found[playable], columns["watched"][playable])


def assert_partition(grid):
    """The cells of the playable points cover (0, LARGEST], each limit once."""
    limit, width = (np.asarray(x)[grid.playable] for x in (grid.limit, grid.width))
    order = np.argsort(limit)
    limit, width = limit[order], width[order]
    edges = np.concatenate([[0.0], limit])
    np.testing.assert_allclose(limit - width, edges[:-1], atol=1e-6)
    assert limit[-1] == LARGEST


@by_case
def test_a_grid_begins_with_one_cell_of_every_arm(history, splits):
    grid = started(10, splits, history, num_arms=3)
    for arm in range(3):
        assert_equal(of_arm(grid, arm), Model(10, splits, history))
    assert grid.limit.shape == (3, 10) and grid.count.shape == (3,)
    assert (grid.watched is None) == (history == "restart")
    assert grid.playable.sum(axis=1).tolist() == [1, 1, 1]


@by_case
def test_random_extensions_are_those_of_a_list_of_points(history, splits, rng):
    """Several splits at a time, from the first cell until nothing fits any more."""
    grid = of_arm(started(CAPACITY, splits, history))
    model, overflows = Model(CAPACITY, splits, history), []
    idle, overflow = extend_now(
        grid, np.zeros(CAPACITY, bool), jnp.int32(9), splits, history
    )
    assert not overflow
    jax.tree.map(np.testing.assert_array_equal, idle, grid)
    for born in range(1, 40):
        ready = np.asarray(grid.playable) & (rng.random(CAPACITY) < 0.4)
        grid, overflow = extend_now(grid, ready, jnp.int32(born), splits, history)
        model.overflow = False
        model.extend(ready, born)
        assert bool(overflow) == model.overflow
        overflows.append(model.overflow)
        assert_equal(grid, model)
        assert_partition(grid)
        if sum(overflows) == 3:
            break
    assert len(model.points) > CAPACITY / 2 and sum(overflows) == 3


@each_row("splits", SPLITS)
def test_the_whole_grid_is_opened_where_another_is_extended(splits, rng):
    """The playable points are those of a list of points; all of them watch."""
    capacity = splits**3
    grid = of_arm(started(capacity, splits, "whole"))
    edges = LARGEST * np.arange(1, capacity + 1) / capacity
    np.testing.assert_allclose(grid.limit, edges, rtol=1e-6)
    assert int(grid.count) == capacity and not np.any(grid.born)
    model = Model(capacity, splits, "restart")
    for born in range(1, 30):
        ready = np.asarray(grid.playable) & (rng.random(capacity) < 0.5)
        splittable = np.asarray(grid.width) > LARGEST / capacity * 1.5
        grid, overflow = extend_now(grid, ready, jnp.int32(born), splits, "whole")
        chosen = edges[ready & splittable]
        model.extend(
            [np.any(np.isclose(point.limit, chosen)) for point in model.points], born
        )
        assert bool(overflow) == np.any(ready & ~splittable)
        playable = np.asarray(grid.playable)
        points = sorted(model.points, key=lambda point: point.limit)
        np.testing.assert_allclose(edges[playable], [p.limit for p in points])
        found = np.asarray(grid.width)[playable]
        np.testing.assert_allclose(found, [p.width for p in points], rtol=1e-6)
    assert playable.all()
    after, overflow = extend_now(grid, playable, jnp.int32(99), splits, "whole")
    assert overflow
    jax.tree.map(np.testing.assert_array_equal, after, grid)


def test_a_limit_lies_in_the_cell_of_the_point_that_follows_it(rng):
    for history in (*GROWING, "whole"):
        grid = start_now(None, 27, 1.0, 3, history)
        for born in range(1, 5):
            limits = rng.uniform(0, 1, 50).astype(np.float32)
            places = jax.jit(jax.vmap(cell_at, (None, 0)))(grid, limits)
            right, width = (np.asarray(x)[places] for x in (grid.limit, grid.width))
            assert np.all((right - width - 1e-6 <= limits) & (limits <= right))
            ready = np.asarray(grid.playable) & (rng.random(27) < 0.5)
            grid, _ = extend_now(grid, ready, jnp.int32(born), 3, history)
    # A point's own limit is its own, and what is beyond the largest is its.
    at = jax.jit(cell_at)
    for place in np.flatnonzero(grid.playable):
        assert at(grid, grid.limit[place]) == place
    assert at(grid, 7.0) == at(grid, 1.0) == 26


def test_what_makes_no_grid_is_refused_by_name():
    grid, ready = limit_grid(None, 4, 1.0), np.zeros(4, bool)
    whole, inherit = {"history": "whole"}, {"history": "inherit"}
    rows = [
        (lambda: limit_grid(0, 4, 1.0), "num_arms must be at least 1"),
        (lambda: limit_grid(1, 1, 1.0), "capacity must be at least 2"),
        (lambda: limit_grid(1, 6, 1.0, **whole), "capacity must be a power"),
        (lambda: limit_grid(1, 3, 1.0, **inherit), "capacity must be at least"),
        (lambda: limit_grid(1, 4, 0.0), "max_limit must be"),
        (lambda: limit_grid(1, 4, 1.0, splits=1), "splits must be at least 2"),
        (lambda: limit_grid(1, 4, 1.0, history="x"), "history must be one of"),
        (lambda: split_cells(grid, ready, 1, **inherit), "history must be that"),
        (lambda: split_cells(grid, ready, -1), "born must be >= 0"),
        (
            lambda: split_cells(
                limit_grid(None, 9, 1.0, 2, **inherit),
                np.arange(9) < 1,
                1,
                3,
                **inherit,
            ),
            "splits must be those of the grid, got 3",
        ),
        (lambda: split_cells(grid, ready[1:], 1), r"ready must be bool\[4\]"),
        (lambda: split_cells(grid, np.zeros(4), 1), r"ready must be bool\[4\]"),
        (lambda: split_cells(grid, ready, 0.5), "born must be an integer"),
        (lambda: cell_at(limit_grid(2, 4, 1.0), 0.5), "grid.limit must have shape"),
        (lambda: cell_at(grid, "x"), "limit must be a real array"),
        (lambda: cell_at(grid, 0.0), "limit must be positive"),
    ]
    assert_refused((call, f"^{says}") for call, says in rows)
