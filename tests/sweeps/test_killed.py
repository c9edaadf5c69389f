"""Processes that are ended at random moments: nothing complete is lost or changed."""

import signal

import numpy as np
import pytest

from jaxbandits.results import open_store
from jaxbandits.sweeps import run_sweep
from tests.sweeps import walk
from tests.sweeps.processes import finish, start, wait_for_runs
from tests.sweeps.test_numbers import assert_same

# Some hundreds of blocks of 40 lanes.
SPEC = walk.spec(points=9, seeds=600)
SIZE = {"WALK_POINTS": "9", "WALK_SEEDS": "600", "more": ("--block", "40")}
# What ends a process: its exit status, and what it says.
ENDS = {
    signal.SIGKILL: (-9, ""),
    signal.SIGTERM: (143, "jaxbandits: SIGTERM: stopped after "),
    signal.SIGINT: (130, "jaxbandits: interrupted; complete blocks are safe"),
}


@pytest.fixture(scope="module")
def whole():
    return run_sweep(SPEC)


@pytest.mark.parametrize(
    "kills", [3, pytest.param(20, marks=pytest.mark.slow)], ids=str
)
def test_killed_and_resumed(whole, tmp_path, kills):
    rng = np.random.default_rng(kills)
    store, cache = tmp_path / "sweep.zarr", tmp_path / "cache"
    complete = 0
    for attempt in range(kills):
        process = start(store, cache, **SIZE, WALK_PAUSE="0.05")
        sent = [*ENDS][attempt % 3]
        # A sign, not a time: some blocks are complete, and far from all.
        assert wait_for_runs(process, store, complete + 40 * rng.integers(1, 6))
        process.send_signal(sent)
        status, said = finish(process)
        assert (status, said[: len(ENDS[sent][1])]) == ENDS[sent], said
        if said:
            assert said.count("\n") == 1 and "the same command goes on" in said
        found = open_store(store).load()
        check_prefix(found, whole)
        before, complete = complete, int((found["session"] > 0).sum())
        assert complete >= before + 40
    assert 0 < complete < whole["session"].astype(bool).sum()
    assert_same(run_sweep(SPEC, store), whole)


@pytest.mark.slow
def test_killed_while_it_starts(whole, tmp_path):
    """Before there is a store, while it is made, while the first blocks are played."""
    rng = np.random.default_rng(0)
    store, cache = tmp_path / "sweep.zarr", tmp_path / "cache"
    for _ in range(10):
        process = start(store, cache, **SIZE, WALK_PAUSE="0.05")
        wait_for_runs(process, store, 400, timeout=rng.uniform(0, 5))
        process.kill()
        finish(process)
        if store.exists():
            check_prefix(open_store(store).load(), whole)
    assert_same(run_sweep(SPEC, store), whole)


def check_prefix(found, whole):
    """What counts as complete has its final bits, in every variable."""
    done = found["session"] > 0
    for name in ("regret", "small", "rounds"):
        same = (found[name] == whole[name]).all(
            [d for d in found[name].dims if d not in done.dims]
        )
        assert same.where(done, True).all()
