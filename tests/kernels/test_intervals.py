"""Confidence intervals: Theorem 1 without cancellation, ends of the range."""

from functools import partial

import jax
import numpy as np
import pytest

from jaxbandits.kernels.intervals import (
    bernstein_interval,
    hoeffding_interval,
    wilson_interval,
)
from tests.reference.budgeted_policies import theorem_1
from tests.tables import each_row, in_both_precisions

wilson = jax.jit(wilson_interval)
hoeffding, bernstein = jax.jit(hoeffding_interval), jax.jit(bernstein_interval)
CASES = 400


def rounding(dtype):
    """A few units in the last place of a number near 1."""
    return float(8 * np.finfo(dtype).eps)


def arrays(dtype, *columns):
    return tuple(np.asarray(x, dtype) for x in columns)


def on_host(pair):
    return tuple(np.asarray(x, np.float64) for x in pair)


exact = np.vectorize(theorem_1)


def random_arguments(rng, dtype, low=0.0, high=1.0):
    mean = low + (high - low) * rng.random(CASES)
    mean[:4], mean[4:8] = low, high
    mean[8:12] = low + 10.0 ** np.array([-9, -6, -5, -4])
    count = np.floor(10 ** rng.uniform(0, 5, CASES))
    return arrays(
        dtype, mean, count, 10 ** rng.uniform(-2, 1.7, CASES), rng.random(CASES)
    )


@each_row("low, high", [(0.0, 1.0), (0.1, 0.7), (0.25, 0.3), (-2, 6)])
@in_both_precisions
def test_ends_are_those_of_theorem_1(low, high, dtype, rng):
    arguments = random_arguments(rng, dtype, low, high)
    lower, upper = on_host(wilson(*arguments, low, high))
    mean, count, z_squared, eta = on_host(arguments)
    # The theorem keeps its form under affine maps; the twin's is for numbers >= 0.
    expected = exact(mean - low, count, z_squared * eta, 0.0, high - low)
    expected = [low + end for end in expected]
    atol = (high - low) * rounding(dtype)
    np.testing.assert_allclose(lower, expected[0], atol=atol)
    np.testing.assert_allclose(upper, expected[1], atol=atol)
    if low == 0:  # Where the printed form has no digits left: after few plays.
        np.testing.assert_allclose(lower, expected[0], rtol=rounding(dtype))


@each_row("low, high", [(0.0, 1.0), (0.1, 0.7), (1 / 3, 0.9)])
@in_both_precisions
def test_a_mean_at_the_low_end_gives_exactly_the_low_end(low, high, dtype):
    count, z_squared = np.meshgrid(
        [1, 2, 3, 7, 30, 999, 12_345, 10**6], [0, 1e-6, 0.1, 1 / 3, 2.0, 27.6, 60]
    )
    mean = np.full(count.shape, low)
    lower, upper = wilson(*arrays(dtype, mean, count, z_squared), 1.0, low, high)
    np.testing.assert_array_equal(lower, dtype(low))
    assert np.all(np.asarray(upper)[z_squared >= 0.1] > dtype(low))
    mean, *rest = arrays(dtype, 1e-12, count, z_squared)
    assert np.all(np.asarray(wilson(mean, *rest)[0]) > 0)


def test_the_mean_lies_inside_and_the_ends_in_the_range(rng):
    """Not by a rounding error either. Without variance, or confidence, they are one."""
    mean, count, z_squared, eta = random_arguments(rng, np.float32)
    slack = rounding(np.float32)
    lower, upper = on_host(wilson(mean, count, z_squared, eta))
    assert np.all(lower <= mean + slack) and np.all(upper >= mean - slack)
    assert np.all((lower >= 0) & (upper <= 1))
    for arguments in ((z_squared, np.float32(0)), (np.float32(0), np.float32(1))):
        for end in wilson(mean, count, *arguments):
            np.testing.assert_allclose(end, mean, atol=slack)


def test_no_observations_give_the_range():
    for low, high in ((0.0, 1.0), (0.1, 0.7)):
        for z_squared, eta in ((1e-3, 1), (1.0, 1), (50.0, 1), (0.0, 1), (2.0, 0)):
            mean = np.linspace(low, high, 5)
            ends = wilson(*arrays(np.float32, mean, 0, z_squared, eta), low, high)
            where = f"{low}, {high}, {z_squared}, {eta}"
            np.testing.assert_array_equal(ends[0], np.float32(low), err_msg=where)
            np.testing.assert_allclose(
                ends[1], high, rtol=rounding(np.float32), err_msg=where
            )


def test_every_arm_may_have_its_range():
    """Arrays as ends, one of them of no width."""
    low, high = np.float32([0.0, 0.2, 0.4]), np.float32([1.0, 0.2, 0.8])
    mean = np.float32([0.5, 0.2, 0.5])
    lower, upper = wilson(mean, np.float32(9), np.float32(2), np.float32(1), low, high)
    expected = exact(*on_host((mean, 9, 2, low, high)))
    np.testing.assert_allclose(lower, expected[0], rtol=1e-6)
    np.testing.assert_allclose(upper, expected[1], rtol=1e-6)


@in_both_precisions
def test_hoeffding_intervals_by_hand(dtype):
    mean, count, confidence = arrays(
        dtype, [0.5, 0.5, 0.05, 0.95, 0.5], [50, 8, 50, 50, 0], [1.0, 1, 1, 1, 1]
    )
    lower, upper = hoeffding(mean, count, confidence)
    np.testing.assert_allclose(lower, [0.4, 0.25, 0, 0.85, 0], rtol=rounding(dtype))
    np.testing.assert_allclose(upper, [0.6, 0.75, 0.15, 1, 1], rtol=rounding(dtype))
    assert lower.dtype == upper.dtype == dtype
    # No confidence: the mean.
    for end in hoeffding(mean[:4], count[:4], dtype(0)):
        np.testing.assert_array_equal(end, mean[:4])


@in_both_precisions
def test_bernstein_intervals_by_hand(dtype):
    mean, variance, count = arrays(
        dtype, [0.5, 0.5, 0.9, 0.5, 0.02, 0.5], [0.02, 0, 0.02, 0.25, 0.02, 0.0], 100
    )
    count = np.array([100, 100, 100, 1, 100, 0], dtype)
    lower, upper = bernstein(mean, variance, count, dtype(1))
    # sqrt(2 * 0.02 / 100) = 0.02, and 3 / 100.
    expected = [(0.45, 0.55), (0.47, 0.53), (0.85, 0.95), (0, 1), (0, 0.07), (0, 1)]
    np.testing.assert_allclose(
        np.stack([lower, upper], 1), expected, rtol=rounding(dtype)
    )
    assert lower.dtype == upper.dtype == dtype
    # Nothing observed, and as sure as can be.
    assert np.array(bernstein(*arrays(dtype, 0.5, 0.0, 0.0), dtype(1e29))).tolist() == [
        0,
        1,
    ]


def test_shapes_that_do_not_agree_are_named():
    for kernel, names in (
        (wilson_interval, "mean, count, z_squared, eta"),
        (hoeffding_interval, "mean, count, confidence"),
        (bernstein_interval, "mean, variance, count, confidence"),
    ):
        more = (0.1,) * (kernel is bernstein_interval)
        message = f"^{names} must have shapes that broadcast together, got "
        for call in (kernel, jax.jit(kernel)):
            with pytest.raises(ValueError, match=message):
                call(np.ones(3) / 2, *more, np.ones(2), 1.0)
        call = partial(kernel, np.ones((3, 1)) / 2, *more, np.ones((1, 2)), 1.0)
        lower, _ = jax.eval_shape(call)
        assert lower.shape == (3, 2)


def test_ends_of_the_range_are_numbers_or_lists_of_them():
    listed = wilson_interval(0.5, 3, 1.0, low=[0.0, 0.1], high=[1.0, 1.0])
    arrays = wilson_interval(0.5, 3, 1.0, low=np.array([0.0, 0.1]))
    np.testing.assert_allclose(listed, arrays, rtol=1e-6)
