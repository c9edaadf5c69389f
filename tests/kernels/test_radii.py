"""Confidence radii: hand values, SciPy values, boundaries."""

import math
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import special

from jaxbandits.kernels.radii import (
    hoeffding_scale,
    kl_bernoulli,
    kl_ratio_bound,
    kl_upper_bound,
    peeling_scale,
)
from tests.heavy import float64_in_long
from tests.reference.budgeted_policies import largest_ratio
from tests.reference.censored_policies import largest_kl_mean
from tests.tables import assert_refused, each_row, in_both_precisions

PIECE = 200
BOUNDS = (1e-8, 1e-6, 1e-4, 1e-2, 0.1, 1.0, 5.0)


divergence_of = jax.jit(kl_bernoulli)
jitted_bound = jax.jit(kl_upper_bound, static_argnums=2)
_ratio_bounds = jax.jit(kl_ratio_bound)


def divergence(p, q):
    return special.rel_entr(p, q) + special.rel_entr(1 - p, 1 - q)


@each_row("confidence, hoeffding, peeling", [(0.0, 0, 0), (2.0, 1, 2), (18.0, 3, 6)])
@in_both_precisions
def test_scales_by_hand(confidence, hoeffding, peeling, dtype):
    confidence = dtype(confidence)
    assert hoeffding_scale(confidence) == hoeffding
    assert peeling_scale(confidence) == peeling
    assert hoeffding_scale(confidence).dtype == dtype


@in_both_precisions
def test_divergences_are_scipys(dtype):
    rtol = 1e-5 if dtype == np.float32 else 1e-13
    p = np.array([0.0, 0.5, 1.0, 0.25, 0.9, 0.3], dtype)
    q = np.array([0.5, 0.25, 0.5, 0.75, 0.1, 0.3], dtype)
    table = divergence_of(p[:, None], q[None, :])
    expected = divergence(p[:, None].astype(float), q[None, :].astype(float))
    np.testing.assert_allclose(table, expected, rtol=rtol, atol=2e-7)


@in_both_precisions
def test_divergence_is_finite_at_the_ends(dtype):
    ends = jnp.asarray([0.0, 1.0], dtype)
    table = np.asarray(divergence_of(ends[:, None], ends[None, :]))
    far = -np.log(1e-7)
    # In float32, 1 - 1e-7 is 1 - 2**-23, hence the wide tolerance.
    np.testing.assert_allclose(table, [[0, far], [far, 0]], rtol=0.02, atol=2e-7)


@in_both_precisions
def test_divergences_of_neighbours_keep_their_digits(dtype, rng):
    """Differences down to 1e-4, where the usual form keeps no digit in float32, and on
    both sides of where the series ends."""
    p = rng.uniform(0.001, 0.999, 2000)
    distance = 10 ** rng.uniform(-4, -0.1, 2000) * rng.choice([-1, 1], 2000)
    p, q = p.astype(dtype), np.clip(p + distance, 1e-4, 1 - 1e-4).astype(dtype)
    # In float64 the usual form is good to 1e-16 / 1e-8 here.
    truth = divergence(p.astype(float), q.astype(float))
    rtol = 1e-4 if dtype == np.float32 else 1e-6
    np.testing.assert_allclose(divergence_of(p, q), truth, rtol=rtol)
    if dtype == np.float32:
        usual = p * np.log(p / q) + (1 - p) * np.log((1 - p) / (1 - q))
        assert np.max(np.abs(usual / truth - 1)) > 1
    np.testing.assert_array_equal(divergence_of(p, p), 0)


@float64_in_long
@each_row("bound", BOUNDS)
def test_upper_bound_is_the_root(bound, dtype, rng):
    p = np.concatenate([[0, 1, 0.5, 1e-6, 1 - 1e-6], rng.random(100)]).astype(dtype)
    bound = dtype(bound)
    q = np.asarray(jitted_bound(p, bound, 20), np.float64)
    p = p.astype(float)
    truth = np.vectorize(largest_kl_mean)(p, float(bound))
    # Stated: 2**-20 below, and the rounding of d in float32.
    room = np.maximum(q - p, truth - p)
    rounding = 5e-8 / np.maximum(room, 1e-8) if dtype == np.float32 else 1e-9
    slack = 1.2e-7 if dtype == np.float32 else 1e-15
    assert np.all(q <= truth + np.minimum(rounding, 1) + slack)
    assert np.all(q >= truth - rounding - 2.0**-20 - slack)
    assert np.all((q >= p) & (q <= 1))
    assert np.all(q <= p + np.sqrt(float(bound) / 2) + slack)


def test_the_upper_bound_at_the_boundaries_by_hand():
    dtype = np.float32
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
    assert np.isnan(jitted_bound(dtype(0.4), dtype(np.nan), 20))


# The ratio bound; the twin's is found by SciPy, from the stationary points.

exact_ratio = np.vectorize(largest_ratio)


def ratio_bound(*columns):
    """`kl_ratio_bound` as f64, in pieces of one shape: it takes seconds to compile."""
    dtype = np.result_type(*columns)
    flat = [x.ravel() for x in np.broadcast_arrays(*columns)]
    size = flat[0].size
    padded = np.stack([np.pad(x, (0, -size % PIECE), mode="edge") for x in flat])
    pieces = padded.astype(dtype).reshape(3, -1, PIECE)
    found = [_ratio_bounds(*pieces[:, i]) for i in range(pieces.shape[1])]
    assert all(piece.dtype == dtype for piece in found)
    found = np.concatenate(found)[:size].astype(float)
    return found.reshape(np.broadcast_shapes(*map(np.shape, columns)))


def observations(rng, size):
    """Means and ``log(t / n) / n``; some rewards 0 or 1, some costs 1."""
    plays = np.floor(10 ** rng.uniform(0.5, 4, size))
    bound = np.log(10 ** rng.uniform(0.01, 2, size)) / plays
    reward, cost = rng.random(size), rng.uniform(0.05, 1, size)
    reward[::7], reward[::11], cost[::5] = 0.0, 1.0, 1.0
    bound[1::20] = 10 ** rng.uniform(-8, -5, bound[1::20].size)
    # The cost stays above 1e-6, see the next test for what lies below.
    bound = np.minimum(bound, 8 * cost)
    return tuple(np.float32(x) for x in (reward, cost, bound))


@float64_in_long
def test_ratio_bounds_are_scipys(dtype, rng):
    columns = observations(rng, 100)
    truth, cost = exact_ratio(*(x.astype(float) for x in columns)), columns[1]
    found = ratio_bound(*(x.astype(dtype) for x in columns))
    # Means closer to 0 than 1e-7 are not told apart.
    assert np.all(np.abs(found - truth) <= 1e-4 * truth + 1e-7 / cost)


def test_ratio_bound_at_the_boundaries_by_hand():
    """No bound gives the ratio; with one certain mean there are closed forms."""
    one, zero, half = np.float32([1, 0, 0.5])
    for reward, cost in ((half, half), (np.float32(0.3), one), (one, np.float32(0.2))):
        found = ratio_bound(reward, cost, zero)
        assert abs(float(found) / float(reward / cost) - 1) <= 3e-6
    assert ratio_bound(zero, half, zero) <= 1e-8
    # Reward and cost certainly 1: reward 1 and cost x with -log x = bound.
    for bound in (0.01, 0.1, 1.0, 5.0):
        found = ratio_bound(one, one, np.float32(bound))
        assert found == pytest.approx(math.exp(bound), rel=1e-4)


def test_ratio_bounds_of_tiny_costs_are_scipys():
    """A few plays of a cheap arm: the cost at the bound is between 1e-30 and 1e-8."""
    columns = np.array(
        [[0.03568, 0.0535, 0.7083], [0.2528, 0.03, 0.6931], [0.458, 0.025, 0.549]]
    )
    truth = exact_ratio(*columns.T)
    found = ratio_bound(*columns.T.astype(np.float32))
    np.testing.assert_allclose(np.log(found), np.log(truth), atol=1e-3)


def test_ratio_bounds_of_huge_ratios_stay_finite():
    reward, cost, bound = np.meshgrid(
        [0.0, 1e-3, 0.75, 1.0], [1e-6, 0.015, 0.3, 1.0], [1e-3, 1.0, 10.0, 1e3]
    )
    found = ratio_bound(*(x.astype(np.float32) for x in (reward, cost, bound)))
    assert np.all(np.isfinite(found)) and np.all(found <= 1.001 * np.e**43)


def test_iterations_are_counted():
    assert_refused(
        (lambda n=n, bound=bound: bound(0.5, 0.1, n), "^iterations must be")
        for bound in (kl_upper_bound, partial(kl_ratio_bound, 0.5))
        for n in (-1, 0, 65)
    )
