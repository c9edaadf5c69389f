"""What passes between a policy and an environment of the budgeted setting.

The action is an arm, i32[] in [0, K).
"""

from typing import NamedTuple

import numpy as np
from jax import Array
from jaxtyping import Float, Int32

from jaxbandits.checks import (
    MOST,
    Numbers,
    non_negative,
    numbers,
    played,
    positive,
    whole,
)


class Feedback(NamedTuple):
    """A reward in [0, 1] and a cost in [0, 1], f32[] each."""

    reward: Float[Array, ""]
    cost: Float[Array, ""]


class OracleView(NamedTuple):
    """What no learner knows. Only policies that say so use it.

    Attributes:
      cheapest: f32[], the smallest expected cost of an arm.
      best: i32[], the (first) arm with the largest ratio of expected reward to cost.
    """

    cheapest: Float[Array, ""]
    best: Int32[Array, ""]


class View(NamedTuple):
    """What a policy may know before it acts.

    Attributes:
      round: i32[], the round about to be played; the first is 1.
      num_arms: i32[], arms that exist: positions beyond it must not be played.
      spent: f32[], the money spent so far.
      unit: f32[], the money in a unit of the budget given to `simulate`.
      oracle: what no learner knows.
    """

    round: Int32[Array, ""]
    num_arms: Int32[Array, ""]
    spent: Float[Array, ""]
    unit: Float[Array, ""]
    oracle: OracleView


class Problem(NamedTuple):
    """What a learner knows about the game. Hashable: policies are built from it.

    Attributes:
      num_arms: K, the largest number of arms that an instance has.
      lowest_cost: per arm, the least cost that is possible.
      highest_cost: per arm, the largest; where the two are equal the cost is known. In
        the paper costs lie in [0, 1].
      lowest_reward: per arm, the least reward that is possible.
      highest_reward: per arm, the largest.
    """

    num_arms: int
    lowest_cost: tuple[float, ...]
    highest_cost: tuple[float, ...]
    lowest_reward: tuple[float, ...]
    highest_reward: tuple[float, ...]

    # A learner may know more, or less, of these than the environment says.
    beliefs = ("lowest_cost", "highest_cost", "lowest_reward", "highest_reward")  # type: ignore[misc]


def make_problem(
    num_arms: int,
    lowest_cost: Numbers = 0.0,
    highest_cost: Numbers = 1.0,
    lowest_reward: Numbers = 0.0,
    highest_reward: Numbers = 1.0,
) -> Problem:
    """Check and build a `Problem`; only omega-UCB makes use of the four ranges.

    Args:
      num_arms: K, at least 1.
      lowest_cost: number or one per arm.
      highest_cost: number or one per arm.
      lowest_reward: number or one per arm.
      highest_reward: number or one per arm.

    Raises:
      ValueError: unless ``0 <= lowest <= highest`` and ``0 < highest`` of costs and
        rewards and ``num_arms >= 1``, or if there is not one number per arm.
      TypeError: if an argument is no number.
    """
    num_arms = whole("num_arms", num_arms, 1, MOST)
    costs = _range("cost", lowest_cost, highest_cost, num_arms)
    rewards = _range("reward", lowest_reward, highest_reward, num_arms)
    return Problem(num_arms, *costs, *rewards)  # type: ignore[call-arg]


def _range(
    what: str, lowest: Numbers, highest: Numbers, num_arms: int
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    names = f"lowest_{what}", f"highest_{what}"
    non_negative(**{names[0]: lowest})
    positive(**{names[1]: highest})
    played(**dict(zip(names, (lowest, highest), strict=True)))
    low, high = (
        _per_arm(name, value, num_arms)
        for name, value in zip(names, (lowest, highest), strict=True)
    )
    if np.any(low > high):
        raise ValueError(
            f"{names[0]} and {names[1]} must satisfy lowest <= highest, got {lowest} "
            f"and {highest}"
        )
    return tuple(low.tolist()), tuple(high.tolist())


def _per_arm(name: str, value: Numbers, num_arms: int) -> np.ndarray:
    values = numbers(name, value)
    if values.shape not in ((), (1,), (num_arms,)):
        raise ValueError(
            f"{name} must be a number or one per arm ({num_arms}), got shape "
            f"{values.shape}"
        )
    return np.broadcast_to(values, num_arms)
