"""When metrics are recorded."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from jaxbandits.engine.schedule import resolved
from tests.tables import naming


@given(st.integers(1, 2**31 - 2))
@example(1)
@example(99)
@example(100)
@example(101)
def test_grids_increase_and_end_with_the_last_round(last):
    for name in ("linear", "log"):
        rounds = resolved(name, last)
        assert rounds.dtype == np.int64
        assert 1 <= len(rounds) <= 100 and rounds[0] >= 1
        assert np.all(np.diff(rounds) > 0) and rounds[-1] == last


def test_grids_by_hand():
    assert resolved("linear", 3).tolist() == [1, 2, 3]
    log = resolved("log", 10**6)
    assert log.size < 100  # equal ones are dropped
    assert log[0] == 1 and log[-2:].tolist() == [869_749, 10**6]


def test_checkpoints_in_rounds_end_with_the_last_round():
    assert resolved([3, 5], 10).tolist() == [3, 5, 10]  # the end is added
    assert resolved([3, 10], 10).tolist() == [3, 10]
    assert resolved("linear", 200).tolist() == list(range(2, 201, 2))
    assert resolved("log", 200)[-1] == 200
    assert resolved(np.array([1, 7], np.int32), 7).dtype == np.int64


def test_bad_rounds_are_refused():
    for bad in [[], [0], [3, 3], [5, 4], [11], [2.5], [[1, 2]], "often", [True, False]]:
        with naming(bad), pytest.raises(ValueError, match="checkpoints"):
            resolved(bad, 10)


def test_checkpoints_in_money_end_with_the_budget():
    assert resolved([3.5, 8], 8, by_budget=True).tolist() == [3.5, 8]
    assert resolved([3, 5], 8, by_budget=True).tolist() == [3, 5, 8]  # the end is added
    for name in ("linear", "log"):
        amounts = resolved(name, 0.7, by_budget=True)
        assert amounts.size == 100 and amounts[-1] == 0.7
        assert amounts[0] > 0 and np.all(np.diff(amounts) > 0)


def test_bad_amounts_are_refused():
    for bad in [[], [0.0], [-1.0, 2], [3, 3], [5, 4], [9], [np.nan], [[1.0]], "often"]:
        with naming(bad), pytest.raises(ValueError, match="checkpoints"):
            resolved(bad, 8, by_budget=True)
