"""Paired differences: the interval of the differences, the gain of pairing."""

import numpy as np
from scipy import stats

from jaxbandits.stats import paired_difference
from tests.results.samples import dataset


def test_the_interval_of_differences_is_scipys():
    data = dataset(points=2, num_seeds=8)
    first, second = (data["regret"].sel(policy=p).values for p in ("ucb", "uniform"))
    found = paired_difference(data, "regret", "ucb", "uniform", 0.9)
    assert found.mean.dims == ("params", "checkpoint")
    np.testing.assert_allclose(found.mean, (first - second).mean(axis=1))
    test = stats.ttest_rel(first, second, axis=1).confidence_interval(0.9)
    np.testing.assert_allclose(found.lower, test.low)
    np.testing.assert_allclose(found.upper, test.high)
    # Shared noise of variance 1, own noise of variance 0.01: about 2 / 0.01.
    separate = first.var(axis=1, ddof=1) + second.var(axis=1, ddof=1)
    ratio = separate / (first - second).var(axis=1, ddof=1)
    np.testing.assert_allclose(found.variance_reduction, ratio)
    assert (found.variance_reduction > 20).all()


def test_differences_without_variance_have_no_width():
    data = dataset()
    data["regret"][1] = data["regret"][0] + 2.0**10
    data["regret"][:, 0, :, 0] = 4.0
    data["regret"][:, 0, :, 1] = np.arange(5.0)
    found = paired_difference(data, "regret", "uniform", "ucb")
    # Both constant, then equal but not constant.
    assert np.isnan(found.variance_reduction.values[0, 0])
    assert np.isposinf(found.variance_reduction.values[0, 1])
    assert found.lower.values[0, 1] == found.upper.values[0, 1] == 0
