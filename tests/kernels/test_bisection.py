"""Bisection: the point, its precision, the ends."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxbandits.kernels.bisection import TRIPS, bisect
from tests.tables import assert_refused, in_both_precisions


@in_both_precisions
def test_roots_are_found_to_the_last_place(dtype, rng):
    """``x**3 < c`` on [0, 2]: one predicate, many thresholds."""
    cube = jnp.asarray(rng.uniform(0.1, 7.9, 300), dtype)
    low = jnp.zeros_like(cube)
    root = jax.jit(lambda c: bisect(lambda x: x**3 < c, low, low + 2))(cube)
    assert root.dtype == dtype and root.shape == cube.shape
    truth = np.cbrt(np.asarray(cube, np.float64))
    np.testing.assert_allclose(root, truth, rtol=4 * np.finfo(dtype).eps)


@in_both_precisions
def test_a_predicate_that_never_turns_gives_an_end(dtype):
    low, high = jnp.asarray([-3.0, 0.0], dtype), jnp.asarray([5.0, 1.0], dtype)
    always = bisect(lambda x: x > -jnp.inf, low, high)
    never = bisect(lambda x: x > jnp.inf, low, high)
    np.testing.assert_allclose(always, high, rtol=1e-6)
    np.testing.assert_allclose(never, low, rtol=1e-6, atol=1e-9)
    assert np.all(always <= high) and np.all(never >= low)


@in_both_precisions
def test_the_number_of_trips_is_fixed(dtype):
    """What is left of the interval is its length over ``2 ** (trips + 1)``."""
    trips = TRIPS[jnp.dtype(dtype)]
    assert trips == (32 if dtype == np.float32 else 62)
    step = bisect(lambda x: x > jnp.inf, jnp.zeros((), dtype), jnp.ones((), dtype))
    assert step == 2.0 ** -(trips + 1)
    jaxpr = str(jax.make_jaxpr(lambda x: bisect(lambda y: y < x, 0 * x, x))(dtype(1)))
    assert f"length={trips}" in jaxpr and "while" not in jaxpr


def test_numbers_of_python_and_lists_will_do_for_ends():
    for x64, kind in ((False, np.float32), (True, np.float64)):
        with jax.enable_x64(x64):
            for low, high in ((0, 1), (0, 1.0), ([0, 0], 1), (0.0, kind(1))):
                found = bisect(lambda x: x < 0.3, low, high)
                np.testing.assert_allclose(found, 0.3, rtol=1e-6)
                assert found.dtype == kind


def test_what_cannot_be_bisected_is_refused():
    def low(x):
        return x < 0.3

    rows = [
        (lambda: bisect(low, 0.0, 1.0, -1), "^trips must be"),
        (
            lambda: bisect(lambda x: x - 0.3, 0.0, 1.0),
            "^below must return true or false, got float",
        ),
        (
            lambda: bisect(lambda x: x < np.ones(3), 0, 1),
            r"one answer for each point .*\[\], got \[3\]",
        ),
    ]
    assert_refused(rows)
    assert bisect(lambda x: True, 0.0, 1.0) == pytest.approx(1.0)
