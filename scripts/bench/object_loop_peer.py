"""A budgeted bandit as it is usually written: objects, a Python loop, NumPy per step.

Stands in for the published code of the budgeted paper, which no longer runs on current
NumPy: one object for the policy with arrays over arms, one per arm that draws, a list
of logged steps; omega-UCB's two intervals are computed for all arms in every step.
"""

import time

import numpy as np


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

    def __init__(self, num_arms, rho, rng):
        self.num_arms, self.rho, self.rng = num_arms, rho, rng
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
        z2 = 2 * self.rho * np.log(t)
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


def play(num_arms, rounds, seed=0):
    """Rounds of one run; returns the pulls of every arm."""
    rng = np.random.default_rng(seed)
    means = rng.uniform(size=(2, num_arms))
    arms = [Arm(r, max(c, 0.01), rng) for r, c in means.T]
    policy, log = OmegaUCB(num_arms, 0.25, rng), []
    for t in range(1, rounds + 1):
        k = policy.choose(t)
        reward, cost = arms[k].pull()
        policy.learn(k, reward, cost)
        if t % 1000 == 0:
            log.append((t, policy.costs.sum(), policy.rewards.sum()))
    return policy.plays


def measure(num_arms, rounds=20_000):
    """Rounds per second on one core."""
    play(num_arms, 100)
    began = time.perf_counter()
    play(num_arms, rounds)
    return rounds / (time.perf_counter() - began)
