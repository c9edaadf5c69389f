"""Processes that are ended at random moments: nothing complete is lost or changed."""

import signal

import jax
import numpy as np
import pytest

from jaxbandits.results import open_store
from tests.simulation import walk
from tests.simulation.processes import finish, start, wait_for_runs
from tests.simulation.runs import run
from tests.simulation.test_numbers import assert_same

# What ends a process: its exit status, and what it says.
ENDS = {
    signal.SIGKILL: (-9, ""),
    signal.SIGTERM: (143, "jaxbandits: SIGTERM: stopped after "),
    signal.SIGINT: (130, "jaxbandits: interrupted; complete blocks are safe"),
}


def started(store, points=9, seeds=600, block=40, pause=0.05):
    """A process that plays blocks of so many lanes, by default some hundreds."""
    size = {"WALK_POINTS": points, "WALK_SEEDS": seeds, "WALK_PAUSE": pause}
    size = {name: str(value) for name, value in size.items()}
    return start(store, more=("--block", str(block)), **size)


# The short one ends by SIGKILL, and plays one program: no more lanes than a vector.
@pytest.mark.parametrize(
    "kills", [1, pytest.param(3, marks=pytest.mark.slow)], ids=["SIGKILL", "all"]
)
def test_killed_and_resumed(tmp_path, kills, most=2):
    """`most` blocks at most are waited for, each time; scripts/kills.py kills more."""
    sizes = {"points": 3, "seeds": 20, "block": 4, "pause": 0.2}
    rng, block = np.random.default_rng(kills), sizes["block"]
    spec = walk.spec(points=sizes.get("points", 9), seeds=sizes.get("seeds", 600))
    store, one = tmp_path / "sweep.zarr", jax.local_devices()[:1]
    whole, complete = run(spec, devices=one), 0
    for attempt in range(kills):
        process = started(store, **sizes)
        sent = [*ENDS][attempt % 3]
        # A sign, not a time: some blocks are complete, and far from all.
        wanted = complete + block * rng.integers(1, most + 1)
        assert wait_for_runs(process, store, wanted, every=sizes.get("pause", 0.05))
        process.send_signal(sent)
        status, said = finish(process)
        assert (status, said[: len(ENDS[sent][1])]) == ENDS[sent], said
        if said:
            assert said.count("\n") == 1 and "the same command goes on" in said
        found = open_store(store).load()
        check_prefix(found, whole)
        before, complete = complete, int((found["session"] > 0).sum())
        assert complete >= before + block
    assert 0 < complete < (whole["rounds"].isel(checkpoint=-1) > 0).sum()
    assert_same(run(spec, store, devices=one), whole)


def check_prefix(found, whole):
    """What counts as complete has its final bits, in every variable."""
    done = found["session"] > 0
    for name in ("regret", "small", "rounds"):
        same = (found[name] == whole[name]).all(
            [d for d in found[name].dims if d not in done.dims]
        )
        assert same.where(done, True).all()
