"""Words as numbers, events, positions and tails: exact counts and SciPy's tails."""

from fractions import Fraction

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special

from jaxbandits.arrays import (
    Bound,
    below,
    bound,
    log_survival,
    occurs,
    position,
    smaller_side,
    unit_interval,
)
from jaxbandits.arrays.words import cumulative_bounds, words_at
from jaxbandits.kernels.normal import normal_score
from tests.kernels.checks import assert_transforms_agree
from tests.tables import each_row, in_both_precisions

ONES = 0xFFFFFFFF
WORDS = st.integers(0, ONES)
TAILS = 10.0 ** -np.arange(1, 18)
UNIT = 2**61
# One program each, in place of one for each of their operations.
uniform, side, survival, score, is_below, is_at, traced_bound = map(
    jax.jit,
    (unit_interval, smaller_side, log_survival, normal_score, below, position, bound),
)


def spelt(*words):
    """The exact number, in the middle of the last word's cell."""
    places = [Fraction(int(w), 2 ** (32 * i)) for i, w in enumerate(words, 1)]
    return sum(places) + Fraction(1, 2 ** (32 * len(words) + 1))


def digits_of(number: Fraction, count: int):
    """The words that spell a number in (0, 1), rounded down."""
    digits = int(number * 2 ** (32 * count))
    return [digits >> 32 * (count - 1 - i) & ONES for i in range(count)]


def value(limit: Bound):
    return Fraction(int(limit.high) * 2**30 + int(limit.low), UNIT)


def test_unit_interval_is_the_exact_midpoint_grid(stride=61):
    # Both ends, and what lies between at a stride.
    low = np.r_[: 2**14, 2**14 : 2**22 : stride].astype(np.uint32)
    high = np.concatenate([low, (2**23 - 1 - low)[::-1]])
    u = np.asarray(uniform(high << np.uint32(9)))
    assert u.dtype == np.float32
    np.testing.assert_array_equal(u.astype(np.float64), (high + 0.5) / 2**23)
    assert (u[0], u[-1]) == (2.0**-24, 1 - 2.0**-24)
    np.testing.assert_array_equal(u[::-1], np.float32(1) - u)


@in_both_precisions
def test_unit_interval_is_single_in_both_precisions(dtype):
    """Whatever the numbers of the game are."""
    assert uniform(jnp.uint32([0, ONES])).dtype == jnp.float32


@given(WORDS)
def test_unit_interval_is_symmetric_and_ignores_nine_bits(bits):
    u = uniform(np.uint32(bits))
    assert 0 < u < 1
    assert uniform(np.uint32(bits ^ ONES)) == 1 - u
    assert uniform(np.uint32(bits | 0x1FF)) == u


@each_row("p", [*TAILS, *(1 - TAILS), 0.3, 0.5, 2.0**-61])
def test_a_bound_is_its_probability(p):
    exact = value(bound(p))
    assert exact <= Fraction(p) < exact + Fraction(1, UNIT)
    # Traced, that of the float32 number.
    single = Fraction(float(np.float32(p)))
    assert 0 <= single - value(traced_bound(np.float32(p))) < Fraction(1, UNIT)


@each_row("of", [np.float64, jnp.float32])
def test_bounds_beyond_the_ends_are_never_or_always_reached(of):
    ends = np.array([-0.5, 0.0, 1.0, 1.5])
    last = jnp.full(4, ONES, jnp.uint32)
    none = jnp.zeros(4, jnp.uint32)
    certain = [False, False, True, True]
    np.testing.assert_array_equal(is_below(last, last, bound(of(ends))), certain)
    np.testing.assert_array_equal(is_below(none, none, bound(of(ends))), certain)


@given(WORDS, WORDS, st.floats(0, 1))
def test_below_compares_the_numbers(first, second, p):
    limit = bound(p)
    exact = (first << 32 | second) >> 3 < int(limit.high) << 30 | int(limit.low)
    assert bool(is_below(np.uint32(first), np.uint32(second), limit)) == exact


def test_the_second_word_decides_where_the_first_is_the_bounds():
    p = Fraction(5, 2**31) + Fraction(7, UNIT)
    limit = bound(float(p))
    first = jnp.uint32(5 << 1)
    fires = [bool(is_below(first, np.uint32(w << 3), limit)) for w in (6, 7)]
    assert fires == [True, False]
    assert bool(occurs(first, jnp.uint32(6 << 3), 5 / 2**31 + 8 / UNIT))


@each_row(
    "row", [[0.5, 0.5, 0.0], [0.0, 0.3, 0.7], [1e-9, 0.5 - 1e-9, 0.5], [0.1] * 10]
)
def test_cumulative_bounds_end_with_certainty(row):
    limits = cumulative_bounds(np.array([row]))
    last = max(i for i, p in enumerate(row) if p)
    found = [value(Bound(*each)) for each in zip(*(x[0] for x in limits), strict=True)]
    assert found[last:] == [1] * (len(row) - last)
    np.testing.assert_allclose(
        [float(x) for x in found[:last]], np.cumsum(row)[:last], rtol=0, atol=1e-16
    )


@given(st.floats(0, 1, exclude_max=True))
def test_words_at_a_bound_are_the_first_that_are_not_below_it(p):
    limit = bound(p)
    first, second = (int(w) for w in words_at(limit))
    assert not is_below(np.uint32(first), np.uint32(second), limit)
    number = (first << 32 | second) - 1
    if number >= 0:
        before = np.uint32(number >> 32), np.uint32(number & ONES)
        assert bool(is_below(*before, limit))


@given(WORDS, st.integers(1, 2**31 - 1))
def test_position_is_the_leading_part_of_the_product(word, size):
    found = is_at(np.uint32(word), np.int32(size))
    assert found.dtype == jnp.int32 and int(found) == word * size >> 32


def test_position_takes_sizes_of_the_host():
    words = jnp.uint32([0, ONES])
    np.testing.assert_array_equal(position(words, 10), [0, 9])
    for wrong in (0, 2**31, 2.5):
        with pytest.raises((TypeError, ValueError), match="size"):
            position(words, wrong)


def words_of(tails, count):
    """The words of each tail ``[count, tails]``, and the numbers that they spell."""
    words = [digits_of(Fraction(tail), count) for tail in tails]
    return np.array(words, np.uint32).T, np.array([float(spelt(*x)) for x in words])


@each_row("count", (1, 2, 4))
@in_both_precisions
def test_smaller_side_keeps_the_digits_of_both_tails(count, dtype):
    words, exact = words_of([*TAILS, 0.3, 0.49, 1e-30], count)
    # What has no digit left is in the middle of the outermost cell.
    close = 4 * np.finfo(dtype).eps + 2 * 2.0 ** (-32 * count) / exact
    for mirrored in (False, True):
        turned = jnp.asarray(words ^ np.uint32(ONES) if mirrored else words)
        distance, upper = side(*turned)
        assert distance.dtype == dtype and np.all(upper == mirrored)
        assert np.all(distance > 0)
        assert np.all(np.abs(np.float64(distance) - exact) <= close * exact)


@in_both_precisions
def test_log_survivals_and_normal_scores_are_scipys(dtype):
    low, exact = words_of([*TAILS, 0.3], 2)
    high = low ^ np.uint32(ONES)
    rtol = 1e-6 if dtype == np.float32 else 1e-12
    np.testing.assert_allclose(survival(*high), np.log(exact), rtol=rtol)
    np.testing.assert_allclose(survival(*low), np.log1p(-exact), rtol=rtol)
    exact = special.ndtri_exp(np.log(exact))
    np.testing.assert_allclose(score(*low), exact, rtol=2e-6)
    np.testing.assert_array_equal(score(*high), -score(*low))


@in_both_precisions
def test_the_outermost_words_stay_finite(dtype):
    for count in (1, 2, 4):
        for word in (0, ONES):
            words = [np.full(3, word, np.uint32)] * count
            assert np.all(np.isfinite(survival(*words)))
    ends = score(*[np.uint32([0, ONES])] * 2)
    np.testing.assert_allclose(ends, [-9.1, 9.1], atol=0.2)


def test_scores_rise_with_their_words():
    # Across the seams of the three polynomials, and where a tail has few digits.
    points = np.geomspace(2.0**-62, 0.499, 4000)
    words, u = words_of(points, 2)
    z = np.asarray(score(*words), np.float64)
    assert np.all(np.diff(z) >= -2e-6 * np.abs(z[1:]))
    np.testing.assert_allclose(z, special.ndtri_exp(np.log(u)), rtol=2e-6, atol=1e-7)


@each_row("fn", [unit_interval, smaller_side, log_survival])
def test_words_are_integers(fn):
    with pytest.raises(TypeError, match="integer array"):
        fn(jnp.float32([0.5]))


def test_numbers_of_a_batch_are_those_of_one_by_one(words):
    rows = words(20, 2)
    p = jnp.linspace(0.1, 0.9, 20)
    assert_transforms_agree(lambda w: unit_interval(w), rows[:, 0], rtol=0)
    assert_transforms_agree(lambda a, b, q: occurs(a, b, q), *rows.T, p, rtol=0)
    assert_transforms_agree(lambda a, b: normal_score(a, b), *rows.T, rtol=1e-6)
    assert_transforms_agree(lambda a: position(a, 7), rows[:, 0], rtol=0)
