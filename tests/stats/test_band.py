"""Simultaneous bands: a literal twin, whole curves covered, constant checkpoints."""

import numpy as np
import pytest
from scipy import stats

from jaxbandits.stats import band
from tests.results.samples import blocks, dataset, repetitions, slack
from tests.tables import each_row


def test_a_band_is_that_of_a_literal_twin(rng):
    """The largest t statistic of samples of residuals with random signs."""
    values = rng.normal(size=(2, 9, 4)).cumsum(axis=2)
    residuals = values - values.mean(axis=1, keepdims=True)
    signs = np.random.default_rng(3).choice([-1.0, 1.0], (199, 9))
    statistics = [
        np.abs(stats.ttest_1samp(each[:, None] * residuals, 0, axis=1).statistic)
        for each in signs
    ]
    means, errors = values.mean(axis=1), stats.sem(values, axis=1)
    # Of every curve, and of both together.
    for over, axes in (("checkpoint", 2), (("params", "checkpoint"), (1, 2))):
        found = band(repetitions(values), "regret", 0.9, over, resamples=199, seed=3)
        # At least 0.9 of 199 are at most the 180th.
        largest = np.sort(np.max(statistics, axis=axes, keepdims=True), axis=0)
        upper = means + largest[179] * errors
        np.testing.assert_allclose(found.upper[0], upper, rtol=1e-9)
        np.testing.assert_allclose(found.mean - found.lower, found.upper - found.mean)
        assert found.upper.dims == ("policy", "params", "checkpoint")


def walks(rng, trials, size, checkpoints=10):
    """Curves of regret less its mean: sums of independent steps."""
    return rng.normal(size=(trials, size, checkpoints)).cumsum(axis=2)


def coverage(found):
    """Share of the curves that stay inside everywhere; the truth is 0."""
    return ((found.lower <= 0) & (found.upper >= 0)).all("checkpoint").mean().item()


def band_coverage(values, number):
    parts = blocks(repetitions(values), number)
    return np.mean(
        [
            coverage(band(part, "regret", resamples=999, seed=seed))
            for seed, part in enumerate(parts)
        ]
    )


@pytest.mark.slow
@each_row("checkpoints", [3, 100])
@each_row("size", [5, 10, 20, 100])
def test_whole_curves_are_covered(rng, size, checkpoints):
    trials, level = 10_000, 0.95
    covered = band_coverage(walks(rng, trials, size, checkpoints), 200)
    # The claim is for many seeds: with few, a percent more or less.
    allowed = 0.01 if size < 20 else 0.003
    assert abs(covered - level) < allowed + slack(level, trials)


def test_constant_checkpoints_have_no_width_and_no_influence():
    data = dataset(num_seeds=8)
    expected = band(data.isel(checkpoint=[1, 2, 3]), "regret")
    data["regret"][:, :, :, 0] = 0.1
    found = band(data, "regret")
    first = [part.isel(checkpoint=0) for part in found]
    assert first[0].equals(first[1]) and first[0].equals(first[2])
    for part, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(part.isel(checkpoint=[1, 2, 3]), other)
    # All of the curve, all curves.
    data["regret"][:] = 0.1
    for over in ("checkpoint", ("policy", "params", "checkpoint")):
        lower, upper = band(data, "regret", over=over)[1:]
        assert lower.equals(upper) and lower.notnull().all()


@pytest.mark.filterwarnings("ignore:.*along the dimension seed are NaN:UserWarning")
def test_missing_seeds_are_nan_and_alone():
    data = dataset(num_seeds=8)
    data["regret"][0, 0, 2, 1] = np.nan
    found = band(data, "regret")
    for part in found:
        assert part.isnull().sum() == 1 and part[0, 0, 1].isnull()
    rest = band(data.isel(checkpoint=[0, 2, 3]), "regret")
    np.testing.assert_allclose(found.upper[0, 0, [0, 2, 3]], rest.upper[0, 0])
    data["regret"][0, 0, 2, 1] = np.inf
    assert band(data, "regret").upper.isnull().sum() == 1
    # A policy without the metric does not spoil the others.
    both = band(data, "optimal", over=("policy", "checkpoint"))
    assert both.upper.sel(policy="uniform").isnull().all()
    alone = band(data.sel(policy=["ucb"]), "optimal")
    np.testing.assert_allclose(both.upper.sel(policy="ucb"), alone.upper[0])


def test_a_band_of_two_seeds_is_infinite():
    """Half of the signs of two residuals give an infinite statistic."""
    data = dataset(num_seeds=2)
    data["regret"][:, :, :, 0] = 0.1
    found = band(data, "regret")
    assert (found.upper[..., 1:] == np.inf).all()
    assert (found.lower[..., 1:] == -np.inf).all()
    assert found.upper[..., 0].equals(found.mean[..., 0])
