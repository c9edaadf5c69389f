"""Simultaneous bands: a literal twin, whole curves covered, constant checkpoints."""

import numpy as np
import pytest
from scipy import stats

from jaxbandits.stats import CoverageWarning, band, interval
from tests.results.samples import blocks, dataset, repetitions, slack
from tests.tables import each_row


def test_a_band_is_that_of_a_literal_twin(rng):
    """The largest t statistic of samples of residuals with random signs."""
    values = rng.normal(size=(1, 9, 4)).cumsum(axis=2)
    found = band(repetitions(values), "regret", 0.9, resamples=199, seed=3)
    (rows,) = values
    residuals = rows - rows.mean(axis=0)
    signs = np.random.default_rng(3).choice([-1.0, 1.0], (199, 9))
    largest = [
        np.abs(stats.ttest_1samp(each[:, None] * residuals, 0).statistic).max()
        for each in signs
    ]
    # At least 0.9 of 199 are at most the 180th.
    critical = np.sort(largest)[179]
    np.testing.assert_allclose(
        found.upper[0, 0], rows.mean(axis=0) + critical * stats.sem(rows), rtol=1e-9
    )
    np.testing.assert_allclose(found.mean - found.lower, found.upper - found.mean)


def test_at_one_checkpoint_it_is_nearly_student_s_interval():
    data = dataset(num_seeds=200).isel(checkpoint=[1])
    simultaneous, pointwise = band(data, "regret"), interval(data, "regret")
    ratio = (simultaneous.upper - simultaneous.mean) / (
        pointwise.upper - pointwise.mean
    )
    np.testing.assert_allclose(ratio, 1, atol=0.05)


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


@pytest.mark.slow
def test_policies_may_be_covered_together(rng):
    """Two policies are covered together; a band for each alone does that less often."""
    trials, level, size = 1000, 0.95, 20
    noise = rng.normal(size=(2, trials, size, 5))
    one = repetitions(noise[0]).assign_coords(policy=["ucb"])
    covered = {}
    for over in (("policy", "checkpoint"), ("checkpoint",), "checkpoint"):
        inside = []
        for seed, part in enumerate(blocks(one, 10)):
            block = noise[:, seed * 100 : (seed + 1) * 100]
            data = part.drop_vars("policy").isel(policy=[0, 0])
            data["regret"] = (part["regret"].dims, block)
            found = band(data, "regret", over=over, resamples=499, seed=seed)
            assert found.upper.dims == ("policy", "params", "checkpoint")
            here = (found.lower <= 0) & (found.upper >= 0)
            inside.append(here.all(("policy", "checkpoint")))
        covered[over] = np.mean(inside)
    assert abs(covered["policy", "checkpoint"] - level) < slack(level, trials)
    assert covered["checkpoint",] == covered["checkpoint"] < 0.93


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


def test_a_band_of_too_few_seeds_is_nan_or_infinite():
    with pytest.warns(CoverageWarning, match="are NaN: a single replication"):
        found = band(dataset(num_seeds=1), "regret")
    assert found.mean.notnull().all()
    assert found.lower.isnull().all() and found.upper.isnull().all()
    # Half of the signs of two residuals give an infinite statistic.
    data = dataset(num_seeds=2)
    data["regret"][:, :, :, 0] = 0.1
    found = band(data, "regret")
    assert (found.upper[..., 1:] == np.inf).all()
    assert (found.lower[..., 1:] == -np.inf).all()
    assert found.upper[..., 0].equals(found.mean[..., 0])
