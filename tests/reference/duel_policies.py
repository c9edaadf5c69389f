"""Literal float64 twins of the game of duels and of its policies.

The coin of a duel shows the first run with probability (1 + R_1 - R_2) / 2, where R is
0 if censored. Virtual arms are numbered arm * M + limit.
"""

import numpy as np
from scipy.special import ndtri

from tests.reference.censored_policies import CellThompson, gain_or_penalty
from tests.reference.choosing import uniform_position
from tests.reference.draws import beta


def duel(uniform, runs):
    """Whether the first is preferred, of (reward, consumption, censored) each."""
    first, second = (0.0 if censored else reward for reward, _, censored in runs)
    return uniform < (1 + first - second) / 2


class OfDuels:
    """What policies for duels of pairs know: limits, cost, penalty."""

    def __init__(self, num_arms, limits, cost, penalty, most=None):
        self.limits, self.cost, self.penalty = limits, cost, penalty
        self.shape = (num_arms, len(limits))
        self.most = most  # the largest charge

    def charge(self, limit, consumption):
        """What a run costs: eq. (7) of no reward, with the other sign."""
        tau = self.limits[limit]
        return -gain_or_penalty(tau, 0.0, consumption, self.cost, self.penalty)

    def number(self, pair):
        return pair[0] * self.shape[1] + pair[1]


class CellSelfSparring(OfDuels):
    """Every cell has hazards, costs, and duels as (weight, what it said).

    With the limits apart every pair has one cell, from 0 to its limit.
    """

    def __init__(self, *problem, ended=1.0, passed=1.0, variances=2.0, apart=False):
        super().__init__(*problem)
        self.apart, self.spread = apart, np.sqrt(variances)
        num_arms, num_limits = self.shape
        arms = num_arms * num_limits if apart else num_arms
        self.arms = [
            CellThompson(
                1, self.limits_of(arm), self.cost, self.penalty, 0.0, ended, passed
            )
            for arm in range(arms)
        ]
        cells = 1 if apart else num_limits
        self.costs = [[[] for _ in range(cells)] for _ in range(arms)]
        self.said = [[[] for _ in range(cells)] for _ in range(arms)]

    def limits_of(self, arm):
        return [self.limits[arm % self.shape[1]]] if self.apart else self.limits

    def place(self, pair):
        """Which arm a pair is of here, and which limit of it."""
        return (self.number(pair), 0) if self.apart else pair

    def reward(self, arm, cell):
        """Mean and variance of the mean reward: of a uniform law before any duel."""
        weights = np.array([w for w, _ in self.said[arm][cell]])
        values = np.array([y for _, y in self.said[arm][cell]])
        precision = 12 + weights.sum()
        return (12 * 0.5 + (weights * values).sum()) / precision, 1 / precision

    def cost_at(self, arm, cell):
        left = self.limits_of(arm)[cell - 1] if cell else 0.0
        return np.mean([self.cost(left), *self.costs[arm][cell]])

    def update(self, t, noise, played, preferred, consumptions, censored):
        ends = []
        for pair, consumption, lost in zip(played, consumptions, censored, strict=True):
            arm, limit = self.place(pair)
            limits = self.limits_of(arm)
            inside = [j for j in range(limit + 1) if consumption <= limits[j]]
            ends.append(None if lost else (arm, inside[0]))
        known = [(0.0, 0.0) if end is None else self.reward(*end) for end in ends]
        for i, (pair, consumption) in enumerate(zip(played, consumptions, strict=True)):
            arm, limit = self.place(pair)
            self.arms[arm].update(t, None, 0, limit, 0.0, consumption, censored[i])
            if ends[i] is None:
                continue
            arm, cell = ends[i]
            self.costs[arm][cell].append(self.cost(consumption))
            if ends[0] != ends[1]:
                outcome = 1.0 if preferred == (i == 0) else -1.0
                mean, variance = known[1 - i]
                self.said[arm][cell].append((1 / (1 + variance), outcome + mean))

    def extremes(self, t, noise, error):
        """Of both places: least and largest values of all pairs; see `CellThompson`."""
        return [self.of_one(u, error) for u in np.split(noise, 2)]

    def of_one(self, uniforms, error):
        u, v, w = uniforms.reshape(3, len(self.arms), -1)
        found = []
        for arm, cells in enumerate(self.arms):
            cells.mean_gain = lambda _, j, words, error, arm=arm: np.repeat(
                self.drawn_gain(arm, j, *words), 2
            )
            noise = np.concatenate([u[arm], v[arm], w[arm]])
            found.append(cells.ends(None, noise, error))
        return [np.reshape(each, self.shape) for each in zip(*found, strict=True)]

    def drawn_gain(self, arm, cell, uniform):
        mean, variance = self.reward(arm, cell)
        drawn = mean + self.spread * np.sqrt(variance) * ndtri(uniform)
        return np.clip(drawn, 0.0, 1.0) - self.cost_at(arm, cell)


class Reduced(OfDuels):
    """A policy for duels of virtual arms, told of a coin for preference and charges."""

    def __init__(self, policy, *problem, most, values=True):
        super().__init__(*problem, most)
        self.policy = policy(self.shape[0] * self.shape[1])
        self.values = values

    def update(self, t, noise, played, preferred, consumptions, censored):
        arms = [self.number(pair) for pair in played]
        if self.values:
            first, second = (
                self.charge(limit, consumption)
                for (_, limit), consumption in zip(played, consumptions, strict=True)
            )
            surplus = (1.0 if preferred else -1.0) - first + second
            preferred = noise[0] < 0.5 + surplus / (2 * (1 + self.most))
        self.policy.learn(t, *arms, preferred)


class RelativeUCB:
    """RUCB, algorithm 1 of Zoghi et al. (2014), line by line."""

    def __init__(self, num_arms, alpha=0.51):
        self.alpha, self.wins, self.hypothesis = alpha, np.zeros((num_arms,) * 2), set()

    def bounds(self, t):
        met = self.wins + self.wins.T
        with np.errstate(divide="ignore", invalid="ignore"):
            share, width = self.wins / met, np.sqrt(self.alpha * np.log(t) / met)
        upper = np.where(met == 0, 2.0, share + width)  # x / 0 = 1, twice
        np.fill_diagonal(upper, 0.5)
        return upper

    def champions(self, t):
        """C, and B after lines 8 to 11."""
        upper = self.bounds(t)
        champions = {c for c in range(len(upper)) if np.all(upper[c] >= 0.5)}
        kept = self.hypothesis & champions
        return champions, set(champions) if len(champions) == 1 else kept

    def act(self, t, noise):
        upper = self.bounds(t)
        champions, kept = self.champions(t)
        everybody = sorted(champions) or [*range(len(upper))]
        if len(champions) == 1:
            (first,) = champions
        elif kept and noise[0] < 0.5:
            (first,) = kept
        else:
            first = one_of(sorted(set(everybody) - kept), noise[1])
        column = upper[:, first]
        tied = [d for d in range(len(column)) if column[d] == column.max()]
        if len(tied) > 1:
            tied = [d for d in tied if d != first]
        return first, one_of(tied, noise[2])

    def learn(self, t, first, second, preferred):
        self.hypothesis = self.champions(t)[1]
        winner, loser = (first, second) if preferred else (second, first)
        self.wins[winner, loser] += 1


class SelfSparring:
    """Two draws of Beta(1 + wins, 1 + losses), as if each duel were a round of both."""

    def __init__(self, num_arms):
        self.wins, self.losses = np.zeros(num_arms), np.zeros(num_arms)

    def extremes(self, noise, error):
        """Of both places: least and largest draws at uniforms off by `error`."""
        for u, v in noise.reshape(2, 2, -1):
            low, high = (
                beta(np.clip(u + e, 0, 1), np.clip(v - e, 0, 1), *self.shapes())
                for e in (-error, error)
            )
            yield low, high

    def shapes(self):
        return 1 + self.wins, 1 + self.losses

    def learn(self, t, first, second, preferred):
        winner, loser = (first, second) if preferred else (second, first)
        self.wins[winner] += 1
        self.losses[loser] += 1


class Sparring(OfDuels):
    """A copy of a plain policy at each place, told its preference less its charge."""

    def __init__(self, policy, *problem, most):
        super().__init__(*problem, most)
        self.copies = [policy(self.shape[0] * self.shape[1]) for _ in range(2)]

    def indices(self, t):
        return [copy.indices(t).reshape(self.shape) for copy in self.copies]

    def update(self, t, noise, played, preferred, consumptions, censored):
        for i, copy in enumerate(self.copies):
            outcome = 1.0 if preferred == (i == 0) else -1.0
            value = outcome - self.charge(played[i][1], consumptions[i])
            lowest = -1 - self.most
            copy.update(self.number(played[i]), (value - lowest) / (1 - lowest))


def one_of(positions, uniform):
    """One of a list, uniformly, from one uniform."""
    return positions[uniform_position(uniform, len(positions))]
