"""Blocks spread over the workers of an executor; what is lost is played again."""

import multiprocessing
import os
import signal
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    Future,
    ProcessPoolExecutor,
    wait,
)
from contextlib import contextmanager
from itertools import islice
from typing import Any, NamedTuple

import jax

from jaxbandits import checks
from jaxbandits.engine.devices import cores
from jaxbandits.sweeps.blocks import Block
from jaxbandits.sweeps.worker import Failure, Task, play_task

# So often may a block be lost, or a pool of processes with nothing done in between.
ATTEMPTS = 5
_AHEAD = 10_000  # tasks that an executor has at a time
_LOOK = 0.2  # seconds between two looks at what cannot call back


class Workers(NamedTuple):
    """Who plays the blocks of a store.

    Attributes:
      executor: any `concurrent.futures.Executor`, or what has ``submit`` as those of
        submitit have it; or a number of processes on this machine, which are started
        anew where one of them dies.
      tasks: into how many tasks the blocks are dealt, for executors that start a
        process or a job for each; by default every block is one.
    """

    executor: Any
    tasks: int | None = None


def workers_of(executor: Any) -> Workers:
    """Workers that can be asked, from them or an executor.

    Raises:
      TypeError, ValueError: naming what is wrong.
    """
    found = executor if isinstance(executor, Workers) else Workers(executor)
    checks.installed("executor", "cloudpickle", "workers")
    if found.tasks is not None:
        checks.whole("executor: tasks", found.tasks, 1)
    if not hasattr(found.executor, "submit"):
        if not isinstance(found.executor, int) or isinstance(found.executor, bool):
            raise TypeError(
                "executor must be a concurrent.futures.Executor, a number of processes "
                f"or jaxbandits.sweeps.Workers, got {checks.shown(found.executor)}"
            )
        checks.whole("executor", found.executor, 1)
    return found


class LostError(Exception):
    """Raised where workers die again and again."""


@contextmanager
def at_work(workers: Workers) -> Iterator[Callable[..., Any]]:
    """A function ``(broken=False)`` that gives the executor, or one in its place."""
    if hasattr(workers.executor, "submit"):
        yield lambda broken=False: workers.executor
        return
    pools = [_local(workers.executor)]

    def pool(broken: bool = False) -> ProcessPoolExecutor:
        if broken:
            pools.append(_local(workers.executor))
        return pools[-1]

    try:
        yield pool
    finally:
        for each in pools:
            each.shutdown(cancel_futures=True)


def _local(processes: int) -> ProcessPoolExecutor:
    """Processes of their own, each with its part of the cores."""
    return ProcessPoolExecutor(
        processes,
        # A fork would copy the threads' locks of a JAX that is running.
        multiprocessing.get_context("spawn"),
        _begin,
        (max(cores() // processes, 1),),
    )


def _begin(devices: int) -> None:
    """What a process of `_local` does first."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # It is for the one that started it,
    threading.Thread(target=_follow, daemon=True).start()  # which may be killed.
    if "JAX_NUM_CPU_DEVICES" not in os.environ:
        os.environ["JAX_NUM_CPU_DEVICES"] = str(devices)  # for who asks whether
        jax.config.update("jax_num_cpu_devices", devices)


def _follow() -> None:
    multiprocessing.parent_process().join()
    os._exit(1)


def spread(
    executor: Callable[..., Any],
    tasks: Iterable[Task],
    lost: Callable[[Task], Task],
    finished: Callable[[Iterable[Block]], None],
    stop: threading.Event | None,
) -> None:
    """Have tasks done, or those under way if it is told to stop.

    Args:
      executor: gives one that works, see `at_work`.
      tasks: each done once or, where a worker has died, what is left of it again.
      lost: a task without its blocks that are in the store.
      finished: is told of blocks that are in the store.
      stop: when it is set, no further task is begun.

    Raises:
      LostError: if workers die again and again.
      ValueError: if a worker says that something is wrong.
    """
    ahead, again = iter(tasks), deque[Task]()
    running: dict[Any, Task] = {}
    losses = Counter[Any]()
    try:
        while True:
            broken = None
            if stop is None or not stop.is_set():
                broken = _submit(executor, running, again, ahead)
            else:
                for future in [future for future in running if future.cancel()]:
                    del running[future]
            if not running and broken is None:
                return
            for future in _first(running) if running else ():
                task, error = running.pop(future), _error(future)
                if isinstance(error, Failure):
                    _refuse(error)
                if error is None:
                    losses.pop(_POOL, None)
                    finished(task.blocks)
                    continue
                if isinstance(error, BrokenExecutor):
                    broken = error
                rest = lost(task)._replace(attempt=task.attempt + 1)
                finished([block for block in task.blocks if block not in rest.blocks])
                if rest.blocks:
                    again.append(rest)
                    # They are played in order: what was under way is the first.
                    if broken is None:
                        _count(losses, rest.blocks[0], error)
            if broken is not None:
                # It has lost all that it had.
                _count(losses, _POOL, broken)
                again.extend(running.values())
                running.clear()
                executor(broken=True)
    finally:
        for future in running:
            future.cancel()


_POOL = "executor"


def _count(losses: Counter, what: Any, error: BaseException) -> None:
    losses[str(what)] += 1
    if losses[str(what)] >= ATTEMPTS:
        raise LostError(
            f"workers were lost {ATTEMPTS} times in a row, at last by "
            f"{type(error).__name__}: {error}"
        ) from error


def _submit(
    executor: Callable[..., Any],
    running: dict[Any, Task],
    again: deque[Task],
    ahead: Iterator[Task],
) -> BaseException | None:
    """Keep an executor busy; the error if it takes nothing."""
    while len(running) < _AHEAD:
        task = again.popleft() if again else next(ahead, None)
        if task is None:
            return None
        try:
            running[executor().submit(play_task, task)] = task
        except (BrokenExecutor, RuntimeError) as error:
            again.appendleft(task)
            return error
    return None


def _first(running: dict) -> list:
    """What is done, after a while at the latest; perhaps nothing."""
    if all(isinstance(future, Future) for future in islice(running, 1)):
        return list(wait(running, _LOOK, FIRST_COMPLETED).done)
    time.sleep(_LOOK)
    return [future for future in running if future.done()]


def _error(future: Any) -> Any:
    """None, what a worker says is wrong, or the error by which it was lost."""
    try:
        return future.result()
    except Exception as error:  # Each kind of executor has its own.
        return error


def _refuse(failure: Failure) -> None:
    error = ValueError(f"a worker ended with {failure.kind}: {failure.text}")
    error.add_note(failure.where)
    raise error
