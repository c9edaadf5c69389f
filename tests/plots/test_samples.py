"""Samples of parameter points against NumPy and SciPy."""

import numpy as np
import pytest
from scipy import stats

from jaxbandits.plots.samples import (
    STATISTICS,
    Samples,
    best_point,
    enough_seeds,
    indistinguishable,
    samples,
    t_interval,
)
from jaxbandits.results import interval
from tests.plots.sweeps import sweep, unplayed

rng = np.random.default_rng(5)
SAMPLE = rng.normal(size=12)


def test_samples_are_of_the_seeds_played():
    data = unplayed(sweep(), params=2, seed=slice(4, None))
    runs = samples(data, "regret", "ucb", 0)
    assert runs.counts.tolist() == [6, 6, 4, 6, 6, 6]
    np.testing.assert_array_equal(runs.of(2), data["regret"][0, 2, :4, 0])
    difference = data["regret"][0, 0, :4, 0] - data["regret"][0, 2, :4, 0]
    np.testing.assert_array_equal(runs.difference(0, 2), difference)
    assert runs.only(np.array([2, 3])).counts.tolist() == [0, 0, 4, 6, 0, 0]


def test_t_interval_is_that_of_the_results():
    data = sweep()
    expected = interval(data, "regret", 0.9)
    found = t_interval(samples(data, "regret", "ucb").of(3), 0.9)
    np.testing.assert_allclose(found, [part[0, 3, -1] for part in expected])
    assert np.isnan(t_interval(SAMPLE[:0], 0.9)).all()
    mean, *ends = t_interval(SAMPLE[:1], 0.9)
    assert mean == SAMPLE[0] and np.isnan(ends).all()


def test_statistics():
    assert STATISTICS["mean"](SAMPLE) == pytest.approx(SAMPLE.mean())
    assert STATISTICS["median"](SAMPLE) == pytest.approx(np.median(SAMPLE))
    assert STATISTICS["std"](SAMPLE) == pytest.approx(stats.tstd(SAMPLE))
    assert STATISTICS["sem"](SAMPLE) == pytest.approx(stats.sem(SAMPLE))
    assert np.isnan(STATISTICS["sem"](SAMPLE[:1]))


def test_indistinguishable_is_the_paired_test():
    values = SAMPLE + rng.normal(0.1, 0.2, size=(30, 12))
    runs = Samples(values, np.ones(values.shape, bool))
    best = best_point(runs, smaller_is_better=True)
    assert best == values.mean(1).argmin()
    expected = [stats.ttest_rel(row, values[best]).pvalue > 0.05 for row in values]
    expected[best] = False
    found = indistinguishable(runs, best, 0.95)
    assert 0 < sum(expected) < 29
    np.testing.assert_array_equal(found, expected)
    assert best_point(runs, smaller_is_better=False) == values.mean(1).argmax()


def test_constant_differences():
    """No variance: the difference is 0, or certain."""
    runs = Samples(SAMPLE + np.array([[0.0], [0.0], [1.0]]), np.ones((3, 12), bool))
    assert indistinguishable(runs, 0, 0.95).tolist() == [False, True, False]


def test_points_with_few_seeds():
    """They cannot be best; with one seed in common nothing is told apart."""
    values = SAMPLE + np.array([[0.0], [-9.0], [9.0], [9.0]])
    there = np.ones(values.shape, bool)
    there[1, 5:] = there[2, 1:] = there[3] = False
    runs = Samples(np.where(there, values, np.nan), there)
    assert enough_seeds(runs) == 6
    assert best_point(runs, True) == 0
    assert indistinguishable(runs, 0, 0.95).tolist() == [False, False, True, False]


def test_undefined_values():
    """They are not left out of a mean, and are not the best."""
    values = np.stack([SAMPLE, SAMPLE - 1])
    values[1, 3] = np.nan
    runs = Samples(values, np.ones(values.shape, bool))
    assert np.isnan(runs.of(1).mean())
    assert best_point(runs, True) == 0
    assert indistinguishable(runs, 0, 0.95).tolist() == [False, False]
    assert best_point(runs._replace(values=np.full((2, 12), np.nan)), True) is None
    assert best_point(runs.only(np.array([])), True) is None
