"""Blocks of a plan, played by this process."""

import threading
from collections import Counter
from collections.abc import Callable, Iterable
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np

from jaxbandits.checks.points import Points
from jaxbandits.console.progress import Report, reporting
from jaxbandits.engine.footprint import choose_chunk
from jaxbandits.engine.rollout import LANE_QUANTUM
from jaxbandits.engine.run import Clock, uniform_leaves
from jaxbandits.engine.shares import device_shares, side_by_side
from jaxbandits.results import spans
from jaxbandits.results.parts import Block, Game
from jaxbandits.simulation.machine import Machine
from jaxbandits.simulation.plan import Plan, full_points
from jaxbandits.simulation.play import Played, lane_params, play

# A block with so many times fewer runs than its program has lanes gets one of its own.
_SMALL = 8


class StoppedError(Exception):
    """Raised when a sweep was asked to stop before it was complete."""


class Work(NamedTuple):
    """Blocks to be played, and how.

    Attributes:
      blocks: which.
      shares: groups of devices, of which each plays a block at a time.
      chunk_for: lanes to play at a time, by (environment, policy); computed when it is
        first asked for, which takes a trace.
      uniform_for: likewise, which parameters are one number in all blocks.
      same_shape: whether all blocks of a game share one program.
    """

    blocks: list[Block]
    shares: list[list[Any]]
    chunk_for: Callable[[Game], int]
    uniform_for: Callable[[Game], tuple[bool, ...]]
    same_shape: bool


def work_of(
    plan: Plan,
    blocks: list[Block],
    machine: Machine,
    asked: Iterable[Block] | None = None,
) -> Work:
    """Share out blocks.

    Args:
      plan: the plan, settled.
      blocks: which.
      machine: what to play on.
      asked: all blocks of these games that there are, of which all share one program,
        whichever are to be played; None if each block is all of its game.
    """
    lanes: dict[Game, int] = {}
    tables: dict[Game, dict[int, Points]] = {}
    for block in [*blocks, *(asked or ())]:
        lanes[block.game] = max(lanes.get(block.game, 0), block.size)
        tables.setdefault(block.game, {})[id(block.points)] = block.points
    most = max((lanes[block.game] for block in blocks), default=1)
    shares = device_shares(machine.devices, most)

    @cache
    def chunk_for(key: Game) -> int:
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

    @cache
    def uniform_for(key: Game) -> tuple[bool, ...]:
        points = [full_points(plan, key, each) for each in tables[key].values()]
        columns = {
            leaf: np.concatenate([each.columns[leaf] for each in points])
            for leaf in points[0].columns
        }
        count = sum(each.count for each in points)
        policy = plan.matches[key].policy
        return uniform_leaves(lane_params(policy, Points(columns, count), 1))

    return Work(blocks, shares, chunk_for, uniform_for, asked is not None)


def facts_of(
    plan: Plan, blocks: list[Block], chunk_for: Callable[[Game], Any]
) -> dict[str, dict[str, Any]]:
    """What results shall say of the engines: by environment, by policy."""
    facts: dict[str, dict[str, Any]] = {}
    for key in dict.fromkeys(block.game for block in blocks):
        content = plan.matches[key].choice.facts(chunk_for(key))
        facts.setdefault(key[0], {})[key[1]] = content
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
      StoppedError: if it was asked to stop before all was played.
    """
    checkpoints = len(plan.terms.schedule.checkpoints)
    last = plan.terms.schedule.checkpoints[-1]
    report = report_of(
        plan.spec.environments, work.blocks, checkpoints, len(work.shares)
    )
    done = []
    with reporting(machine.progress, report, last / checkpoints):

        def work_on(block: Block, share: list[Any], check: Callable[[], None]) -> None:
            part, seen = name_of(block), (0.0, 0.0)
            announce = partial(report.phase, f"compiling {part}")
            clock = Clock([], [], announce)

            def advanced(done: int) -> None:
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
            match = plan.matches[block.game]
            with report.phase(f"playing {part}"):
                with announce():
                    chunk = _lanes(work.chunk_for(block.game), block, share)
                    uniform = work.uniform_for(block.game)
                result = play(
                    match.policy._replace(name=block.game[1]),
                    match.environment,
                    full_points(plan, block.game, block.points),
                    spans.listed(block.seeds).astype(np.uint32),
                    plan.terms._replace(engine=match.choice.engine),
                    clock=clock,
                    chunk=chunk,
                    same_shape=work.same_shape,
                    uniform=uniform,
                    devices=share,
                    progress=advanced,
                )
                receive(block, result, clock)
            done.append(block)

        for _ in side_by_side(work_on, work.blocks, work.shares):
            pass
    if len(done) < len(work.blocks):
        raise StoppedError(
            f"stopped after {len(done)} of {len(work.blocks)} blocks of this run"
        )


def report_of(
    environments: Iterable[str], blocks: list[Block], units: int = 1, at_once: int = 1
) -> Report:
    """What says how far some blocks are, by the names of policies and environments.

    Args:
      environments: their names.
      blocks: that are to be played.
      units: of work in a run.
      at_once: how many blocks are played at a time.
    """
    parts = Counter[str]()
    for block in blocks:
        parts[name_of(block)] += block.size * units
    first, *others = environments
    title = f"{1 + len(others):,} environments" if others else first
    return Report(parts, title, at_once)


def name_of(block: Block) -> str:
    """``RCUCB in Indep``."""
    environment, policy = block.game
    return f"{policy} in {environment}"


def _lanes(chunk: int, block: Block, share: list[Any]) -> int:
    """Lanes to play at a time: fewer of a small block, by halves, so that there are few
    programs."""
    whole = 2 * LANE_QUANTUM * len(share)
    while chunk % whole == 0 and chunk >= _SMALL * block.size:
        chunk //= 2
    return chunk
