"""Ranges of an arm's rewards and costs, and the largest ratio within their bounds.

Heyden, Arzamasov, Fouche & Boehm (2024), Theorem 1 with its range [m, M], and eq. (2).
"""

from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import Float

from jaxbandits.arrays import constant
from jaxbandits.budgeted.policies.statistics import Averages, ratio_to_cost
from jaxbandits.budgeted.problem import Problem
from jaxbandits.checks import Numbers
from jaxbandits.kernels.intervals import wilson_parts

ROUNDING = 2.0**-21  # bounds the relative rounding error of a mean of equal numbers


class Ranges(NamedTuple):
    """Ranges of every arm, fields f64[K] on the host. The range of a known number has
    width 1 here, which keeps its position, 0, finite."""

    cost_low: np.ndarray
    cost_width: np.ndarray
    reward_low: np.ndarray
    reward_width: np.ndarray
    reward_high: np.ndarray

    @property
    def ranged(self) -> bool:
        """Whether some reward's range is not [0, 1]; [0, 1] needs no arithmetic."""
        return bool(np.any(self.reward_low != 0) or np.any(self.reward_width != 1))

    @property
    def edge(self) -> float:
        """Largest distance from an end that rounding alone can cause.

        0 if all ends are integers: their sums and means are exact.
        """
        low = np.stack([self.cost_low, self.reward_low])
        width = np.stack([self.cost_width, self.reward_width])
        if not np.any([low % 1, width % 1]):
            return 0.0
        return float(ROUNDING * np.max((low + width) / width))

    @property
    def constants(self) -> tuple[np.ndarray, ...]:
        """What `positions` needs to know about an arm, for `Statistics`."""
        costs = self.cost_low, self.cost_width
        return (*costs, self.reward_low, self.reward_width) if self.ranged else costs


def ranges_of(problem: Problem) -> Ranges:
    """The ranges that the learner believes."""
    high = np.array(problem.highest_reward)
    return Ranges(
        *_low_and_width(problem.lowest_cost, problem.highest_cost),
        *_low_and_width(problem.lowest_reward, high),
        high,
    )


def _low_and_width(low: Numbers, high: Numbers) -> tuple[np.ndarray, np.ndarray]:
    low, high = np.array(low), np.array(high)
    return low, np.where(high > low, high - low, 1.0)


def positions(
    ranges: Ranges,
    constants: tuple[Array, ...],
    rewards: tuple[Array, ...],
    costs: tuple[Array, ...],
) -> tuple[tuple[Array, ...], tuple[Array, ...]]:
    """Rewards and costs of one arm as positions in their ranges.

    Args:
      ranges: ranges of all arms.
      constants: `Ranges.constants` of the arm.
      rewards: tuple of f[].
      costs: tuple of f[].
    """
    low, width, *reward_range = constants
    if reward_range:
        first, span = reward_range
        rewards = tuple(_at_ends(ranges, (x - first) / span) for x in rewards)
    return rewards, tuple(_at_ends(ranges, (x - low) / width) for x in costs)


def _at_ends(ranges: Ranges, position: Array) -> Array:
    """Positions, rounded to 0 or 1 where they differ from it by rounding errors only.

    If all costs of an arm were the largest possible, omega*'s eta is 1; with a mean
    just below, it would be 0.
    """
    if not (edge := ranges.edge):
        return position
    position = jnp.where(jnp.abs(position) < edge, 0.0, position)
    return jnp.where(jnp.abs(position - 1) < edge, 1.0, position)


def shares(ranges: Ranges, means: Averages) -> tuple[Array, Array]:
    """Mean rewards and costs as positions in their ranges, f[K] each."""
    low, inverse = constant((ranges.cost_low, 1 / ranges.cost_width))
    cost = jnp.clip((means.mean_cost - low) * inverse, 0.0, 1.0)
    cost = _at_ends(ranges, cost)
    if not ranges.ranged:
        return means.mean_reward, cost
    low, inverse = constant((ranges.reward_low, 1 / ranges.reward_width))
    reward = jnp.clip((means.mean_reward - low) * inverse, 0.0, 1.0)
    return _at_ends(ranges, reward), cost


def largest_ratio(
    ranges: Ranges, means: Averages, z2_reward: Array, z2_cost: Array
) -> Float[Array, " K"]:
    """Eq. (2): the upper end of the reward's interval over the lower end of the cost's.

    Args:
      ranges: ranges of all arms.
      means: means of all arms.
      z2_reward: f[K] or f[], eta z^2 of Theorem 1 for the reward.
      z2_cost: f[K] or f[], eta z^2 for the cost.

    Returns:
      f[K], +inf where the lower end of the cost is 0.
    """
    reward, cost = shares(ranges, means)
    low, width = constant((ranges.cost_low, ranges.cost_width))
    least, centre, _ = wilson_parts(cost, means.count, z2_cost)
    _, middle, most = wilson_parts(reward, means.count, z2_reward)
    if ranges.ranged:  # The upper end is low + (high - low) middle / most.
        first, span = constant(
            (ranges.reward_low, ranges.reward_high - ranges.reward_low)
        )
        middle = first * most + span * middle
    # (middle / most) / (low + width least / centre), divided once.
    return ratio_to_cost(middle * centre, most * (low * centre + width * least))
