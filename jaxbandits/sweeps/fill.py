"""A plan's missing blocks, played and written."""

import json
import math
import threading
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import NamedTuple

import jax

from jaxbandits.engine.room import choose_chunk
from jaxbandits.engine.run import Clock, uniform_leaves
from jaxbandits.engine.shares import device_shares, side_by_side
from jaxbandits.play import Played, lane_params, play
from jaxbandits.progress import reporter
from jaxbandits.results.store import (
    check_store,
    naming,
    sessions,
    stored_shapes,
    write_block,
)
from jaxbandits.sweeps.blocks import Block, outstanding
from jaxbandits.sweeps.hosts import meet
from jaxbandits.sweeps.plan import Plan
from jaxbandits.sweeps.stores import note_engines

DEFAULT_MEMORY = 1 << 30


class Machine(NamedTuple):
    """What a sweep is played on, and how it is watched.

    Attributes:
      devices: of this process.
      memory: cap on the bytes of what is played at a time.
      progress: whether to show it; None if stderr is a terminal.
      stop: when it is set, no further block is begun.
    """

    devices: list
    memory: int = DEFAULT_MEMORY
    progress: bool | None = None
    stop: threading.Event | None = None


class StoppedError(Exception):
    """Raised when a sweep was told to stop before it was complete."""


def fill(plan: Plan, path: Path, machine: Machine) -> None:
    """Play and write the blocks that are this process's to play.

    Raises:
      StoppedError: if it was told to stop before all was played.
    """
    session = len(json.loads(check_store(path)["sessions"]))
    who = sessions(path)
    hosts = jax.process_index(), jax.process_count()
    shape = who.chunks[-2:]
    blocks = outstanding(plan, who, shape, *hosts)
    chunk_for = chunks_of(plan, shape, machine)
    if blocks and jax.process_index() == 0:
        keys = dict.fromkeys(block.key for block in blocks)
        facts = {environment: {} for environment, _ in keys}
        for environment, name in keys:
            choice = plan.matches[environment, name].choice
            facts[environment][name] = choice.facts(chunk_for((environment, name)))
        note_engines(path, facts)
    # Nobody writes before everybody has seen what is missing.
    meet("planned")
    write = _writer(path, session, len(blocks))
    play_blocks(plan, blocks, shape, machine, path.name, write, chunk_for)


def play_blocks(
    plan: Plan,
    blocks: list[Block],
    shape: tuple[int, int],
    machine: Machine,
    title: str,
    receive: Callable[[Block, Played], None],
    chunk_for: Callable[[tuple[str, str]], int],
) -> None:
    """Play blocks.

    Args:
      plan: the plan.
      blocks: which.
      shape: parameter points and seeds of a whole block.
      machine: on what.
      title: of the progress bar.
      receive: is given every block's results; called from several threads.
      chunk_for: see `chunks_of`.

    Raises:
      StoppedError: if it was told to stop before all was played.
    """
    checkpoints = len(plan.terms.schedule.checkpoints)
    work = sum(_lanes(block) for block in blocks) * checkpoints
    last = plan.terms.schedule.checkpoints[-1]
    done = []
    with reporter(machine.progress, work, title, last / checkpoints) as report:

        def work_on(block: Block, share: list, check: Callable[[], None]) -> None:
            def advanced(done):
                report(done, " ".join(block.key))
                check()

            if machine.stop is not None and machine.stop.is_set():
                return
            match, place = plan.matches[block.key], block.place
            found = play(
                match.policy,
                match.environment,
                match.points[place.params],
                plan.seeds[place.seed],
                plan.terms._replace(engine=match.choice.engine),
                clock=Clock([], []),
                chunk=chunk_for(block.key),
                same_shape=True,
                uniform=uniform_leaves(lane_params(match.policy, match.points, 1)),
                devices=share,
                progress=advanced,
            )
            receive(block, found)
            done.append(block)

        shares = device_shares(machine.devices, math.prod(shape))
        for _ in side_by_side(work_on, blocks, shares):
            pass
    if len(done) < len(blocks):
        raise StoppedError(
            f"stopped after {len(done)} of {len(blocks)} blocks of this run"
        )


def chunks_of(plan: Plan, shape: tuple[int, int], machine: Machine):
    """Lanes to play at a time, by game: one shape, so one program, for all blocks."""
    lanes = math.prod(shape)
    (share, *_) = device_shares(machine.devices, lanes)

    @cache
    def chunk_for(key):
        match = plan.matches[key]
        return choose_chunk(
            match.policy,
            match.environment,
            lane_params(match.policy, match.points[:1], 1),
            lanes,
            plan.terms._replace(engine=match.choice.engine),
            machine.memory,
            share,
        )

    return chunk_for


def _writer(path: Path, session: int, total: int):
    """A function that puts a block's results into the store."""
    kept = stored_shapes(path)
    written = []

    def write(block: Block, found: Played) -> None:
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
