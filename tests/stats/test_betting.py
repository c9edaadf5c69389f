"""Intervals and tests by betting: literally, by hand, and covering."""

import numpy as np
import pytest
import xarray as xr

from jaxbandits.stats import interval_of
from jaxbandits.stats.betting import CUT, betting_ends, betting_test


def capital(units, m, level):
    """The largest capital of bets on a mean above m, word by word."""
    total, squares, won, most = 0.5, 0.25, 1.0, 0.0
    for count, value in enumerate(units, 1):
        variance = squares / count
        stake = np.sqrt(2 * np.log(2 / (1 - level)) / (len(units) * variance))
        won *= 1 + min(stake, CUT / m) * (value - m)
        most = max(most, won)
        total += value
        mean = total / (count + 1)
        squares += (value - mean) ** 2
    return most


def test_bets_are_those_of_a_literal_twin(rng):
    units = rng.uniform(size=30) ** 2
    p, sign = betting_test(units, 0.95, 0.5)
    above, below = capital(units, 0.5, 0.95), capital(1 - units, 0.5, 0.95)
    assert p == pytest.approx(min(1, 2 / max(above, below)))
    assert sign == -1 and below > above
    lower, upper = betting_ends(units, 0.9)
    assert capital(units, lower - 1e-6, 0.9) > 20 > capital(units, lower + 1e-6, 0.9)
    assert capital(1 - units, 1 - upper - 1e-6, 0.9) > 20
    assert capital(1 - units, 1 - upper + 1e-6, 0.9) < 20


def test_values_that_are_all_1_by_hand():
    """Every value 1: each bet wins its stake, cut for small m."""
    lower, upper = betting_ends(np.ones(5), 0.95)
    assert upper == pytest.approx(1)
    # (1 + 0.75 (1 - m) / m)^5 = 40.
    assert lower == pytest.approx(0.75 / (40**0.2 - 0.25), rel=1e-6)


def test_a_single_value_has_an_interval():
    one = interval_of(xr.DataArray([0.3], dims="seed"), method="bounded", bounds=(0, 1))
    assert 0 <= one.lower < 0.3 < one.upper <= 1
