"""What a sweep takes: runs, blocks, bytes, memory and hours, before it is played.

Sizes follow from the spec. Times are estimates: a chunk of every policy on every
environment is compiled and played for a few rounds, and scaled.
"""

import math
import resource
import time
from typing import NamedTuple

import numpy as np

from jaxbandits.console.progress import Report, reporting
from jaxbandits.engine.flags import in_play
from jaxbandits.engine.run import Clock
from jaxbandits.engine.schedule import Schedule
from jaxbandits.results import spans
from jaxbandits.results.parts import Block
from jaxbandits.simulation.blocks import block_size, longest_run
from jaxbandits.simulation.description import outlined, parts_of
from jaxbandits.simulation.fill import Player
from jaxbandits.simulation.machine import HERE, Machine, machine_of
from jaxbandits.simulation.plan import Plan, make_plan, metric_shapes, with_engines
from jaxbandits.simulation.spec import Spec
from jaxbandits.store.request import Request

FEW_ROUNDS = 256  # of the first rehearsal
ENOUGH_SECONDS = 0.5  # of a rehearsal: a longer one tells little more
MOST_SECONDS = 60.0  # of all: then other environments are taken to be like these


class Estimate(NamedTuple):
    """What a sweep takes, if all of it is to be played.

    Attributes:
      runs: parameter points times seeds, of all policies and environments.
      blocks: in how many pieces they are played and written.
      block_runs: runs of a whole block: what a kill loses at most.
      bytes: of the results on disk, before they are compressed.
      memory: bytes of the process, about.
      compiling: seconds.
      playing: seconds.
      seconds: both of each game, by "policy in environment", the longest first.
      rehearsed: how many games were played for a few rounds; the others are taken to be
        like those of the same policy.
    """

    runs: int
    blocks: int
    block_runs: int
    bytes: int
    memory: int
    compiling: float
    playing: float
    seconds: dict[str, float]
    rehearsed: int


def estimate(spec: Spec, block: int | None = None, machine: Machine = HERE) -> Estimate:
    """What a sweep into a store takes on this machine.

    Args:
      spec: the sweep; where a half-width says how many seeds there are, its pilot.
      block: runs of a block, or None to choose.
      machine: what to play on.

    Raises:
      ValueError, TypeError: as `run_sweep`.
    """
    machine = machine_of(machine)
    spec = spec._replace(engine=spec.engine or machine.engine)
    platform = machine.devices[0].platform
    with in_play(), reporting(machine.progress, Report()) as report:
        plan = with_engines(make_plan(spec), platform)
        shapes = metric_shapes(plan)
        size = block_size(plan, shapes, platform)
        if block:
            size = size._replace(runs=block)
        parts = parts_of(plan, spans.spans_of(plan.seeds))
        blocks = Request(outlined(plan), parts, size, "runs", shapes).blocks()
        player = Player(plan, machine, blocks, blocks)
        times = _times(player, report)
    numbers = 1 + sum(math.prod(each) for each in shapes.values())
    run_bytes = 8 * numbers * len(plan.terms.schedule.checkpoints) + 4
    runs = sum(each.size for each in blocks)
    largest = max(each.size for each in blocks)
    # Results are there twice while those of all chunks are put together.
    held = 2 * largest * run_bytes * len(player.shares)
    most = 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    seconds = {name: sum(each[:2]) for name, each in times.items()}
    return Estimate(
        runs,
        len(blocks),
        largest,
        runs * run_bytes,
        most + held,
        sum(each[0] for each in times.values()),
        sum(each[1] for each in times.values()),
        dict(sorted(seconds.items(), key=lambda item: -item[1])),
        sum(each[2] for each in times.values()),
    )


def _times(player: Player, report: Report) -> dict[str, tuple[float, float, bool]]:
    """Of each game: seconds of compiling, of playing, and whether it was rehearsed."""
    games: dict[str, list[Block]] = {}
    for block in player.blocks:
        games.setdefault(block.name, []).append(block)
    times: dict[str, tuple[float, float, bool]] = {}
    rehearsals: dict[str, list[tuple[float, float, int]]] = {}
    began = time.monotonic()
    for name, blocks in games.items():
        like = rehearsals.setdefault(blocks[0].game[1], [])
        if rehearsed := not like or time.monotonic() - began < MOST_SECONDS:
            with report.phase(f"rehearsing {name}"):
                like.append(_rehearsal(player, blocks[0]))
            once, each, lanes = like[-1]
        else:
            once, each, lanes = np.mean(like, axis=0).tolist()
        chunks = sum(math.ceil(block.size / lanes) for block in blocks)
        times[name] = once, chunks * each / len(player.shares), rehearsed
    return times


def _rehearsal(player: Player, block: Block) -> tuple[float, float, int]:
    """Seconds of compiling, and of a chunk; and how many runs a chunk has."""
    plan, chunk = player.plan, player.chunk(block.game)
    points = block.points.at(slice(chunk))
    seeds = spans.first(block.seeds, max(chunk // points.count, 1))
    small = block._replace(points=points, seeds=seeds)
    share = min(1.0, FEW_ROUNDS / float(longest_run(plan)))
    before = compiling = 0.0
    done = 0.0  # share that was played in `before` seconds
    while True:
        clock, schedule = Clock([], []), _shortened(plan, share)
        player.play_one(small, player.shares[0], clock, schedule=schedule)
        compiling = compiling or sum(clock.compiling)
        seconds = sum(clock.running)
        if seconds >= ENOUGH_SECONDS or share == 1:
            pace = max(seconds - before, 0.0) / (share - done)
            return compiling, seconds + pace * (1 - share), chunk
        before, done, share = seconds, share, min(4 * share, 1.0)


def _shortened(plan: Plan, share: float) -> Schedule:
    """The schedule with all checkpoints earlier, for the same program."""
    schedule = plan.terms.schedule
    given = np.asarray(schedule.checkpoints)
    ends = given * share
    if not schedule.by_budget:
        ends = np.ceil(ends)
    elif any(each.game.by_the_clock for each in plan.spec.environments.values()):
        ends = np.maximum(ends, 1)
    ends = np.unique(ends.astype(given.dtype))
    last = schedule.last_round if schedule.by_budget else int(ends[-1])
    return schedule._replace(checkpoints=ends, last_round=last)
