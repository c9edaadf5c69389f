"""Intervals for quantiles: SciPy's order statistics, their coverage, small samples."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from jaxbandits.stats import CoverageWarning, quantile_interval, quantiles
from tests.results.samples import dataset, repetitions


@given(
    st.integers(2, 60), st.floats(0.01, 0.99), st.sampled_from([0.5, 0.9, 0.95, 0.99])
)
def test_ends_are_those_of_scipy_and_a_missing_one_is_warned_of(size, q, level):
    row = np.random.default_rng(size).normal(size=size)
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        found = quantile_interval(repetitions([row]), "regret", q, level)
    missing = found.lower.isnull().item() or found.upper.isnull().item()
    assert [x.category for x in warned] == [CoverageWarning] * missing
    expected = stats.quantile_test(row, p=q).confidence_interval(level)
    assert found.lower.item() == pytest.approx(expected.low, nan_ok=True)
    assert found.upper.item() == pytest.approx(expected.high, nan_ok=True)


def test_quantiles_are_a_dimension():
    data = dataset(points=2, num_seeds=9)
    found = quantile_interval(data, "regret", [0.4, 0.5])
    assert found.quantile.identical(quantiles(data, "regret", [0.4, 0.5]))
    for part in found:
        assert part.dims == ("quantile", "policy", "params", "checkpoint")
    alone = quantile_interval(data, "regret", 0.5)
    for part, both in zip(alone, found, strict=True):
        assert part.dims == ("policy", "params", "checkpoint")
        np.testing.assert_array_equal(part, both.sel(quantile=0.5))
