"""Lambert's W: SciPy values, round trips, cancellation, underflow."""

import jax
import numpy as np
import pytest
from scipy import special

from jaxbandits.kernels.lambert import beyond_mode, wright_omega
from tests.tables import each_row, in_both_precisions

omega = jax.jit(wright_omega)
beyond = jax.jit(beyond_mode)


def drop_of(excess):
    """``e - log1p(e)`` in float64, by its series where the difference cancels."""
    e = np.asarray(excess, np.float64)
    series = sum((-1) ** k * e**k / k for k in range(2, 12))
    return np.where(e < 0.01, series, e - np.log1p(e))


@in_both_precisions
def test_omega_is_scipys(dtype):
    z = np.concatenate([np.linspace(-80, 80, 641), np.geomspace(80, 1e6, 50)])
    z = z.astype(dtype)
    truth = special.wrightomega(z.astype(np.float64))
    # Below 0, omega is nearly exp(z), whose last place moves |z| times as fast as z's.
    last = np.finfo(dtype).eps
    assert omega(z).dtype == dtype
    np.testing.assert_allclose(omega(z[z > -1]), truth[z > -1], rtol=4 * last)
    np.testing.assert_allclose(omega(z[z <= -1]), truth[z <= -1], rtol=80 * last)


@in_both_precisions
def test_omega_at_the_ends_is_finite(dtype):
    ends = np.array([-1e4, -200, -100, 1e30], dtype)
    found = np.asarray(omega(ends))
    assert np.all(np.isfinite(found)) and np.all(found >= 0)
    assert found[-1] == dtype(1e30)


@each_row("b", [1e-3, 0.3, 1.0, 7.0, 200.0])
@in_both_precisions
def test_beyond_mode_gives_the_excess_back(b, dtype):
    """Also where the lower branch underflows: a drop of 104 b in float32."""
    excess = np.geomspace(1e-9, 1e4, 150)
    drop = (b * drop_of(excess)).astype(dtype)
    found = np.asarray(beyond(dtype(b), drop), np.float64)
    last = np.finfo(dtype).eps
    np.testing.assert_allclose(found, b * (1 + excess), rtol=6 * last)
    assert np.all(found >= np.float64(dtype(b)))


@in_both_precisions
def test_beyond_mode_is_the_mode_or_the_drop_at_the_ends(dtype):
    b = np.array([0, 0, 0, 2, 2, 1e-20], dtype)
    drop = np.array([-1, 0, 3, -5, 0, 3], dtype)
    found = np.asarray(beyond(b, drop))
    np.testing.assert_array_equal(found[:5], [0, 0, 3, 2, 2])
    assert found[5] == pytest.approx(3, rel=1e-5)
    assert jax.eval_shape(beyond_mode, dtype(2), drop).shape == drop.shape
    one, nan = np.ones(6, dtype), np.full(6, np.nan, dtype)
    assert np.isnan([beyond(nan, one), beyond(one, nan)]).all()


def test_beyond_mode_slopes_are_those_of_the_implicit_function():
    """``(v - b) dv = v d drop``; at a fixed drop, ``(v - b) dv = v log(v / b) db``.

    Differences in float64; drops of 0 are left out, where the slope is infinite.
    """
    b = np.array([0.1, 0.5, 2.0, 30.0])
    drop = np.array([1e-4, 0.2, 4.0, 50.0])
    with jax.enable_x64(True):
        v = np.asarray(beyond(b, drop))
        slopes = jax.jit(jax.vmap(jax.grad(beyond_mode, (0, 1))))
        by_b, by_drop = map(np.asarray, slopes(b, drop))
    np.testing.assert_allclose(by_drop, v / (v - b), rtol=1e-7)
    np.testing.assert_allclose(by_b, v * np.log(v / b) / (v - b), rtol=1e-7)
