"""Moments of blocks make those of all runs; quantiles are as exact as is said."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from jaxbandits.results.moments import (
    ABSOLUTE_ERROR,
    MOST,
    RELATIVE_ERROR,
    SHAPE,
    Moments,
    moments_of,
    table_of,
)
from jaxbandits.stats.moments import joined, moments_in, quantiles_in

NUMBERS = st.one_of(
    st.floats(-1e6, 1e6), st.sampled_from([0.0, 1.0, 2.0**-16, 2.0**-17, -3.0, 1e11])
)
RUNS = arrays(np.float64, st.integers(1, 40), elements=NUMBERS)
Q = np.array([0.0, 0.01, 0.25, 0.5, 0.9, 1.0])


def parts_of(runs, sizes):
    """Moments of consecutive parts, along the only axis."""
    parts = [p for p in np.split(runs, np.cumsum(sizes)) if len(p)]
    return Moments(*map(np.stack, zip(*map(moments_of, parts), strict=True)))


def test_moments_are_those_of_scipy():
    runs = np.random.default_rng(0).exponential(size=(3, 1000))
    found = moments_of(runs)
    np.testing.assert_array_equal(found.number, 1000)
    np.testing.assert_allclose(found.mean, runs.mean(1), rtol=1e-14)
    for order in (2, 3, 4):
        wanted = 1000 * stats.moment(runs, order, axis=1)
        np.testing.assert_allclose(found[order], wanted, rtol=1e-12)
    np.testing.assert_array_equal(found.min, runs.min(1))
    np.testing.assert_array_equal(found.max, runs.max(1))


@given(RUNS, st.lists(st.integers(1, 9), max_size=5))
def test_parts_make_the_whole(runs, sizes):
    found, wanted = joined(parts_of(runs, sizes)), moments_of(runs)
    assert (found.number, found.min, found.max) == (len(runs), wanted.min, wanted.max)
    spread = max(np.abs(runs).max(), 1e-9)
    np.testing.assert_allclose(found.mean, wanted.mean, atol=1e-14 * spread)
    for order in (2, 3, 4):
        room = 1e-12 * len(runs) * spread**order
        np.testing.assert_allclose(found[order], wanted[order], atol=room)


def test_equal_runs_have_no_variance():
    parts = parts_of(np.full(1000, 0.1), [333, 334])
    found = joined(parts)
    assert found[1:5] == (0.1, 0, 0, 0)


def test_parts_far_from_zero_keep_their_variance():
    runs = 1e9 + np.random.default_rng(0).normal(size=10_000)
    found = joined(parts_of(runs, [100] * 99))
    np.testing.assert_allclose(found.m2, runs.var() * len(runs), rtol=1e-6)


def test_empty_parts_are_left_out():
    table = table_of(np.arange(5.0))
    nothing = np.full(SHAPE, np.nan)
    parts = np.stack([nothing, table, nothing])
    found = joined(moments_in(parts[:, 0]))
    np.testing.assert_array_equal(found, moments_of(np.arange(5.0)))
    np.testing.assert_array_equal(quantiles_in(parts, Q), quantiles_in(table[None], Q))


@given(RUNS, st.integers(0, 40))
def test_quantiles_are_as_exact_as_is_said(runs, cut):
    parts = [part for part in (runs[:cut], runs[cut:]) if len(part)]
    found = quantiles_in(np.stack([*map(table_of, parts)]), Q)
    # Of both runs between which it is interpolated.
    ends = [np.quantile(runs, Q, method=method) for method in ("lower", "higher")]
    room = RELATIVE_ERROR * np.maximum(*np.abs(ends)) + ABSOLUTE_ERROR
    assert (np.abs(found - np.quantile(runs, Q)) <= room * (1 + 1e-12)).all()
    assert found[0] == runs.min() and found[-1] == runs.max()


def test_the_bound_is_reached():
    """At the lower end of an octave: the middle of the bin is 1 / 64 above."""
    runs = np.array([0.5, 1.0, 5.0])
    (found,) = quantiles_in(table_of(runs)[None], np.array([0.5]))
    assert found == 1 + RELATIVE_ERROR


def test_numbers_that_are_none():
    for bad, q in ((np.nan, np.nan), (np.inf, 2.0)):
        runs = np.array([1.0, 2.0, bad])
        table = table_of(runs)[None]
        (found,) = quantiles_in(table, np.array([0.5]))
        np.testing.assert_allclose(found, q, rtol=RELATIVE_ERROR)
        assert not np.isfinite(joined(moments_in(table[:, 0])).mean)


@pytest.mark.parametrize("exponent", [MOST - 1, MOST, MOST + 5])
def test_numbers_beyond_the_scale_are_the_largest(exponent):
    runs = np.array([1.0, 2.0**exponent, 2.0**exponent, 2.0**exponent * 1.5])
    (found,) = quantiles_in(table_of(runs)[None], np.array([1 / 3]))
    if exponent < MOST:
        np.testing.assert_allclose(found, 2.0**exponent, rtol=RELATIVE_ERROR)
    else:
        assert 2.0 ** (MOST - 1) < found <= runs.max()
