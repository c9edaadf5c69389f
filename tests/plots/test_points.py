"""Parameter points by their values."""

import pytest

from jaxbandits.plots.points import (
    cells,
    check_at,
    check_labels,
    check_parameter,
    coordinates,
    parameters,
)
from tests.plots.sweeps import ALPHAS, GRID, RADII, sweep
from tests.tables import assert_named, assert_refused

MIXED = {"ucb": GRID, "ts": [{}], "moss": [{"beta": 2.0}]}


def test_a_policy_has_its_parameters_and_coordinates():
    data = sweep(MIXED)
    assert parameters(data) == ["alpha", "radius", "beta"]
    found = coordinates(data, "ucb")
    assert list(found) == ["alpha", "radius"]
    assert found["alpha"].tolist() == [point["alpha"] for point in GRID]
    assert coordinates(data, "ts") == {}


def test_cells_are_points_by_their_values():
    data = sweep(MIXED)
    by_both = cells(data, "ucb", ("radius", "alpha"), {})
    assert by_both == {
        (point["radius"], point["alpha"]): number for number, point in enumerate(GRID)
    }
    by_alpha = cells(data, "ucb", ("alpha",), {"radius": RADII[1]})
    assert by_alpha == {(alpha,): 2 * i + 1 for i, alpha in enumerate(ALPHAS)}
    # 0.3 is found though the sweep has 0.1 + 0.2.
    assert cells(data, "ucb", ("radius",), {"alpha": 0.3}) == {(0.0,): 4, (1.0,): 5}
    assert cells(data, "ts", (), {"alpha": 0.1}) == {(): 0}
    assert cells(data, "moss", (), {}) == {(): 0}


def test_repeated_points_are_one():
    data = sweep({"ucb": [{"alpha": 1.0}, {"alpha": 1.0}, {"alpha": 2.0}]})
    assert cells(data, "ucb", ("alpha",), {}) == {(1.0,): 0, (2.0,): 2}


def test_what_else_differs_is_named():
    message = (
        r"at: points of 'ucb' differ also in radius \(0, 1\); "
        r"select values, as in at=\{'radius': 0.0\}"
    )
    with pytest.raises(ValueError, match=message):
        cells(sweep(), "ucb", ("alpha",), {})
    with pytest.raises(ValueError, match=r"also in alpha \(0.1, 0.2, 0.3\), radius"):
        cells(sweep(), "ucb", (), {})


def test_mistakes_are_named():
    good = dict(dataset=sweep(MIXED), policies=["ucb", "moss"])
    good["at"] = {"radius": 0, "beta": 2}
    assert_named(
        check_at, good, {"at": [{"radius": 3}]}, "^at: radius has no value 3; "
    )
    assert_named(check_at, good, {"at": [{"gamma": 3}]}, "^at: the parameter 'gamma' ")
    good["policies"], good["at"] = ["ucb"], {}
    assert_named(check_at, good, {"at": [{"beta": 2}]}, "^at: beta .*; it has none")
    check_labels(sweep(MIXED), ["ucb", "alpha"])
    one = sweep({"ts": [{}]})
    assert_refused(
        [
            (lambda: check_parameter(one, "alpha", "x"), "x: .* known are none"),
            (
                lambda: check_parameter(sweep(MIXED), "gamma", "x"),
                "x: .* known are alpha, radius, beta",
            ),
            (
                lambda: check_labels(sweep(MIXED), ["gamma"]),
                "labels: 'gamma' is unknown; known are ucb",
            ),
        ]
    )
