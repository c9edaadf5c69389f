"""Samples of parameter points against NumPy and SciPy."""

import numpy as np
from scipy import stats

from jaxbandits.plots.samples import (
    STATISTICS,
    Samples,
    best_point,
    enough_seeds,
    may_be_best,
)

rng = np.random.default_rng(5)
SAMPLE = rng.normal(size=12)


def test_one_run_has_no_spread():
    assert np.isnan(STATISTICS["sem"](SAMPLE[:1]))


def test_may_be_best_is_the_corrected_paired_test():
    common = rng.normal(size=40)
    values = common + 0.2 * rng.normal(size=(30, 40)) + np.linspace(0, 0.4, 30)[:, None]
    runs = Samples(values, np.ones(values.shape, bool))
    best = best_point(runs, smaller_is_better=True)
    assert best == values.mean(1).argmin()
    others = [
        stats.ttest_rel(row, values[best], alternative="greater") for row in values
    ]
    expected = [test.pvalue > 0.05 / 29 for test in others]
    expected[best] = False
    found = may_be_best(runs, best, 0.95, smaller_is_better=True)
    assert 0 < sum(expected) < 29
    np.testing.assert_array_equal(found, expected)
    assert best_point(runs, smaller_is_better=False) == values.mean(1).argmax()
    mirrored = Samples(-values, runs.played)
    found = may_be_best(mirrored, best, 0.95, smaller_is_better=False)
    np.testing.assert_array_equal(found, expected)
    worst = best_point(runs, smaller_is_better=False)
    found = may_be_best(runs, worst, 0.95, smaller_is_better=True)
    np.testing.assert_array_equal(found, np.arange(30) != worst)


def test_what_seeds_do_not_support_excludes_nothing():
    """All differences equal, or too few seeds."""
    values = np.tile(np.random.default_rng(3).normal(size=40), (3, 1))
    values[2] += 1
    there = np.ones(values.shape, bool)
    expected = [False, True, True]
    assert may_be_best(Samples(values, there), 0, 0.95, True).tolist() == expected
    values[1:] = 99 + np.random.default_rng(4).normal(size=(2, 40))
    expected = [False, False, False]
    assert may_be_best(Samples(values, there), 0, 0.95, True).tolist() == expected
    there[1, 19:] = False
    expected = [False, True, False]
    assert may_be_best(Samples(values, there), 0, 0.95, True).tolist() == expected


def test_drawn_instances_are_the_replications():
    drawn = np.repeat([5, 2, 9], [4, 4, 4])
    runs = Samples(SAMPLE[None] * [[1], [2]], np.ones((2, 12), bool), drawn)
    means = SAMPLE.reshape(3, 4).mean(1)
    np.testing.assert_allclose(runs.replications(0), means)
    np.testing.assert_allclose(runs.difference(1, 0), means)
    np.testing.assert_array_equal(runs.of(0), SAMPLE)
    runs.played[0, 3:5] = False
    expected = [SAMPLE[:3].mean(), SAMPLE[5:8].mean(), SAMPLE[8:].mean()]
    np.testing.assert_allclose(runs.replications(0), expected)


def test_points_with_few_seeds_are_not_the_best():
    """With one seed in common nothing is told apart."""
    values = SAMPLE + np.array([[0.0], [-9.0], [9.0], [9.0]])
    there = np.ones(values.shape, bool)
    there[1, 5:] = there[2, 1:] = there[3] = False
    runs = Samples(np.where(there, values, np.nan), there)
    assert enough_seeds(runs) == 6
    assert best_point(runs, True) == 0
    assert may_be_best(runs, 0, 0.95, True).tolist() == [False, True, True, False]


def test_undefined_values_are_not_the_best():
    """They are not left out of a mean."""
    values = np.stack([SAMPLE, SAMPLE - 1])
    values[1, 3] = np.nan
    runs = Samples(values, np.ones(values.shape, bool))
    assert np.isnan(runs.of(1).mean())
    assert best_point(runs, True) == 0
    assert may_be_best(runs, 0, 0.95, True).tolist() == [False, False]
    assert best_point(runs._replace(values=np.full((2, 12), np.nan)), True) is None
    assert best_point(runs.only(np.array([])), True) is None
