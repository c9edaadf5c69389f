"""A budgeted bandit as it is usually written: objects, a Python loop, NumPy per step.

Stands in for the published code of the budgeted paper, which no longer runs on current
NumPy: one object for the policy with arrays over arms, one per arm that draws, a list
of logged steps; omega-UCB's two intervals are computed for all arms in every step. It
plays omega-UCB (eta = 1), which costs it less than omega*-UCB.
"""

import numpy as np

from ..contest import Played, on_one_core
from .game import COST_FLOOR, RHO, Game


class Arm:
    """Bernoulli reward and cost."""

    def __init__(self, mean_reward, mean_cost, rng):
        self.mean_reward, self.mean_cost, self.rng = mean_reward, mean_cost, rng

    def pull(self):
        """One reward and one cost."""
        reward, cost = self.rng.random(2)
        return float(reward < self.mean_reward), float(cost < self.mean_cost)


class OmegaUCB:
    """omega-UCB with eta = 1 on arrays over arms."""

    def __init__(self, num_arms, rng):
        self.num_arms, self.rng = num_arms, rng
        self.plays = np.zeros(num_arms)
        self.rewards, self.costs = np.zeros(num_arms), np.zeros(num_arms)

    def interval(self, mean, z2):
        """Theorem 1 for all arms."""
        a = self.plays + z2
        b = 2 * self.plays * mean + z2
        c = self.plays * mean**2
        root = np.sqrt(np.maximum(b**2 / (4 * a**2) - c / a, 0))
        return b / (2 * a) - root, b / (2 * a) + root

    def choose(self, t):
        """The arm of play t."""
        if t <= self.num_arms:
            return t - 1
        z2 = 2 * RHO * np.log(t)
        mean_cost = self.costs / self.plays
        _, upper = self.interval(self.rewards / self.plays, z2)
        lower, _ = self.interval(mean_cost, z2)
        index = np.full(self.num_arms, np.inf)
        paid = mean_cost > 0
        index[paid] = upper[paid] / lower[paid]
        return self.rng.choice(np.flatnonzero(index == index.max()))

    def learn(self, arm, reward, cost):
        """One observation."""
        self.plays[arm] += 1
        self.rewards[arm] += reward
        self.costs[arm] += cost


def play(game: Game, seeds: int, horizon: float, seed: int) -> Played:
    """Play one run after the other; no more than `RUNS`, because it takes long."""
    runs = [_play_one(game, horizon, seed * RUNS + k) for k in range(min(seeds, RUNS))]
    return Played(*map(np.array, zip(*runs, strict=True)))


RUNS = 4


def _play_one(game, horizon, seed):
    rng = np.random.default_rng(seed)
    rewards, costs = rng.random((2, game.arms))
    costs = COST_FLOOR + (1 - COST_FLOOR) * costs
    arms = [Arm(*means, rng) for means in zip(rewards, costs, strict=True)]
    policy, log = OmegaUCB(game.arms, rng), []
    t = 0
    while policy.costs.sum() < horizon * costs.min():
        t += 1
        k = policy.choose(t)
        policy.learn(k, *arms[k].pull())
        if t % 1000 == 0:
            log.append((t, policy.costs.sum(), policy.rewards.sum()))
    gap = costs * (rewards / costs).max() - rewards
    return t, policy.plays @ gap


timed = on_one_core(play, warm=10)
