"""One policy played against one environment, and its accounts, checked.

In memory a policy's runs are played in one go, into a store block by block.
"""

from typing import Any, NamedTuple

import jax
import numpy as np

from jaxbandits.checks.points import Points
from jaxbandits.contract.accounts import checked_accounts
from jaxbandits.engine.run import Clock, run
from jaxbandits.engine.schedule import Terms
from jaxbandits.protocol import Environment, Policy


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
    points: Points,
    seeds: np.ndarray,
    terms: Terms,
    *,
    clock: Clock,
    **options: Any,
) -> Played:
    """Play points on seeds.

    Args:
      policy: the policy.
      environment: the environment.
      points: P, with all leaves of the policy's parameters.
      seeds: u32[S].
      terms: common to all runs.
      clock: where seconds are added up.
      **options: of `engine.run.run`: chunk, devices, progress.

    Raises:
      ValueError: if the accounts do not hold: an action that the game has not, a metric
        that is NaN, or a game that was over before its first round.
    """
    shape = points.count, len(seeds)
    chunks = run(
        policy,
        environment,
        lane_params(policy, points, len(seeds)),
        np.tile(seeds, points.count),
        terms,
        clock=clock,
        **options,
    )
    parts = [
        (checked_accounts(policy, environment, chunk), chunk.rounds) for chunk in chunks
    ]

    def joined(*pieces: np.ndarray) -> np.ndarray:
        lanes = np.concatenate(pieces)
        return lanes.reshape(*shape, *lanes.shape[1:])

    metrics, rounds = jax.tree.map(joined, *parts)
    return Played(metrics, rounds.astype(np.int32))


def lane_params(policy: Policy, points: Points, num_seeds: int) -> Any:
    """Params with leaves [L]: points outside, seeds inside."""
    if not policy.params:
        return policy.params
    columns = {x: np.repeat(column, num_seeds) for x, column in points.columns.items()}
    return type(policy.params)(**columns)
