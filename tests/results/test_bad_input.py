"""Wrong arguments of the statistics are named, types before ranges."""

import numpy as np
import pytest
import xarray as xr

from jaxbandits import results
from tests.results.samples import dataset

DATA = dataset(num_seeds=6)
EMPTY = DATA.isel(seed=slice(0))
CASES = [
    (lambda: results.interval({}, "regret"), TypeError, "dataset: must be an xarray"),
    (lambda: results.interval(DATA["regret"], "regret"), TypeError, "dataset: must be"),
    (lambda: results.interval(DATA, ["regret"]), ValueError, "metric: .* is unknown"),
    (lambda: results.interval(DATA, "regret", "x"), TypeError, "level: must be a num"),
    (lambda: results.interval(DATA, "regret", None), TypeError, "level: must be a num"),
    (lambda: results.interval(EMPTY, "regret"), ValueError, "dataset: has no seed"),
    (lambda: results.mean(EMPTY, "regret"), ValueError, "dataset: has no seed"),
    (lambda: results.sem(EMPTY, "regret"), ValueError, "dataset: has no seed"),
    (lambda: results.band(EMPTY, "regret"), ValueError, "dataset: has no seed"),
    (lambda: results.interval_of(np.ones(3)), TypeError, "values: must be an xarray"),
    (lambda: results.band(DATA, "regret", over=3), TypeError, "over: must be names of"),
    (lambda: results.band(DATA, "regret", seed="x"), TypeError, "seed: must be an int"),
    (
        lambda: results.interval(DATA, "regret", method="bootstrap", resamples=1e3),
        TypeError,
        "resamples: must be an integer, got 1000.0",
    ),
    (
        lambda: results.interval(DATA, "regret", method="bootstrap", seed=-1),
        ValueError,
        "seed: must be at least 0",
    ),
    (
        lambda: results.quantile_interval(DATA, "regret", []),
        ValueError,
        "q: must name at least one",
    ),
    (lambda: results.quantiles(DATA, "regret", None), TypeError, "q: must be a number"),
    (lambda: results.seeds_needed([1, 2.0], np.inf), ValueError, "half_width: must be"),
    (lambda: results.seeds_needed([1, 2.0], "x"), TypeError, "half_width: must be a n"),
    (lambda: results.seeds_needed("a", 1), TypeError, "pilot_values: must be an array"),
    (
        lambda: results.fixed_width_interval([1.0, 2, 3], 2.5),
        TypeError,
        "pilot: must be an integer",
    ),
    (lambda: results.at_points(DATA, 0.5), TypeError, "params: must be an integer"),
    (lambda: results.as_share({}), TypeError, "dataset: must be an xarray.Dataset"),
    (
        lambda: results.resample(DATA, "rounds", np.array([9, 5, 2], np.uint64)),
        ValueError,
        "grid: must hold increasing",
    ),
    (
        lambda: results.resample(DATA, "rounds", [1, 2], "x"),
        ValueError,
        "kind: 'x' is not one of round, spent, share",
    ),
    (lambda: results.resample(DATA, "rounds", [1], ""), ValueError, "kind: '' is not"),
    (lambda: results.resample(DATA[[]], "rounds", [1]), ValueError, "dataset: must "),
    (
        lambda: results.mean(xr.concat([DATA, DATA], "seed"), "regret"),
        ValueError,
        "dataset: must have a seed only once",
    ),
    (
        lambda: results.dominance(xr.concat([DATA, DATA], "policy"), "regret"),
        ValueError,
        "dataset: must have a policy only once",
    ),
    (
        lambda: results.resample(DATA, "rounds", [1.5, 2]),
        ValueError,
        "grid: must hold integers",
    ),
    (lambda: results.summary_records(DATA, "", metrics="regret"), TypeError, "metrics"),
    (lambda: results.summary_records(DATA, "", metrics=3), TypeError, "metrics: must"),
    (
        lambda: results.summary_records(DATA.isel(seed=0), ""),
        ValueError,
        "dataset: mus",
    ),
    (
        lambda: results.mean(DATA.isel(seed=0), "regret"),
        ValueError,
        "metric: 'regret' ",
    ),
    (
        lambda: results.mean(DATA.assign(who=("seed", list("abcdef"))), "who"),
        TypeError,
        "metric: 'who' must be numbers",
    ),
    (lambda: results.resample(DATA, "nothing", [1]), ValueError, "along: 'nothing'"),
    (lambda: results.at_points("x", 0), TypeError, "dataset: must be an xarray"),
    (lambda: results.at_points(DATA["policy"], 0), ValueError, "dataset: must have th"),
    (lambda: results.as_share(DATA.isel(checkpoint=0)), ValueError, "dataset: must ha"),
    (
        lambda: results.two_level(DATA, "regret", group=["a"]),
        TypeError,
        "group: must b",
    ),
    (lambda: results.interval(DATA, "regret", method=["t"]), ValueError, "method: "),
    (lambda: results.fixed_width_interval([], 2), ValueError, "values: must be of at"),
    (lambda: results.load("missing.nc"), FileNotFoundError, "path: there is no file"),
    (lambda: results.load(3), TypeError, "path: must be a path, got 3"),
    (lambda: results.load(__file__), ValueError, "path: .* must be a netCDF-4 file"),
    (lambda: results.open_store(3), TypeError, "store: must be a path, got 3"),
    (lambda: results.open_store(""), ValueError, "store: must be a path of this mach"),
    (lambda: results.summary_records(DATA, "", published=[1]), TypeError, "published"),
    (
        lambda: results.summary_records(DATA, "", published={"ucb": {"regret": "x"}}),
        TypeError,
        r"published\['ucb'\]\['regret'\]: must be numbers",
    ),
    (
        lambda: results.dominance(DATA, "regret", smaller_is_better="no"),
        TypeError,
        "smaller_is_better: must be True or False",
    ),
    (
        lambda: results.dominance(DATA.where(DATA < 9999, np.inf), "regret"),
        ValueError,
        "metric: 'regret' is infinite",
    ),
]


@pytest.mark.parametrize(("call", "error", "message"), CASES)
def test_mistakes_are_named(call, error, message):
    with pytest.raises(error, match=f"^{message}"):
        call()


def test_a_pilot_without_spread_is_warned_of():
    with pytest.warns(results.CoverageWarning, match="all replications are equal"):
        assert results.seeds_needed([1.0, 1, 1], 1.0) == 3
