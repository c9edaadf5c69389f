"""Checks of user input: what passes, what is refused, and what the error says."""

import numpy as np
import pytest

from jaxbandits.checks import (
    at_least_one,
    between_zero_and_one,
    non_negative,
    positive,
    whole,
)

BAD_NUMBERS = [np.nan, np.inf, -np.inf, -1.0, [1.0, np.nan], [[2.0], [-2.0]]]


@pytest.mark.parametrize("check", [positive, non_negative, at_least_one])
def test_numbers_and_arrays_pass(check):
    check(a=1, b=2.5, c=[1.0, 3.0], d=np.float32(7), e=np.ones((2, 2)))


@pytest.mark.parametrize("check", [positive, non_negative, at_least_one])
@pytest.mark.parametrize("value", BAD_NUMBERS)
def test_bad_numbers_are_refused_by_name(check, value):
    with pytest.raises(ValueError, match=r"^alpha must be .* finite, got"):
        check(good=1.0, alpha=value)


def test_the_edges():
    non_negative(x=0)
    at_least_one(x=1)
    for check, value in ((positive, 0.0), (at_least_one, 0.999)):
        with pytest.raises(ValueError, match="x must be"):
            check(x=value)


def test_the_open_unit_interval():
    between_zero_and_one(a=0.5, b=[1e-9, 1 - 1e-9], c=np.float32(0.05))


@pytest.mark.parametrize("value", [0.0, 1.0, 0, 1, -0.5, 1.5, np.nan, [0.5, 1.0]])
def test_outside_of_the_open_unit_interval(value):
    with pytest.raises(ValueError, match=r"^delta must be in \(0, 1\), got"):
        between_zero_and_one(good=0.5, delta=value)


@pytest.mark.parametrize("value", [3, np.int64(3), np.uint8(3)])
def test_integers(value):
    assert whole("n", value, 3) == 3
    assert type(whole("n", value, 3)) is int


@pytest.mark.parametrize("value", [3.0, True, np.True_, "3", None, np.array(3), [3]])
def test_what_is_no_integer(value):
    with pytest.raises(TypeError, match="n must be an integer"):
        whole("n", value, 1)


def test_integers_that_are_too_small():
    with pytest.raises(ValueError, match="n must be at least 4, got 3"):
        whole("n", 3, 4)
