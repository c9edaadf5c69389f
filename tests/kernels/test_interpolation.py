"""Values, maxima and crossings of functions known at nodes, against NumPy."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.optimize import brentq

from jaxbandits.kernels.interpolation import (
    around,
    crossing,
    crossings,
    interpolate,
    maximum,
    window,
)
from tests.heavy import float64_in_long, in_short
from tests.kernels.checks import assert_transforms_agree

J = 64
PEAKS = (20.3, 31.5, 40.0, 46.81)
WIDTHS = (6.0, 12.0)  # nodes


def hill(s, peak, width):
    """A skewed hill with its maximum, 0, at the peak; like a log likelihood."""
    v = (np.asarray(s, np.float64) - peak) / width
    return 1 + v - np.exp(v)


def nodes(dtype, peak, width, size=J):
    return jnp.asarray(hill(np.arange(size), peak, width).astype(dtype))


AT = jax.jit(crossing, static_argnums=4)
BETWEEN = jax.jit(jax.vmap(interpolate, (None, 0)))
TOP = jax.jit(maximum)


def at(values, peak, level, side):
    """The crossing of a hill, whose height is 0."""
    return AT(values, peak, type(peak)(0), level, side)


def tolerance(dtype, exact):
    """In float64 the error of the polynomial; in float32 that of rounding too."""
    return exact + (3e-6 if dtype is np.float32 else 0.0)


@float64_in_long
@pytest.mark.parametrize("size", [1, 2, 6])
@pytest.mark.parametrize("length", in_short([6, 7, 8, 33, 64], {8, 64}))
def test_windows_are_slices(length, size, dtype, rng):
    values = rng.normal(size=length).astype(dtype)
    cut = jax.jit(lambda start: window(jnp.asarray(values), start, size))
    for start in range(length - size + 1):
        found = cut(jnp.int32(start))
        assert found.dtype == dtype
        np.testing.assert_array_equal(found, values[start : start + size])


def test_polynomials_of_degree_five_are_exact(rng):
    """Everywhere, the cells at the ends included."""
    with jax.enable_x64(True):
        polynomial = np.polynomial.Polynomial(rng.normal(size=6), domain=[0, 11])
        values = polynomial(np.arange(12.0))
        positions = np.linspace(0, 11, 111)
        found = BETWEEN(values, positions)
        np.testing.assert_allclose(found, polynomial(positions), rtol=1e-10)


@float64_in_long
@pytest.mark.parametrize("node", range(12))
def test_polynomials_pass_through_their_six_nodes(node, dtype, rng):
    values = rng.normal(size=12).astype(dtype)
    polynomial = around(jnp.asarray(values), jnp.int32(node))
    start = min(max(node - 2, 0), 6)
    assert polynomial.start == start
    at = np.arange(start, start + 6)
    found = [polynomial(jnp.asarray(s, dtype)) for s in at]
    atol = 2e-13 if dtype is np.float64 else 1e-4
    np.testing.assert_allclose(found, values[at], atol=atol)


@float64_in_long
@pytest.mark.parametrize("peak", PEAKS)
@pytest.mark.parametrize("width", WIDTHS)
def test_values_between_nodes(peak, width, dtype):
    positions = np.linspace(0, min(peak + 2 * width, J - 1), 301).astype(dtype)
    values = nodes(dtype, peak, width)
    found = BETWEEN(values, positions)
    assert found.dtype == dtype
    exact = hill(positions, peak, width)
    # f(6) h^6 / 1024 in a middle cell (of six nodes), more in the two outermost ones.
    atol = tolerance(dtype, 40 * np.exp(2) * width**-6.0 / 1024)
    np.testing.assert_allclose(found, exact, atol=atol)


def worst(length, interior):
    """Largest error for exp on [0, 4], known at so many equally spaced nodes."""
    spacing = 4 / (length - 1)
    values = np.exp(np.arange(length) * spacing)
    ends = (2, length - 3) if interior else (0, length - 1)
    positions = np.linspace(*ends, 977)
    found = BETWEEN(values, positions)
    return np.max(np.abs(found - np.exp(positions * spacing)))


@pytest.mark.parametrize("interior", [True, False])
def test_errors_are_of_order_six(interior):
    with jax.enable_x64(True):
        errors = [worst(length, interior) for length in (17, 33, 65)]
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    assert np.all((orders > 5.3) & (orders < 6.5)), orders


@float64_in_long
@pytest.mark.parametrize("peak", PEAKS)
@pytest.mark.parametrize("width", WIDTHS)
def test_maxima(peak, width, dtype):
    position, value = TOP(nodes(dtype, peak, width))
    assert position.dtype == value.dtype == dtype
    # The slope's error over the curvature; rounding moves a flat top further.
    exact = 3e-5 * (6 / width) ** 4
    atol = exact if dtype is np.float64 else exact + 1e-4
    np.testing.assert_allclose(position, peak, atol=atol)
    np.testing.assert_allclose(value, 0, atol=tolerance(dtype, 2e-7 * (6 / width) ** 6))


@float64_in_long
@pytest.mark.parametrize(("peak", "end"), [(-3.0, 0), (70.0, J - 1)])
def test_maxima_at_an_end(peak, end, dtype):
    values = nodes(dtype, peak, 12.0)
    position, value = TOP(values)
    assert position == end
    np.testing.assert_allclose(value, values[end], rtol=1e-6)


@float64_in_long
def test_maxima_within_half_a_node_of_an_end(dtype):
    for peak in (0.3, J - 1.4):
        position, _ = TOP(nodes(dtype, peak, 6.0))
        np.testing.assert_allclose(position, peak, atol=5e-3)


@float64_in_long
@pytest.mark.parametrize("drop", [1e-2, 0.3, 2.0])
@pytest.mark.parametrize("side", [-1, 1])
@pytest.mark.parametrize("peak", PEAKS)
def test_crossings(peak, side, drop, dtype):
    width = 6.0
    end = 0 if side < 0 else J - 1
    exact = brentq(lambda s: hill(s, peak, width) + drop, peak, end, xtol=1e-12)
    values = nodes(dtype, peak, width)
    position = at(values, dtype(peak), dtype(-drop), side)
    assert position.dtype == dtype
    # The value's error over the slope, about sqrt(2 drop) / width.
    slope = np.sqrt(2 * drop) / width
    atol = tolerance(dtype, 3e-7) / slope + 4e-5
    np.testing.assert_allclose(position, exact, atol=atol)


@float64_in_long
@pytest.mark.parametrize(("side", "end"), [(-1, 0), (1, J - 1)])
def test_without_a_crossing_the_end(side, end, dtype):
    values = nodes(dtype, 31.5, 12.0)
    assert at(values, dtype(31.5), dtype(-1e4), side) == end
    # A maximum at the end has no crossing beyond it.
    values = nodes(dtype, float(end), 12.0)
    assert at(values, dtype(end), dtype(-0.5), side) == end


@float64_in_long
def test_a_crossing_at_the_peak_is_the_peak(dtype):
    for peak in (31.5, 40.0):
        values = nodes(dtype, peak, 6.0)
        for side in (-1, 1):
            position = at(values, dtype(peak), dtype(0.0), side)
            np.testing.assert_allclose(position, peak, atol=2e-2)


@float64_in_long
def test_crossings_in_the_outermost_cells(dtype):
    values = nodes(dtype, 31.5, 12.0)
    for exact in (0.4, 62.6):
        side = -1 if exact < 31 else 1
        level = dtype(hill(exact, 31.5, 12.0))
        position = at(values, dtype(31.5), level, side)
        np.testing.assert_allclose(position, exact, atol=2e-4)


TOP_OF = jax.jit(maximum, static_argnums=(1, 3))
BOTH = jax.jit(crossings, static_argnums=4)


@pytest.mark.slow
@float64_in_long
@pytest.mark.parametrize("peak", PEAKS)
def test_more_nodes_are_more_exact(peak, dtype):
    """Ten instead of six, on a hill half as wide as the narrowest above."""
    values, drop = nodes(dtype, peak, 3.0), dtype(0.5)
    exact = [
        brentq(lambda s: hill(s, peak, 3.0) + 0.5, peak, end, xtol=1e-12)
        for end in (0, J - 1)
    ]
    errors = []
    for count in (6, 10):
        position, height = TOP_OF(values, None, None, count)
        found = BOTH(values, dtype(peak), dtype(0), -drop, count)
        errors.append(
            np.abs(np.array([position - peak, height, *found - np.array(exact)]))
        )
    assert np.all(errors[1] < [2e-3, 2e-5, 2e-5, 2e-4]), errors
    if dtype is np.float64:
        assert np.all(errors[1] < errors[0] / 5), errors


def test_crossings_are_those_of_either_side():
    values = nodes(np.float32, 31.5, 6.0)
    numbers = np.float32([31.5, 0, -1])
    both = BOTH(values, *numbers, 6)
    np.testing.assert_array_equal(
        both, [AT(values, *numbers, side) for side in (-1, 1)]
    )


@float64_in_long
def test_a_function_may_end_between_its_last_nodes(dtype):
    last = J - 1.4
    for peak, place in (
        (40.0, 40.0),
        (61.9, 61.9),
        (62.3, 62.3),
        (62.8, last),
        (70, last),
    ):
        values = nodes(dtype, peak, 12.0)
        position, value = TOP_OF(values, last, None, 6)
        np.testing.assert_allclose(position, dtype(place), atol=5e-3)
        np.testing.assert_allclose(value, hill(place, peak, 12.0), atol=1e-5)
    assert position == dtype(last)


def test_a_node_that_is_known_is_not_looked_for():
    """The maximum is searched beside it, and nowhere else."""
    values = nodes(np.float32, 31.3, 6.0)
    found = [TOP_OF(values, None, jnp.int32(node), 6)[0] for node in (31, 20)]
    assert found[0] == TOP(values)[0] and 19 <= found[1] <= 21


def test_transforms(tape):
    peaks = 10 + 40 * tape(8, 3)[:, :1]
    values = np.float32(hill(np.arange(J), peaks, 8.0))
    assert_transforms_agree(maximum, values, rtol=1e-5)


@pytest.mark.slow
def test_transforms_of_crossings(tape):
    noise = tape(8, 3)
    peaks = 10 + 40 * noise[:, :1]
    values = np.float32(hill(np.arange(J), peaks, 8.0))
    assert_transforms_agree(
        lambda v, peak, drop: crossing(v, peak, 0 * drop, -drop, 1),
        values,
        peaks[:, 0],
        noise[:, 2],
        rtol=1e-4,
    )


@pytest.mark.parametrize("values", [np.zeros(0), 1.0, np.ones((6, 6)), np.ones(5)])
def test_values_are_a_list_of_six_or_more(values):
    with pytest.raises(ValueError, match="^values must "):
        maximum(values)


@pytest.mark.parametrize("side", [0, 2, "x", None, True])
def test_a_crossing_is_on_one_of_two_sides(side):
    with pytest.raises(ValueError, match=r"^side must be one of \(-1, 1\)"):
        crossing(-(jnp.arange(-4.0, 5.0) ** 2), 4.0, 0.0, -1.0, side)
