"""Blocks played into a store: by this process, or by the workers of an executor.

Workers: submit, look at the store, again. Whatever becomes of a task, the store says
which blocks are there; those that are missing are given out again. A task may be done
twice: blocks get the same bits.
"""

import hashlib
import itertools
import multiprocessing
import os
import pickle
import shutil
import signal
import threading
import time
import traceback
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from functools import lru_cache
from typing import Any, NamedTuple

import jax

from jaxbandits import checks
from jaxbandits.console.progress import reporting
from jaxbandits.engine.devices import NUMBER, cores
from jaxbandits.engine.flags import in_play
from jaxbandits.engine.run import Clock
from jaxbandits.results._provenance import provenance
from jaxbandits.results.parts import Block, Game
from jaxbandits.simulation.fill import Played, Player, StoppedError, report_of
from jaxbandits.simulation.machine import Machine, Site, job, machine_of, site_of
from jaxbandits.simulation.plan import Plan, describe, make_plan, with_engines
from jaxbandits.simulation.spec import Spec
from jaxbandits.store.block_store import BlockStore, variables_of
from jaxbandits.store.place import Folder, Place
from jaxbandits.store.request import Json, accepting, changes

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


def platform_of(workers: Workers) -> str:
    """Platform of the devices on which workers play."""
    if isinstance(workers.executor, int):
        return _here().backend
    with _begun(workers) as executor:
        site: Site = executor.submit(_here).result()
    return site.backend


@contextmanager
def _begun(workers: Workers) -> Iterator[Any]:
    """What takes tasks: the executor, or as many processes of our own."""
    given = workers.executor
    if isinstance(given, int):
        # A fork would copy the threads' locks of a JAX that is running.
        spawn, devices = multiprocessing.get_context("spawn"), max(cores() // given, 1)
        with ProcessPoolExecutor(given, spawn, _begin, (devices,)) as own:
            yield own
    else:
        # A Dask client, whose executor has futures.
        yield given.get_executor() if hasattr(given, "get_executor") else given


def have_played(
    store: BlockStore,
    spec: Spec,
    blocks: list[Block],
    workers: Workers,
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

    theirs = machine._replace(devices=None, progress=False)
    data = cloudpickle.dumps((spec, theirs, accepts))
    # By its digest, so that nobody unpickles what somebody else has put there.
    file = f"{WORK}/{hashlib.sha256(data).hexdigest()}"
    store.place.put(file, data)
    common = store.place, file, jax.config.jax_enable_x64
    report = report_of(spec.environments, blocks)
    unseen, lost, attempts = {x.key: x for x in blocks}, 0, itertools.count()
    last = looked = time.monotonic()

    def look() -> None:
        """Report, now and then, which blocks are new in the store."""
        nonlocal last, looked
        if (now := time.monotonic()) - looked < _LOOK:
            return
        looked, new = now, unseen.keys() & store.played()
        for block in map(unseen.pop, new):
            report.advance(block.name, block.size, (now - last) / len(new))
        last = now if new else last

    with reporting(machine.progress, report), report.phase("workers play"):
        while left := store.missing(blocks):
            # Some executors (Dask) answer what they were asked before as they did then.
            again, count = next(attempts), min(workers.tasks or len(left), len(left))
            shares = [[x.key for x in left[number::count]] for number in range(count)]
            tasks = [(*common, keys, again) for keys in shares]
            with _begun(workers) as executor:
                error = _played(executor, tasks, stop, look)
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
    executor: Any,
    tasks: list[tuple[Any, ...]],
    stop: threading.Event | None,
    look: Callable[[], None],
) -> Exception | None:
    """Submit tasks and wait for all; the last error by which one was lost."""
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
                if wrong:  # A worker is alive: trying again would not help.
                    words = ValueError(f"a worker ended with {wrong[0]}")
                    words.add_note(wrong[1])
                    raise words
            time.sleep(_WAIT if running else 0)
    finally:
        for future in running:
            future.cancel()
    return lost


def _begin(devices: int) -> None:
    """What a process of ours does first."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # It is for the one that started it,
    threading.Thread(target=_follow, daemon=True).start()  # which may be killed.
    if os.environ.get(NUMBER) in (None, str(cores())):  # the user asks for no fewer
        os.environ[NUMBER] = str(devices)  # for who asks whether
        update: Callable[[str, Any], None] = jax.config.update
        update("jax_num_cpu_devices", devices)


def _follow() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _here() -> Site:
    return site_of(jax.local_devices())


def play_task(
    place: Place, file: str, x64: bool, keys: list[str], attempt: int = 0
) -> tuple[str, str] | None:
    """Play the missing blocks of a task: what a worker does.

    Args:
      place: where the store is.
      file: name of the file of the spec, the machine, and whether newer patches of JAX
        are accepted than the store's.
      x64: whether JAX plays in double precision.
      keys: of the blocks.
      attempt: how often tasks were given out before.

    Returns:
      None, or what went wrong, and the traceback: errors of a worker that is alive are
      results, so that no executor takes them for its own.
    """
    with warnings.catch_warnings(), jax.enable_x64(x64), in_play():
        # Of a program that another worker is still writing.
        warnings.filterwarnings("ignore", "Error (reading|writing) persistent")
        try:
            share_programs(place)
            with _READYING:
                worker = _worker_of(place, file, x64)
                blocks = worker.checked(keys)
            worker.play(blocks)
        except Exception as error:
            return f"{type(error).__name__}: {error}", traceback.format_exc()
    return None


class _Worker:
    """What a worker keeps of a store between two tasks."""

    def __init__(self, place: Place, file: str) -> None:
        data, here = place.read(file), _here()
        if hashlib.sha256(data).hexdigest() != file.removeprefix(f"{WORK}/"):
            raise ValueError(f"store: {place.name} has another spec for workers")
        spec, machine, self.accepts = pickle.loads(data)
        self.store, self.machine = BlockStore(place), machine_of(machine)
        self.plan = with_engines(make_plan(spec), here.backend, self.store.sweep())
        self.session = session_for(self.store, here, self.accepts)
        self._known: set[Game] = set()  # to be games of the store

    def checked(self, keys: list[str]) -> list[Block]:
        """The blocks of some keys, if they are played here as anywhere else."""
        known = {block.key: block for block in self.store.blocks()}
        if unknown := [key for key in keys if key not in known]:
            raise ValueError(
                f"store: {self.store.place.name} has no {unknown[0]}: this worker "
                "looks at another store"
            )
        blocks = [known[key] for key in keys]
        # Once each, as it takes a trace.
        games = {block.game for block in blocks} - self._known
        check_worker(self.store, self.plan, _here().backend, self.accepts, [*games])
        self._known |= games
        return blocks

    def play(self, blocks: list[Block]) -> None:
        """Play those that are missing."""
        missing = self.store.missing(blocks)
        player = player_for(self.store, self.plan, missing, self.machine)
        play_into(self.store, player, None, self.session)


# A worker may have several threads.
_READYING = threading.Lock()


@lru_cache(maxsize=4)
def _worker_of(place: Place, file: str, x64: bool) -> _Worker:
    return _Worker(place, file)


LOOK = 5.0  # seconds between two looks at what others have played
GOES_ON = "complete and safe, the same command goes on from there"
_PROGRAMS = "work/programs"  # compiled by one process of a store, read by all


def player_for(
    store: BlockStore, plan: Plan, blocks: list[Block], machine: Machine
) -> Player:
    """What plays blocks of a store, which share programs with all of their games."""
    games = {block.game for block in blocks}
    asked = [block for block in store.blocks() if block.game in games]
    return Player(plan, machine, blocks, asked)


def session_for(store: BlockStore, site: Site, accepted: bool, **more: Any) -> Json:
    """What a store says of this process, which is about to play, put on record."""
    session = provenance(
        **site._asdict(),
        **job(),
        processes=jax.process_count(),
        at=time.time(),
        **({"accepted": True} if accepted else {}),
        **more,
    )
    store.enter(session)
    return session


def play_into(
    store: BlockStore, player: Player, stop: threading.Event | None, session: Json
) -> None:
    """Play blocks into a store, but those that others have played meanwhile.

    Raises:
      StoppedError: if it was asked to stop before all was played.
      OSError: if a block cannot be written.
    """
    kept = {"rounds", *variables_of(store.requests())}
    there, looked, written = store.played(), time.monotonic(), 0

    def wanted(block: Block) -> bool:
        nonlocal there, looked
        if time.monotonic() - looked > LOOK:
            there, looked = store.played(), time.monotonic()
        return block.key not in there

    def receive(block: Block, result: Played, clock: Clock) -> None:
        nonlocal written
        values = {**result.metrics, "rounds": result.rounds}
        values = {name: x for name, x in values.items() if name in kept}
        seconds = {"running": sum(clock.running), "compiling": sum(clock.compiling)}
        safe = f"; {written} of {len(player.blocks)} blocks of this run are {GOES_ON}"
        store.write(block, values, session, seconds, safe)
        written += 1

    player.play(receive, stop, wanted)


def described_for(
    plan: Plan,
    platform: str,
    store: BlockStore,
    accepts: bool,
    games: Sequence[Game] = (),
) -> Json:
    """The description of a plan for a store, which may accept other versions of JAX."""
    sweep = describe(plan, platform, games)
    return accepting(store.sweep(), sweep) if accepts and store.exists() else sweep


def check_worker(
    store: BlockStore, plan: Plan, platform: str, accepts: bool, games: Sequence[Game]
) -> None:
    """Raise a ValueError if a worker would not play what its coordinator does.

    Args:
      store: the store.
      plan: the worker's plan.
      platform: of the worker's devices.
      accepts: see `accepting`.
      games: (environment, policy), what it is to play.
    """
    sweep = described_for(plan, platform, store, accepts, games)
    if games and (lines := changes(store.sweep(), sweep)):
        raise ValueError(
            f"store: {store.place.name} is not one that this worker can play into; "
            "all must have the same code, versions and kind of devices:\n  "
            + "\n  ".join(lines)
        )


def share_programs(place: Place) -> None:
    """Have JAX keep programs in a store's folder, with those of machines like this one.

    Nothing happens where it keeps them somewhere already, or the store is no folder.
    """
    if not isinstance(place, Folder) or jax.config.jax_compilation_cache_dir:
        return
    here = site_of(jax.local_devices())
    kind = hashlib.sha256(repr(here._replace(devices=here.devices[:1])).encode())
    folder = place.path / _PROGRAMS / kind.hexdigest()[:16]
    update: Callable[[str, Any], None] = jax.config.update
    update("jax_compilation_cache_dir", str(folder))
    update("jax_persistent_cache_min_compile_time_secs", 0.0)
    update("jax_persistent_cache_min_entry_size_bytes", -1)


def forget_programs(place: Place) -> None:
    """Remove the programs of a store that is complete."""
    if isinstance(place, Folder):
        shutil.rmtree(place.path / _PROGRAMS, ignore_errors=True)
