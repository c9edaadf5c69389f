"""Workers in processes of their own, one of which is killed in the midst of a block."""

import os
import signal
import threading
import time

import pytest

from jaxbandits import Store
from jaxbandits.sweeps import Workers, run_sweep
from jaxbandits.sweeps.journal import players
from tests.sweeps import walk
from tests.sweeps.test_numbers import assert_same
from tests.sweeps.test_spread import counts

pytestmark = pytest.mark.slow
# Blocks of a second or so: there is time to kill.
SPEC = walk.spec(points=3, seeds=128, horizon=5_000_000)
BLOCKS = 16


@pytest.fixture(scope="module")
def whole():
    return run_sweep(SPEC)


@pytest.fixture
def one_device(monkeypatch):
    monkeypatch.setenv("JAX_NUM_CPU_DEVICES", "1")


def kill_one(path, killed):
    """Kill the first that is in the midst of a block that is not its first."""
    while not killed.is_set():
        time.sleep(0.02)
        for player in players(path) if path.exists() else ():
            if len(player.events) > 2 and player.events[-1]["event"] == "begins":
                os.kill(player.who["pid"], signal.SIGKILL)
                killed.set()
                return


def check(path, whole, executor, lost):
    """Played with a kill, the store is that of one process; `lost` blocks at most."""
    killed = threading.Event()
    killer = threading.Thread(target=kill_one, args=(path, killed))
    killer.start()
    try:
        found = run_sweep(SPEC, Store(path, block=64), executor=executor)
    finally:
        there = killed.is_set()
        killed.set()
        killer.join()
    assert there
    assert_same(found, whole)
    begun, ended = counts(path)
    assert len(ended) == BLOCKS and set(ended.values()) == {1}
    assert 1 <= sum(begun.values()) - BLOCKS <= lost
    # What only workers need is gone.
    assert {x.name for x in (path / "work").iterdir()} == {"journal"}


def test_processes_of_this_machine(tmp_path, whole, one_device):
    """The pool is broken, and all its processes go with the one that was killed."""
    check(tmp_path / "one.zarr", whole, 2, lost=2)


def test_dask(tmp_path, whole, one_device):
    from dask.distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as dask,
        Client(dask) as client,
    ):
        check(tmp_path / "one.zarr", whole, client.get_executor(), lost=2)


def test_submitit_plays_blocks_and_loses_a_job(tmp_path, whole, one_device):
    import submitit

    jobs = submitit.AutoExecutor(tmp_path / "jobs", cluster="local")
    jobs.update_parameters(timeout_min=10)
    check(tmp_path / "one.zarr", whole, Workers(jobs, tasks=2), lost=1)
