"""A plan's missing blocks, played and written."""

import json
import math
import threading
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import jax

from jaxbandits.engine.room import choose_chunk
from jaxbandits.engine.run import Clock, uniform_leaves
from jaxbandits.engine.shares import device_shares, side_by_side
from jaxbandits.machine import Machine
from jaxbandits.play import Played, lane_params, play
from jaxbandits.progress import reporter
from jaxbandits.results.home import Home
from jaxbandits.results.store import (
    check_store,
    naming,
    note_engines,
    sessions,
    stored_shapes,
    write_block,
)
from jaxbandits.sweeps.blocks import Block, outstanding
from jaxbandits.sweeps.hosts import meet
from jaxbandits.sweeps.plan import Plan


class StoppedError(Exception):
    """Raised when a sweep was told to stop before it was complete."""


def fill(
    plan: Plan, path: Path | Home, machine: Machine, stop: threading.Event | None
) -> None:
    """Play and write the blocks that are this process's to play.

    Args:
      plan: the plan.
      path: the store.
      machine: what to play on.
      stop: when it is set, no further block is begun.

    Raises:
      StoppedError: if it was told to stop before all was played.
    """
    session = len(json.loads(check_store(path)["sessions"]))
    who = sessions(path)
    hosts = jax.process_index(), jax.process_count()
    blocks = outstanding(plan, who, who.chunks[-2:], *hosts)
    work = work_of(plan, blocks, machine, who.chunks[-2:])
    if blocks and jax.process_index() == 0:
        note_engines(path, facts_of(plan, work))
    # Nobody writes before everybody has seen what is missing.
    meet("planned")
    write = _writer(path, session, len(blocks))
    play_blocks(plan, work, machine, stop, path.name, write)


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
    lanes = {block.key: _lanes(block) for block in blocks}
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


def facts_of(plan: Plan, work: Work) -> dict[str, dict[str, Any]]:
    """What results shall say of the engines: by environment, by policy."""
    facts = {}
    for key in dict.fromkeys(block.key for block in work.blocks):
        said = plan.matches[key].choice.facts(work.chunk_for(key))
        facts.setdefault(key[0], {})[key[1]] = said
    return facts


def play_blocks(
    plan: Plan,
    work: Work,
    machine: Machine,
    stop: threading.Event | None,
    title: str,
    receive: Callable[[Block, Played, Clock], None],
) -> None:
    """Play blocks.

    Args:
      plan: the plan, settled.
      work: the blocks.
      machine: on what.
      stop: when it is set, no further block is begun.
      title: of the progress bar.
      receive: is given every block's results and its seconds; called from several
        threads.

    Raises:
      StoppedError: if it was told to stop before all was played.
    """
    checkpoints = len(plan.terms.schedule.checkpoints)
    total = sum(_lanes(block) for block in work.blocks) * checkpoints
    last = plan.terms.schedule.checkpoints[-1]
    alone = len(plan.spec.environments) == 1
    done = []
    with reporter(machine.progress, total, title, last / checkpoints) as report:

        def work_on(block: Block, share: list, check: Callable[[], None]) -> None:
            def advanced(done):
                report(done, block.key[1] if alone else " ".join(block.key))
                check()

            if stop is not None and stop.is_set():
                return
            match, place, clock = plan.matches[block.key], block.place, Clock([], [])
            found = play(
                match.policy._replace(name=block.key[1]),
                match.environment,
                match.points.at(place.params),
                plan.seeds[place.seed],
                plan.terms._replace(engine=match.choice.engine),
                clock=clock,
                chunk=work.chunk_for(block.key),
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


def _writer(path: Path | Home, session: int, total: int):
    """A function that puts a block's results into the store."""
    kept = stored_shapes(path)
    written = []

    def write(block: Block, found: Played, clock: Clock) -> None:
        del clock  # a session is not one block
        values = {k: x for k, x in found.metrics.items() if k in kept}
        safe = (
            f"; {len(written)} of {total} blocks of this run are complete and safe, "
            "the same command goes on from there"
        )
        with naming(path, safe):
            write_block(path, block.place, values | {"rounds": found.rounds}, session)
        written.append(block)

    return write


def _lanes(block: Block) -> int:
    params, seed = block.place.params, block.place.seed
    return (params.stop - params.start) * (seed.stop - seed.start)
