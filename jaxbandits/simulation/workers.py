"""Blocks played by the workers of an executor.

Tasks are submitted, then the store says which blocks are there, and the missing ones
are submitted again, whatever became of their tasks. A task may so be done twice: both
write the same bits.
"""

import hashlib
import itertools
import multiprocessing
import os
import pickle
import signal
import threading
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from functools import cached_property, lru_cache
from typing import Annotated, Any, NamedTuple

import jax

from jaxbandits import checks
from jaxbandits.console.progress import reporting
from jaxbandits.engine.devices import NUMBER, cores
from jaxbandits.engine.flags import in_play
from jaxbandits.results.parts import Game, Part
from jaxbandits.simulation.fill import StoppedError, report_of
from jaxbandits.simulation.machine import Machine, machine_of
from jaxbandits.simulation.plan import Plan, make_plan, with_engines
from jaxbandits.simulation.stored import GOES_ON, InStore, share_programs
from jaxbandits.store.place import place_of

ATTEMPTS = 5  # rounds in a row without a new block, after which workers are given up
WORK = "work"  # folder of files for workers
_WAIT = 0.2  # seconds between two looks at tasks
_LOOK = 2.0  # seconds between two looks at the store


class Workers(NamedTuple):
    """An executor, and the number of tasks that it gets.

    Attributes:
      executor: any `concurrent.futures.Executor`, a Dask client, or an object with a
        method ``submit`` like the executors of submitit; or a number of processes of
        this machine, which are started again if one of them dies.
      tasks: number of tasks into which the blocks are dealt, for executors that start a
        process or a job for each task; by default every block is a task.
    """

    executor: Any
    tasks: Annotated[int | None, checks.at_least_one] = None


def workers_of(executor: Any) -> Workers:
    """Checked workers, given workers or an executor.

    Raises:
      TypeError, ValueError: naming the argument that is wrong.
    """
    result = executor if isinstance(executor, Workers) else Workers(executor)
    checks.installed("executor", "cloudpickle", "workers")
    checks.check_fields("executor", result)
    if not hasattr(result.executor, "submit"):
        if not isinstance(result.executor, int) or isinstance(result.executor, bool):
            raise TypeError(
                "executor must be a concurrent.futures.Executor, a number of processes "
                f"or jaxbandits.simulation.Workers, got {checks.shown(result.executor)}"
            )
        checks.whole("executor", result.executor, 1)
    return result


class ByWorkers(InStore):
    """A sweep whose results are kept in a store, and whose blocks workers play."""

    together = True

    def __init__(
        self,
        store: Any,
        machine: Machine,
        stop: threading.Event | None,
        executor: Any,
    ) -> None:
        self.workers = workers_of(executor)
        if getattr(machine, "devices", None) is not None:
            raise ValueError(
                "machine: devices must be left out: workers have their own"
            )
        super().__init__(store, machine, stop)

    @cached_property
    def platform(self) -> str:
        """Platform of the devices of the workers."""
        if isinstance(self.workers.executor, int):
            return _platform()
        with _started(self.workers.executor) as executor:
            return str(executor.submit(_platform).result())

    def play_blocks(self, plan: Plan, blocks: list[Part]) -> None:
        """Have workers play blocks until none is missing.

        Raises:
          ConnectionError: if workers are lost again and again.
          ValueError: if a worker reports an error.
          StoppedError: if blocks were left when it was asked to stop.
        """
        import cloudpickle  # type: ignore[import-untyped]

        store, address = self.store, self.store.place.address
        options = self.options._replace(path=address)
        theirs = self.machine._replace(devices=None, progress=False)
        data = cloudpickle.dumps((plan.spec, options, theirs))
        # Its name has its digest: a worker loads nothing that another program wrote.
        file = f"{WORK}/{hashlib.sha256(data).hexdigest()}"
        store.place.put(file, data)
        common = address, file, jax.config.jax_enable_x64
        report = report_of(plan.spec.environments, blocks)
        unseen, lost, attempts = {x.key: x for x in blocks}, 0, itertools.count()
        last = looked = time.monotonic()

        def look() -> None:
            """Report now and then which blocks are new in the store."""
            nonlocal last, looked
            if (now := time.monotonic()) - looked < _LOOK:
                return
            looked, new = now, unseen.keys() & store.played()
            for block in map(unseen.pop, new):
                report.advance(block.name, block.size, (now - last) / len(new))
            last = now if new else last

        with reporting(self.machine.progress, report), report.phase("workers play"):
            while left := store.missing(blocks):
                # A new number each time: Dask would answer an equal task from memory.
                again = next(attempts)
                count = min(self.workers.tasks or len(left), len(left))
                shares = [[x.key for x in left[n::count]] for n in range(count)]
                tasks = [(*common, keys, again) for keys in shares]
                with _started(self.workers.executor) as executor:
                    error = _submit_all(executor, tasks, self.stop, look)
                missing = store.missing(blocks)
                done = len(blocks) - len(missing)
                words = f"{done} of {len(blocks)} blocks of this run"
                if missing and self.stop is not None and self.stop.is_set():
                    raise StoppedError(f"stopped after {words}")
                lost = lost + 1 if len(missing) == len(left) else 0
                if lost == ATTEMPTS:
                    raise ConnectionError(
                        f"store: {store.place.name}: workers were lost {lost} times in "
                        f"a row, at last by {type(error).__name__}: {error}; {words} "
                        f"are {GOES_ON}"
                    ) from error
        store.place.drop(file)


@contextmanager
def _started(given: Any) -> Iterator[Any]:
    """An executor: the one that was given, or so many processes of this machine."""
    if isinstance(given, int):
        # A fork would copy locks that the threads of JAX hold.
        spawn, devices = multiprocessing.get_context("spawn"), max(cores() // given, 1)
        with ProcessPoolExecutor(given, spawn, _begin, (devices,)) as own:
            yield own
    else:  # A Dask client has an executor whose futures are like those of Python.
        yield given.get_executor() if hasattr(given, "get_executor") else given


def _submit_all(
    executor: Any,
    tasks: list[tuple[Any, ...]],
    stop: threading.Event | None,
    look: Callable[[], None],
) -> Exception | None:
    """Submit tasks and wait for them; return the last error of a lost worker."""
    lost: Exception | None = None
    running: list[Any] = []
    try:
        try:
            for task in tasks:
                running.append(executor.submit(play_task, *task))
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
                    lost, wrong = error, None
                if wrong:  # The worker is alive: trying again would not help.
                    words = ValueError(f"a worker ended with {wrong[0]}")
                    words.add_note(wrong[1])
                    raise words
            time.sleep(_WAIT if running else 0)
    finally:
        for future in running:
            future.cancel()
    return lost


def _begin(devices: int) -> None:
    """Prepare a process that this one has started."""
    # Ctrl-C is for the process that started it; if that one is killed, this one ends.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_follow, daemon=True).start()
    if os.environ.get(NUMBER) in (None, str(cores())):  # The user asks for no fewer.
        os.environ[NUMBER] = str(devices)
        update: Callable[[str, Any], None] = jax.config.update
        update("jax_num_cpu_devices", devices)


def _follow() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _platform() -> str:
    return str(jax.local_devices()[0].platform)


def play_task(
    address: str, file: str, x64: bool, keys: list[str], attempt: int = 0
) -> tuple[str, str] | None:
    """Play the missing blocks of a task: what a worker does.

    The `file` of the store at an address has the spec, the `attempt` makes tasks that
    are submitted again differ from the first. An error of the spec is returned with its
    traceback, not raised, so that no executor takes it for a lost worker.
    """
    with warnings.catch_warnings(), jax.enable_x64(x64), in_play():
        # Another worker may still be writing a compiled program.
        warnings.filterwarnings("ignore", "Error (reading|writing) persistent")
        try:
            with _PREPARING:  # A worker may have several threads.
                share_programs(place_of(address))
                worker = _worker(address, file, x64)
                blocks = worker.checked(keys)
            worker.play_blocks(worker.plan, worker.store.missing(blocks))
        except Exception as error:
            return f"{type(error).__name__}: {error}", traceback.format_exc()
    return None


class _Worker(InStore):
    """A store as a worker sees it, with a plan that is kept between two tasks."""

    def __init__(self, address: str, file: str) -> None:
        data = place_of(address).read(file)
        if hashlib.sha256(data).hexdigest() != file.removeprefix(f"{WORK}/"):
            raise ValueError(f"store: {address} has another spec for workers")
        spec, options, machine = pickle.loads(data)
        super().__init__(options, machine_of(machine))
        self.plan = with_engines(make_plan(spec), self.platform, self.store.sweep())
        self.enter()
        self._same: set[Game] = set()  # games that are described as in the store

    def checked(self, keys: list[str]) -> list[Part]:
        """The blocks of some keys, if they are played here as anywhere else."""
        known = {block.key: block for block in self.store.blocks()}
        if unknown := [key for key in keys if key not in known]:
            raise ValueError(
                f"store: {self.store.place.name} has no {unknown[0]}: this worker "
                "looks at another store"
            )
        blocks = [known[key] for key in keys]
        games = {block.game for block in blocks} - self._same
        self.check_same(self.plan, [*games])  # It takes a trace for each game.
        self._same |= games
        return blocks


_PREPARING = threading.Lock()


@lru_cache(maxsize=4)
def _worker(address: str, file: str, x64: bool) -> _Worker:
    return _Worker(address, file)
