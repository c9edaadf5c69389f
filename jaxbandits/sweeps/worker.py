"""What a worker does: plays a few blocks of a store that somebody else has made.

A task is small, can be pickled and may be done twice: what is in the store already is
not played again, and what is, gets the same bits. Plan and compiled programs of a store
stay in the process, for its next task.
"""

import atexit
import hashlib
import json
import math
import pickle
import shutil
import threading
import traceback
import warnings
from contextlib import ExitStack
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import jax

from jaxbandits import checks
from jaxbandits.engine.flags import in_play
from jaxbandits.engine.run import Clock
from jaxbandits.results.atomic import replacing
from jaxbandits.results.locks import writer
from jaxbandits.results.store import (
    check_store,
    naming,
    sessions,
    stored_shapes,
    write_block,
)
from jaxbandits.simulation.machine import Machine, machine_of
from jaxbandits.simulation.play import Played
from jaxbandits.sweeps.blocks import Block
from jaxbandits.sweeps.fill import Work, play_blocks, work_of
from jaxbandits.sweeps.identity import check_program, check_software
from jaxbandits.sweeps.journal import WORK, Journal, journal
from jaxbandits.sweeps.plan import Plan, make_plan, settled
from jaxbandits.sweeps.programs import share_programs
from jaxbandits.sweeps.site import Site, job, site_of
from jaxbandits.sweeps.spec import Spec


class Task(NamedTuple):
    """Some blocks to be played.

    Attributes:
      store: the store.
      spec: name of its description for workers, see `publish_spec`.
      session: number of the session.
      blocks: which.
      machine: what to play on, but for the devices, which are the worker's.
      x64: whether JAX plays in double precision.
      accepted: whether other versions are accepted than those of the store.
      programs: a folder of compiled programs that workers share; None for what the
        worker's own JAX is set to.
      attempt: how often it was lost; some executors (Dask) answer what they were asked
        before as they did then.
    """

    store: str
    spec: str
    session: int
    blocks: tuple[Block, ...]
    machine: Machine
    x64: bool
    accepted: bool
    programs: str | None
    attempt: int = 0


class Failure(NamedTuple):
    """What went wrong in a worker that is alive.

    Attributes:
      kind: name of the exception's type.
      text: what it said.
      where: the traceback, in text.
    """

    kind: str
    text: str
    where: str


def publish_spec(path: Path, spec: Spec) -> str:
    """Put a spec into a store for workers; the name under which they find it.

    It is the digest of the spec, which comes with every task, so that nobody unpickles
    what somebody else has put there.

    Raises:
      ValueError: if cloudpickle is not installed.
    """
    checks.installed("executor", "cloudpickle", "workers")
    import cloudpickle

    data = cloudpickle.dumps(spec)
    name = hashlib.sha256(data).hexdigest()
    file = _spec_file(path, name)
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        with replacing(file) as temporary:
            temporary.write_bytes(data)
    return name


def _spec_file(path: Path, name: str) -> Path:
    return path / WORK / "specs" / f"{name}.pickle"


def dismiss(path: Path) -> None:
    """Delete what only workers need from a store that is complete."""
    for name in ("specs", "programs"):
        shutil.rmtree(path / WORK / name, ignore_errors=True)


def survey() -> Site:
    """A worker's answer to where it plays."""
    return site_of(jax.local_devices())


def play_task(task: Task) -> Failure | None:
    """Play the blocks of a task that nobody has played."""
    try:
        with ExitStack() as stack:
            stack.enter_context(warnings.catch_warnings())
            # Of a program that another worker is still writing.
            warnings.filterwarnings("ignore", "Error (reading|writing) persistent")
            stack.enter_context(jax.enable_x64(task.x64))
            stack.enter_context(in_play())
            _play(task)
    except Exception as error:
        text = traceback.format_exc()
        return Failure(type(error).__name__, str(error), text)
    return None


def _play(task: Task) -> None:
    if task.programs is not None:
        share_programs(task.programs)
    path, machine = Path(task.store), machine_of(task.machine)
    with _READYING:
        plan, log = _ready(task.store, task.spec, task.session, task.accepted)
        for key in dict.fromkeys(block.key for block in task.blocks):
            _check(task.store, task.spec, task.session, task.accepted, key)
    with writer(path) as lock:
        # Together with others: who makes room in the store has it alone.
        lock.together(math.inf)
        work = work_of(plan, list(task.blocks), machine, sessions(path).chunks[-2:])
        try:
            fill(plan, work, path, task.session, machine, None, log)
        except BaseException as error:
            for block in task.blocks:
                log.fails(block, error)
            raise


# A worker may have several threads.
_READYING = threading.Lock()
_OPEN = ExitStack()
atexit.register(_OPEN.close)


@lru_cache(maxsize=4)
def _ready(store: str, name: str, session: int, accepted: bool) -> tuple[Plan, Journal]:
    """What a worker keeps of a store between two tasks."""
    data = _spec_file(Path(store), name).read_bytes()
    if hashlib.sha256(data).hexdigest() != name:
        raise ValueError(f"store: {store} has another spec for workers than was told")
    here, stored = survey(), _description(store)
    check_software(store, stored, here.backend, accepted)
    plan = settled(make_plan(pickle.loads(data)), here.backend, stored)
    return plan, _OPEN.enter_context(journal(Path(store), who(session, here)))


@cache
def _check(store: str, *which: Any) -> None:
    """Of one game, once, as it takes a trace."""
    *ready, key = which
    check_program(store, _description(store), _ready(store, *ready)[0], *key)


def _description(store: str) -> dict[str, Any]:
    return json.loads(check_store(store)["spec"])


def who(session: int, site: Site, **more: Any) -> dict[str, Any]:
    """How a journal begins."""
    return {"session": session, **site._asdict(), **job(), **more}


def fill(
    plan: Plan,
    work: Work,
    path: Path,
    session: int,
    machine: Machine,
    stop: threading.Event | None,
    log: Journal,
) -> None:
    """Play blocks into a store. Those that others have played meanwhile stay.

    Args:
      plan: the plan, settled.
      work: the blocks.
      path: the store.
      session: its number.
      machine: what to play on.
      stop: when it is set, no further block is begun.
      log: where to say what is done.

    Raises:
      StoppedError: if it was told to stop before all was played.
    """
    kept, who, written = stored_shapes(path), sessions(path), []

    def wanted(block: Block) -> bool:
        missing = bool(block.missing(who.now(block.place)).any())
        if missing:
            log.begins(block)
        return missing

    def write(block: Block, found: Played, clock: Clock) -> None:
        values = {k: x for k, x in found.metrics.items() if k in kept}
        safe = (
            f"; {len(written)} of {len(work.blocks)} blocks of this run are complete "
            "and safe, the same command goes on from there"
        )
        with naming(path, safe):
            values["rounds"] = found.rounds
            who = session if block.ends is None else session * block.runs
            write_block(path, block.place, values, who)
            log.ends(block, sum(clock.compiling))
        written.append(block)

    play_blocks(plan, work, machine, stop, write, wanted)
