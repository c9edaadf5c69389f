"""Who plays into a store: this process, one of several that share it, or workers.

Nobody waits for anybody: programs that play a share come and go as they like, and a
block that is lost with one is played again.
"""

import json
import math
import random
import threading
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

import jax

from jaxbandits.console.progress import reporting
from jaxbandits.results import open_store, provenance
from jaxbandits.results.home import Home, home_of
from jaxbandits.results.locks import Lock, busy, writer
from jaxbandits.results.store import (
    check_store,
    enter_session,
    naming,
    seal,
    sessions,
)
from jaxbandits.simulation.machine import Machine
from jaxbandits.sweeps.blocks import ALL, Block, Share, outstanding
from jaxbandits.sweeps.fill import (
    StoppedError,
    Work,
    facts_of,
    name_of,
    report_of,
    work_of,
)
from jaxbandits.sweeps.hosts import meet
from jaxbandits.sweeps.identity import listed
from jaxbandits.sweeps.journal import journal, least_begun, players
from jaxbandits.sweeps.plan import Plan, say_engines
from jaxbandits.sweeps.programs import programs_of, share_programs
from jaxbandits.sweeps.sink import Sink
from jaxbandits.sweeps.site import Site, job, kind_of
from jaxbandits.sweeps.spec import Spec
from jaxbandits.sweeps.spread import LostError, spread
from jaxbandits.sweeps.stores import (
    Store,
    check_same,
    create,
    enter,
    fit,
    mend,
)
from jaxbandits.sweeps.worker import Task, dismiss, fill, publish_spec, who

# Programs of a share play in one session: the same code and machines.
_ALIKE = ("versions", "git", "accepted", *Site._fields)
PATIENCE = 60.0  # seconds that one waits for others to leave, or to make room


class Crew(NamedTuple):
    """Who plays into a store.

    Attributes:
      machine: what is played on; of workers, their devices are their own.
      site: where that is.
      stop: see `run_sweep`.
      share: which blocks are this program's, if others play the rest.
      workers: a function that has tasks done, if not this process plays; see `spread`.
      tasks: see `Workers`.
    """

    machine: Machine
    site: Site
    stop: threading.Event | None = None
    share: Share | None = None
    workers: Callable[..., Any] | None = None
    tasks: int | None = None


@contextmanager
def in_store(spec: Spec, store: Store, crew: Crew) -> Iterator[Sink]:
    """A store to play into; made if there is none.

    Nobody else makes room in it meanwhile, and nobody else plays all that is missing;
    those who play a share each do so side by side.

    Args:
      spec: of a new store; the seeds are a list.
      store: where.
      crew: who plays.
    """
    path = store.path
    if isinstance(path, Home) and (crew.share or crew.workers):
        raise ValueError(
            f"store: {path} is no folder; shares and workers find one another by files "
            "in the store's: play into a folder, or with a single program"
        )
    with _folder(path), writer(path) as lock:
        if _alone(path, lock, crew):
            if not home_of(path).exists():
                moments = store.keep == "moments"
                create(spec, path, store.block, crew.site.backend, moments)
            mend(path)
        check_same(store)

        def complete(spec: Spec, grows: bool) -> Plan:
            plan, larger, alone = _room(spec, store, grows, lock, crew)
            say_engines(plan, crew.machine.progress)
            # One that cannot be written to (an archive, say) may be complete as it is.
            if alone and not enter(plan, path, larger):
                return plan
            shape = sessions(path).chunks[-2:]
            blocks = outstanding(plan, sessions(path), shape, crew.share or ALL)
            blocks = least_begun(path, blocks, crew.share)
            work = work_of(plan, blocks, crew.machine, shape)
            entry = _entry(plan, work, crew, store)
            session = enter_session(path, entry, () if alone else _ALIKE)
            lock.together(math.inf)
            _warn_of_sites(path, json.loads(check_store(path)["sessions"]))
            if crew.share is not None and (programs := programs_of(path)):
                share_programs(programs)
            if not blocks:
                pass
            elif crew.workers is None:
                me = who(session, crew.site, share=crew.share)
                with journal(path, me) as log:
                    fill(plan, work, path, session, crew.machine, crew.stop, log)
            else:
                _have_played(plan, blocks, store, session, crew)
                _warn_of_sites(path, [player.who for player in players(path)])
            meet("filled")
            if crew.share is not None and not whole(plan):
                return plan
            seal(path)
            if crew.share is not None or crew.workers is not None:
                # The last one takes away what only several need.
                if lock.alone():
                    dismiss(path)
                lock.together(math.inf)
            return plan

        def seeds() -> list[int]:
            return listed(json.loads(check_store(path)["spec"])["seeds"]).tolist()

        def whole(plan: Plan) -> bool:
            played = sessions(path)
            return not outstanding(plan, played, played.chunks[-2:])

        yield Sink(seeds, complete, lambda: open_store(path), whole)


@contextmanager
def _folder(path: Path | Home) -> Iterator[None]:
    """A folder, for its lock; it goes again if nothing comes of it."""
    if isinstance(path, Home):
        yield
        return
    with naming(path):
        if not path.exists():
            path.mkdir(parents=True, exist_ok=True)
    try:
        yield
    finally:
        with suppress(OSError):
            path.rmdir()  # There is nothing in it.


def _alone(path: Path, lock: Lock, crew: Crew) -> bool:
    """Whether nobody else is at the store; if others play shares, side by side."""
    # A worker of a program that was killed may still be at its last block.
    if lock.alone(PATIENCE if crew.workers else 0):
        return True
    if crew.share is None:
        raise busy(path)
    lock.together(math.inf)
    return False


def _room(
    spec: Spec, store: Store, grows: bool, lock: Lock, crew: Crew
) -> tuple[Plan, bool, bool]:
    """The plan of a spec in a store, whether the store still has to grow for it, and
    whether nobody else is there: one that plays with others cannot grow."""
    path, seen = store.path, None
    deadline = time.monotonic() + PATIENCE
    while True:
        alone = _alone(path, lock, crew)
        held = check_store(path)["fingerprint"]
        if held != seen:
            kept = grows, crew.site.backend, store.accept_version
            (plan, larger), seen = fit(spec, path, *kept), held
        if alone or not larger:
            return plan, larger, alone
        if time.monotonic() > deadline:
            raise busy(path)
        # One of us gets it alone and makes room, which the others see.
        lock.none()
        time.sleep(random.uniform(0.05, 0.5))


def _entry(plan: Plan, work: Work, crew: Crew, store: Store) -> dict[str, Any]:
    """What the store shall say of a session."""
    mine = crew.workers is None and crew.share is None
    facts = facts_of(
        plan,
        work.blocks,
        # Programs of a share and workers find out for themselves, which takes a trace.
        work.chunk_for if mine else lambda key: crew.machine.chunk,
    )
    return provenance(
        **crew.site._asdict(),
        **job(),
        processes=jax.process_count(),
        **({"share": f"of {crew.share.of}"} if crew.share else {}),
        **({"accepted": True} if store.accept_version else {}),
        **({"engines": facts} if facts else {}),
    )


def _warn_of_sites(path: Path, entries: list[Mapping[str, Any]]) -> None:
    """Warn if not all who play give the same bits.

    Args:
      path: the store.
      entries: what sessions or programs say of themselves.
    """
    kinds = {kind_of(entry) for entry in entries if "backend" in entry}
    if len(kinds) > 1:
        warnings.warn(
            f"store: {path} is played on several kinds of machines ("
            + "; ".join(sorted(kinds))
            + "): their numbers agree up to rounding only",
            stacklevel=2,
        )


def _have_played(
    plan: Plan, blocks: list[Block], store: Store, session: int, crew: Crew
) -> None:
    """Have workers play blocks."""
    path, accepted = store.path, store.accept_version
    spec = publish_spec(path, plan.spec)
    machine = crew.machine._replace(devices=None, progress=False)
    x64, programs = bool(jax.config.jax_enable_x64), programs_of(path)
    count = min(crew.tasks or len(blocks), len(blocks))
    tasks = (
        Task(str(path.absolute()), spec, session, own, machine, x64, accepted, programs)
        for own in (tuple(blocks[i::count]) for i in range(count))
    )
    played: list[Block] = []
    who_played = sessions(path)

    def lost(task: Task) -> Task:
        missing = [b for b in task.blocks if b.missing(who_played.now(b.place)).any()]
        return task._replace(blocks=tuple(missing))

    report = report_of(plan, blocks)
    shown = reporting(crew.machine.progress, report)
    # Workers compile, each by itself, before they have done their first blocks.
    last: float | None = None

    def finished(done: Iterable[Block]) -> None:
        nonlocal last
        before, last = last, time.monotonic()
        played.extend(done)
        for block in done:
            report.advance(name_of(block), block.size, before and last - before)
            before = before and last

    with shown, report.phase("workers play"):
        try:
            spread(crew.workers, tasks, lost, finished, crew.stop)
        except LostError as error:
            raise ConnectionError(
                f"store: {path}: {error}; {len(played)} of {len(blocks)} blocks of "
                "this run are complete and safe, the same command goes on from there"
            ) from error
    if len(played) < len(blocks):
        raise StoppedError(
            f"stopped after {len(played)} of {len(blocks)} blocks of this run"
        )
