"""Processes that are ended at random moments: nothing complete is lost or changed."""

import signal

import numpy as np
import pytest

from jaxbandits.results import open_store
from tests.sweeps import walk
from tests.sweeps.processes import finish, is_made, start, wait_for_runs
from tests.sweeps.runs import run
from tests.sweeps.test_numbers import assert_same

# What ends a process: its exit status, and what it says.
ENDS = {
    signal.SIGKILL: (-9, ""),
    signal.SIGTERM: (143, "jaxbandits: SIGTERM: stopped after "),
    signal.SIGINT: (130, "jaxbandits: interrupted; complete blocks are safe"),
}


def started(store, seeds):
    """A process that plays blocks of 40 lanes; some hundreds with 600 seeds."""
    size = {"WALK_POINTS": "9", "WALK_SEEDS": str(seeds), "WALK_PAUSE": "0.05"}
    return start(store, more=("--block", "40"), **size)


@pytest.mark.parametrize(
    ("kills", "seeds"), [(3, 140), pytest.param(20, 600, marks=pytest.mark.slow)]
)
def test_killed_and_resumed(tmp_path, kills, seeds):
    rng = np.random.default_rng(kills)
    spec, store = walk.spec(points=9, seeds=seeds), tmp_path / "sweep.zarr"
    whole, complete = run(spec), 0
    for attempt in range(kills):
        process = started(store, seeds)
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
    assert 0 < complete < (whole["rounds"].isel(checkpoint=-1) > 0).sum()
    assert_same(run(spec, store), whole)


@pytest.mark.slow
def test_killed_while_it_starts(tmp_path):
    """Before there is a store, while it is made, while the first blocks are played."""
    rng = np.random.default_rng(0)
    spec, store = walk.spec(points=9, seeds=600), tmp_path / "sweep.zarr"
    whole = run(spec)
    for _ in range(10):
        process = started(store, 600)
        wait_for_runs(process, store, 400, timeout=rng.uniform(0, 5))
        process.kill()
        finish(process)
        if is_made(store):
            check_prefix(open_store(store).load(), whole)
    assert_same(run(spec, store), whole)


def check_prefix(found, whole):
    """What counts as complete has its final bits, in every variable."""
    done = found["session"] > 0
    for name in ("regret", "small", "rounds"):
        same = (found[name] == whole[name]).all(
            [d for d in found[name].dims if d not in done.dims]
        )
        assert same.where(done, True).all()
