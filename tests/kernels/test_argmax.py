"""Argmax and its tie rules."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst
from scipy import stats

from jaxbandits.kernels.argmax import first_argmax, first_true, random_argmax
from tests.kernels.checks import ALARM, assert_transforms_agree

INF = np.inf
TABLE = [  # values, positions of the largest
    ([3.0], [0]),
    ([-INF], [0]),
    ([INF], [0]),
    ([-INF, -INF, -INF, -INF, -INF], [0, 1, 2, 3, 4]),
    ([INF, INF, 1.0, INF, -INF], [0, 1, 3]),
    ([-INF, 2.0, INF, 0.0, 0.0], [2]),
    ([1.0, 2.0, 2.0, 0.0, 2.0], [1, 2, 4]),
    ([0.0, -0.0, -2.0, -1.0, -INF], [0, 1]),
    ([-3.0, 1.0, 1.0 + 2.0**-23, 1.0, 0.0], [2]),
]
ARRAYS = npst.arrays(
    np.float32,
    npst.array_shapes(max_dims=1, max_side=8),
    elements=st.sampled_from([-INF, -1.0, 0.0, 0.5, 2.0, INF]),
)

choose = jax.jit(jax.vmap(random_argmax, (None, 0)))


@pytest.mark.parametrize("values, largest", TABLE)
def test_table(values, largest, dtype):
    x = jnp.asarray(values, dtype)
    assert first_argmax(x) == largest[0]
    assert first_argmax(x).dtype == jnp.int32
    chosen = choose(x, jnp.linspace(0.01, 0.99, 25))
    assert np.unique(chosen).tolist() == largest
    assert random_argmax(x, jnp.float32(0.5)).dtype == jnp.int32


@given(ARRAYS, st.floats(0, 1, exclude_min=True, exclude_max=True, width=32))
def test_agree_with_numpy(x, u):
    assert first_argmax(jnp.asarray(x)) == np.argmax(x)
    assert x[choose(jnp.asarray(x), jnp.float32([u]))] == np.max(x)


@given(ARRAYS)
def test_the_random_choice_splits_the_unit_interval_evenly(x):
    largest = np.flatnonzero(x == np.max(x))
    u = (np.arange(64) + 0.5) / 64
    chosen = choose(jnp.asarray(x), jnp.float32(u))
    np.testing.assert_array_equal(chosen, largest[(u * largest.size).astype(int)])


def test_the_last_uniform_stays_in_range(dtype):
    for n in (1, 3, 1001):
        u = jnp.float32([2.0**-24, 1 - 2.0**-24])
        np.testing.assert_array_equal(choose(jnp.zeros(n, dtype), u), [0, n - 1])


@pytest.mark.parametrize("largest", [5.0, INF, -INF])
def test_ties_are_broken_uniformly(largest, tape):
    """Seven of eleven entries tie, also at infinity."""
    tied = np.array([0, 1, 1, 0, 1, 0, 1, 1, 0, 1, 1], bool)
    others = -1.0 if largest > 0 else -INF
    x = jnp.where(tied, largest, others)
    chosen = np.asarray(choose(x, tape(70_000, 1)[:, 0]))
    counts = np.bincount(chosen, minlength=tied.size)
    tied |= others == largest
    assert np.all(counts[~tied] == 0)
    assert stats.chisquare(counts[tied]).pvalue > ALARM


def test_one_largest_entry_is_chosen_whatever_the_uniform(tape, rng):
    u = tape(50, 1)[:, 0]
    for best in (0, 4, 10):
        x = rng.permutation(11).astype(np.float32)
        x[best] = 11
        assert np.all(choose(jnp.asarray(x), u) == best)


def test_first_true():
    for n in range(1, 6):
        for bits in range(2**n):
            mask = np.array([bits >> i & 1 for i in range(n)], bool)
            expected = int(np.argmax(mask)) if mask.any() else n
            assert first_true(jnp.asarray(mask)) == expected
    assert first_true(jnp.zeros(3, bool)).dtype == jnp.int32


def test_matrices_are_read_row_by_row(rng):
    x = rng.integers(0, 5, (20, 4, 6)).astype(np.float32)
    expected = np.argmax(x.reshape(20, -1), axis=1)
    np.testing.assert_array_equal(jax.vmap(first_argmax)(x), expected)
    np.testing.assert_array_equal(jax.vmap(first_true)(x == 4), expected)
    assert first_true(jnp.zeros((4, 6), bool)) == 24


def test_transforms(rng, tape):
    x = rng.integers(0, 3, (16, 7)).astype(np.float32)
    assert_transforms_agree(first_argmax, x)
    assert_transforms_agree(first_true, x > 1)
    assert_transforms_agree(random_argmax, x, tape(16, 1)[:, 0])
