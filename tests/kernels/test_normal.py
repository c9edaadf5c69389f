"""Normal quantiles against SciPy, far tails included."""

import jax
import jax.numpy as jnp
import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy import special, stats

from jaxbandits.kernels.normal import normal_quantile, truncated_normal_quantile
from tests.tables import each_row, in_both_precisions

INF = np.inf
INTERVALS = [
    (-1, 1), (0, 0.001), (3, 3.001), (-3, 3), (-5, 4.9), (-8, 8), (-7, 2), (-1, 40),
    (2, 3), (-3, -2), (8, 9), (-9, -8), (11, 12.5), (-INF, 0), (0, INF), (-INF, INF),
]  # fmt: skip


truncated, score = jax.jit(truncated_normal_quantile), jax.jit(normal_quantile)


def tape_points(count=400, extreme=300):
    """Points of the tape's grid, both ends included, f64."""
    inner = np.linspace(0, 2**22 - 1, count // 2).astype(int)
    below = (np.union1d(inner, np.arange(extreme)) + 0.5) / 2**23
    return np.concatenate([below, 1 - below[::-1]])


@in_both_precisions
def test_normal_quantiles_are_scipys(dtype):
    u = tape_points()
    z = np.asarray(score(u.astype(dtype)))
    assert z.dtype == dtype
    np.testing.assert_allclose(z, special.ndtri(u), rtol=1e-6)
    np.testing.assert_array_equal(z[::-1], -z)
    assert np.all(np.diff(z) > 0)
    assert score(dtype(0.5)) == 0


@each_row("lower, upper", INTERVALS)
@in_both_precisions
def test_truncated_quantiles_are_as_exact_as_is_stated(lower, upper, dtype):
    u = tape_points()
    bounds = [jnp.asarray(x, dtype) for x in (0, 1, lower, upper)]
    z = np.asarray(truncated(jnp.asarray(u, dtype), *bounds))
    assert z.dtype == dtype
    z = z.astype(float)
    assert np.all((z >= dtype(lower)) & (z <= dtype(upper)))
    assert np.all(np.diff(z) >= -1e-6)
    law = stats.truncnorm(float(dtype(lower)), float(dtype(upper)))
    # Stated: an error of 1e-7 in probability or 2e-6 in z, whichever is larger.
    in_z, in_probability = (2e-6, 2e-7) if dtype == np.float32 else (1e-9, 1e-12)
    tail = np.where(u < 0.5, law.cdf(z) - u, law.sf(z) - (1 - u))
    close = (np.abs(z - law.ppf(u)) <= in_z) | (np.abs(tail) <= in_probability)
    assert np.all(close)


@each_row("distance", [13.5, 20, 1e18])
def test_beyond_float32_the_near_end_is_returned(distance):
    u = jnp.asarray(tape_points(20, 5), jnp.float32)
    near, far = np.float32(distance), np.float32(1.1 * distance)
    np.testing.assert_array_equal(truncated(u, 0.0, 1.0, near, far), near)
    np.testing.assert_array_equal(truncated(u, 0.0, 1.0, -far, -near), -near)


@given(
    st.floats(-3, 3, width=32), st.floats(0.125, 4, width=32), st.floats(0, 4, width=32)
)
def test_truncated_quantiles_move_with_location_scale_and_sign(mean, scale, low):
    u = np.float32(tape_points(50, 5))
    mean, scale, low, zero, one = map(np.float32, (mean, scale, low, 0, 1))
    standard = np.asarray(truncated(u, zero, one, low, low + 2))
    mirrored = np.asarray(truncated(1 - u, zero, one, -low - 2, -low))
    np.testing.assert_array_equal(standard, -mirrored)
    moved = truncated(u, mean, scale, mean + scale * low, mean + scale * (low + 2))
    np.testing.assert_allclose(moved, mean + scale * standard, atol=2e-5)
