"""Literal float64 twins of the policies that choose several arms in a round.

Every super arm is looked at, one after the other, in the order of `itertools`: the
first with the largest sum of indices is played.
"""

from itertools import combinations, product

import numpy as np

from tests.reference.censored_policies import (
    RCUCB,
    PlainPolicy,
    ProductArms,
    gain_or_penalty,
)
from tests.reference.choosing import Indexed

NEVER = 1e6  # index of what has not been played: two of them are more than one


def super_arms(num_arms, num_limits, size):
    """Every set of `size` arms with every choice of limits, as lists of pairs."""
    return [
        [*zip(arms, limits, strict=True)]
        for arms in combinations(range(num_arms), size)
        for limits in product(range(num_limits), repeat=size)
    ]


class OfSuperArms(Indexed):
    """Chooses from the list of all super arms."""

    def __init__(self, *shape):
        self.all = super_arms(*shape)

    def position(self, arms, limits):
        return self.all.index(sorted(zip(arms, limits, strict=True)))


class SumOfIndices(OfSuperArms):
    """The super arm with the largest sum of the indices of pairs."""

    def __init__(self, pairs, size):
        super().__init__(*pairs.shape, size)
        self.pairs = pairs

    def sums(self, of_pairs):
        of_pairs = of_pairs.reshape(self.pairs.shape)
        return np.array([sum(of_pairs[pair] for pair in each) for each in self.all])

    def indices(self, t, noise):
        return self.sums(self.pairs.indices(t, noise))

    def ends(self, t, noise, error):
        return [self.sums(one) for one in self.pairs.ends(t, noise, error)]

    def update(self, t, noise, *round_):
        """Every arm of the round teaches as if it had run alone."""
        for one in zip(*round_, strict=True):
            self.pairs.update(t, noise, *one)


class OptimisticPairs(RCUCB):
    """Eqs. (8)-(12) of pairs, of which a round may start several arms."""

    def indices(self, t, noise=None):
        indices = np.zeros(self.shape)
        survival = self.exceeded / np.maximum(self.pulls, 1)[:, None]  # (9)
        for i in range(self.shape[0]):
            if self.pulls[i] == 0:
                indices[i, -1] = NEVER  # an arm starts with the largest limit
                continue
            for j, tau in enumerate(self.limits):
                gain = self.gain_sum[i, j] / self.reach[i, j]  # (8)
                estimate = gain - self.penalty(tau) * survival[i, j]  # (10)
                root = np.sqrt(self.log_factor * np.log(t))
                radius = self.penalty_radius * self.penalty(tau)
                radius = 1 / np.sqrt(self.reach[i, j]) + radius / np.sqrt(self.pulls[i])
                indices[i, j] = estimate + root * radius  # (12)
        return indices


class PairsAsArms(ProductArms):
    """CUCB: mean + sqrt(alpha log t / (2 T)) of every pair."""

    def __init__(self, *problem, penalty_max, alpha=1.0):
        super().__init__(*problem, policy=None, penalty_max=penalty_max)
        self.alpha = alpha
        self.policy = PlainPolicy(self.shape[0] * self.shape[1])

    def indices(self, t, noise=None):
        n, sums = self.policy.counts, self.policy.sums
        radius = np.sqrt(self.alpha * np.log(t) / (2 * np.maximum(n, 1)))
        bounds = np.where(n > 0, sums / np.maximum(n, 1) + radius, NEVER)
        return bounds.reshape(self.shape)


class SuperArmsAsArms(OfSuperArms):
    """UCB on the list of all super arms, told of the mean reward of a round."""

    def __init__(self, policy, problem, penalty_max, size):
        num_arms, limits, self.cost, self.penalty = problem
        super().__init__(num_arms, len(limits), size)
        self.limits, self.penalty_max = limits, penalty_max
        self.policy = policy(len(self.all))

    def indices(self, t, noise):
        return self.policy.indices(t)

    def update(self, t, noise, arms, limits, rewards, consumptions, censored):
        total = 0.0
        for limit, reward, consumption in zip(
            limits, rewards, consumptions, strict=True
        ):
            value = gain_or_penalty(
                self.limits[limit], reward, consumption, self.cost, self.penalty
            )
            total += (value + self.penalty_max) / (1 + self.penalty_max)  # E.1
        self.policy.update(self.position(arms, limits), total / len(arms))


class Uniform(SumOfIndices):
    """One uniform for every pair; the largest of each arm is its index."""

    def indices(self, t, noise):
        return self.sums(noise)
