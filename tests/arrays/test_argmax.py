"""Argmax and its tie rules."""

import jax
import jax.numpy as jnp
import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst
from scipy import stats

from jaxbandits.arrays import first_argmax, first_true, random_argmax
from tests.kernels.checks import ALARM
from tests.tables import each_row, in_both_precisions

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
# Of one length: nothing is compiled anew.
ARRAYS = npst.arrays(
    np.float32, 6, elements=st.sampled_from([-INF, -1.0, 0.0, 0.5, 2.0, INF])
)

choose = jax.jit(jax.vmap(random_argmax, (None, 0)))
first = jax.jit(first_argmax)


def words_at(u):
    """The words at some numbers in [0, 1)."""
    return np.floor(np.asarray(u) * 2**32).astype(np.uint32)


@each_row("values, largest", TABLE)
@in_both_precisions
def test_the_largest_are_chosen_of_a_table(values, largest, dtype):
    x = jnp.asarray(values, dtype)
    assert first(x) == largest[0]
    assert first(x).dtype == jnp.int32
    chosen = choose(x, words_at(np.linspace(0.01, 0.99, 25)))
    assert np.unique(chosen).tolist() == largest
    assert chosen.dtype == jnp.int32


@given(ARRAYS, st.integers(0, 2**32 - 1))
def test_choices_are_the_largest_by_numpy(x, word):
    assert first(x) == np.argmax(x)
    assert x[choose(x, np.uint32([word]))] == np.max(x)


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


@each_row("largest", [5.0, INF, -INF])
def test_ties_are_broken_uniformly(largest, words):
    """Seven of eleven entries tie, also at infinity."""
    tied = np.array([0, 1, 1, 0, 1, 0, 1, 1, 0, 1, 1], bool)
    others = -1.0 if largest > 0 else -INF
    x = jnp.where(tied, largest, others)
    chosen = np.asarray(choose(x, words(70_000, 1)[:, 0]))
    counts = np.bincount(chosen, minlength=tied.size)
    tied |= others == largest
    assert np.all(counts[~tied] == 0)
    assert stats.chisquare(counts[tied]).pvalue > ALARM


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
