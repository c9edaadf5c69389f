"""The empirical joint law: replays recorded pairs of reward and consumption."""

from typing import NamedTuple

import numpy as np

from jaxbandits.checks import in_unit_interval, instance, non_negative, numbers, played
from jaxbandits.kernels.words import position
from jaxbandits.laws.law import JointLaw, Moments, exceeds


class Empirical(NamedTuple):
    """Recorded runs.

    Attributes:
      reward: f64[K, n], in [0, 1].
      consumption: f64[K, n], >= 0; run j of an arm is the pair (reward[j],
        consumption[j]).
    """

    reward: np.ndarray
    consumption: np.ndarray


def empirical_params(reward, consumption) -> Empirical:
    """Parameters from recorded runs.

    Raises:
      ValueError: if the tables are not of one shape [K, n], empty, not finite, or if a
        reward lies outside [0, 1] or a consumption is negative.
    """
    params = Empirical(numbers("reward", reward), numbers("consumption", consumption))
    _check(params)
    return params


def _check(params):
    instance("params", params, Empirical, "of empirical_params")
    reward = numbers("reward", params.reward)
    consumption = numbers("consumption", params.consumption)
    if reward.ndim != 2 or reward.shape != consumption.shape or reward.size == 0:
        raise ValueError(
            "reward and consumption must be non-empty tables of one shape [K, n], got "
            f"{reward.shape} and {consumption.shape}"
        )
    in_unit_interval(reward=reward)
    non_negative(consumption=consumption)
    played(consumption=consumption)


def _sample(noise, params, arm):
    # A table of recorded runs is long: here a gather is the cheaper way to one entry.
    runs = params.reward.shape[1]
    run = position(noise[0], runs)
    return params.reward[arm, run], params.consumption[arm, run]


def _moments(params, limits, cost):
    inside = ~exceeds(params.consumption[:, :, None], np.asarray(limits))
    costs = np.asarray(cost(params.consumption))

    def mean(x):
        return np.mean(x[:, :, None] * inside, axis=1)

    return Moments(mean(params.reward), mean(costs), np.mean(inside, axis=1))


empirical = JointLaw(
    "empirical",
    1,
    _sample,
    _check,
    _moments,
    means=lambda p: (p.reward.mean(axis=-1), p.consumption.mean(axis=-1)),
    highest=lambda p: p.consumption.max(axis=-1),
)
