"""The least regret of any consistent policy in the budgeted game, to first order.

Lai & Robbins (1985), and Burnetas & Katehakis (1996) for laws of any kind, with money
in the place of rounds. A policy is consistent on a class of laws if on every instance
of it the regret is ``o(B^a)`` for all ``a > 0``. Then an arm k that is not best, with a
mean reward r and a mean cost c beside the best ratio p, is pulled ``(1 + o(1)) log B /
K`` times at least, and every pull loses ``p c - r``. K is the information of a pull
against the arm's being best: the least divergence of its law from one of the class with
a ratio above p (docs/theory/least-regret-budgeted.md).
"""

from typing import NamedTuple

import numpy as np

from jaxbandits.checks import in_unit_interval, instance, numbers
from jaxbandits.theory.gains import information_of

_SECTION = (5**0.5 - 1) / 2
_SECTIONS = 40  # each leaves 0.62 of an interval: 4e-9 of the first one in the end
_BELOW_ONE = 1 - 1e-12  # a mean of 1 has no law but 1 itself


class Atoms(NamedTuple):
    """Laws on finitely many values in [0, 1], f64[..., n], with their chances."""

    values: np.ndarray
    chances: np.ndarray

    def means(self) -> np.ndarray:
        """f64[...]."""
        return np.sum(self.values * self.chances, axis=-1)


class LeastPulls(NamedTuple):
    """What `least_pulls` finds, f64[..., K].

    Attributes:
      gaps: p c - r, what a pull loses in the mean.
      pulls: 1 / K, per unit of log B; 0 of best arms.
    """

    gaps: np.ndarray
    pulls: np.ndarray

    def constants(self) -> np.ndarray:
        """f64[...], the least regret per unit of log B."""
        return np.sum(self.gaps * self.pulls, axis=-1)


def least_pulls(rewards: Atoms, costs: Atoms, together: bool = False) -> LeastPulls:
    """How often a consistent policy pulls every arm, per unit of log B.

    Args:
      rewards: of all arms, f64[..., K, n], values in [0, 1].
      costs: f64[..., K, m], of means above 0.
      together: whether the class has all joint laws of reward and cost in [0, 1]^2, and
        not only those with a reward and a cost that are independent, which the arms'
        own are. There are more of these, so that K is no larger.

    Raises:
      TypeError: if `rewards` or `costs` are no `Atoms`.
      ValueError: if a value or a chance is not in [0, 1], chances do not sum to 1, or a
        mean cost is 0.
    """
    rewards, costs = _atoms("rewards", rewards), _atoms("costs", costs)
    reward, cost = rewards.means(), costs.means()
    if not np.all(cost > 0):
        raise ValueError(f"costs must have means above 0, got {cost}")
    best = np.max(reward / cost, axis=-1, keepdims=True)
    gaps = best * cost - reward
    # A best arm's own gap is rounding.
    worse = reward / cost < best * (1 - 1e-12)
    find = _of_gains if together else _apart
    # Where there is no gap any numbers will do.
    known = find(rewards, costs, np.where(best > 0, best, 1.0))
    pulls = np.divide(1.0, known, out=np.zeros_like(gaps), where=worse & (known > 0))
    return LeastPulls(np.where(worse, gaps, 0.0), pulls)


def _atoms(name: str, given: Atoms) -> Atoms:
    instance(name, given, Atoms, "of jaxbandits.theory.least_ratio")
    values, chances = (numbers(name, x) for x in given)
    in_unit_interval(**{name: values, f"{name}.chances": chances})
    sums = chances.sum(axis=-1)
    if not np.allclose(sums, 1, rtol=0, atol=1e-9):
        raise ValueError(f"{name}.chances must sum to 1, got {sums}")
    return Atoms(values, chances)


def _of_gains(rewards: Atoms, costs: Atoms, best: np.ndarray) -> np.ndarray:
    """Of all joint laws: of the gain r - p c, in [-p, 1], against a mean of 0."""
    price = best[..., None, None]
    gains = rewards.values[..., :, None] - price * costs.values[..., None, :]
    chances = rewards.chances[..., :, None] * costs.chances[..., None, :]
    flat = (*gains.shape[:-2], -1)
    shares = np.clip((gains + price) / (1 + price), 0.0, 1.0)
    level = np.broadcast_to(best / (1 + best), gains.shape[:-2])
    return information_of(shares.reshape(flat), chances.reshape(flat), level)


def _apart(rewards: Atoms, costs: Atoms, best: np.ndarray) -> np.ndarray:
    """Of independent ones: a mean reward of mu and a mean cost of mu / p.

    The information against the two is convex in mu: by golden sections.
    """
    saved = Atoms(1 - costs.values, costs.chances)

    def against(mu: np.ndarray) -> np.ndarray:
        of_reward = information_of(*rewards, _inside(mu))
        return of_reward + information_of(*saved, _inside(1 - mu / best))

    low = rewards.means()
    high = np.minimum(best * costs.means(), _BELOW_ONE)
    low, high = np.minimum(low, high), np.maximum(low, high)
    for _ in range(_SECTIONS):
        left = high - _SECTION * (high - low)
        right = low + _SECTION * (high - low)
        smaller = against(left) < against(right)
        low, high = np.where(smaller, low, left), np.where(smaller, right, high)
    return against((low + high) / 2)


def _inside(level: np.ndarray) -> np.ndarray:
    return np.clip(level, 1 - _BELOW_ONE, _BELOW_ONE)
