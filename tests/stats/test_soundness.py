"""Skewness, effective numbers, and what is warned of."""

import warnings
from functools import partial

import numpy as np
import pytest
import xarray as xr
from scipy import stats

from jaxbandits.plots import plot_bars, plot_curves, plot_sensitivity
from jaxbandits.stats import (
    CoverageWarning,
    band,
    fixed_width_interval,
    interval,
    seeds_needed,
)
from jaxbandits.stats.soundness import constant, moments, supported
from tests.plots.sweeps import sweep
from tests.results.samples import dataset, repetitions
from tests.stats import statistics
from tests.stats.statistics import STATISTICS
from tests.tables import each_row


def test_skewness_and_effective_seeds_are_scipys(rng):
    rows = rng.exponential(size=(3, 4, 30)) * 1e-90
    skewness, effective = moments(rows)
    np.testing.assert_allclose(skewness, stats.skew(rows, axis=-1))
    expected = 30 / stats.kurtosis(rows * 1e90, axis=-1, fisher=False)
    np.testing.assert_allclose(effective, expected)
    assert moments(np.tile([-1.0, 1], 20))[1] == pytest.approx(40)
    assert moments(np.eye(1000)[0])[1] == pytest.approx(1, abs=0.01)
    missing = moments(np.array([[2.0, 2, 2], [1, np.nan, 3], [1, np.inf, 3]]))
    assert np.isnan(missing).all()


def test_what_is_equal_up_to_rounding_is_constant(rng):
    values = rng.normal(size=50)
    assert constant((values + 1) - values, np.abs(values).max())
    assert not constant(np.array([1.0, 1 + 1e-9])) and not constant(np.array([np.nan]))


@each_row("size, least", [(20, 0.9), (50, 0.99), (1000, 1)])
def test_normal_seeds_are_seldom_doubted(rng, size, least):
    assert supported(rng.normal(size=(1000, size))).mean() >= least


LOST = np.where(np.arange(50) == 7, 5000.0, 200 + np.arange(50) / 50)


def calls(data):
    """Everything that warns, by name."""
    names = "interval interval_of bootstrap band paired two_level".split()
    single = data["regret"].isel(checkpoint=-1)
    return {name: partial(STATISTICS[name], data) for name in names} | {
        "seeds_needed": lambda: seeds_needed(single, 1.0),
        "fixed": lambda: fixed_width_interval(single, data.sizes["seed"]),
        "curves": lambda: plot_curves(data),
        "bars": lambda: plot_bars(data, "regret", percent=False),
    }


def policies(values):
    """Policy "a" with some values and "b" without a tail."""
    data = repetitions(np.asarray(values)[None])
    other = data.assign_coords(policy=["b"]) * 0
    rest = np.linspace(-1, 1, data.sizes["seed"])
    other["regret"] = other["regret"] + rest[:, None]
    together = xr.concat([data.assign_coords(policy=["a"]), other], "policy")
    return together.assign_attrs(checkpoint_kind="round").assign_coords(
        compile_seconds=("policy", [0.0, 0.0])
    )


@each_row("name", calls(dataset()))
@each_row(
    "values, words",
    [
        (LOST, "too skewed .*50 replications with the weight of 1"),
        (np.arange(7.0), "7 replications are too few to see how skewed"),
        (np.full(30, 3.0), "in 1 of . samples all replications are equal"),
    ],
)
def test_what_seeds_do_not_support_is_warned_of(name, values, words):
    data = policies(values)
    if name == "paired" and "equal" in words:
        return  # the other policy differs
    if name == "band" and "equal" in words:
        data = data.sel(policy=["a"])
    with pytest.warns(CoverageWarning, match=f"^coverage of the .*{words}") as found:
        calls(data)[name]()
    assert len(found) == 1
    assert found[0].filename in (__file__, statistics.__file__)


@each_row("name", calls(dataset()))
def test_sound_seeds_are_not_warned_of(name, rng):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for values in (rng.normal(size=60), np.arange(20.0)):
            calls(policies(values))[name]()


def test_without_an_interval_there_is_no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        plot_curves(dataset(), level=None)
        plot_sensitivity(sweep(), x="alpha", by="radius", level=None)
        interval(dataset(), "regret", method="bounded", bounds=(-10, 20_000))
    with pytest.warns(CoverageWarning, match="6 replications") as found:
        plot_sensitivity(sweep(), x="alpha", by="radius")
    assert len(found) == 1


def test_curves_go_by_their_last_checkpoint_and_bands_by_all(rng):
    values = rng.normal(size=(1, 60, 3))
    values[0, :, 0] = 0
    data = repetitions(values)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        interval(data, "regret")
        band(data, "regret")
        values[0, 3, 1] = 60
        data = repetitions(values)
        interval(data, "regret")
        with pytest.raises(CoverageWarning, match="1 of 2 samples are too skewed"):
            band(data, "regret")
