"""Sweeps that keep moments: the same bits, however they were played."""

import threading

import numpy as np
import pytest

from jaxbandits import stats
from jaxbandits.cli.summary import sweep_records
from jaxbandits.results import open_store
from jaxbandits.simulation import HalfWidth
from jaxbandits.simulation.fill import StoppedError
from jaxbandits.simulation.stores import merge, status
from tests.simulation import walk
from tests.simulation.runs import ONE, run
from tests.simulation.test_numbers import assert_same

SPEC = walk.spec(points=2, seeds=22, horizon=8, environments={"short": walk.GAME})
QUIET = {"progress": False, "devices": ONE}
MOMENTS = {"block": 8, "keep": "moments", **QUIET}


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
    """Stopped, damaged and played by two sessions: the same bits."""
    path = tmp_path / "one"
    (stop := threading.Event()).set()
    with pytest.raises(StoppedError):
        run(SPEC, path, stop=stop, **MOMENTS)
    run(SPEC, path, **QUIET)
    assert_same(open_store(path), open_store(whole))
    for block in [*path.glob("blocks/*")][::2]:
        block.write_bytes(block.read_bytes()[:100])
    with pytest.warns(UserWarning, match="blocks to be played again"):
        run(SPEC, path, **QUIET)
    assert_same(open_store(path), open_store(whole))


def test_a_store_that_has_grown_has_every_run_once(tmp_path):
    path = tmp_path / "one"
    run(SPEC._replace(seeds=15), path, **MOMENTS)
    found = run(SPEC, path, extend=True, **QUIET)
    runs = run(SPEC, **QUIET)
    for function in (stats.mean, stats.sem):
        np.testing.assert_allclose(
            function(found, "regret"), function(runs, "regret"), rtol=1e-12
        )
    counts = found["regret"].sel(moment="count").sum("part")
    assert (counts.sel(policy="walker") == 22).all()


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


@pytest.mark.slow
def test_stores_of_other_seeds_are_merged(whole, tmp_path):
    """Counts are exact, and so are extremes; what is more can be played."""
    paths = []
    for first, last in ((0, 11), (11, 22)):
        paths.append(tmp_path / f"{first}")
        run(SPEC._replace(seeds=range(first, last)), paths[-1], **MOMENTS)
    into = tmp_path / "into"
    found, wanted = merge(paths, into), open_store(whole)
    for function in (stats.mean, stats.sem):
        np.testing.assert_allclose(
            function(found, "regret"), function(wanted, "regret"), rtol=1e-12
        )
    np.testing.assert_array_equal(
        stats.quantiles(found, "regret", [0, 0.1, 0.5, 1]),
        stats.quantiles(wanted, "regret", [0, 0.1, 0.5, 1]),
    )
    assert status(into).done == 3 * 22
    more = SPEC._replace(seeds=28)
    np.testing.assert_allclose(
        stats.mean(run(more, into, extend=True, **QUIET), "regret"),
        stats.mean(run(more, **QUIET), "regret"),
        rtol=1e-12,
    )


@pytest.mark.slow
def test_moments_of_the_same_seeds_are_not_merged(whole, tmp_path):
    part, runs, into = (tmp_path / name for name in ("part", "runs", "into"))
    run(SPEC._replace(seeds=7), part, **MOMENTS)
    with pytest.raises(ValueError, match="must have different seeds"):
        merge([whole, part], into)
    run(SPEC, runs, **QUIET)
    with pytest.raises(ValueError, match="keep must be left out or .runs."):
        merge([runs, whole], into)
    assert not into.exists()
