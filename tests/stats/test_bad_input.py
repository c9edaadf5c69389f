"""Wrong arguments of the statistics are named, types before ranges."""

import numpy as np
import pytest
import xarray as xr

from jaxbandits import results, stats
from tests.results.samples import dataset

DATA = dataset(num_seeds=6)
EMPTY = DATA.isel(seed=slice(0))
CASES = [
    (lambda: stats.interval({}, "regret"), TypeError, "dataset must be an xarray"),
    (lambda: stats.interval(DATA["regret"], "regret"), TypeError, "dataset must be"),
    (lambda: stats.interval(DATA, ["regret"]), ValueError, "metric: .* is unknown"),
    (lambda: stats.interval(DATA, "regret", "x"), TypeError, "level must be a num"),
    (lambda: stats.interval(DATA, "regret", None), TypeError, "level must be a num"),
    (lambda: stats.interval(EMPTY, "regret"), ValueError, "dataset: has no seed"),
    (lambda: stats.mean(EMPTY, "regret"), ValueError, "dataset: has no seed"),
    (lambda: stats.sem(EMPTY, "regret"), ValueError, "dataset: has no seed"),
    (lambda: stats.band(EMPTY, "regret"), ValueError, "dataset: has no seed"),
    (lambda: stats.interval_of(np.ones(3)), TypeError, "values must be an xarray"),
    (lambda: stats.band(DATA, "regret", over=3), TypeError, "over must be names of"),
    (lambda: stats.band(DATA, "regret", seed="x"), TypeError, "seed must be an int"),
    (
        lambda: stats.interval(DATA, "regret", method="bootstrap", resamples=1e3),
        TypeError,
        "resamples must be an integer, got 1000.0",
    ),
    (
        lambda: stats.interval(DATA, "regret", method="bootstrap", seed=-1),
        ValueError,
        "seed must be at least 0",
    ),
    (
        lambda: stats.quantile_interval(DATA, "regret", []),
        ValueError,
        "q must name at least one",
    ),
    (lambda: stats.quantiles(DATA, "regret", None), TypeError, "q must be a number"),
    (lambda: stats.seeds_needed([1, 2.0], np.inf), ValueError, "half_width must be"),
    (lambda: stats.seeds_needed([1, 2.0], "x"), TypeError, "half_width must be a n"),
    (lambda: stats.seeds_needed("a", 1), TypeError, "pilot_values must be an array"),
    (
        lambda: stats.fixed_width_interval([1.0, 2, 3], 2.5),
        TypeError,
        "pilot must be an integer",
    ),
    (lambda: results.at_points(DATA, 0.5), TypeError, "params must be an integer"),
    (lambda: results.as_share({}), TypeError, "dataset must be an xarray.Dataset"),
    (
        lambda: results.resample(DATA, "rounds", np.array([9, 5, 2], np.uint64)),
        ValueError,
        "grid must hold increasing",
    ),
    (
        lambda: results.resample(DATA, "rounds", [1, 2], "x"),
        ValueError,
        r"kind must be one of \('round', 'spent', 'share",
    ),
    (
        lambda: results.resample(DATA, "rounds", [1], ""),
        ValueError,
        "kind must be one of",
    ),
    (lambda: results.resample(DATA[[]], "rounds", [1]), ValueError, "dataset must "),
    (
        lambda: stats.mean(xr.concat([DATA, DATA], "seed"), "regret"),
        ValueError,
        "dataset must have a seed only once",
    ),
    (
        lambda: stats.dominance(xr.concat([DATA, DATA], "policy"), "regret"),
        ValueError,
        "dataset must have a policy only once",
    ),
    (
        lambda: results.resample(DATA, "rounds", [1.5, 2]),
        ValueError,
        "grid must hold integers",
    ),
    (lambda: stats.summary_records(DATA, "", metrics="regret"), TypeError, "metrics"),
    (lambda: stats.summary_records(DATA, "", metrics=3), TypeError, "metrics must"),
    (
        lambda: stats.summary_records(DATA.isel(seed=0), ""),
        ValueError,
        "dataset mus",
    ),
    (
        lambda: stats.mean(DATA.isel(seed=0), "regret"),
        ValueError,
        "metric: 'regret' ",
    ),
    (
        lambda: stats.mean(DATA.assign(who=("seed", list("abcdef"))), "who"),
        TypeError,
        "metric: 'who' must be numbers",
    ),
    (lambda: results.resample(DATA, "nothing", [1]), ValueError, "along: 'nothing'"),
    (lambda: results.at_points("x", 0), TypeError, "dataset must be an xarray"),
    (lambda: results.at_points(DATA["policy"], 0), ValueError, "dataset must have th"),
    (lambda: results.as_share(DATA.isel(checkpoint=0)), ValueError, "dataset must ha"),
    (
        lambda: stats.two_level(DATA, "regret", group=["a"]),
        TypeError,
        "group must b",
    ),
    (
        lambda: stats.interval(DATA, "regret", method=["t"]),
        ValueError,
        "method must be one of",
    ),
    (lambda: stats.fixed_width_interval([], 2), ValueError, "values must be of at"),
    (lambda: results.load("missing.nc"), FileNotFoundError, "path: there is no file"),
    (lambda: results.load(3), TypeError, "path must be a path, got 3"),
    (lambda: results.load(__file__), ValueError, "path: .* must be a netCDF-4 file"),
    (lambda: results.open_store(3), TypeError, "store must be a path, got 3"),
    (lambda: results.open_store(""), ValueError, "store must be a path of this mach"),
    (lambda: stats.summary_records(DATA, "", published=[1]), TypeError, "published"),
    (
        lambda: stats.summary_records(DATA, "", published={"ucb": {"regret": "x"}}),
        TypeError,
        r"published\['ucb'\]\['regret'\] must be numbers",
    ),
    (
        lambda: stats.dominance(DATA, "regret", smaller_is_better="no"),
        TypeError,
        "smaller_is_better must be True or False",
    ),
    (
        lambda: stats.dominance(DATA.where(DATA < 9999, np.inf), "regret"),
        ValueError,
        "metric: 'regret' is infinite",
    ),
]


def test_mistakes_are_named(subtests):
    for call, error, message in CASES:
        with subtests.test(message=message), pytest.raises(error, match=f"^{message}"):
            call()


def test_a_pilot_without_spread_is_warned_of():
    with pytest.warns(stats.CoverageWarning, match="all replications are equal"):
        assert stats.seeds_needed([1.0, 1, 1], 1.0) == 3
