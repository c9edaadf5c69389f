"""``kill -9`` at random moments: nothing is corrupt, nothing complete is lost."""

import time

import numpy as np
import pytest
import zarr

from jaxbandits.results import open_store
from jaxbandits.sweeps import run_sweep
from tests.sweeps import walk
from tests.sweeps.processes import finish, start
from tests.sweeps.test_numbers import assert_same

# Some hundreds of blocks of 40 lanes: one takes milliseconds, most of them for writing.
SPEC = walk.spec(points=9, seeds=600)
SIZE = {"WALK_POINTS": "9", "WALK_SEEDS": "600", "more": ("--block", "40")}


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
        process = start(store, cache, **SIZE)
        # Every third is killed wherever it is, start-up and creation of the store
        # included; the others while they write.
        if attempt % 3 == 0:
            time.sleep(rng.uniform(0, 4))
        else:
            wait_for_a_block(process, store, complete)
            time.sleep(rng.uniform(0, 0.4))
        process.kill()
        finish(process)
        if store.exists():
            found = open_store(store).load()
            check_prefix(found, whole)
            before, complete = complete, int((found["session"] > 0).sum())
            assert complete >= before
    status, said = finish(start(store, cache, **SIZE))
    assert status == 0, said
    assert 0 < complete < whole["session"].astype(bool).sum()
    assert_same(open_store(store), whole)


def wait_for_a_block(process, store, complete):
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and process.poll() is None:
        if store.exists():
            sessions = zarr.open_group(store, mode="r")["session"]
            if (sessions[:] > 0).sum() > complete:
                return
        time.sleep(0.01)
    raise AssertionError(f"no progress; {finish(process, 1)}")


def check_prefix(found, whole):
    """What counts as complete has its final bits, in every variable."""
    done = found["session"] > 0
    for name in ("regret", "small", "rounds"):
        same = (found[name] == whole[name]).all(
            [d for d in found[name].dims if d not in done.dims]
        )
        assert same.where(done, True).all()
