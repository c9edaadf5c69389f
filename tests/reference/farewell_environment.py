"""Literal twin of the farewell game of section 2.1: instances, one epoch, the clock.

An instance is delays[K, D + 1], the probabilities of a delay of 1, ..., D and (last)
of more than D, and rewards[K, D] = E[V | tau = d]. Wait position 0 is the wait j = 1.
"""

import numpy as np


def exact_table(delays, rewards):
    """Matrices [K, D]: "reward" E[r], "time" E[c], "g" of eq. (2) and "gap"."""
    delays, rewards = np.asarray(delays, float), np.asarray(rewards, float)
    num_arms, num_waits = rewards.shape
    reward, time = np.zeros((2, num_arms, num_waits))
    for k in range(num_arms):
        for j in range(1, num_waits + 1):
            for d in range(1, num_waits + 1):
                probability = delays[k, d - 1]
                if d <= j:
                    reward[k, j - 1] += probability * rewards[k, d - 1]
                time[k, j - 1] += probability * min(d, j)
            time[k, j - 1] += delays[k, num_waits] * j  # tau > D >= j
    g = reward / time  # (2)
    gap = g.max() - g  # Lemma 2
    gap[gap < 1e-12] = 0.0
    return {"reward": reward, "time": time, "g": g, "gap": gap}


class Environment:
    """V given tau = d is Bernoulli(rewards[k, d])."""

    def __init__(self, delays, rewards):
        self.delays, self.rewards = np.asarray(delays, float), np.asarray(rewards)

    def step(self, noise, arm, wait):
        """(reward, time, delay) of one epoch; delay = inf: not seen."""
        j, num_waits = wait + 1, self.rewards.shape[1]
        tau, potential = np.inf, 0.0
        cumulative = 0.0
        for d in range(1, num_waits + 1):
            cumulative += self.delays[arm, d - 1]
            if cumulative > noise[0]:
                tau = d
                potential = float(noise[1] < self.rewards[arm, d - 1])
                break
        if tau <= j:
            return potential, tau, tau  # V 1{tau <= j}, min(tau, j)
        return 0.0, j, np.inf


def count_epochs(times, T):
    """L = max{n : S_n <= T}, eq. (6)."""
    epochs, clock = 0, 0
    for time in times:
        clock += time
        if clock > T:
            break
        epochs += 1
    return epochs
