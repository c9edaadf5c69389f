"""Blocks of a plan, played by this process."""

import math
import threading
from collections import Counter
from collections.abc import Callable
from functools import cache, partial
from typing import Any, NamedTuple

from jaxbandits.console.progress import Report, reporting
from jaxbandits.engine.room import choose_chunk
from jaxbandits.engine.run import Clock, uniform_leaves
from jaxbandits.engine.shares import device_shares, side_by_side
from jaxbandits.simulation.machine import Machine
from jaxbandits.simulation.play import Played, lane_params, play
from jaxbandits.sweeps.blocks import Block
from jaxbandits.sweeps.plan import Plan


class StoppedError(Exception):
    """Raised when a sweep was told to stop before it was complete."""


class Work(NamedTuple):
    """Blocks to be played, and how.

    Attributes:
      blocks: which.
      shares: groups of devices, of which each plays a block at a time.
      chunk_for: lanes to play at a time, by (environment, policy); found out when it
        is first asked for, which takes a trace.
      same_shape: whether all blocks of a game share one program.
    """

    blocks: list[Block]
    shares: list[list]
    chunk_for: Callable[[tuple[str, str]], int]
    same_shape: bool


def work_of(
    plan: Plan,
    blocks: list[Block],
    machine: Machine,
    shape: tuple[int, int] | None = None,
) -> Work:
    """Share out blocks.

    Args:
      plan: the plan, settled.
      blocks: which.
      machine: what to play on.
      shape: parameter points and seeds of a whole block, if all blocks of a game are
        to share one program; None if each is all of its game.
    """
    lanes = {block.key: block.size for block in blocks}
    if shape:
        lanes = dict.fromkeys(lanes, math.prod(shape))
    shares = device_shares(machine.devices, max(lanes.values(), default=1))

    @cache
    def chunk_for(key: tuple[str, str]) -> int:
        match = plan.matches[key]
        return machine.chunk or choose_chunk(
            match.policy,
            match.environment,
            lane_params(match.policy, match.points.at(slice(1)), 1),
            lanes[key],
            plan.terms._replace(engine=match.choice.engine),
            machine.memory,
            shares[0],
        )

    return Work(blocks, shares, chunk_for, shape is not None)


def facts_of(
    plan: Plan, blocks: list[Block], chunk_for: Callable[[tuple[str, str]], int | None]
) -> dict[str, dict[str, Any]]:
    """What results shall say of the engines: by environment, by policy."""
    facts = {}
    for key in dict.fromkeys(block.key for block in blocks):
        said = plan.matches[key].choice.facts(chunk_for(key))
        facts.setdefault(key[0], {})[key[1]] = said
    return facts


def play_blocks(
    plan: Plan,
    work: Work,
    machine: Machine,
    stop: threading.Event | None,
    receive: Callable[[Block, Played, Clock], None],
    wanted: Callable[[Block], bool] = lambda block: True,
) -> None:
    """Play blocks.

    Args:
      plan: the plan, settled.
      work: the blocks.
      machine: on what.
      stop: when it is set, no further block is begun.
      receive: is given every block's results and its seconds; called from several
        threads.
      wanted: whether a block still has to be played; asked when its turn comes.

    Raises:
      StoppedError: if it was told to stop before all was played.
    """
    checkpoints = len(plan.terms.schedule.checkpoints)
    last = plan.terms.schedule.checkpoints[-1]
    report = report_of(plan, work.blocks, checkpoints, len(work.shares))
    done = []
    with reporting(machine.progress, report, last / checkpoints):

        def work_on(block: Block, share: list, check: Callable[[], None]) -> None:
            part, seen = name_of(block), (0.0, 0.0)
            announce = partial(report.phase, f"compiling {part}")
            clock = Clock([], [], announce)

            def advanced(done):
                nonlocal seen
                before, seen = seen, (sum(clock.running), sum(clock.compiling))
                report.advance(part, done, seen[0] - before[0], seen[1] - before[1])
                check()

            if stop is not None and stop.is_set():
                return
            if not wanted(block):
                report.advance(part, block.size * checkpoints, None)
                done.append(block)
                check()
                return
            match, place = plan.matches[block.key], block.place
            with report.phase(f"playing {part}"):
                with announce():
                    chunk = _lanes(work.chunk_for(block.key), block)
                found = play(
                    match.policy._replace(name=block.key[1]),
                    match.environment,
                    match.points.at(place.params),
                    plan.seeds[place.seed],
                    plan.terms._replace(engine=match.choice.engine),
                    clock=clock,
                    runs=None if block.ends is None else block.runs,
                    chunk=chunk,
                    same_shape=work.same_shape,
                    uniform=uniform_leaves(lane_params(match.policy, match.points, 1)),
                    devices=share,
                    progress=advanced,
                )
                receive(block, found, clock)
            done.append(block)

        for _ in side_by_side(work_on, work.blocks, work.shares):
            pass
    if len(done) < len(work.blocks):
        raise StoppedError(
            f"stopped after {len(done)} of {len(work.blocks)} blocks of this run"
        )


def report_of(
    plan: Plan, blocks: list[Block], units: int = 1, at_once: int = 1
) -> Report:
    """What says how far some blocks are, by the names of policies and environments.

    Args:
      plan: the plan.
      blocks: that are to be played.
      units: of work in a run.
      at_once: how many blocks are played at a time.
    """
    parts = Counter[str]()
    for block in blocks:
        parts[name_of(block)] += block.size * units
    first, *others = plan.spec.environments
    title = f"{1 + len(others):,} environments" if others else first
    return Report(parts, title, at_once)


def name_of(block: Block) -> str:
    """``RCUCB in Indep``."""
    environment, policy = block.key
    return f"{policy} in {environment}"


def _lanes(chunk: int, block: Block) -> int:
    """Lanes to play at a time: of a block of which points have ended hardly more than
    it has runs, by halves, so that there are few programs."""
    while block.ends is not None and chunk % 2 == 0 and chunk // 2 >= block.size:
        chunk //= 2
    return chunk
