"""Sweeps that keep moments: the same bits, however they were played."""

import threading

import numpy as np
import pytest

from jaxbandits import stats
from jaxbandits.results import open_store
from jaxbandits.sweeps import HalfWidth
from jaxbandits.sweeps.fill import StoppedError
from jaxbandits.sweeps.summary import sweep_records
from tests.sweeps import walk
from tests.sweeps.runs import run

SPEC = walk.spec(points=3, seeds=50, horizon=8)
MOMENTS = {"block": 16, "keep": "moments", "progress": False}


def bare(store):
    return open_store(store).load().drop_vars("session").drop_attrs()


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    path = tmp_path_factory.mktemp("moments") / "whole.zarr"
    run(SPEC, path, **MOMENTS)
    return path


def test_they_are_those_of_the_runs(whole):
    runs, found = run(SPEC, progress=False), open_store(whole)
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
    assert len(records) == 2 * 4
    assert all(record["metrics"]["regret"]["mean"] > 0 for record in records)


def test_the_order_of_the_blocks_does_not_matter(whole, tmp_path):
    """Stopped, extended and played by two sessions: the same bits."""
    path = tmp_path / "one.zarr"
    stop = threading.Event()
    stop.set()
    small = SPEC._replace(seeds=25)
    with pytest.raises(StoppedError):
        run(small, path, stop=stop, **MOMENTS)
    run(small, path, progress=False)
    assert open_store(path).sizes["part"] == 2  # of 16 seeds
    run(SPEC, path, extend=True, progress=False)
    assert bare(path).identical(bare(whole))
    for block in (path / "results").glob("c.*.0.0.0"):
        block.unlink()
    with pytest.warns(UserWarning, match="blocks to be played again: 8$"):
        run(SPEC, path, progress=False)
    assert bare(path).identical(bare(whole))


def test_blocks_are_verified(whole, tmp_path):
    run(SPEC, whole, verify=100, progress=False)
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
