"""Bisection: the point, its precision, the ends."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxbandits.kernels.bisection import TRIPS, bisect


def test_roots_to_the_last_place(dtype, rng):
    """``x**3 < c`` on [0, 2]: one predicate, many thresholds."""
    cube = jnp.asarray(rng.uniform(0.1, 7.9, 300), dtype)
    low = jnp.zeros_like(cube)
    root = jax.jit(lambda c: bisect(lambda x: x**3 < c, low, low + 2))(cube)
    assert root.dtype == dtype and root.shape == cube.shape
    truth = np.cbrt(np.asarray(cube, np.float64))
    np.testing.assert_allclose(root, truth, rtol=4 * np.finfo(dtype).eps)


def test_ends_where_the_predicate_never_turns(dtype):
    low, high = jnp.asarray([-3.0, 0.0], dtype), jnp.asarray([5.0, 1.0], dtype)
    always = bisect(lambda x: x > -jnp.inf, low, high)
    never = bisect(lambda x: x > jnp.inf, low, high)
    np.testing.assert_allclose(always, high, rtol=1e-6)
    np.testing.assert_allclose(never, low, rtol=1e-6, atol=1e-9)
    assert np.all(always <= high) and np.all(never >= low)


def test_the_number_of_trips_is_fixed(dtype):
    """What is left of the interval is its length over ``2 ** (trips + 1)``."""
    trips = TRIPS[jnp.dtype(dtype)]
    assert trips == (32 if dtype == np.float32 else 62)
    step = bisect(lambda x: x > jnp.inf, jnp.zeros((), dtype), jnp.ones((), dtype))
    assert step == 2.0 ** -(trips + 1)
    jaxpr = str(jax.make_jaxpr(lambda x: bisect(lambda y: y < x, 0 * x, x))(dtype(1)))
    assert f"length={trips}" in jaxpr and "while" not in jaxpr


def test_scalars_and_batches_agree():
    c = np.linspace(0.1, 0.9, 9, dtype=np.float32)

    @jax.jit
    def root(c):
        return bisect(lambda x: x * x < c, 0 * c, 0 * c + 1)

    np.testing.assert_array_equal(jax.jit(jax.vmap(root))(c), root(c))
    np.testing.assert_array_equal(np.stack([root(x) for x in c]), root(c))


@pytest.mark.parametrize("trips", [-1, 1.5, True, "x"])
def test_trips_are_counted(trips):
    with pytest.raises((TypeError, ValueError), match="^trips must be"):
        bisect(lambda x: x < 0.3, jnp.zeros(()), jnp.ones(()), trips)


def test_the_predicate_is_one():
    with pytest.raises(TypeError, match="^below must be a function, got None"):
        bisect(None, 0.0, 1.0)
    with pytest.raises(TypeError, match="^below must return true or false, got float"):
        bisect(lambda x: x - 0.3, 0.0, 1.0)
    assert bisect(lambda x: True, 0.0, 1.0) == pytest.approx(1.0)


def test_ends_of_python_and_lists_will_do():
    for x64, kind in ((False, np.float32), (True, np.float64)):
        with jax.enable_x64(x64):
            for low, high in ((0, 1), (0, 1.0), ([0, 0], 1), (0.0, kind(1))):
                found = bisect(lambda x: x < 0.3, low, high)
                np.testing.assert_allclose(found, 0.3, rtol=1e-6)
                assert found.dtype == kind


def test_what_are_no_ends_is_refused():
    with pytest.raises(TypeError, match="^low must be a real array, got 'x'"):
        bisect(lambda x: x < 0.3, "x", 1)
    with pytest.raises(
        ValueError, match=r"one answer for each point .*\[\], got \[3\]"
    ):
        bisect(lambda x: x < np.ones(3), 0, 1)
