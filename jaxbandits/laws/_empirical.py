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
    increasing,
    instance,
    non_negative,
    numbers,
    played,
    shown,
)
from jaxbandits.laws.law import Cost, JointLaw, Moments, cost_of, exceeds
from jaxbandits.protocol import Noise


class Empirical(NamedTuple):
    """Recorded runs.

    Arms with equal numbers of runs have tables. Otherwise the runs of all arms are
    concatenated, so that memory does not depend on how unequal the arms are.

    Attributes:
      reward: f64[K, n], in [0, 1]; or f64[N] with `runs`.
      consumption: >= 0, same shape as `reward`; run j of an arm is the pair (reward[j],
        consumption[j]). +inf for a run that timed out when it was recorded: it exceeds
        every limit, and its reward is never used.
      runs: i32[K], number of runs of every arm; None if all arms have n.
      first: i32[K], position of the first run of every arm; None if `runs` is.
      mean_reward, mean_consumption: f64[K], means of each arm; None if `runs` is.
    """

    reward: np.ndarray
    consumption: np.ndarray
    runs: np.ndarray | None = None
    first: np.ndarray | None = None
    mean_reward: np.ndarray | None = None
    mean_consumption: np.ndarray | None = None


def empirical_params(
    reward: Numbers, consumption: Numbers, runs: Numbers | None = None
) -> Empirical:
    """Parameters from recorded runs.

    Args:
      reward: table [K, n], or a list of K arrays of any lengths, in [0, 1]; or, with
        `runs`, all runs as one array [N], sorted by arm.
      consumption: values >= 0 in the same form.
      runs: i64[K], number of runs of every arm, at least one.

    Raises:
      ValueError: if `reward` and `consumption` differ in shape, are empty or not finite
        (consumptions may be +inf), a reward is outside [0, 1], or a consumption is
        negative; if `runs` are not whole numbers >= 1 that sum to N.
    """
    if runs is None and (_ragged(reward) or _ragged(consumption)):
        tables: tuple[Any, Any] = (reward, consumption)
        sizes, other = ([np.size(arm) for arm in table] for table in tables)
        if sizes != other or 0 in sizes:
            raise ValueError(
                "reward and consumption must have as many runs of every arm, and at "
                f"least one, got {shown(sizes)} and {shown(other)}"
            )
        rows = [np.concatenate([np.ravel(x) for x in table]) for table in tables]
        return empirical_params(rows[0], rows[1], sizes)
    reward, consumption = numbers("reward", reward), numbers("consumption", consumption)
    params = Empirical(reward, consumption)
    if runs is not None:
        counts = numbers("runs", runs, 1)
        whole = np.all((counts >= 1) & (counts == np.floor(counts)))
        if not whole or counts.sum() != reward.size or reward.ndim != 1:
            raise ValueError(
                "runs must be whole numbers >= 1, one per arm, whose sum is the number "
                f"of runs, {reward.size}, got {shown(runs)}"
            )
        first = np.cumsum(counts) - counts
        params = params._replace(
            runs=counts.astype(np.int32), first=first.astype(np.int32)
        )
        _check(params)
        params = params._replace(
            mean_reward=_sums(reward, params) / counts,
            mean_consumption=_sums(consumption, params) / counts,
        )
    _check(params)
    return params


def _ragged(rows: Any) -> bool:
    return isinstance(rows, Sequence) and len({np.size(row) for row in rows}) > 1


def _sums(x: np.ndarray, params: Empirical) -> np.ndarray:
    """f64[K], sums of the arms' own entries of x f64[N]."""
    if np.all(np.diff(params.first) == params.runs[:-1]):  # type: ignore[index]
        return np.add.reduceat(x, params.first)
    # Arms of a larger file, or in another order.
    arms = _arms(params._replace(reward=x))
    return np.array([own.sum() for own, _ in arms])


def _check(params: Empirical) -> None:
    instance("params", params, Empirical, "of empirical_params")
    reward = numbers("reward", params.reward)
    consumption = numbers("consumption", params.consumption)
    shape = "[K, n]" if params.runs is None else "[N]"
    if (
        reward.ndim != len(shape.split(","))
        or reward.shape != consumption.shape
        or reward.size == 0
    ):
        raise ValueError(
            "reward and consumption must be non-empty tables of one shape "
            f"{shape}, got {reward.shape} and {consumption.shape}"
        )
    in_unit_interval(reward=reward)
    finished = np.where(consumption == np.inf, 0.0, consumption)
    non_negative(consumption=finished)
    played(consumption=finished)


def _sample(
    noise: Noise, params: Empirical, arm: Int32[Array, ""]
) -> tuple[Array, Array]:
    # A table of recorded runs is long, so a gather is cheaper than a selection.
    if params.runs is None:
        run = position(noise[0], params.reward.shape[1])
        return params.reward[arm, run], params.consumption[arm, run]
    run = params.first[arm] + position(noise[0], params.runs[arm])  # type: ignore[index]
    return params.reward[run], params.consumption[run]


def _moments(params: Empirical, limits: np.ndarray, cost: Cost) -> Moments:
    increasing(limits=limits)
    finished = np.where(params.consumption == np.inf, 0.0, params.consumption)
    costs = cost_of(cost, finished)
    if params.runs is not None:
        # One limit at a time, since there may be many runs.
        parts = (params.reward, costs, np.ones_like(costs))
        inside = (~exceeds(params.consumption, limit) for limit in np.asarray(limits))
        sums = [[_sums(x * within, params) for x in parts] for within in inside]
        means = np.moveaxis(np.array(sums), 0, -1) / params.runs[:, None]
        return Moments(*means)
    inside = ~exceeds(params.consumption[:, :, None], np.asarray(limits))
    runs = costs.shape[1]

    def mean(x):
        return np.sum(x[:, :, None] * inside, axis=1) / runs

    return Moments(mean(params.reward), mean(costs), mean(np.ones_like(costs)))


def _steps(params: Empirical, cost: Cost) -> tuple[np.ndarray, Moments]:
    arms = _arms(params)
    runs = np.array([[own.size] for own, _ in arms])
    reward = np.zeros((len(arms), runs.max()))
    edges = np.full(reward.shape, np.inf)
    for arm, (own, consumed) in enumerate(arms):
        reward[arm, : own.size], edges[arm, : own.size] = own, consumed
    order = np.argsort(edges, axis=1, kind="stable")
    edges, reward = (np.take_along_axis(x, order, axis=1) for x in (edges, reward))
    # What is summed beyond edges of +inf belongs to no limit.
    costs = cost_of(cost, np.where(edges < np.inf, edges, 0.0))

    def below(x):
        return np.pad(np.cumsum(x, axis=1) / runs, ((0, 0), (1, 0)))

    return edges, Moments(below(reward), below(costs), below(np.ones_like(costs)))


def _arms(params: Empirical) -> list[tuple[np.ndarray, np.ndarray]]:
    """Rewards and consumptions of every arm."""
    if params.runs is None:
        return [*zip(params.reward, params.consumption, strict=True)]
    spans = [slice(i, i + n) for i, n in zip(params.first, params.runs, strict=True)]  # type: ignore[arg-type]
    return [(params.reward[own], params.consumption[own]) for own in spans]


def _joined(parts: Sequence[Empirical]) -> Empirical:
    arms = [pair for part in parts for pair in _arms(part)]
    return empirical_params(*map(list, zip(*arms, strict=True)))


def _means(params: Empirical) -> tuple[np.ndarray, np.ndarray]:
    if params.runs is None:
        return params.reward.mean(axis=-1), params.consumption.mean(axis=-1)
    return params.mean_reward, params.mean_consumption  # type: ignore[return-value]


def _supports(params: Empirical) -> Any:
    return tuple(
        tuple(np.array([end(own) for own in arms]) for end in (np.min, np.max))
        for arms in zip(*_arms(params), strict=True)
    )


empirical = JointLaw(
    "empirical",
    1,
    _sample,
    _check,
    _moments,
    means=_means,
    highest=lambda params: _supports(params)[1][1],
    steps=_steps,
    per_arm=lambda params: params if params.runs is None else params[2:],
    supports=_supports,
    join=_joined,
)
