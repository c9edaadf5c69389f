"""Statistics over seeds against SciPy and against hand-computed values."""

import numpy as np
import pytest
import xarray as xr
from scipy import stats

import jaxbandits.stats as ours
from jaxbandits.stats import (
    CoverageWarning,
    final,
    interval,
    interval_of,
    mean,
    paired_difference,
    quantiles,
    seeds_needed,
    sem,
)
from tests.results.samples import dataset
from tests.stats import statistics
from tests.stats.statistics import INTERVALS, STATISTICS
from tests.tables import assert_refused, each_row


@each_row("level", [0.5, 0.95, 0.99])
def test_intervals_are_scipys(level):
    data = dataset(points=2, num_seeds=7)
    values = data["regret"].values
    found = interval(data, "regret", level)
    assert found.mean.dims == ("policy", "params", "checkpoint")
    np.testing.assert_allclose(mean(data, "regret"), values.mean(axis=2))
    expected = stats.ttest_1samp(values, 0, axis=2).confidence_interval(level)
    np.testing.assert_allclose(found.lower, expected.low, rtol=1e-12)
    np.testing.assert_allclose(found.upper, expected.high, rtol=1e-12)
    np.testing.assert_allclose(sem(data, "regret"), stats.sem(values, axis=2))


@each_row("name", [x for x in INTERVALS if x not in ("bounded", "fixed_width")])
def test_one_seed_has_a_mean_and_no_interval(name):
    with pytest.warns(CoverageWarning, match="are NaN: a single replication"):
        found = STATISTICS[name](dataset(num_seeds=1))
    assert found[0].notnull().all()
    for part in found[1:]:
        assert part.isnull().all()
    with pytest.warns(CoverageWarning, match="errors of 'regret' are NaN: a single"):
        assert sem(dataset(num_seeds=1), "regret").isnull().all()


@pytest.mark.filterwarnings("ignore:coverage of:UserWarning")
@each_row("name", [x for x in INTERVALS if x not in ("bounded", "paired")])
def test_equal_seeds_have_no_width(name):
    """Of a number that float64 does not hold; one curve that varies keeps its own."""
    data = dataset(num_seeds=8)
    data["regret"][:] = 0.1
    data["regret"][1, 0, :, 2] = np.arange(8)
    mean, lower, upper = STATISTICS[name](data)[:3]
    same = np.ones((2, 1, 4), bool)
    same[1, 0, 2] = False
    np.testing.assert_allclose(mean.values[same], 0.1, rtol=1e-12)
    for end in (lower, upper):
        np.testing.assert_allclose(end.values[same], mean.values[same], rtol=1e-15)
    assert lower[1, 0, 2] < mean[1, 0, 2] < upper[1, 0, 2]


def test_a_missing_metric_stays_nan_and_alone():
    found = interval(dataset(), "optimal")
    for part in found:
        assert part.sel(policy="uniform").isnull().all()
        assert part.sel(policy="ucb").notnull().all()


OTHERS = {
    "dominance": lambda data: ours.dominance(data, "regret"),
    "final": lambda data: final(data, "regret"),
}


@pytest.mark.filterwarnings("ignore:coverage of:UserWarning")
@each_row("name", [*STATISTICS, *OTHERS])
def test_seeds_that_are_nan_are_warned_of(name):
    """By the dimension, their number, and where the first is; none is dropped."""
    data = dataset(num_seeds=20)
    data["regret"][0, 0, 2, 1] = data["regret"][0, 0, 3, 1] = np.nan
    data["regret"][1, 0, 3, 2] = np.nan
    says = "^'regret': 3 values along the dimension seed are NaN, in 2 of "
    says += r"\d+ samples \(the first: policy "
    with pytest.warns(UserWarning, match=says) as found:
        result = (STATISTICS | OTHERS)[name](data)
    assert {warning.filename for warning in found} <= {__file__, statistics.__file__}
    if name in (*OTHERS, "paired"):
        return  # which have other dimensions
    for part in result[:3]:  # of two levels, what else is known of them
        assert part.dims == ("policy", "params", "checkpoint")
        assert np.argwhere(part.isnull().values).tolist() == [[0, 0, 1], [1, 0, 2]]


def test_values_that_are_all_nan_are_warned_of():
    values = xr.DataArray([np.nan, np.nan], dims="seed")
    with pytest.warns(
        UserWarning, match="^values: 2 values along .* in 1 of 1 samples"
    ):
        assert interval_of(values).mean.isnull()


def test_quantiles_are_numpys():
    data = dataset(num_seeds=9)
    found = quantiles(data, "regret", [0.1, 0.5])
    assert found.dims[0] == "quantile"
    expected = np.quantile(data["regret"].values, [0.1, 0.5], axis=2)
    np.testing.assert_allclose(found, expected)
    assert "quantile" not in quantiles(data, "regret", 0.5).dims


def test_final_is_the_last_checkpoint():
    data = dataset()
    found = final(data, "rounds")
    assert found.dims == ("policy", "params", "seed")
    assert (found == 10000).all() and found["checkpoint"].item() == 10000


def test_numbers_whose_squares_float64_does_not_hold_are_refused():
    data = dataset()
    names = {"policy": "ucb", "baseline": "uniform"}
    for factor in (1e-200, 1e-155, 1e200):
        far = data.assign(regret=data["regret"] * factor)
        values = far["regret"].sel(policy="ucb").isel(params=0, checkpoint=-1)
        rows = [
            lambda far=far: sem(far, "regret"),
            lambda far=far: interval(far, "regret"),
            lambda far=far: paired_difference(far, "regret", **names),
            lambda values=values, f=factor: seeds_needed(values, f),
        ]
        rows = [(call, "regret must differ by 0, or by sizes in") for call in rows]
        assert_refused(rows, ValueError)
    # Seeds may all be equal, and near numbers may be small.
    small = data.assign(regret=data["regret"] * 1e-140)
    np.testing.assert_allclose(sem(small, "regret"), sem(data, "regret") * 1e-140)
    assert (sem(data.assign(regret=0 * data["regret"]), "regret") == 0).all()
