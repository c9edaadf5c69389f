"""The least regret of any consistent policy with a budget, to first order.

Lai & Robbins (1985), "Asymptotically efficient adaptive allocation rules", and Burnetas
& Katehakis (1996) for laws of any form. A policy is consistent if on every instance of
a class its regret is ``o(B^a)`` for all ``a > 0``. Then it pulls a worse arm at least
``log(B) / K`` times, to first order, where K is the least divergence of the arm's law
from one of the class whose ratio of mean reward to mean cost is above the best one, r*;
and its regret is at least ``(c + o(1)) log B``, c the sum of what a pull loses, ``r* c
- r``, over K. Rewards and costs lie in known ranges; two classes:

* `joint`: all joint laws. The rival's mean of the gain ``r - r* c`` is to be above 0;
* `independent`: rewards and costs of any laws, which are independent in every pull.
  Fewer rivals, so that K is larger and c smaller.

A policy that is consistent on the first class is so on the second.
"""

from typing import Annotated, NamedTuple

import numpy as np

from jaxbandits_studies.theory.domains import (
    Finite,
    NonNegative,
    Numbers,
    Positive,
    domains,
)

Rows = Annotated[Numbers, "A n"]
Costs = Annotated[Numbers, "A m"]
Each = Annotated[Numbers, "A"]
_HALVINGS = 50  # of the dual's interval, for 15 digits
_ROUNDING = 1e-6  # by which chances may miss a sum of 1, as in float32


class Nearest(NamedTuple):
    """The nearest law with a mean above a level.

    Attributes:
      divergence: f64[A], of the law from it; infinite where there is none.
      price: f64[A], by how much it grows with the level: the dual's argument.
    """

    divergence: np.ndarray
    price: np.ndarray


@domains
def above(
    values: Finite[Rows],
    chances: NonNegative[Rows],
    level: Finite[Each],
    highest: Finite[float] = 1.0,
) -> Nearest:
    """The nearest law on ``(-inf, highest]`` whose mean is at least a level.

    Honda & Takemura (2010), "An asymptotically optimal bandit algorithm for bounded
    support models", Theorem 8: ``max E log(1 - l (X - level))`` over l from 0 to
    ``1 / (highest - level)``. That is concave in l; its slope is bisected.

    Args:
      values: f64[A, n], of one law per row.
      chances: f64[A, n] >= 0, of the values.
      level: f64[A].
      highest: the most that any law of the class may be.

    Returns:
      `Nearest`; the divergence is 0 where the mean is at the level already.
    """
    chances = _law("chances", chances)
    _at_most("values", values, chances, highest)
    return _above(values, chances, level, highest)


@domains
def joint(
    reward: Finite[Rows],
    cost: Finite[Rows],
    chances: NonNegative[Rows],
    ratio: Positive[Each],
    highest_reward: Finite[float] = 1.0,
    lowest_cost: NonNegative[float] = 0.0,
) -> np.ndarray:
    """K among all joint laws: of the gain ``reward - ratio * cost`` from a mean of 0.

    Args:
      reward: f64[A, n], of the pairs that an arm's pull may show; one arm per row.
      cost: f64[A, n], of the same pairs.
      chances: f64[A, n] >= 0, of the pairs.
      ratio: f64[A] > 0, r*, the best arm's mean reward over its mean cost.
      highest_reward: the most that a reward may be.
      lowest_cost: number >= 0, the least that a cost may be.

    Returns:
      f64[A]; 0 where the arm's ratio is r* or more.
    """
    chances = _law("chances", chances)
    _check_ends(reward, chances, cost, chances, highest_reward, lowest_cost)
    # By how much a gain is below its largest, as `highest` depends on the arm.
    below = reward - highest_reward - ratio[:, None] * (cost - lowest_cost)
    level = ratio * lowest_cost - highest_reward
    return _above(below, chances, level, 0.0).divergence


@domains
def independent(
    reward: Finite[Rows],
    reward_chances: NonNegative[Rows],
    cost: Finite[Costs],
    cost_chances: NonNegative[Costs],
    ratio: Positive[Each],
    highest_reward: Finite[float] = 1.0,
    lowest_cost: NonNegative[float] = 0.0,
) -> np.ndarray:
    """K among independent rewards and costs.

    The least sum of the reward's divergence from a mean of ``ratio * x`` and the cost's
    from one of x. Both are convex in x, and where the sum is least the price of a
    larger x, `Nearest.price`, is the same to both.

    Args:
      reward: f64[A, n], values of an arm's reward; one arm per row.
      reward_chances: f64[A, n] >= 0.
      cost: f64[A, m], values of its cost.
      cost_chances: f64[A, m] >= 0.
      ratio: as for `joint`, with the other arguments.
      highest_reward: the most that a reward may be.
      lowest_cost: number >= 0, the least that a cost may be.

    Returns:
      f64[A], at least what `joint` says; infinite where no pair of laws will do.
    """
    reward_chances = _law("reward_chances", reward_chances)
    cost_chances = _law("cost_chances", cost_chances)
    _check_ends(reward, reward_chances, cost, cost_chances, highest_reward, lowest_cost)

    def both(mean_cost: np.ndarray) -> tuple[Nearest, Nearest]:
        more = _above(reward, reward_chances, ratio * mean_cost, highest_reward)
        return more, _above(-cost, cost_chances, -mean_cost, -lowest_cost)

    # The reward need not fall, nor the cost rise.
    most = (cost * cost_chances).sum(axis=1)
    low = np.minimum((reward * reward_chances).sum(axis=1) / ratio, most)
    high = most.copy()
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        more, less = both(middle)
        rises = ratio * more.price > less.price
        low, high = np.where(rises, low, middle), np.where(rises, middle, high)
    # The upper end, as a cost that is known must not fall by a rounding error.
    more, less = both(high)
    return more.divergence + less.divergence


def _above(
    values: np.ndarray, chances: np.ndarray, level: np.ndarray, highest: float
) -> Nearest:
    gap = highest - level
    over = np.where(chances > 0, values - level[:, None], 0.0)
    mean = (chances * over).sum(axis=1)
    low = np.zeros_like(level)
    high = 1 / np.where(gap > 0, gap, 1.0)
    for _ in range(_HALVINGS):
        price = (low + high) / 2
        slope = (chances * over / (1 - price[:, None] * over)).sum(axis=1)
        low, high = np.where(slope < 0, price, low), np.where(slope < 0, high, price)
    result = (chances * np.log1p(-low[:, None] * over)).sum(axis=1)
    none, met = gap <= 0, mean >= 0
    return Nearest(
        np.where(met, 0.0, np.where(none, np.inf, np.maximum(result, 0.0))),
        np.where(met, 0.0, np.where(none, np.inf, low)),
    )


def _law(name: str, chances: np.ndarray) -> np.ndarray:
    """The chances of values, which sum to 1."""
    if not np.allclose(chances.sum(axis=1), 1, rtol=0, atol=_ROUNDING):
        raise ValueError(
            f"{name} must sum to 1 in every row, got {chances.sum(axis=1)}"
        )
    return np.asarray(chances / chances.sum(axis=1, keepdims=True))


def _check_ends(
    reward: np.ndarray,
    reward_chances: np.ndarray,
    cost: np.ndarray,
    cost_chances: np.ndarray,
    highest_reward: float,
    lowest_cost: float,
) -> None:
    _at_most("reward", reward, reward_chances, highest_reward)
    if np.any((cost < lowest_cost) & (cost_chances > 0)):
        raise ValueError(f"cost must be at least lowest_cost, {lowest_cost:g}")


def _at_most(
    name: str, values: np.ndarray, chances: np.ndarray, highest: float
) -> None:
    if np.any((values > highest) & (chances > 0)):
        raise ValueError(f"{name} must be at most the highest possible, {highest:g}")
