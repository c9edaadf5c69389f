"""Blocks are played by others: each once or, where a worker was lost, again."""

import threading
from concurrent.futures import BrokenExecutor, Executor, Future
from itertools import chain, repeat

import jax
import pytest

from jaxbandits import Machine, Store
from jaxbandits.results import open_store
from jaxbandits.simulation import Workers, run_sweep, stored
from jaxbandits.simulation import fill as filling
from jaxbandits.simulation import plan as planning
from jaxbandits.simulation.fill import StoppedError
from jaxbandits.simulation.plan import make_plan, with_engines
from jaxbandits.simulation.stored import InStore
from jaxbandits.simulation.workers import ATTEMPTS
from tests.simulation import walk
from tests.simulation.runs import QUIET
from tests.simulation.test_numbers import assert_same

# In memory a game is as many lanes as a block of a store: one program for all.
SPEC = walk.spec(points=1, seeds=15, horizon=8)
SIZE = 5
BLOCKS = 2 * 2 * 3


@pytest.fixture(scope="module")
def whole():
    return run_sweep(SPEC, machine=QUIET)


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
            self.tasks.append(arguments)
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


def names(path):
    return {file.name for file in path.glob("blocks/*")}


def test_a_block_is_a_task(tmp_path, whole):
    path, executor = tmp_path / "one", Here()
    assert_same(played(executor, path), whole)
    assert len(executor.tasks) == BLOCKS
    assert all(len(task[3]) == 1 for task in executor.tasks)
    # File by file what one process writes, and nothing that only workers need.
    run_sweep(SPEC, Store(tmp_path / "two", block=SIZE))
    assert names(path) == names(tmp_path / "two")
    assert not [file for file in path.glob("work/*") if file.is_file()]


def test_blocks_are_dealt_into_a_few_tasks(tmp_path, whole):
    executor = Here()
    assert_same(played(Workers(executor, tasks=3), tmp_path / "one"), whole)
    assert sorted(len(task[3]) for task in executor.tasks) == [4, 4, 4]


@pytest.mark.parametrize(("fate", "again"), [("before", 1), ("after", 0)])
def test_what_is_lost_is_played_again(tmp_path, whole, fate, again):
    """And what was written before its worker was lost is not."""
    path = tmp_path / "one"
    executor = Here(["no", fate, "no", *[fate] * 6])
    assert_same(played(executor, path), whole)
    assert len(executor.tasks) == BLOCKS + 7 * again
    # None is asked for twice: Dask would say again what it said before.
    assert len(set(map(str, executor.tasks))) == len(executor.tasks)


def test_workers_that_die_again_and_again_are_an_error(tmp_path, whole):
    """What is safe, and how to go on."""
    path = tmp_path / "one"
    with pytest.raises(ConnectionError) as caught:
        played(Here(chain(["no"] * 3, repeat("before"))), path)
    said = str(caught.value)
    assert f"store: {path}: workers were lost {ATTEMPTS} times in a row" in said
    assert "OSError: the line is dead" in said
    assert f"3 of {BLOCKS} blocks of this run are complete and safe" in said
    assert "the same command goes on from there" in said
    assert_same(played(Here(), path), whole)


def test_an_executor_that_takes_nothing_more_is_an_error(tmp_path):
    class Broken(Here):
        def submit(self, function, *arguments):
            if len(self.tasks) == 2:
                raise BrokenExecutor("a process has died")
            return super().submit(function, *arguments)

    with pytest.raises(ConnectionError, match=f"2 of {BLOCKS} .*safe"):
        played(Broken(), tmp_path / "one")


def test_jobs_that_are_no_futures_are_waited_for(tmp_path, whole):
    """As those of submitit."""

    class Job:
        def __init__(self, future):
            self.result, self.done, self.cancel = future.result, future.done, None

    class Jobs:
        def submit(self, function, *arguments):
            return Job(Here().submit(function, *arguments))

    found = played(Workers(Jobs(), tasks=2), tmp_path / "one")
    assert_same(found, whole)


def test_an_error_in_a_worker_is_raised_at_once(tmp_path, monkeypatch):
    def play(*args, **kwargs):
        raise TypeError("a mistake in the policy")

    monkeypatch.setattr(filling, "play", play)
    executor = Workers(Here(), tasks=1)
    with pytest.raises(ValueError, match="TypeError: a mistake in the policy") as found:
        played(executor, tmp_path / "one")
    assert "Traceback" in found.value.__notes__[0]
    assert len(executor.executor.tasks) == 1


def test_workers_stop_when_they_are_told_to(tmp_path, whole):
    stop, path = threading.Event(), tmp_path / "one"

    class Stopping(Here):
        def submit(self, function, *arguments):
            if len(self.tasks) == 3:
                stop.set()
                return Future()
            return super().submit(function, *arguments)

    store = Store(path, block=SIZE)
    with pytest.raises(StoppedError, match=f"^stopped after .* of {BLOCKS} blocks"):
        run_sweep(SPEC, store, executor=Stopping(), stop=stop)
    assert_same(played(Here(), path), whole)


def test_a_worker_may_get_any_games_of_a_sweep(tmp_path):
    """As where a task was lost and some blocks of it are left."""
    played(Here(), tmp_path / "one")
    games = [("short", "walker"), ("long", "idler")]
    plan = with_engines(make_plan(SPEC), "cpu")
    InStore(tmp_path / "one", QUIET).check_same(plan, games)


@pytest.mark.parametrize("what", ["versions", "program_digest", "numbers_digest"])
def test_a_worker_with_other_software_plays_nothing(tmp_path, monkeypatch, what):
    other = {"versions": {"jaxbandits": "0"}}.get(what, "another")

    class Elsewhere(Here):
        def submit(self, function, *arguments):
            if arguments:
                monkeypatch.setattr(planning, what, lambda *args: other)
            return super().submit(function, *arguments)

    with pytest.raises(ValueError, match="all must have the same code, versions"):
        played(Elsewhere(), tmp_path / "one")
    assert not names(tmp_path / "one")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"executor": "dask"}, "^executor must be a concurrent.futures.Executor"),
        ({"executor": True}, "^executor must be a concurrent.futures.Executor"),
        ({"executor": 0}, "^executor must be at least 1, got 0"),
        (
            {"executor": Workers(2, 0)},
            "^executor: tasks must be >= 1 and finite, got 0",
        ),
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
        run_sweep(SPEC, **{"store": tmp_path / "one"} | options)
    assert not list(tmp_path.iterdir())


# Programs that play a share of a store each: none waits, nothing is lost.


def shard(path, number, of, spec=SPEC, **options):
    store = Store(path, block=SIZE, **options)
    return run_sweep(spec, store, QUIET, shard=(number, of))


class EndedError(Exception):
    """A program has ended."""


def begun_by(monkeypatch, most, shards):
    """Blocks that are begun by shards which end after `most` of them."""
    play, begun = filling.play, []

    def counted(policy, environment, points, seeds, *args, **kwargs):
        if len(begun) == most:
            raise EndedError
        begun.append((environment.setup.item(), policy.name, seeds.tolist()))
        return play(policy, environment, points, seeds, *args, **kwargs)

    with monkeypatch.context() as patch:
        patch.setattr(filling, "play", counted)
        try:
            shards()
        except EndedError:
            return begun
    return begun


def test_a_share_plays_its_own_blocks_first_and_then_the_others(
    tmp_path, whole, monkeypatch
):
    halves = []
    for number in (0, 1):
        path = tmp_path / f"{number}"
        half = BLOCKS // 2
        halves.append(
            begun_by(monkeypatch, half, lambda n=number, p=path: shard(p, n, 2))
        )
    first, second = ({str(each) for each in half} for half in halves)
    assert first.isdisjoint(second) and len(first | second) == BLOCKS
    # Neither waits for the other, who may never come.
    assert_same(shard(tmp_path / "0", 0, 2), whole)
    # One that comes again finds nothing to do.
    assert not begun_by(monkeypatch, 0, lambda: shard(tmp_path / "0", 1, 2))


def test_a_block_that_others_have_just_played_is_passed_over(
    tmp_path, whole, monkeypatch
):
    path, play, calls = tmp_path / "one", filling.play, []

    def meanwhile(*args, **kwargs):
        calls.append(args)
        if len(calls) == 1:
            run_sweep(SPEC, Store(path), QUIET)
        return play(*args, **kwargs)

    monkeypatch.setattr(filling, "play", meanwhile)
    monkeypatch.setattr(stored, "LOOK", 0.0)
    assert_same(shard(path, 0, 2), whole)
    # The one that was under way is played by both.
    assert len(calls) == 1 + BLOCKS


def test_the_first_layer_of_blocks_shows_all_of_a_sweep(tmp_path, monkeypatch):
    """Some seeds of every point, before any other seeds."""
    spec = walk.spec(points=4, seeds=200, horizon=8)

    def play():
        run_sweep(spec, Store(tmp_path / "one", block=64), QUIET)

    assert len(begun_by(monkeypatch, 4, play)) == 4
    found = open_store(tmp_path / "one")
    there = (found["session"] > 0).any("seed").values
    assert there.sum() == 2 * (4 + 1)
    assert found["session"].isel(seed=slice(16, None)).sel(policy="walker").sum() == 0


def test_shares_play_a_larger_sweep(tmp_path, whole):
    path = tmp_path / "one"
    run_sweep(SPEC._replace(seeds=8), Store(path, block=SIZE), QUIET)
    for number in (1, 0):
        found = shard(path, number, 2, extend=True)
    assert_same(found, whole)
