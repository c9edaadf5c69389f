"""Sweeps that keep moments: the same bits, however they were played."""

import threading

import jax
import numpy as np
import pytest

from jaxbandits import stats
from jaxbandits.results import open_store
from jaxbandits.results.store import unseal
from jaxbandits.sweeps import HalfWidth
from jaxbandits.sweeps.fill import StoppedError
from jaxbandits.sweeps.merge import merge
from jaxbandits.sweeps.status import status
from jaxbandits.sweeps.summary import sweep_records
from tests.sweeps import walk
from tests.sweeps.runs import run

SPEC = walk.spec(points=2, seeds=22, horizon=8, environments={"short": walk.GAME})
ONE = jax.local_devices()[:1]
QUIET = {"progress": False, "devices": ONE}
MOMENTS = {"block": 8, "keep": "moments", **QUIET}


def bare(store):
    return open_store(store).load().drop_vars("session").drop_attrs()


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    path = tmp_path_factory.mktemp("moments") / "whole.zarr"
    run(SPEC, path, **MOMENTS)
    return path


def test_they_are_those_of_the_runs(whole):
    runs, found = run(SPEC, **QUIET), open_store(whole)
    assert "moment" in found.dims and "small" not in found
    for function in (stats.mean, stats.sem):
        np.testing.assert_allclose(
            function(found, "regret"), function(runs, "regret"), rtol=1e-12
        )
    np.testing.assert_allclose(
        stats.quantiles(found, "regret", [0.1, 0.5]),
        stats.quantiles(runs, "regret", [0.1, 0.5]),
        rtol=1 / 32,
    )
    records = sweep_records(whole)
    assert len(records) == 3
    assert all(record["metrics"]["regret"]["mean"] > 0 for record in records)


def test_the_order_of_the_blocks_does_not_matter(whole, tmp_path):
    """Stopped, extended and played by two sessions: the same bits."""
    path = tmp_path / "one.zarr"
    stop = threading.Event()
    stop.set()
    small = SPEC._replace(seeds=15)
    with pytest.raises(StoppedError):
        run(small, path, stop=stop, **MOMENTS)
    run(small, path, **QUIET)
    assert open_store(path).sizes["part"] == 2  # of 8 seeds
    run(SPEC, path, extend=True, **QUIET)
    assert bare(path).identical(bare(whole))
    for block in (path / "results").glob("c.*.0.0.0"):
        block.unlink()
    with pytest.warns(UserWarning, match="blocks to be played again: 3$"):
        run(SPEC, path, **QUIET)
    assert bare(path).identical(bare(whole))


def test_blocks_are_verified(whole, tmp_path):
    run(SPEC, whole, verify=100, **QUIET)
    with pytest.raises(ValueError, match="^store: keep must be left out or 'moments'"):
        run(SPEC, whole, keep="runs")


def test_what_cannot_be_kept(tmp_path):
    path = tmp_path / "one.zarr"
    drawn = SPEC._replace(environments={"d": walk.DRAWN}, runs_per_instance=2)
    with pytest.raises(ValueError, match="keep must be 'runs' with runs_per_instance"):
        run(drawn, path, **MOMENTS)
    until = HalfWidth("regret", 1.0)
    with pytest.raises(ValueError, match="keep must be 'runs' where a half-width"):
        run(SPEC, path, until=until, **MOMENTS)
    with pytest.raises((ValueError, TypeError), match="keep must be one of"):
        run(SPEC, path, keep="all")
    assert not path.exists()


def parted(tmp_path, *ends, **more):
    """Stores of the seeds up to each of some ends."""
    paths = []
    for first, last in zip((0, *ends), ends, strict=False):
        paths.append(tmp_path / f"{first}.zarr")
        own = SPEC._replace(seeds=range(first, last))
        run(own, paths[-1], **MOMENTS, **more)
    return paths


@pytest.fixture(scope="module")
def of_24(tmp_path_factory):
    """Three rows of 8 seeds."""
    path = tmp_path_factory.mktemp("moments") / "of_24.zarr"
    run(SPEC._replace(seeds=24), path, **MOMENTS)
    return path


@pytest.mark.slow
def test_rows_of_other_stores_are_taken_as_they_are(of_24, tmp_path):
    """To the last bit those of one store, where its rows are theirs."""
    found = merge(parted(tmp_path, 16, 24), tmp_path / "c.zarr")
    assert bare(tmp_path / "c.zarr").identical(bare(of_24))
    assert set(np.unique(found["session"])) == {0, 1, 2}
    assert status(tmp_path / "c.zarr").done == 3 * 24


@pytest.mark.slow
@pytest.mark.parametrize(
    ("ends", "rows"), [((11, 22), 2), pytest.param((9, 22), 1, marks=pytest.mark.slow)]
)
def test_rows_that_do_not_fit_are_joined(whole, tmp_path, ends, rows):
    """The row of a store, or of all; counts are exact, and so are extremes."""
    paths, into = parted(tmp_path, *ends), tmp_path / "c.zarr"
    found, wanted = merge(paths, into), open_store(whole)
    assert found.sizes["part"] == rows
    for function in (stats.mean, stats.sem):
        np.testing.assert_allclose(
            function(found, "regret"), function(wanted, "regret"), rtol=1e-12
        )
    np.testing.assert_array_equal(
        stats.quantiles(found, "regret", [0, 0.1, 0.5, 1]),
        stats.quantiles(wanted, "regret", [0, 0.1, 0.5, 1]),
    )
    more = SPEC._replace(seeds=28)
    grown = run(more, into, extend=True, **QUIET)
    np.testing.assert_allclose(
        stats.mean(grown, "regret"),
        stats.mean(run(more, **QUIET), "regret"),
        rtol=1e-12,
    )


@pytest.mark.slow
def test_a_merged_store_is_played_on(of_24, tmp_path):
    """What the others lack is missing; what they have stays."""
    first, second = parted(tmp_path, 16, 24)
    for block in (second / "results").glob("c.0.0.*"):
        block.unlink()
    unseal(second)
    into = tmp_path / "c.zarr"
    merge([first, second], into).close()
    before = status(into)
    assert 0 < before.done < before.runs
    run(SPEC._replace(seeds=24), into, **QUIET)
    assert bare(into).identical(bare(of_24))


def test_moments_of_the_same_seeds_are_not_merged(whole, tmp_path):
    (part,) = parted(tmp_path, 8)
    into = tmp_path / "c.zarr"
    with pytest.raises(ValueError, match="must have different seeds.* 8 seeds, from 0"):
        merge([whole, part], into)
    runs = tmp_path / "runs.zarr"
    run(SPEC, runs, **QUIET)
    with pytest.raises(ValueError, match="all keep runs, or all moments; .*whole.zarr"):
        merge([runs, whole], into)
    assert not into.exists()
