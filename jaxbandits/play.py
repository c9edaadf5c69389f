"""One policy played against one environment, and the books closed over it.

`simulate` plays a policy's runs in one go, `sweep` block by block; both come here.
"""

from typing import Any, NamedTuple

import jax
import numpy as np

from jaxbandits.arguments import End
from jaxbandits.engine.run import Chunk, Clock, run
from jaxbandits.protocol import Environment, Policy


class Rules(NamedTuple):
    """What all runs of a simulation or a sweep have in common.

    Attributes:
      end: checkpoints and the last round.
      root_seed: names the whole run.
      runs_per_instance: how many consecutive seeds share one drawn instance.
      engine: how rounds are played, one of `engine.fused.ENGINES`.
    """

    end: End
    root_seed: int
    runs_per_instance: int = 1
    engine: str = "scan"


class Played(NamedTuple):
    """P parameter points on S seeds.

    Attributes:
      metrics: float64 arrays ``[P, S, C, ...]`` by name.
      rounds: i32[P, S, C], rounds played.
    """

    metrics: dict[str, np.ndarray]
    rounds: np.ndarray


def play(
    policy: Policy,
    environment: Environment,
    points: list[dict[str, float]],
    seeds: np.ndarray,
    rules: Rules,
    *,
    clock: Clock,
    **options: Any,
) -> Played:
    """Play every point on every seed.

    Args:
      policy: the policy.
      environment: the environment.
      points: P dicts of all leaves of the policy's parameters.
      seeds: u32[S].
      rules: common to all runs.
      clock: where seconds are added up.
      **options: of `engine.run.run`: chunk, memory, devices, progress.
    """
    end = rules.end
    chunks = run(
        policy,
        environment,
        lane_params(policy, points, len(seeds)),
        np.tile(seeds, len(points)),
        targets=end.checkpoints,
        last_round=end.last_round,
        by_budget=end.kind == "spent",
        root_seed=rules.root_seed,
        runs_per_instance=rules.runs_per_instance,
        engine=rules.engine,
        clock=clock,
        **options,
    )
    parts = [(booked(environment, chunk), chunk.rounds) for chunk in chunks]

    def joined(*pieces):
        lanes = np.concatenate(pieces)
        return lanes.reshape(len(points), len(seeds), *lanes.shape[1:])

    return Played(*jax.tree.map(joined, *parts))


def lane_params(policy: Policy, points: list[dict[str, float]], num_seeds: int):
    """Params with leaves [L]: points outside, seeds inside."""
    if not policy.params:
        return policy.params
    columns = {
        leaf: np.repeat([point[leaf] for point in points], num_seeds)
        for leaf in points[0]
    }
    return type(policy.params)(**columns)


def booked(environment: Environment, chunk: Chunk) -> dict[str, np.ndarray]:
    """Metrics and reports of a chunk, arrays ``[L, C, ...]`` by name.

    Raises:
      ValueError: if a report has a metric's name.
    """
    instance = environment.setup, chunk.instance
    recommended, report = chunk.notes
    parts = [environment.metrics(*instance, chunk.record), report]
    if environment.judge is not None and jax.tree.leaves(recommended):
        parts.append(environment.judge(*instance, recommended))
    found = {key: value for part in parts for key, value in part.items()}
    if len(found) < sum(map(len, parts)):
        raise ValueError(f"policy.report uses a metric's name: {sorted(report)}")
    return found
