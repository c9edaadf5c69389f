"""Two processes that work on one sweep by `jax.distributed`."""

import socket

import numpy as np
import pytest

from jaxbandits import simulate
from jaxbandits.results import open_store
from jaxbandits.simulation.processes import join
from tests.simulation import walk
from tests.simulation.processes import finish, start, wait_for_runs
from tests.simulation.runs import run
from tests.simulation.test_numbers import assert_same
from tests.tables import each_row


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def start_both(store, **options):
    coordinator = f"127.0.0.1:{free_port()}"
    return [
        start(
            store,
            more=("--block", "40", "--coordinator", coordinator)
            + ("--processes", "2", "--process", str(process)),
            **options,
        )
        for process in range(2)
    ]


@pytest.mark.slow
def test_two_processes_fill_one_store(tmp_path):
    """The same bits, under the same names, as one process writes."""
    one, two = tmp_path / "one.zarr", tmp_path / "two.zarr"
    wanted = run(walk.SPEC, one, block=40)
    for process in start_both(two):
        status, said = finish(process)
        assert status == 0, said
    assert_same(open_store(two), wanted)
    names = [{x.name for x in path.glob("blocks/*")} for path in (one, two)]
    assert names[0] == names[1]


@pytest.mark.slow
def test_one_process_goes_on_where_two_were_killed(tmp_path):
    store = tmp_path / "sweep.zarr"
    size = {"WALK_SEEDS": "1000", "WALK_PAUSE": "0.05"}
    processes = start_both(store, **size)
    try:
        # A sign, not a time: both have written by then, and are far from done.
        assert wait_for_runs(processes[0], store, 1000)
    finally:
        for process in processes:
            process.kill()
            finish(process)
    left = int((open_store(store)["session"] == 0).sum())
    wanted = walk.spec(seeds=1000)
    found = run(wanted, store)
    assert left > 0 and found["session"].max() == 3
    assert_same(found, run(wanted))


def test_processes_that_would_each_play_all_of_a_sweep_are_refused(monkeypatch):
    """A single game they may play, each by itself."""
    monkeypatch.setattr("jax.process_count", lambda: 2)
    with pytest.raises(ValueError, match="^store: several processes need one"):
        simulate(walk.WALKER, walk.SPEC.environments, horizon=4, seeds=2)
    with pytest.raises(ValueError, match="^store: several processes need one"):
        run(walk.SPEC)
    data = simulate(walk.WALKER, walk.GAME, horizon=4, seeds=2)
    assert np.isfinite(data["regret"]).all()


# JAX would wait for another port.
WRONG = [(("127.0.0.1:1234", 2), "^coordinator, processes and process")]
WRONG += [
    ((f"127.0.0.1:{port}", 1, 0), "^coordinator must be HOST:PORT")
    for port in ["0", "65536", "99999999", "x", ""]
]


@each_row("address, words", WRONG)
def test_an_address_that_is_none_is_refused(address, words):
    with pytest.raises(ValueError, match=words):
        join(*address)


def test_where_nothing_says_who_there_is(monkeypatch):
    def initialize(*given, **options):
        raise ValueError("coordinator_address should be defined.")

    monkeypatch.setattr("jax.distributed.initialize", initialize)
    with pytest.raises(ValueError, match="^coordinator, processes and process must be"):
        join()
