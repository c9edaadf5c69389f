"""Points from columns of values."""

import numpy as np
import pytest

from jaxbandits.sweeps import points_from
from jaxbandits.sweeps.grid import columns


def test_crossed_columns():
    """The last column varies fastest."""
    assert points_from({"a": [1, 2], "b": [3, 4, 5]}) == [
        {"a": 1, "b": 3},
        {"a": 1, "b": 4},
        {"a": 1, "b": 5},
        {"a": 2, "b": 3},
        {"a": 2, "b": 4},
        {"a": 2, "b": 5},
    ]


def test_zipped_columns():
    assert points_from(zipped={"a": [1, 2, 1], "b": [3, 3, 4]}) == [
        {"a": 1, "b": 3},
        {"a": 2, "b": 3},
        {"a": 1, "b": 4},
    ]


def test_both():
    """Zipped rows vary slowest."""
    assert points_from({"c": [7, 8]}, {"a": [1, 2], "b": [3, 4]}) == [
        {"a": 1, "b": 3, "c": 7},
        {"a": 1, "b": 3, "c": 8},
        {"a": 2, "b": 4, "c": 7},
        {"a": 2, "b": 4, "c": 8},
    ]


def test_no_columns_are_one_point_of_defaults():
    assert points_from() == [{}]


@pytest.mark.parametrize(
    "column",
    [(1, 2), range(1, 3), np.array([1, 2]), np.float32([1, 2]), (x for x in (1, 2))],
    ids=lambda column: type(column).__name__,
)
def test_any_column_becomes_floats(column):
    points = points_from({"a": column})
    assert points == [{"a": 1.0}, {"a": 2.0}]
    assert {type(point["a"]) for point in points} == {float}


@pytest.mark.parametrize(
    "column",
    [[], "12", ["1"], [None], [1j], [[1, 2]], [[1], [2, 3]], 1.0, {"from": 1}, None],
    ids=repr,
)
def test_what_is_no_list_of_numbers(column):
    with pytest.raises(ValueError, match=r"^x\['a'\] must be a list of numbers, at"):
        points_from({"b": [1], "a": column}, name="x")
    with pytest.raises(ValueError, match=r"^x\['a'\] must be a list of numbers, at"):
        points_from(zipped={"a": column}, name="x")


def test_nan_is_no_value():
    with pytest.raises(ValueError, match=r"^grid\['a'\] must not have NaN"):
        points_from({"a": [1.0, np.nan]})


def test_zipped_columns_must_be_of_equal_length():
    with pytest.raises(ValueError, match="^x must have columns of equal length"):
        points_from(zipped={"a": [1, 2], "b": [1]}, name="x")


def test_a_leaf_is_crossed_or_zipped():
    with pytest.raises(ValueError, match=r"^x both crosses and zips \['a', 'c'\]"):
        points_from({"c": [1], "b": [1], "a": [1]}, {"a": [2], "c": [1]}, "x")


@pytest.mark.parametrize(
    ("cross", "zipped"),
    [
        ({"a": [1, 2, 1.0]}, {}),
        ({}, {"a": [1, 1], "b": [2, 2]}),
        ({"a": [0, -0.0]}, {}),
    ],
)
def test_a_point_stands_there_once(cross, zipped):
    with pytest.raises(ValueError, match="^x has equal points"):
        points_from(cross, zipped, "x")


def test_modes():
    grid = {"a": [1, 2], "b": [3, 4]}
    assert columns(grid, "cross", "grid") == points_from(grid)
    assert columns(grid, "zip", "grid") == [{"a": 1, "b": 3}, {"a": 2, "b": 4}]


@pytest.mark.parametrize(
    ("grid", "mode", "error", "message"),
    [
        (
            {"a": [1]},
            "both",
            ValueError,
            "^mode must be one of .'cross', 'zip'., got 'both'",
        ),
        ({}, "zip", ValueError, "^g must name at least one leaf with values"),
        ([1, 2], "zip", TypeError, "^g must be a mapping from leaves to values"),
        ({"a": []}, "zip", ValueError, r"^g\['a'\] must be a list"),
    ],
)
def test_bad_grids(grid, mode, error, message):
    with pytest.raises(error, match=message):
        columns(grid, mode, "g")
