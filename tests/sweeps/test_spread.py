"""Blocks are played by others: each once or, where a worker was lost, again."""

import json
import threading
from concurrent.futures import BrokenExecutor, Executor, Future
from itertools import chain, count, repeat

import jax
import numpy as np
import pytest
import zarr

from jaxbandits import Machine, Store
from jaxbandits.results.layout import key_of, layout_of
from jaxbandits.results.root import CHECKSUM
from jaxbandits.results.store import check_store, sessions, set_attributes
from jaxbandits.sweeps import Workers, identity, run_sweep
from jaxbandits.sweeps import fill as filling
from jaxbandits.sweeps.fill import StoppedError
from jaxbandits.sweeps.journal import players
from jaxbandits.sweeps.spread import ATTEMPTS
from jaxbandits.sweeps.status import status
from tests.sweeps import walk
from tests.sweeps.test_numbers import assert_same, files

# In memory a game is as many lanes as a block of a store: one program for all.
SPEC = walk.spec(points=1, seeds=15, horizon=8)
SIZE = 5
BLOCKS = 2 * 2 * 3
ONE = Machine(devices=jax.local_devices()[:1])


@pytest.fixture(scope="module")
def whole():
    return run_sweep(SPEC, machine=ONE)


class Here(Executor):
    """Does what it is given at once; `losses` say what becomes of a task instead.

    Each is ``before`` or ``after`` the task is done, or ``no`` loss.
    """

    def __init__(self, losses=()):
        self.losses, self.tasks = iter(losses), []

    def submit(self, function, *arguments):
        future = Future()
        fate = "no"
        if arguments:  # Not the question where it is.
            self.tasks.append(arguments[0])
            fate = next(self.losses, "no")
        try:
            result = None if fate == "before" else function(*arguments)
        except Killed:
            fate = "within"
        if fate == "no":
            future.set_result(result)
        else:
            future.set_exception(OSError("the line is dead"))
        return future


class Killed(BaseException):
    """What no worker survives."""


def played(executor, path, spec=SPEC, **options):
    return run_sweep(spec, Store(path, block=SIZE, **options), executor=executor)


def counts(path):
    """How often each block was begun and ended."""
    found = {"begins": {}, "ends": {}}
    for player in players(path):
        for event in player.events:
            if (kind := found.get(event["event"])) is not None:
                where = tuple(event["block"])
                kind[where] = kind.get(where, 0) + 1
    return found["begins"], found["ends"]


def test_a_block_is_a_task(tmp_path, whole):
    path, executor = tmp_path / "one.zarr", Here()
    assert_same(played(executor, path), whole)
    assert len(executor.tasks) == BLOCKS
    assert all(len(task.blocks) == 1 for task in executor.tasks)
    begun, ended = counts(path)
    assert begun == ended == dict.fromkeys(begun, 1) and len(begun) == BLOCKS
    # File by file what one process writes, and nothing that only workers need.
    other = tmp_path / "two.zarr"
    run_sweep(SPEC, Store(other, block=SIZE))
    assert files_but_time(path) == files_but_time(other)
    assert {x.name for x in (path / "work").iterdir()} == {"journal"}


def files_but_time(path):
    return {name: bits for name, (bits, _) in files(path).items()}


@pytest.mark.slow
def test_a_few_tasks_of_many_blocks(tmp_path, whole):
    executor = Here()
    assert_same(played(Workers(executor, tasks=3), tmp_path / "one.zarr"), whole)
    assert sorted(len(task.blocks) for task in executor.tasks) == [4, 4, 4]


@pytest.mark.parametrize(
    ("fate", "again"), [("before", 1), pytest.param("after", 0, marks=pytest.mark.slow)]
)
def test_what_is_lost_is_played_again(tmp_path, whole, fate, again):
    """And what was written before its worker was lost is not."""
    path = tmp_path / "one.zarr"
    executor = Here(["no", fate, "no", *[fate] * 6])
    assert_same(played(executor, path), whole)
    assert len(executor.tasks) == BLOCKS + 7 * again
    # None is asked for twice: Dask would say again what it said before.
    assert len(set(map(str, executor.tasks))) == len(executor.tasks)
    begun, ended = counts(path)
    assert set(begun.values()) == set(ended.values()) == {1}


@pytest.mark.slow
def test_of_a_task_that_is_lost_the_rest_is_played_again(tmp_path, whole, monkeypatch):
    """As of a job of many blocks: those that are in the store count as done."""
    path, executor = tmp_path / "one.zarr", Here()
    whole_play, calls = filling.play, count()

    def play(*args, **kwargs):
        if next(calls) % 6 == 5:
            raise Killed
        return whole_play(*args, **kwargs)

    monkeypatch.setattr(filling, "play", play)
    assert_same(played(Workers(executor, tasks=1), path), whole)
    lengths = [len(task.blocks) for task in executor.tasks]
    # Two are under way at a time, on two devices.
    assert lengths[0] == BLOCKS and max(np.diff(lengths)) < -2
    begun, ended = counts(path)
    assert set(ended.values()) == {1}
    losses = len(lengths) - 1
    assert losses <= sum(begun.values()) - BLOCKS <= 2 * losses


def test_workers_that_die_again_and_again(tmp_path, whole):
    """Not for ever: what is safe, and how to go on."""
    path = tmp_path / "one.zarr"
    with pytest.raises(ConnectionError) as caught:
        played(Here(chain(["no"] * 3, repeat("before"))), path)
    said = str(caught.value)
    assert f"store: {path}: workers were lost {ATTEMPTS} times in a row" in said
    assert "OSError: the line is dead" in said
    assert f"3 of {BLOCKS} blocks of this run are complete and safe" in said
    assert "the same command goes on from there" in said
    assert_same(played(Here(), path), whole)


def test_an_executor_that_is_broken(tmp_path):
    """It takes nothing any more, and nobody can mend it."""

    class Broken(Here):
        def submit(self, function, *arguments):
            if len(self.tasks) == 2:
                raise BrokenExecutor("a process has died")
            return super().submit(function, *arguments)

    with pytest.raises(ConnectionError, match=f"2 of {BLOCKS} .*safe"):
        played(Broken(), tmp_path / "one.zarr")


def test_what_is_no_future(tmp_path, whole):
    """As the jobs of submitit, which cannot be waited for."""

    class Job:
        def __init__(self, future):
            self.result, self.done, self.cancel = future.result, future.done, None

    class Jobs:
        def submit(self, function, *arguments):
            return Job(Here().submit(function, *arguments))

    found = played(Workers(Jobs(), tasks=2), tmp_path / "one.zarr")
    assert_same(found, whole)


def test_an_error_in_a_worker_is_no_loss(tmp_path, monkeypatch):
    both = threading.Barrier(2)

    def play(*args, **kwargs):
        both.wait(60)  # Two blocks are under way, on two devices.
        raise TypeError("a mistake in the policy")

    path = tmp_path / "one.zarr"
    monkeypatch.setattr(filling, "play", play)
    with pytest.raises(ValueError, match="TypeError: a mistake in the policy") as found:
        played(Workers(Here(), tasks=1), path)
    assert "Traceback" in found.value.__notes__[0]
    assert status(path).failed == 2
    (player,) = players(path)
    assert player.events[-1]["error"] == "TypeError: a mistake in the policy"


@pytest.mark.slow
def test_what_was_told_to_stop(tmp_path, whole):
    stop, path = threading.Event(), tmp_path / "one.zarr"

    class Stopping(Here):
        def submit(self, function, *arguments):
            stop.set()
            return super().submit(function, *arguments)

    store = Store(path, block=SIZE)
    with pytest.raises(StoppedError, match=f"^stopped after 0 of {BLOCKS} blocks"):
        run_sweep(SPEC, store, executor=Stopping(), stop=stop)
    assert_same(played(Here(), path), whole)


@pytest.mark.slow
def test_two_workers_that_play_one_block(tmp_path, whole):
    """One finds nothing of the other, as where both play at the same time."""
    path, executor = tmp_path / "one.zarr", Here()
    played(executor, path)
    before = files_but_time(path)
    place = executor.tasks[5].blocks[0].place
    array = zarr.open_group(path, mode="r+")["results"]
    array[(*place, layout_of(array).slots("session").start)] = 0
    found = played(Here(), path)
    assert found["session"].values[place].tolist() == [[2] * SIZE]
    assert_same(found, whole)
    after = files_but_time(path)
    block = key_of(*place[:2], place.params.start, place.seed.start // SIZE, 0)
    assert {name for name in after if after[name] != before[name]} == {block}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"versions": {"jaxbandits": "0"}}, r"versions.jaxbandits: .* store, 0 now"),
        ({"platform": "tpu"}, "platform: tpu in the store, cpu now"),
        ({"x64": True}, "x64: true in the store, false now"),
    ],
)
def test_a_worker_that_does_not_play_the_same(tmp_path, monkeypatch, change, message):
    """It has other software than the coordinator: nothing is played."""

    class Elsewhere(Here):
        def submit(self, function, *arguments):
            if arguments and "versions" in change:
                monkeypatch.setattr(identity, "versions", lambda _: change["versions"])
            if arguments and "versions" not in change:
                stored = check_store(path)
                spec = json.dumps(json.loads(stored["spec"]) | change)
                kept = {k: v for k, v in stored.items() if k != CHECKSUM}
                set_attributes(path, kept | {"spec": spec})
            return super().submit(function, *arguments)

    path = tmp_path / "one.zarr"
    with pytest.raises(ValueError, match=message):
        played(Elsewhere(), path)
    assert not (sessions(path)[:] > 0).any()


def test_a_worker_with_other_code(tmp_path, monkeypatch):
    class Elsewhere(Here):
        def submit(self, function, *arguments):
            if arguments:
                digest = "jaxbandits.sweeps.identity.program_digest"
                monkeypatch.setattr(digest, lambda *game: "another")
            return super().submit(function, *arguments)

    path = tmp_path / "one.zarr"
    with pytest.raises(
        ValueError, match="(walker|idler) on (short|long) by another program"
    ):
        played(Elsewhere(), path)
    assert not (sessions(path)[:] > 0).any()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"executor": "dask"}, "^executor must be a concurrent.futures.Executor"),
        ({"executor": True}, "^executor must be a concurrent.futures.Executor"),
        ({"executor": 0}, "^executor must be at least 1, got 0"),
        ({"executor": Workers(2, 0)}, "^executor: tasks must be at least 1, got 0"),
        ({"executor": 2, "store": None}, "^store: several processes need one"),
        ({"shard": (0, 2), "store": None}, "^store: several processes need one"),
        ({"shard": (2, 2)}, "^shard: number must be .*1.*, got 2"),
        ({"shard": [0, 2]}, "^shard must be .number, of., got"),
        ({"shard": (0, 0)}, "^shard: of must be at least 1, got 0"),
        ({"shard": (0, 2), "executor": 2}, "^shard must be left out where there"),
        (
            {"executor": 2, "machine": Machine(devices=jax.local_devices())},
            "^machine: devices must be left out",
        ),
    ],
)
def test_executors_that_cannot_be_used_are_refused(tmp_path, options, message):
    with pytest.raises((TypeError, ValueError), match=message):
        run_sweep(SPEC, **{"store": tmp_path / "one.zarr"} | options)
    assert not list(tmp_path.iterdir())
