"""Confidence radii: hand values, SciPy values, boundaries."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize, special

from jaxbandits.kernels.radii import (
    hoeffding_scale,
    kl_bernoulli,
    kl_upper_bound,
    peeling_scale,
)
from tests.kernels.checks import assert_transforms_agree

BOUNDS = (1e-8, 1e-6, 1e-4, 1e-2, 0.1, 1.0, 5.0)


divergence_of = jax.jit(kl_bernoulli)
jitted_bound = jax.jit(kl_upper_bound, static_argnums=2)


def divergence(p, q):
    return special.rel_entr(p, q) + special.rel_entr(1 - p, 1 - q)


def upper_bound(p, bound):
    """The largest q by Brent's method."""
    top = 1 - 1e-15
    if divergence(p, top) <= bound:
        return 1.0
    return optimize.brentq(lambda q: divergence(p, q) - bound, p, top, xtol=1e-14)


@pytest.mark.parametrize(
    "confidence, hoeffding, peeling", [(0.0, 0, 0), (2.0, 1, 2), (18.0, 3, 6)]
)
def test_hand_values(confidence, hoeffding, peeling, dtype):
    confidence = dtype(confidence)
    assert hoeffding_scale(confidence) == hoeffding
    assert peeling_scale(confidence) == peeling
    assert hoeffding_scale(confidence).dtype == dtype


def test_ucb1_radius():
    """Auer et al. (2002): sqrt(2 log t / n)."""
    t, n = 1000.0, 7.0
    radius = hoeffding_scale(4 * jnp.log(t)) / jnp.sqrt(n)
    np.testing.assert_allclose(radius, np.sqrt(2 * np.log(t) / n), rtol=1e-6)


def test_divergence_values(dtype):
    rtol = 1e-5 if dtype == np.float32 else 1e-13
    p = np.array([0.0, 0.5, 1.0, 0.25, 0.9, 0.3], dtype)
    q = np.array([0.5, 0.25, 0.5, 0.75, 0.1, 0.3], dtype)
    hand = [
        np.log(2),
        0.5 * np.log(4 / 3),
        np.log(2),
        0.5 * np.log(3),
        0.8 * np.log(9),
        0,
    ]
    np.testing.assert_allclose(divergence_of(p, q), hand, rtol=rtol, atol=1e-7)
    table = divergence_of(p[:, None], q[None, :])
    expected = divergence(p[:, None].astype(float), q[None, :].astype(float))
    np.testing.assert_allclose(table, expected, rtol=rtol, atol=2e-7)


def test_divergence_is_finite_at_the_ends(dtype):
    ends = jnp.asarray([0.0, 1.0], dtype)
    table = np.asarray(divergence_of(ends[:, None], ends[None, :]))
    far = -np.log(1e-7)
    # In float32, 1 - 1e-7 is 1 - 2**-23, hence the wide tolerance.
    np.testing.assert_allclose(table, [[0, far], [far, 0]], rtol=0.02, atol=2e-7)


@pytest.mark.parametrize("bound", BOUNDS)
def test_upper_bound_is_the_root(bound, dtype, rng):
    p = np.concatenate([[0, 1, 0.5, 1e-6, 1 - 1e-6], rng.random(100)]).astype(dtype)
    bound = dtype(bound)
    q = np.asarray(jitted_bound(p, bound, 20), np.float64)
    p = p.astype(float)
    truth = np.array([upper_bound(x, float(bound)) for x in p])
    # Stated: 2**-20 below, and the rounding of d in float32.
    room = np.maximum(q - p, truth - p)
    rounding = 5e-8 / np.maximum(room, 1e-8) if dtype == np.float32 else 1e-10
    slack = 1.2e-7 if dtype == np.float32 else 1e-15
    assert np.all(q <= truth + np.minimum(rounding, 1) + slack)
    assert np.all(q >= truth - rounding - 2.0**-20 - slack)
    assert np.all((q >= p) & (q <= 1))
    assert np.all(q <= p + np.sqrt(float(bound) / 2) + slack)


def test_upper_bound_at_the_boundaries(dtype):
    one, zero = dtype(1), dtype(0)
    for bound in (0.0, 1e-3, 1.0, np.inf):
        assert jitted_bound(one, dtype(bound), 20) == 1
    assert jitted_bound(zero, zero, 20) == 0
    assert jitted_bound(dtype(0.4), zero, 20) == dtype(0.4)
    # d(0, q) = -log(1 - q).
    q = jitted_bound(zero, dtype(np.log(2)), 20)
    assert 0.5 - 2.0**-20 <= q <= 0.5 + 1e-7
    assert 1 - jitted_bound(dtype(0.4), dtype(np.inf), 20) <= 2.0**-20
    assert jitted_bound(zero, dtype(np.inf), 20) <= 1


@given(
    st.floats(0, 1, width=32), st.floats(0, 10, width=32), st.sampled_from([1, 6, 19])
)
def test_more_iterations_only_tighten(p, bound, iterations):
    p, bound = jnp.float32(p), jnp.float32(bound)
    coarse = jitted_bound(p, bound, iterations)
    fine = jitted_bound(p, bound, iterations + 1)
    assert p <= coarse <= fine <= 1
    assert fine - coarse <= 2.0**-iterations


def test_broadcast_and_transforms(tape):
    u = tape(12, 2)
    wide = jitted_bound(u[:, :1], u[None, :, 1], 4)
    assert wide.shape == (12, 12)
    np.testing.assert_allclose(np.diagonal(wide), jitted_bound(u[:, 0], u[:, 1], 4))
    assert_transforms_agree(
        lambda p, b: kl_upper_bound(p, b, 4), u[:, 0], u[:, 1], rtol=1e-5
    )
    assert_transforms_agree(kl_bernoulli, u[:, 0], u[:, 1], rtol=1e-3)
