"""Statistics of dask arrays and of stores of moments are those of the runs."""

import warnings
from functools import partial

import numpy as np
import pytest
import xarray as xr

from jaxbandits import stats
from jaxbandits.checks.points import Points
from jaxbandits.results import open_store
from jaxbandits.results.moments import ABSOLUTE_ERROR, RELATIVE_ERROR, moments_of
from jaxbandits.results.parts import Part
from jaxbandits.results.spans import listed
from jaxbandits.stats import CoverageWarning
from jaxbandits.stats.moments import joined
from jaxbandits.store.block_store import BlockStore
from jaxbandits.store.request import Request, Size
from tests.stats.statistics import STATISTICS
from tests.store.samples import SESSION, SWEEP
from tests.tables import each_row

POINTS, SEEDS = 3, 60
BLOCK = (2, 30)
KINDS = ("moments", "dask")


def make(path, runs, moments):
    """A store of ``runs [params, seed, checkpoint]``."""
    steps = np.arange(1.0, POINTS + 1)
    points = Points({"step": steps}, POINTS)
    seeds = ((0, runs.shape[1]),)
    part = Part(("short", "walker"), points, seeds)
    size, keep = Size(BLOCK[0] * BLOCK[1], BLOCK[0]), "moments" if moments else "runs"
    store = BlockStore(path)
    store.ask(Request(SWEEP, [part], size, keep, {"regret": ()}))
    store.enter(SESSION)
    for block in store.blocks():
        rows = np.searchsorted(steps, block.points.columns["step"])
        regret = runs[np.ix_(rows, listed(block.seeds))]
        values = {"regret": regret, "rounds": np.full(regret.shape, 7)}
        store.write(block, values, SESSION)
    return path


def opened(kind, path, runs):
    store = make(path / f"{kind}.zarr", runs, kind == "moments")
    if kind == "dask":
        pytest.importorskip("dask")
    return open_store(store, chunks={} if kind == "dask" else None)


@pytest.fixture(scope="module")
def runs():
    return np.random.default_rng(0).normal(3, size=(POINTS, SEEDS, 2))


@pytest.fixture(scope="module", params=KINDS)
def data(request, runs, tmp_path_factory):
    return opened(request.param, tmp_path_factory.mktemp("summed"), runs)


@pytest.fixture(scope="module")
def whole(runs, tmp_path_factory):
    store = make(tmp_path_factory.mktemp("summed") / "runs.zarr", runs, False)
    return open_store(store).load()


def close(found, wanted, **options):
    parts = (each.reset_coords(drop=True) for each in (found, wanted))
    xr.testing.assert_allclose(*parts, **options)
    assert found.dims == wanted.dims


def test_means_and_errors_are_those_of_the_runs(data, whole):
    for function in (stats.mean, stats.sem):
        close(function(data, "regret"), function(whole, "regret"), rtol=1e-12)


@each_row("level", [0.5, 0.95])
def test_intervals_are_those_of_the_runs(data, whole, level):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = stats.interval(data, "regret", level)
    for a, b in zip(found, stats.interval(whole, "regret", level), strict=True):
        close(a, b, rtol=1e-12)


@each_row("q", [0.5, [0.0, 0.1, 0.9, 1.0]])
def test_quantiles_are_those_of_the_runs(data, whole, q):
    found, wanted = (stats.quantiles(each, "regret", q) for each in (data, whole))
    room = RELATIVE_ERROR if "moment" in data.dims else 1e-12
    # Runs are a little apart: both neighbours are that well known.
    close(found, wanted, rtol=2 * room, atol=2 * room + ABSOLUTE_ERROR)


def test_records_are_those_of_the_runs(data, whole):
    found = stats.summary_records(data.isel(environment=0), "x")
    wanted = stats.summary_records(whole.isel(environment=0), "x")
    assert len(found) == len(wanted) == POINTS
    for a, b in zip(found, wanted, strict=True):
        for part in ("mean", "sem"):
            number = a["metrics"]["regret"].pop(part)
            assert number == pytest.approx(b["metrics"]["regret"].pop(part), rel=1e-12)
        assert a == b


def test_what_is_warned_of_is_the_same(runs, tmp_path):
    skewed = np.exp(3 * runs)
    skewed[1] = 0.5
    store = make(tmp_path / "runs.zarr", skewed, False)
    with pytest.warns(CoverageWarning) as wanted:
        stats.interval(open_store(store), "regret")
    for kind in KINDS:
        data = opened(kind, tmp_path, skewed)
        with pytest.warns(CoverageWarning) as found:
            stats.interval(data, "regret")
        assert [str(w.message) for w in found] == [str(w.message) for w in wanted]
        assert found[0].filename == __file__


@pytest.mark.filterwarnings("ignore:.*along the dimension seed are NaN:UserWarning")
def test_a_run_that_is_nan_and_one_that_is_alone(runs, tmp_path):
    bad = runs[:, :1].copy()
    bad[0, 0, 0] = np.nan
    for kind in KINDS:
        data = opened(kind, tmp_path, bad)
        with pytest.warns(CoverageWarning, match="are NaN: a single"):
            found = stats.interval(data, "regret")
        np.testing.assert_array_equal(found.mean.values[0, 0], bad[:, 0])
        assert np.isnan(found.lower).all() and np.isnan(found.upper).all()
        assert np.isnan(stats.quantiles(data, "regret", 0.5)[0, 0, 0, 0])


def test_what_takes_runs_says_so(data):
    names = "band", "bootstrap", "bounded", "quantile_interval"
    calls = {name: partial(STATISTICS[name], data) for name in names} | {
        "pairs": lambda: stats.paired_difference(data, "regret", "p", "p"),
        "dominance": lambda: stats.dominance(data, "regret"),
        "two_level": lambda: stats.two_level(data, "regret"),
    }
    kind = "moments only" if "moment" in data.dims else "an array of dask"
    for name, call in calls.items():
        with pytest.raises(
            ValueError, match=f"^metric: .*'regret' .*{kind}|^metric: of"
        ):
            call()
            raise AssertionError(name)


def test_moments_of_unlike_parts_are_those_of_all(rng):
    """All powers, about a mean that no part has."""
    values = rng.exponential(size=(2, 3, 20)) * [[[1.0], [5], [30]]]
    found, wanted = joined(moments_of(values)), moments_of(values.reshape(2, -1))
    for name, each, whole in zip(found._fields, found, wanted, strict=True):
        np.testing.assert_allclose(each, whole, rtol=1e-12, err_msg=name)


def test_drawn_instances_are_not_summed(runs, tmp_path):
    """Their means are the replications, and may lie in several blocks."""
    data = opened("dask", tmp_path, runs)
    shared = data.assign_coords(instance=("seed", np.arange(SEEDS) // 2))
    with pytest.raises(ValueError, match="^dataset: seeds share drawn instances"):
        stats.mean(shared, "regret")


def test_moments_that_are_not_all_there_are_refused(tmp_path, runs):
    data = opened("moments", tmp_path, runs).isel(moment=slice(0, 2))
    with pytest.raises(ValueError, match="moment must have all its 7 entries, got 2"):
        stats.mean(data, "regret")
