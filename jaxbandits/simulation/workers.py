"""Blocks played by the workers of an executor: submit, look at the store, again.

Whatever becomes of a task, the store says which blocks are there; those that are
missing are given out again. A task may be done twice: blocks get the same bits.
"""

import hashlib
import multiprocessing
import os
import pickle
import signal
import threading
import time
import traceback
import warnings
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from functools import lru_cache
from typing import Any, NamedTuple

import jax

from jaxbandits import checks
from jaxbandits.console.progress import Report, reporting
from jaxbandits.engine.devices import cores
from jaxbandits.engine.flags import in_play
from jaxbandits.results.parts import Block, Game
from jaxbandits.simulation.fill import StoppedError, name_of, report_of
from jaxbandits.simulation.machine import Machine, machine_of
from jaxbandits.simulation.plan import Plan, make_plan, with_engines
from jaxbandits.simulation.play_into import (
    GOES_ON,
    check_worker,
    play_into,
    session_of,
    work_into,
)
from jaxbandits.simulation.programs import share_programs
from jaxbandits.simulation.site import Site, site_of
from jaxbandits.simulation.spec import Spec
from jaxbandits.store.block_store import BlockStore
from jaxbandits.store.place import Place, writing
from jaxbandits.store.request import Json

ATTEMPTS = 5  # so often in a row workers may be lost without a block being played
WORK = "work"  # folder of what only workers need
_WAIT = 0.2  # seconds between two looks at what executors do
_LOOK = 2.0  # seconds between two looks at the store


class Workers(NamedTuple):
    """Who plays the blocks of a store.

    Attributes:
      executor: any `concurrent.futures.Executor`, a Dask client, or what has ``submit``
        as the executors of submitit have it; or a number of processes on this machine,
        which are started anew where one of them dies.
      tasks: into how many tasks the blocks are dealt, for executors that start a
        process or a job for each; by default every block is one.
    """

    executor: Any
    tasks: int | None = None


class Task(NamedTuple):
    """Some blocks to be played, as workers get them.

    Attributes:
      place: where the store is.
      spec: name of the file of the sweep's spec; the digest of what it holds, so that
        nobody unpickles what somebody else has put there.
      keys: of the blocks.
      machine: what to play on, but for the devices, which are the worker's.
      x64: whether JAX plays in double precision.
      accepts: whether newer patches of JAX are accepted than the store's.
      attempt: how often tasks were lost; some executors (Dask) answer what they were
        asked before as they did then.
    """

    place: Place
    spec: str
    keys: list[str]
    machine: Machine
    x64: bool
    accepts: bool
    attempt: int


def workers_of(executor: Any) -> Workers:
    """Workers that can be asked, from them or an executor.

    Raises:
      TypeError, ValueError: naming what is wrong.
    """
    result = executor if isinstance(executor, Workers) else Workers(executor)
    checks.installed("executor", "cloudpickle", "workers")
    if result.tasks is not None:
        checks.whole("executor: tasks", result.tasks, 1)
    if not hasattr(result.executor, "submit"):
        if not isinstance(result.executor, int) or isinstance(result.executor, bool):
            raise TypeError(
                "executor must be a concurrent.futures.Executor, a number of processes "
                f"or jaxbandits.simulation.Workers, got {checks.shown(result.executor)}"
            )
        checks.whole("executor", result.executor, 1)
    return result


class Pool:
    """The executor of workers; of a number of processes, one that is begun anew."""

    def __init__(self, workers: Workers) -> None:
        self.tasks, self._given = workers.tasks, workers.executor
        if hasattr(self._given, "get_executor"):  # A Dask client, whose has futures.
            self._given = self._given.get_executor()
        self._own: ProcessPoolExecutor | None = None

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """What will be the result of a call by a worker."""
        if not isinstance(self._given, int):
            return self._given.submit(function, *arguments)
        if self._own is None:
            self._own = ProcessPoolExecutor(
                self._given,
                # A fork would copy the threads' locks of a JAX that is running.
                multiprocessing.get_context("spawn"),
                _begin,
                (max(cores() // self._given, 1),),
            )
        return self._own.submit(function, *arguments)

    def close(self) -> None:
        """End processes of our own; the next call has others."""
        if self._own is not None:
            self._own.shutdown(cancel_futures=True)
            self._own = None

    def site(self) -> Site:
        """Where workers play."""
        result: Site = self.submit(_here).result()
        return result


def have_played(
    store: BlockStore,
    spec: Spec,
    blocks: list[Block],
    pool: Pool,
    machine: Machine,
    stop: threading.Event | None,
    accepts: bool,
) -> None:
    """Have workers play blocks, until none is missing.

    Raises:
      ConnectionError: if workers are lost again and again.
      ValueError: if a worker says that something is wrong.
      StoppedError: if it was asked to stop before all was played.
    """
    import cloudpickle  # type: ignore[import-untyped]

    data = cloudpickle.dumps(spec)
    file = f"{WORK}/{hashlib.sha256(data).hexdigest()}"
    with writing(store.place):
        store.place.put(file, data)
    theirs = machine._replace(devices=None, progress=False)
    task = Task(store.place, file, [], theirs, jax.config.jax_enable_x64, accepts, 0)
    report = report_of(spec.environments, blocks)
    look, lost = _looking(store, blocks, report), 0
    with reporting(machine.progress, report), report.phase("workers play"):
        while left := store.missing(blocks):
            count = min(pool.tasks or len(left), len(left))
            shares = [[x.key for x in left[number::count]] for number in range(count)]
            tasks = [task._replace(keys=keys) for keys in shares]
            error = _played(pool, tasks, stop, look)
            task = task._replace(attempt=task.attempt + 1)
            missing = store.missing(blocks)
            done = f"{len(blocks) - len(missing)} of {len(blocks)} blocks of this run"
            if missing and stop is not None and stop.is_set():
                raise StoppedError(f"stopped after {done}")
            lost = lost + 1 if len(missing) == len(left) else 0
            if lost == ATTEMPTS:
                raise ConnectionError(
                    f"store: {store.place.name}: workers were lost {lost} times in a "
                    f"row, at last by {type(error).__name__}: {error}; {done} are "
                    f"{GOES_ON}"
                ) from error
    store.place.drop(file)


def _played(
    pool: Pool,
    tasks: list[Task],
    stop: threading.Event | None,
    look: Callable[[], None],
) -> Exception | None:
    """Submit tasks and wait for all; the last error by which one was lost."""
    lost: Exception | None = None
    running: list[Any] = []
    try:
        try:
            for task in tasks:
                running.append(pool.submit(play_task, task))
        except Exception as error:  # Each kind of executor has its own.
            lost = error
        while running:
            look()
            if stop is not None and stop.is_set():
                running = [future for future in running if not future.cancel()]
            for future in [each for each in running if each.done()]:
                running.remove(future)
                try:
                    wrong = future.result()
                except Exception as error:
                    lost = error
                else:
                    if wrong:
                        _refuse(*wrong)
            time.sleep(_WAIT if running else 0)
    finally:
        for future in running:
            future.cancel()
    if lost is not None:
        pool.close()
    return lost


def _refuse(words: str, where: str) -> None:
    """Raise what is wrong in a worker that is alive: trying again would not help."""
    error = ValueError(f"a worker ended with {words}")
    error.add_note(where)
    raise error


def _looking(
    store: BlockStore, blocks: list[Block], report: Report
) -> Callable[[], None]:
    """A function that reports, now and then, which blocks are new in the store."""
    left, looked, last = {block.key: block for block in blocks}, 0.0, time.monotonic()

    def look() -> None:
        nonlocal looked, last
        now = time.monotonic()
        if now - looked >= _LOOK:
            looked, new = now, left.keys() & store.played()
            for block in map(left.pop, new):
                seconds = (now - last) / len(new)
                report.advance(name_of(block), block.size, seconds)
            last = now if new else last

    return look


def _begin(devices: int) -> None:
    """What a process of ours does first."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # It is for the one that started it,
    threading.Thread(target=_follow, daemon=True).start()  # which may be killed.
    if "JAX_NUM_CPU_DEVICES" not in os.environ:
        os.environ["JAX_NUM_CPU_DEVICES"] = str(devices)  # for who asks whether
        update: Callable[[str, Any], None] = jax.config.update
        update("jax_num_cpu_devices", devices)


def _follow() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _here() -> Site:
    return site_of(jax.local_devices())


def play_task(task: Task) -> tuple[str, str] | None:
    """Play the missing blocks of a task: what a worker does.

    Returns:
      None, or what went wrong, and the traceback: errors of a worker that is alive are
      results, so that no executor takes them for its own.
    """
    with ExitStack() as stack:
        stack.enter_context(warnings.catch_warnings())
        # Of a program that another worker is still writing.
        warnings.filterwarnings("ignore", "Error (reading|writing) persistent")
        stack.enter_context(jax.enable_x64(task.x64))
        stack.enter_context(in_play())
        try:
            _play(task)
        except Exception as error:
            return f"{type(error).__name__}: {error}", traceback.format_exc()
    return None


def _play(task: Task) -> None:
    share_programs(task.place)
    with _READYING:
        ready = _ready(task.place, task.spec, task.x64, task.accepts)
        store, known = ready.store, {block.key: block for block in ready.store.blocks()}
        blocks = [known[key] for key in task.keys if key in known]
        if len(blocks) < len(task.keys):
            raise ValueError(
                f"store: {store.place.name} has no {task.keys[0]}: this worker looks "
                "at another store"
            )
        # Once each, as it takes a trace.
        games = {block.game for block in blocks} - ready.checked
        check_worker(store, ready.plan, _here().backend, task.accepts, [*games])
        ready.checked.update(games)
    machine = machine_of(task.machine)
    work = work_into(store, ready.plan, store.missing(blocks), machine)
    play_into(store, ready.plan, work, machine, None, ready.session)


# A worker may have several threads.
_READYING = threading.Lock()


class _Ready(NamedTuple):
    """What a worker keeps of a store between two tasks.

    Attributes:
      store: the store.
      plan: the sweep.
      session: what the store says of this worker.
      checked: games that are known to be the store's.
    """

    store: BlockStore
    plan: Plan
    session: Json
    checked: set[Game]


@lru_cache(maxsize=4)
def _ready(place: Place, name: str, x64: bool, accepts: bool) -> _Ready:
    store = BlockStore(place)
    with place.open(name) as file:
        data = bytes(file.read())
    if hashlib.sha256(data).hexdigest() != name.removeprefix(f"{WORK}/"):
        raise ValueError(f"store: {place.name} has another spec for workers")
    plan = with_engines(make_plan(pickle.loads(data)), _here().backend, store.sweep())
    session = session_of(_here(), accepts)
    store.enter(session)
    return _Ready(store, plan, session, set())
