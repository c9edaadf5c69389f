"""Parameter points: tables from grids."""

import itertools
from contextlib import nullcontext

import numpy as np
import pytest

from jaxbandits import checks, zipped
from jaxbandits.checks.points import Points, equal_points, points_from
from tests.tables import naming


def rows(grid):
    points = points_from(grid)
    return [points.row(i) for i in range(points.count)]


def test_crossed_columns_are_all_pairs():
    """The last one varies fastest."""
    assert rows({"a": [1, 2], "b": [3, 4, 5]}) == [
        {"a": 1.0, "b": 3.0},
        {"a": 1.0, "b": 4.0},
        {"a": 1.0, "b": 5.0},
        {"a": 2.0, "b": 3.0},
        {"a": 2.0, "b": 4.0},
        {"a": 2.0, "b": 5.0},
    ]


def test_zipped_columns_are_rows():
    """A single number goes with all."""
    assert rows(zipped({"a": [1, 2, 1], "b": [3, 3, 4], "c": 7})) == [
        {"a": 1.0, "b": 3.0, "c": 7.0},
        {"a": 2.0, "b": 3.0, "c": 7.0},
        {"a": 1.0, "b": 4.0, "c": 7.0},
    ]


def test_zipped_rows_are_crossed_with_other_columns():
    """Zipped rows vary slowest."""
    assert rows(zipped({"a": [1, 2], "b": [3, 4]}, {"c": [7, 8], "d": [9, 6]})) == [
        {"a": a, "b": b, "c": c, "d": d}
        for a, b in ((1, 3), (2, 4))
        for c in (7, 8)
        for d in (9, 6)
    ]


def test_no_columns_are_one_point():
    for grid in [None, {}, zipped({}), Points({})]:
        with naming(grid):
            assert rows(grid) == [{}]


def test_a_table_stays_as_it_is():
    points = Points({"a": np.array([1.0, np.nan])}, 2)
    assert points_from(points) is points
    assert rows(points) == [{"a": 1.0}, {}]


def test_any_column_becomes_floats():
    for column in [
        (1, 2),
        range(1, 3),
        np.array([1, 2]),
        np.float32([1, 2]),
        (x for x in (1, 2)),
    ]:
        with naming(column):
            (found,) = points_from({"a": column}).columns.values()
            assert found.dtype == np.float64 and found.tolist() == [1, 2]


def test_what_is_no_list_of_numbers():
    for column in [[], "12", ["1"], [[1, 2]], {"from": 1}, None, [True]]:
        for wrap in [lambda x: x, zipped]:
            with (
                naming((column, wrap)),
                pytest.raises((TypeError, ValueError), match="^x: a must be a "),
            ):
                points_from(wrap({"b": [1], "a": column}), "x")


def test_nan_is_no_value():
    with pytest.raises(ValueError, match="^x: a must be a number, got NaN"):
        points_from({"a": [1.0, np.nan]}, "x")


def test_a_leaf_is_crossed_or_zipped():
    grid = zipped({"a": [2], "c": [1]}, {"c": [1], "b": [1], "a": [1]})
    with pytest.raises(ValueError, match=r"^x both crosses and zips \['a', 'c'\]"):
        points_from(grid, "x")


def test_what_is_no_grid():
    for grid in [3, "a", [1.0], {1: [2]}, zipped([1])]:
        with (
            naming(grid),
            pytest.raises(TypeError, match="^x must map names of parameters to values"),
        ):
            points_from(grid, "x")


def test_a_point_stands_there_once():
    for grid in (
        {"a": [1, 2, 1.0]},
        zipped({"a": [1, 1], "b": [2, 2]}),
        {"a": [0, -0.0]},
        {"a": [np.inf, 1, np.inf]},
    ):
        words = "^x has equal points, "
        with naming(grid), pytest.raises(ValueError, match=words):
            points_from(grid, "x")


def test_too_many_points_are_refused():
    with pytest.raises(ValueError, match="^x: a must end: at most 1000000 values"):
        points_from({"a": itertools.count()}, "x")
    with pytest.raises(ValueError, match="^x has 1002001 points; at most 1000000"):
        points_from({"a": range(1001), "b": range(1001)}, "x")


def test_points_that_are_equal_when_rounded(rng):
    assert equal_points(Points({"a": np.array([1.0, 2.0, 1 + 1e-12])}, 3)) is None
    rounded = Points({"a": np.array([1.0, 2.0, 1 + 1e-12])}, 3)
    assert equal_points(rounded, np.float32) == (0, 2)
    # In any order, and of two that differ in one column only none is equal.
    values = rng.permutation(np.arange(1000.0))
    many = {"a": np.append(values, 5.0), "b": np.append(values % 7, 5.0)}
    place = int(np.flatnonzero(values == 5)[0])
    assert equal_points(Points(many, 1001)) == (place, 1000)
    many["b"][-1] = 6.0
    assert equal_points(Points(many, 1001)) is None
    # A default is a value too.
    both = Points({"a": np.array([np.nan, 1.0, np.nan])}, 3)
    assert equal_points(both) == (0, 2)


def test_points_are_chosen_by_places():
    points = points_from({"a": [1, 2, 3]})
    assert points.at(slice(1, 3)).columns["a"].tolist() == [2, 3]
    assert points.at([2, 0]).columns["a"].tolist() == [3, 1]
    assert points.at(slice(None, None, -1)).count == 3
    assert Points({}).at(slice(0, 1)) == Points({}, 1)


def test_five_thousand_columns_are_points_and_their_comparison_is_announced(
    monkeypatch,
):
    announced = []
    monkeypatch.setattr(
        checks.points, "doing", lambda what: nullcontext(announced.append(what))
    )
    columns = {f"leaf_{i}": [i, i + 0.5, i + 0.25] for i in range(5_000)}
    points = points_from(zipped(columns), "policies: a")
    assert announced == ["comparing parameter points"]
    assert points.count == 3 and [*points.columns] == [*columns]
    assert points.row(1) == {f"leaf_{i}": i + 0.5 for i in range(5_000)}
    # One of them decides whether points are equal, and whether they can be zipped.
    same = {leaf: [1.0, 1.0] for leaf in columns}
    with pytest.raises(ValueError, match="^x has equal points"):
        points_from(zipped(same), "x")
    assert points_from(zipped(same | {"leaf_4999": [1.0, 2.0]}), "x").count == 2
    with pytest.raises(ValueError, match="^x must have columns of equal length"):
        points_from(zipped(same | {"leaf_4999": [1.0, 2.0, 3.0]}), "x")
