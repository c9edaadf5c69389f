"""Errors that are said in one line, and errors whose traceback is needed."""

from pathlib import Path

import numpy as np
import pytest

from jaxbandits import checks
from jaxbandits.console.faults import is_users
from jaxbandits.plots import line_style


def raised(call):
    with pytest.raises(Exception) as found:  # noqa: B017 - whichever it is
        call()
    return found.value


def of_ones_own():
    raise ValueError("mine")


@pytest.mark.parametrize(
    "call",
    [
        lambda: line_style(-1),
        lambda: checks.whole("seeds", 2.5, 1),
        lambda: Path("/nowhere/at/all").read_text(),
    ],
)
def test_one_line_will_do(call):
    assert is_users(raised(call))


THE_TRACEBACK_IS_NEEDED = [
    of_ones_own,
    lambda: np.zeros(3).reshape(2),
    lambda: checks.one_of("a", 1, 5),  # 5 is no list: the caller is wrong
    lambda: {}["key"],
    lambda: ValueError("never raised").nothing,
]


def test_the_traceback_is_needed(subtests):
    for call in THE_TRACEBACK_IS_NEEDED:
        with subtests.test(row=call):
            assert not is_users(raised(call))


def test_an_error_that_was_not_raised_has_no_place():
    assert not is_users(ValueError("a"))
