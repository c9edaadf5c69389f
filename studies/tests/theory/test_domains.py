"""Bounds take numbers in whatever they come, and compute in float64."""

import jax.numpy as jnp
import numpy as np
import pytest

from jaxbandits_studies.theory import (
    allocation,
    budgeted,
    censored,
    farewell,
    lost_runs,
    zooming,
)
from jaxbandits_studies.theory.domains import domains
from tests.tables import each_row

CURVES = 1 - np.abs(np.linspace(0, 1, 64)[None] - 0.4)
NEAR = zooming.near_optimality(CURVES, 1.0)
ROUNDS = [1e4, 1e6]
CASES = {
    "lost runs": lambda number: lost_runs.lost_regret(ROUNDS, number(2), 0.9, 0.3),
    "exponent": lambda number: lost_runs.exponent(number(100), 0.9, 0.3),
    "pulls": lambda number: budgeted.sufficient_pulls(
        1000, number(100), [0.4, 0.3], [0.5, 0.9]
    ),
    "radius": lambda number: farewell.wait_ucb_radius(number(100), 1000, number(9)),
    "length": lambda number: censored.confidence_length(
        50, number(100), 1000, 0.5, number(2)
    ),
}


@each_row("name", CASES)
@each_row("kind", [np.int8, np.uint8, np.int64, np.float32])
def test_small_types_do_not_overflow(name, kind):
    np.testing.assert_array_equal(CASES[name](kind), CASES[name](float))


def test_numbers_of_jax_are_numbers():
    for name in ("exponent", "pulls", "length"):
        np.testing.assert_array_equal(CASES[name](jnp.int8), CASES[name](float))


def test_what_is_one_number_is_no_list():
    with pytest.raises(ValueError, match="rho must be a number, got shape"):
        budgeted.sufficient_pulls(1000, [0.5, 1.5], [0.4, 0.3], [0.5, 0.9])


def test_times_are_no_numbers():
    for wrong in (np.timedelta64(5, "ns"), np.datetime64("2026-01-01", "ns")):
        with pytest.raises(TypeError, match="must be"):
            allocation.trivial_bound(100, wrong)


SHAPES = {
    "mean_reward, mean_cost, count, alpha": lambda count, alpha: budgeted.ratio_bound(
        0.5, 0.2, count, alpha
    ),
    "round_, alpha": lambda t, x: censored.coverage_bound(t, np.add(x, 1)),
    "pulls_reaching, arm_pulls": lambda x, t: censored.confidence_length(
        x, np.add(t, 3), 6, 1, 2
    ),
    "counts, delta": lambda count, x: farewell.radius(count, x, 2.0, 1.5),
    "n, epsilon, largest_cost": lambda n, x: farewell.ratio_deviation(n, x, 2.0),
    "count, epochs, wait": lambda n, x: farewell.wait_ucb_radius(n, 9, np.add(x, 1)),
    "horizon, limit": lambda t, x: zooming.zooming_levels(
        t, zooming.Zooming(2, np.zeros_like), limit=x
    ),
}


@each_row("names, bound", SHAPES.items())
def test_shapes_that_do_not_agree_are_named(names, bound):
    with pytest.raises(ValueError, match=f"^{names}.* must have shapes that broadcast"):
        bound([1, 2, 3], [0.1, 0.2])
    assert bound([[1], [2], [3]], [0.1, 0.2]).shape == (3, 2)


def test_vacuous_bounds_are_the_callers(recwarn):
    zooming.zooming_loss_bound(10.0, zooming.Zooming(2, np.zeros_like), NEAR)
    assert {warning.filename for warning in recwarn} == {__file__}


def test_what_is_no_number_is_left_to_its_own_error():
    seen = []
    domains(lambda *values: seen.extend(values))(
        [True, 0.5], "a", [[1, 2], [3]], None, np.ma.masked_array([1.0], [True])
    )
    assert seen[:4] == [[True, 0.5], "a", [[1, 2], [3]], None]
    assert isinstance(seen[4], np.ma.MaskedArray)
