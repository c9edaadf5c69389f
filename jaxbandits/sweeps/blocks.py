"""Blocks: the pieces in which a sweep is played and written.

A block is a rectangle of parameter points times seeds of one policy on one environment:
one object of the store. Its size follows from the spec and the kind of device, not from
their number: any number of processes can work on one store.
"""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import jax
import numpy as np

from jaxbandits.engine.rollout import LANE_QUANTUM, to_device
from jaxbandits.protocol import Environment
from jaxbandits.results.dataset import Place
from jaxbandits.results.moments import SHAPE
from jaxbandits.sweeps.plan import Plan
from jaxbandits.sweeps.ragged import played_by, runs_at


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


def block_shape(plan: Plan, shapes: dict, platform: str) -> tuple[int, int]:
    """Parameter points and seeds of a block, by what it may cost.

    Args:
      plan: the plan.
      shapes: of the metrics, see `metric_shapes`.
      platform: of the devices, ``cpu``, ``gpu`` ...
    """
    limits = LIMITS.get(platform, ACCELERATOR)
    checkpoints = plan.terms.schedule.checkpoints
    numbers = 1 + sum(math.prod(shape) for shape in shapes.values())
    by_bytes = limits.bytes // (8 * numbers * len(checkpoints))
    by_rounds = int(limits.rounds // max(longest_run(plan), 1))
    most = min(by_bytes, max(by_rounds, limits.least))
    runs = sum(match.points.count for match in plan.matches.values()) * len(plan.seeds)
    share = min(
        -(-runs // BLOCKS), limits.most_bytes // (8 * numbers * len(checkpoints))
    )
    return rectangle(plan, max(most, share, LANE_QUANTUM))


def block_of_moments(
    plan: Plan, shapes: dict, block: tuple[int, int]
) -> tuple[int, int]:
    """A block that keeps moments: fewer points if their tables take much room."""
    metrics = 1 + sum(shape == () for shape in shapes.values())
    table = 8 * math.prod(SHAPE) * metrics * len(plan.terms.schedule.checkpoints)
    return min(block[0], max(TABLE_BYTES // table, 1)), block[1]


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


def rectangle(plan: Plan, most: int) -> tuple[int, int]:
    """Parameter points and seeds of a block of at most `most` runs."""
    num_points = max(match.points.count for match in plan.matches.values())
    seeds = _even(len(plan.seeds), most)
    return _even(num_points, max(most // seeds, 1)), seeds


def _even(total: int, most: int) -> int:
    """The size of equal parts of at most `most`; whole vectors of lanes if possible."""
    size = -(-total // -(-total // most))
    whole = min(-(-size // LANE_QUANTUM), most // LANE_QUANTUM) * LANE_QUANTUM
    return whole if whole > 0 and size < total else size


class Block(NamedTuple):
    """A block that has to be played.

    Attributes:
      key: (environment, policy) by name.
      place: where it lies; of a block that was complete once, what was added.
      ends: of each of its points, how many seeds of the axis it plays; None if all play
        all that are there.
    """

    key: tuple[str, str]
    place: Place
    ends: tuple[int, ...] | None = None

    @property
    def runs(self) -> np.ndarray:
        """bool[points, seeds], which of the place are to be played."""
        params, seed = self.place[2:]
        return runs_at(self.ends, params.stop - params.start, seed)

    @property
    def size(self) -> int:
        """How many runs are to be played."""
        if self.ends is not None:
            return int(self.runs.sum())
        return math.prod(part.stop - part.start for part in self.place[2:])

    def missing(self, sessions: np.ndarray) -> np.ndarray:
        """bool[points, seeds], which of them nobody has played, by who has."""
        nobody = np.asarray(sessions) == 0
        return nobody if self.ends is None else nobody & self.runs


class Share(NamedTuple):
    """Which blocks are one program's to play.

    Attributes:
      number: of the program, from 0.
      of: how many programs there are.
    """

    number: int = 0
    of: int = 1


ALL = Share()


def outstanding(
    plan: Plan, sessions: Any, shape: tuple[int, int], share: Share = ALL
) -> list[Block]:
    """The blocks that a program has to play.

    Seeds vary slowest: a sweep that is interrupted has some seeds of everything. Whose
    a block is does not depend on what is played already, so that programs that come at
    different times agree.

    Args:
      plan: the plan.
      sessions: i32[environment, policy, params, seed], 0 where nothing is played, an
        array or what is indexed like one by a `Place` (`results.store.sessions`).
      shape: parameter points and seeds of a block.
      share: the program's; the blocks of every policy go round.
    """
    rows = []
    # Policies differ in cost, so each is dealt out by itself; not all from program 0.
    turn = list(range(len(plan.spec.policies)))
    for number, (key, match) in enumerate(plan.matches.items()):
        environment, policy = divmod(number, len(plan.spec.policies))
        counts = plan.counts_at(key)
        for seed in pieces(len(plan.seeds), shape[1]):
            parts = pieces(match.points.count, shape[0])
            own = parts[(share.number - turn[policy]) % share.of :: share.of]
            turn[policy] += len(parts)
            for params in own:
                if counts is not None and counts[params].max() <= seed.start:
                    continue
                place = Place(environment, policy, params, seed)
                whole = Block(key, place, played_by(counts, params, seed))
                missing = whole.missing(sessions[place])
                if missing.any():
                    place = place._replace(
                        params=_span(params, missing.any(axis=1)),
                        seed=_span(seed, missing.any(axis=0)),
                    )
                    ends = played_by(counts, *place[2:])
                    rows.append((seed.start, number, Block(key, place, ends)))
    return [block for *_, block in sorted(rows, key=lambda row: row[:2])]


def pieces(total: int, size: int) -> list[slice]:
    """An axis in parts of a size, the last one of what is left."""
    return [slice(i, min(i + size, total)) for i in range(0, total, size)]


def _span(piece: slice, missing: Sequence[bool]) -> slice:
    """The part of a piece from the first to the last missing position."""
    where = np.flatnonzero(missing)
    return slice(piece.start + int(where[0]), piece.start + int(where[-1]) + 1)
