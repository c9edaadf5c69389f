"""What a sweep takes: the size of its blocks; runs, bytes, memory and hours.

Blocks are the pieces in which a sweep is played and written. Their size follows from
the spec and the kind of device, not from the number of devices: any number of processes
can work on one store. Times are estimates: a chunk of every policy on every environment
is compiled and played for a few rounds, and scaled.
"""

import math
import resource
import time
from collections.abc import Mapping
from typing import Any, NamedTuple

import jax
import numpy as np

from jaxbandits.console.progress import Report, reporting
from jaxbandits.engine.flags import in_play
from jaxbandits.engine.rollout import LANE_QUANTUM, to_device
from jaxbandits.engine.run import Clock
from jaxbandits.engine.schedule import Schedule
from jaxbandits.protocol import Environment
from jaxbandits.results import spans
from jaxbandits.results.moments import SHAPE
from jaxbandits.results.parts import Block
from jaxbandits.simulation.fill import Player
from jaxbandits.simulation.machine import HERE, Machine, machine_of
from jaxbandits.simulation.plan import (
    Plan,
    make_plan,
    metric_shapes,
    outlined,
    parts_of,
    with_engines,
)
from jaxbandits.simulation.spec import Spec
from jaxbandits.store.request import Request, Size

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


class _Limits(NamedTuple):
    """What a block may cost.

    Attributes:
      bytes: of its results.
      rounds: lanes times rounds; an interrupted run loses the block under way.
      least: lanes below which the engine is slow.
      most_bytes: of its results where the sweep is so large that its blocks exceed the
        others: memory does not depend on how much is played in all.
    """

    bytes: int
    rounds: int
    least: int
    most_bytes: int


# A GPU needs ten thousands of lanes to be busy, and is that much faster.
LIMITS = {"cpu": _Limits(1 << 22, 1 << 28, 256, 1 << 26)}
ACCELERATOR = _Limits(1 << 28, 1 << 36, 1 << 14, 1 << 28)
# Of the tables of moments of a block.
TABLE_BYTES = 1 << 26
# About so many blocks, and files, a sweep has at most; equal parts make it up to twice
# as many. One that is interrupted loses a two-thousandth of its time.
BLOCKS = 2048


def block_size(
    plan: Plan, shapes: Mapping[str, Any], platform: str, moments: bool = False
) -> Size:
    """The size of a block, by what it may cost.

    Args:
      plan: the plan.
      shapes: of the metrics, see `metric_shapes`.
      platform: of the devices, ``cpu``, ``gpu`` ...
      moments: whether moments are kept, whose tables take much room.
    """
    limits = LIMITS.get(platform, ACCELERATOR)
    checkpoints = len(plan.terms.schedule.checkpoints)
    points = [match.points.count for match in plan.matches.values()]
    numbers = 1 + sum(math.prod(shape) for shape in shapes.values())
    by_bytes = limits.bytes // (8 * numbers * checkpoints)
    by_rounds = int(limits.rounds // max(longest_run(plan), 1))
    most = min(by_bytes, max(by_rounds, limits.least))
    runs = sum(points) * len(plan.seeds)
    share = min(-(-runs // BLOCKS), limits.most_bytes // (8 * numbers * checkpoints))
    most_points = max(points)
    if moments:
        metrics = 1 + sum(shape == () for shape in shapes.values())
        table = 8 * math.prod(SHAPE) * metrics * checkpoints
        most_points = min(most_points, max(TABLE_BYTES // table, 1))
    return Size(max(most, share, LANE_QUANTUM), most_points)


def longest_run(plan: Plan) -> float:
    """About how many rounds a run has at most.

    With a budget: what it pays for where every round costs as much as the cheapest
    action does on average. Where an environment does not say its costs, the last round,
    which without a horizon is so late that blocks become as small as may be.
    """
    schedule = plan.terms.schedule
    if not schedule.by_budget:
        return schedule.last_round
    cheapest = min(map(_cheapest, plan.spec.environments.values()))
    paid = schedule.checkpoints[-1] / cheapest if cheapest > 0 else math.inf
    return min(paid, schedule.last_round)


def _cheapest(environment: Environment) -> float:
    """The least mean cost of an action, in units of the budget; 0 if it is unknown."""
    setup = jax.tree.map(to_device, environment.setup)
    instance = environment.game.sample(jax.random.key(0), setup)
    batch = jax.tree.map(lambda x: np.asarray(x)[None], instance)
    oracle = environment.oracle(batch) if environment.oracle else None
    for name in ("mean_cost", "mean_time"):
        if hasattr(oracle, name):
            least = np.nanmin(np.asarray(getattr(oracle, name)))
            return float(least / np.min(getattr(batch, "unit", 1.0)))
    return 0.0
