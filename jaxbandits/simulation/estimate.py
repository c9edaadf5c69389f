"""The size of blocks, and an estimate of what a sweep takes.

The size of blocks depends on the spec and the kind of device, not on the number of
devices: any number of processes can work on one store. Times are estimated: a chunk of
every policy in every environment is compiled and played for a few rounds.
"""

import math
import resource
import time
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from jaxbandits.console.progress import Report, reporting
from jaxbandits.engine.flags import in_play
from jaxbandits.engine.footprint import an_instance
from jaxbandits.engine.rollout import LANE_QUANTUM
from jaxbandits.engine.run import Clock
from jaxbandits.engine.schedule import Schedule
from jaxbandits.protocol import Environment
from jaxbandits.results import spans
from jaxbandits.results.moments import SHAPE
from jaxbandits.results.parts import Part
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
ENOUGH_SECONDS = 0.5  # of a rehearsal: a longer one says little more
MOST_SECONDS = 60.0  # of all rehearsals; later environments are taken to be like these


class Estimate(NamedTuple):
    """What a sweep takes from its start. Runs are parameter points times seeds."""

    runs: int
    blocks: int
    block_runs: int  # of the largest block: the most that a kill loses
    bytes: int  # of the results on disk
    memory: int  # bytes of the process
    compiling: float  # seconds
    playing: float  # seconds
    seconds: dict[str, float]  # of both, by "policy in environment", the longest first
    rehearsed: int  # games that were played for a few rounds; others were taken alike


def estimate(spec: Spec, block: int | None = None, machine: Machine = HERE) -> Estimate:
    """What a sweep into a store takes on this machine.

    Args:
      spec: the sweep; with a half-width only its pilot.
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
        size = size._replace(runs=block or size.runs)
        parts = parts_of(plan, spans.spans_of(plan.seeds))
        blocks = Request(outlined(plan), parts, size, "runs", shapes).blocks()
        player = Player(plan, machine, blocks, blocks)
        times = _times(player, report)
    sizes = [each.size for each in blocks]
    run_bytes = _bytes(plan, shapes) + 4
    compiling, playing, rehearsed = map(sum, zip(*times.values(), strict=True))
    seconds = {name: sum(each[:2]) for name, each in times.items()}
    # While the results of chunks are joined they are there twice.
    joined = 2 * max(sizes) * run_bytes * len(player.shares)
    return Estimate(
        runs=sum(sizes),
        blocks=len(blocks),
        block_runs=max(sizes),
        bytes=sum(sizes) * run_bytes,
        memory=1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss + joined,
        compiling=compiling,
        playing=playing,
        seconds=dict(sorted(seconds.items(), key=lambda item: -item[1])),
        rehearsed=rehearsed,
    )


def _bytes(plan: Plan, shapes: Mapping[str, Any]) -> int:
    """Bytes of the values of a run, in float64."""
    numbers: int = 1 + sum(math.prod(shape) for shape in shapes.values())
    return 8 * numbers * len(plan.terms.schedule.checkpoints)


def _times(player: Player, report: Report) -> dict[str, tuple[float, float, bool]]:
    """For each game seconds of compiling, of playing, and whether it was rehearsed."""
    games: dict[str, list[Part]] = {}
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


def _rehearsal(player: Player, block: Part) -> tuple[float, float, int]:
    """Seconds of compiling and of playing a chunk, and the number of its runs."""
    plan, chunk = player.plan, player.chunk(block.game)
    points = block.points.at(slice(chunk))
    seeds = spans.first(block.seeds, max(chunk // points.count, 1))
    small = block._replace(points=points, seeds=seeds)
    share = min(1.0, FEW_ROUNDS / float(longest_run(plan)))
    before = done = compiling = 0.0  # Playing the share `done` took `before` seconds.
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
    """A schedule with all checkpoints earlier, which the same program plays."""
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
    """The most that a block may cost."""

    bytes: int  # of its results
    rounds: int  # times runs: an interruption loses the blocks under way
    least: int  # runs below which the engine is slow, whatever the rounds
    most_bytes: int  # of its results, if there were too many blocks otherwise


# A GPU is fast with ten thousands of lanes.
LIMITS = {"cpu": _Limits(1 << 22, 1 << 28, 256, 1 << 26)}
ACCELERATOR = _Limits(1 << 28, 1 << 36, 1 << 14, 1 << 28)
TABLE_BYTES = 1 << 26  # of the tables of moments of a block
# A sweep has about so many blocks at most, and equal parts make at most twice as many.
# So an interruption loses a two-thousandth of the time.
BLOCKS = 2048


def block_size(
    plan: Plan, shapes: Mapping[str, Any], platform: str, moments: bool = False
) -> Size:
    """The size of a block of metrics of some shapes, or of their moments."""
    limits, run_bytes = LIMITS.get(platform, ACCELERATOR), _bytes(plan, shapes)
    points = [match.points.count for match in plan.matches.values()]
    by_rounds = int(limits.rounds // max(longest_run(plan), 1))
    most = min(limits.bytes // run_bytes, max(by_rounds, limits.least))
    runs = sum(points) * len(plan.seeds)
    share = min(-(-runs // BLOCKS), limits.most_bytes // run_bytes)
    most_points = max(points)
    if moments:
        numbers = {name: () for name, shape in shapes.items() if not shape}
        table = math.prod(SHAPE) * _bytes(plan, numbers)
        most_points = min(most_points, max(TABLE_BYTES // table, 1))
    return Size(max(most, share, LANE_QUANTUM), most_points)


def longest_run(plan: Plan) -> float:
    """About how many rounds a run has at most.

    With a budget, as many as it pays for if every round costs the least mean cost of an
    action. If an environment does not say its costs, all rounds up to the last, which
    without a horizon is so late that blocks become as small as they may be.
    """
    schedule = plan.terms.schedule
    if not schedule.by_budget:
        return schedule.last_round
    cheapest = min(map(_cheapest, plan.spec.environments.values()))
    paid = schedule.checkpoints[-1] / cheapest if cheapest > 0 else math.inf
    return min(paid, schedule.last_round)


def _cheapest(environment: Environment) -> float:
    """The least mean cost of an action, in units of the budget; 0 if unknown."""
    batch = an_instance(environment)
    oracle = environment.oracle(batch) if environment.oracle else None
    for name in ("mean_cost", "mean_time"):
        if hasattr(oracle, name):
            least = np.nanmin(np.asarray(getattr(oracle, name)))
            return float(least / np.min(getattr(batch, "unit", 1.0)))
    return 0.0
