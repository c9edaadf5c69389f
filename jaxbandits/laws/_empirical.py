"""The empirical joint law: replays recorded pairs of reward and consumption."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from jax import Array
from jaxtyping import Int32

from jaxbandits.arrays import position
from jaxbandits.checks import (
    Numbers,
    in_unit_interval,
    instance,
    non_negative,
    numbers,
    played,
    shown,
)
from jaxbandits.laws.law import Cost, JointLaw, Moments, exceeds
from jaxbandits.protocol import Noise


class Empirical(NamedTuple):
    """Recorded runs.

    Attributes:
      reward: f64[K, n], in [0, 1].
      consumption: f64[K, n], >= 0; run j of an arm is the pair (reward[j],
        consumption[j]). +inf for a run that had timed out when it was recorded: it
        exceeds every limit, and its reward, never seen, may be any.
      runs: i32[K], how many of the n are an arm's own, the others being 0; None if all
        arms have n.
    """

    reward: np.ndarray
    consumption: np.ndarray
    runs: np.ndarray | None = None


def empirical_params(reward: Numbers, consumption: Numbers) -> Empirical:
    """Parameters from recorded runs.

    Args:
      reward: table [K, n], or a list of K arrays of any lengths, in [0, 1].
      consumption: the same, >= 0.

    Raises:
      ValueError: if the two are not of one shape, empty, not finite (but for
        consumptions of +inf), or if a reward lies outside [0, 1] or a consumption is
        negative.
    """
    runs = None
    if _ragged(reward) or _ragged(consumption):
        tables: tuple[Any, Any] = (reward, consumption)
        sizes, other = ([np.size(arm) for arm in table] for table in tables)
        if sizes != other or 0 in sizes:
            raise ValueError(
                "reward and consumption must have as many runs of every arm, and at "
                f"least one, got {shown(sizes)} and {shown(other)}"
            )
        reward, consumption = _padded(tables[0]), _padded(tables[1])
        runs = np.array(sizes, np.int32)
    reward, consumption = numbers("reward", reward), numbers("consumption", consumption)
    params = Empirical(reward, consumption, runs)
    _check(params)
    return params


def _ragged(rows: Any) -> bool:
    return isinstance(rows, Sequence) and len({np.size(row) for row in rows}) > 1


def _padded(rows: Sequence[Numbers]) -> np.ndarray:
    """A table of rows of several lengths, filled up with zeros."""
    table = np.zeros((len(rows), max(map(np.size, rows))))
    for filled, row in zip(table, rows, strict=True):
        filled[: np.size(row)] = row
    return table


def _check(params: Empirical) -> None:
    instance("params", params, Empirical, "of empirical_params")
    reward = numbers("reward", params.reward)
    consumption = numbers("consumption", params.consumption)
    if reward.ndim != 2 or reward.shape != consumption.shape or reward.size == 0:
        raise ValueError(
            "reward and consumption must be non-empty tables of one shape [K, n], got "
            f"{reward.shape} and {consumption.shape}"
        )
    in_unit_interval(reward=reward)
    finished = np.where(consumption == np.inf, 0.0, consumption)
    non_negative(consumption=finished)
    played(consumption=finished)


def _sample(
    noise: Noise, params: Empirical, arm: Int32[Array, ""]
) -> tuple[Array, Array]:
    # A table of recorded runs is long: here a gather is the cheaper way to one entry.
    runs = params.reward.shape[1] if params.runs is None else params.runs[arm]
    run = position(noise[0], runs)
    return params.reward[arm, run], params.consumption[arm, run]


def _moments(params: Empirical, limits: np.ndarray, cost: Cost) -> Moments:
    inside = ~exceeds(params.consumption[:, :, None], np.asarray(limits))
    finished = np.where(params.consumption == np.inf, 0.0, params.consumption)
    costs = np.asarray(cost(finished))
    runs = costs.shape[1]
    if params.runs is not None:
        inside &= np.arange(runs)[:, None] < params.runs[:, None, None]
        runs = params.runs[:, None]

    def mean(x):
        return np.sum(x[:, :, None] * inside, axis=1) / runs

    return Moments(mean(params.reward), mean(costs), mean(np.ones_like(costs)))


def _steps(params: Empirical, cost: Cost) -> tuple[np.ndarray, Moments]:
    own, runs = True, params.consumption.shape[1]
    if params.runs is not None:
        runs = params.runs[:, None]
        own = np.arange(params.consumption.shape[1]) < runs
    edges = np.where(own, params.consumption, np.inf)
    order = np.argsort(edges, axis=1, kind="stable")
    edges, reward = (
        np.take_along_axis(x, order, axis=1) for x in (edges, params.reward)
    )
    # What is summed beyond edges of +inf belongs to no limit.
    costs = np.asarray(cost(np.where(edges < np.inf, edges, 0.0)))

    def below(x):
        return np.pad(np.cumsum(x, axis=1) / runs, ((0, 0), (1, 0)))

    return edges, Moments(below(reward), below(costs), below(np.ones_like(costs)))


def _means(params: Empirical) -> tuple[np.ndarray, np.ndarray]:
    reward, consumption = params.reward, params.consumption
    if params.runs is None:
        return reward.mean(axis=-1), consumption.mean(axis=-1)
    return reward.sum(axis=-1) / params.runs, consumption.sum(axis=-1) / params.runs


empirical = JointLaw(
    "empirical",
    1,
    _sample,
    _check,
    _moments,
    means=_means,
    highest=lambda p: p.consumption.max(axis=-1),
    steps=_steps,
)
