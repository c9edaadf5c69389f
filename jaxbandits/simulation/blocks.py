"""How large blocks are, the pieces in which a sweep is played and written.

Their size follows from the spec and the kind of device, not from the number of devices:
any number of processes can work on one store.
"""

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import jax
import numpy as np

from jaxbandits.engine.rollout import LANE_QUANTUM, to_device
from jaxbandits.protocol import Environment
from jaxbandits.results.moments import SHAPE
from jaxbandits.simulation.plan import Plan
from jaxbandits.store.request import Size


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
