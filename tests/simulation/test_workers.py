"""Workers in processes of their own, one of which is killed in the midst of a block."""

import os
import signal
import threading
import time
from contextlib import suppress

import pytest

from jaxbandits import Store
from jaxbandits.simulation import Workers, run_sweep
from jaxbandits.store.block_store import BlockStore
from tests.simulation import walk
from tests.simulation.test_numbers import assert_same

pytestmark = pytest.mark.slow
# Blocks of a second or so: there is time to kill.
SPEC = walk.spec(points=3, seeds=128, horizon=5_000_000)


@pytest.fixture(scope="module")
def whole():
    return run_sweep(SPEC)


@pytest.fixture
def one_device(monkeypatch):
    monkeypatch.setenv("JAX_NUM_CPU_DEVICES", "1")


def kill_one(path, killed):
    """Kill a worker once there are some blocks, so that it is at another one."""
    while not killed.is_set():
        time.sleep(0.02)
        if len([*path.glob("blocks/*")]) < 2:
            continue
        for session in BlockStore(path).sessions().values():
            with suppress(ProcessLookupError):
                if session["pid"] != os.getpid():
                    os.kill(session["pid"], signal.SIGKILL)
                    killed.set()
                    return


def check(path, whole, executor):
    """Played with a kill, the store is that of one process."""
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
    # What only workers need is gone.
    assert not [file for file in path.glob("work/*") if file.is_file()]


def test_processes_of_this_machine_are_started_anew(tmp_path, whole, one_device):
    """The pool is broken, and all its processes go with the one that was killed."""
    check(tmp_path / "one", whole, 2)


def test_dask_loses_a_worker(tmp_path, whole, one_device):
    from dask.distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as dask,
        Client(dask) as client,
    ):
        check(tmp_path / "one", whole, client)


def test_submitit_plays_blocks_and_loses_a_job(tmp_path, whole, one_device):
    import submitit

    jobs = submitit.AutoExecutor(tmp_path / "jobs", cluster="local")
    jobs.update_parameters(timeout_min=10)
    check(tmp_path / "one", whole, Workers(jobs, tasks=2))
