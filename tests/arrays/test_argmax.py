"""Argmax and its tie rules."""

import jax
import jax.numpy as jnp
import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from jaxbandits.arrays import first_argmax, first_true, random_argmax
from tests.tables import in_both_precisions

INF = np.inf
# Of one length: nothing is compiled anew.
ARRAYS = npst.arrays(
    np.float32, 6, elements=st.sampled_from([-INF, -1.0, 0.0, 2 - 2.0**-23, 2.0, INF])
)

choose = jax.jit(jax.vmap(random_argmax, (None, 0)))
first = jax.jit(first_argmax)


def words_at(u):
    """The words at some numbers in [0, 1)."""
    return np.floor(np.asarray(u) * 2**32).astype(np.uint32)


@given(ARRAYS, st.integers(0, 2**32 - 1))
def test_choices_are_the_largest_by_numpy(x, word):
    chosen = choose(x, np.uint32([word]))
    assert first(x) == np.argmax(x) and x[chosen] == np.max(x)
    assert first(x).dtype == chosen.dtype == jnp.int32


@given(ARRAYS)
def test_the_random_choice_splits_the_words_evenly(x):
    largest = np.flatnonzero(x == np.max(x))
    u = (np.arange(64) + 0.5) / 64
    chosen = choose(x, words_at(u))
    np.testing.assert_array_equal(chosen, largest[(u * largest.size).astype(int)])


@in_both_precisions
def test_the_last_word_stays_in_range(dtype):
    for n in (1, 1001):
        ends = jnp.uint32([0, 2**32 - 1])
        np.testing.assert_array_equal(choose(jnp.zeros(n, dtype), ends), [0, n - 1])


def test_the_first_true_is_found_in_all_masks():
    for n in range(1, 6):
        masks = (np.arange(2**n)[:, None] >> np.arange(n) & 1).astype(bool)
        expected = np.where(masks.any(axis=1), np.argmax(masks, axis=1), n)
        np.testing.assert_array_equal(jax.vmap(first_true)(masks), expected)
    assert first_true(jnp.zeros(3, bool)).dtype == jnp.int32


def test_matrices_are_read_row_by_row(rng):
    x = rng.integers(0, 5, (20, 4, 6)).astype(np.float32)
    expected = np.argmax(x.reshape(20, -1), axis=1)
    np.testing.assert_array_equal(jax.vmap(first_argmax)(x), expected)
    np.testing.assert_array_equal(jax.vmap(first_true)(x == 4), expected)
    assert first_true(jnp.zeros((4, 6), bool)) == 24
