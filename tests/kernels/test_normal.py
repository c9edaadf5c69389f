"""Normal quantiles against SciPy, far tails included."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special, stats

from jaxbandits.kernels.normal import normal_quantile, truncated_normal_quantile
from tests.heavy import float64_in_long
from tests.kernels.checks import assert_transforms_agree

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


def test_normal_quantile(dtype):
    u = tape_points()
    z = np.asarray(score(u.astype(dtype)))
    assert z.dtype == dtype
    np.testing.assert_allclose(z, special.ndtri(u), rtol=1e-6)
    np.testing.assert_array_equal(z[::-1], -z)
    assert np.all(np.diff(z) > 0)
    assert score(dtype(0.5)) == 0


@float64_in_long
@pytest.mark.parametrize("lower, upper", INTERVALS)
def test_truncated_quantile(lower, upper, dtype):
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


@pytest.mark.parametrize("distance", [13.5, 20, 1e18])
def test_beyond_float32_the_near_end_is_returned(distance):
    u = jnp.asarray(tape_points(20, 5), jnp.float32)
    near, far = np.float32(distance), np.float32(1.1 * distance)
    np.testing.assert_array_equal(truncated(u, 0.0, 1.0, near, far), near)
    np.testing.assert_array_equal(truncated(u, 0.0, 1.0, -far, -near), -near)


@given(
    st.floats(-3, 3, width=32), st.floats(0.125, 4, width=32), st.floats(0, 4, width=32)
)
def test_reflection_location_and_scale(mean, scale, low):
    u = np.float32(tape_points(50, 5))
    mean, scale, low, zero, one = map(np.float32, (mean, scale, low, 0, 1))
    standard = np.asarray(truncated(u, zero, one, low, low + 2))
    mirrored = np.asarray(truncated(1 - u, zero, one, -low - 2, -low))
    np.testing.assert_array_equal(standard, -mirrored)
    moved = truncated(u, mean, scale, mean + scale * low, mean + scale * (low + 2))
    np.testing.assert_allclose(moved, mean + scale * standard, atol=2e-5)


@pytest.mark.slow
def test_transforms(tape):
    u = tape(20, 2)
    assert_transforms_agree(normal_quantile, u[:, 0], rtol=1e-6)

    def quantile(x, y):
        return truncated_normal_quantile(x, 0.3, 0.7, y - 1, y + 1)

    assert_transforms_agree(quantile, u[:, 0], u[:, 1], rtol=1e-5)
