"""Values, maxima and crossings of functions known at nodes, against NumPy."""

import itertools
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq

from jaxbandits.kernels.interpolation import around, crossings, interpolate, maximum
from tests.heavy import float64_in_long
from tests.tables import assert_refused, each_row

J = 64
PEAKS = (20.3, 31.5, 40.0, 46.81)
WIDTHS = (6.0, 12.0)  # nodes


def hill(s, peak, width):
    """A skewed hill with its maximum, 0, at the peak; like a log likelihood."""
    v = (np.asarray(s, np.float64) - peak) / width
    return 1 + v - np.exp(v)


def nodes(dtype, peak, width, size=J):
    return jnp.asarray(hill(np.arange(size), peak, width).astype(dtype))


BOTH = jax.jit(crossings, static_argnums=4)
BETWEEN = jax.jit(jax.vmap(interpolate, (None, 0)))
TOP = jax.jit(maximum)
ZERO = np.float32(0)


def tolerance(dtype, exact):
    """In float64 the error of the polynomial; in float32 that of rounding too."""
    return exact + (3e-6 if dtype is np.float32 else 0.0)


def test_polynomials_of_degree_five_are_exact(rng):
    """Everywhere, the cells at the ends included."""
    with jax.enable_x64(True):
        polynomial = np.polynomial.Polynomial(rng.normal(size=6), domain=[0, 11])
        values = polynomial(np.arange(12.0))
        positions = np.linspace(0, 11, 111)
        found = BETWEEN(values, positions)
        np.testing.assert_allclose(found, polynomial(positions), rtol=1e-10)


def test_polynomials_pass_through_their_six_nodes(rng):
    values = rng.normal(size=12).astype(np.float32)

    @jax.jit
    def through(node):
        polynomial = around(jnp.asarray(values), node)
        at = polynomial.start + jnp.arange(6)
        return polynomial.start, jax.vmap(polynomial)(at.astype(float))

    for node in range(12):
        start, found = through(jnp.int32(node))
        assert start == min(max(node - 2, 0), 6), node
        wanted = values[start : start + 6]
        np.testing.assert_allclose(found, wanted, atol=1e-4, err_msg=f"{node}")


@float64_in_long
@each_row("peak, width", itertools.product(PEAKS, WIDTHS))
def test_the_maximum_of_a_hill_is_its_peak(peak, width, dtype):
    position, value = TOP(nodes(dtype, peak, width))
    assert position.dtype == value.dtype == dtype
    # The slope's error over the curvature; rounding moves a flat top further.
    exact = 3e-5 * (6 / width) ** 4
    atol = exact if dtype is np.float64 else exact + 1e-4
    np.testing.assert_allclose(position, peak, atol=atol)
    np.testing.assert_allclose(value, 0, atol=tolerance(dtype, 2e-7 * (6 / width) ** 6))


def test_a_maximum_may_be_at_an_end_or_within_half_a_node_of_it():
    for peak, end in ((-3.0, 0), (70.0, J - 1)):
        values = nodes(np.float32, peak, 12.0)
        position, value = TOP(values)
        assert position == end
        np.testing.assert_allclose(value, values[end], rtol=1e-6)
    for peak in (0.3, J - 1.4):
        position, _ = TOP(nodes(np.float32, peak, 6.0))
        np.testing.assert_allclose(position, peak, atol=5e-3)


@given(st.floats(4, 59), st.floats(1e-3, 30))
def test_crossings_are_those_of_the_function(peak, drop):
    """In any cell, the peak's and the outermost ones too; else the end."""
    values = nodes(np.float32, peak, 6.0)
    found = BOTH(values, np.float32(peak), ZERO, np.float32(-drop), 6)
    for end, position in zip((0, J - 1), found, strict=True):
        assert position.dtype == np.float32
        if hill(end, peak, 6.0) > -drop * (1 + 1e-4):
            assert position == end or abs(position - end) < 1e-2
            continue
        exact = brentq(lambda s: hill(s, peak, 6.0) + drop, peak, end, xtol=1e-12)
        # The value's error over the slope, about sqrt(2 drop) / width.
        atol = tolerance(np.float32, 1e-5) * 6.0 / np.sqrt(2 * drop) + 1e-3
        np.testing.assert_allclose(position, exact, atol=atol)


def test_a_crossing_at_the_peak_is_the_peak():
    for peak in (0.0, 31.5, 40.0, J - 1.0):
        values = nodes(np.float32, peak, 6.0)
        found = BOTH(values, np.float32(peak), ZERO, ZERO, 6)
        np.testing.assert_allclose(found, peak, atol=2e-2)


def test_beside_a_narrow_peak_heights_are_those_of_its_own_polynomial():
    """Those of the polynomials of two cells differ by more than the level."""
    values = jnp.float32(-30 * np.abs(np.arange(12) - 5.3) ** 1.5)
    peak, height = TOP(values)
    own = jax.jit(around(values, jnp.int32(peak)).__call__)
    for place in (4.6, 6.4):
        level = own(jnp.float32(place))
        found = BOTH(values, peak, height, level, 6)
        assert np.min(np.abs(np.array(found) - place)) < 1e-5
        np.testing.assert_allclose([own(each) for each in found], level, rtol=1e-5)


TOP_OF = jax.jit(maximum, static_argnums=(1, 3))


@each_row("peak", [40.0, 61.9, 62.3, 62.8, 70.0])
def test_a_function_may_end_between_its_last_nodes(peak):
    last = J - 1.4
    place = min(peak, last)
    position, value = TOP_OF(nodes(np.float32, peak, 12.0), last, None, 6)
    np.testing.assert_allclose(position, np.float32(place), atol=5e-3)
    np.testing.assert_allclose(value, hill(place, peak, 12.0), atol=1e-5)
    assert peak <= last or position == np.float32(last)


def test_a_node_that_is_known_is_not_looked_for():
    values = nodes(np.float32, 31.3, 6.0)
    found = [TOP_OF(values, None, jnp.int32(node), 6)[0] for node in (31, 20)]
    assert found[0] == TOP(values)[0] and 19 <= found[1] <= 21


def test_what_has_no_maximum_or_crossing_is_refused():
    rows = [
        (lambda values=values: maximum(values), "^values must ")
        for values in (np.zeros(0), 1.0, np.ones((6, 6)), np.ones(5))
    ]
    hill = -(jnp.arange(-4.0, 5.0) ** 2)
    for asked in (
        partial(interpolate, hill, 4.0),
        partial(maximum, hill, None, None),
        lambda count: crossings(hill, 4.0, 0.0, -1.0, count),
    ):
        rows += [(partial(asked, count), "^nodes must be") for count in (4, 5, 7)]
    rows += [(partial(maximum, hill, last), "^last must be in") for last in (3.0, 30)]
    rows.append((partial(maximum, hill, np.nan), "^last must be in"))
    assert_refused(rows, ValueError)
