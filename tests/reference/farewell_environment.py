"""Literal twin of the farewell game of section 2.1: instances, one epoch, the clock.

An instance is delays[K, D + 1], the probabilities of a delay of 1, ..., D and (last)
of more than D, and rewards[K, D] = E[V | tau = d]. Wait position 0 is the wait j = 1.
With `values` the D delays are these, and with `waits` those are the waits.
"""

import numpy as np


def exact_table(delays, rewards, values=None, waits=None):
    """Matrices [K, D]: "reward" E[r], "time" E[c], "g" of eq. (2) and "gap"."""
    delays, rewards = np.asarray(delays, float), np.asarray(rewards, float)
    num_arms, num_delays = rewards.shape
    values = range(1, num_delays + 1) if values is None else values
    waits = values if waits is None else waits
    reward, time = np.zeros((2, num_arms, len(waits)))
    for k in range(num_arms):
        for position, j in enumerate(waits):
            for probability, value, d in zip(
                delays[k], rewards[k], values, strict=False
            ):
                if d <= j:
                    reward[k, position] += probability * value
                time[k, position] += probability * min(d, j)
            time[k, position] += delays[k, num_delays] * j  # tau > all of them
    g = reward / time  # (2)
    gap = g.max() - g  # Lemma 2
    gap[gap < 1e-12] = 0.0
    return {"reward": reward, "time": time, "g": g, "gap": gap}


class Environment:
    """V given tau = d is Bernoulli(rewards[k, d])."""

    def __init__(self, delays, rewards, values=None, waits=None):
        self.delays, self.rewards = np.asarray(delays, float), np.asarray(rewards)
        self.values = range(1, self.rewards.shape[1] + 1) if values is None else values
        self.waits = self.values if waits is None else waits

    def step(self, noise, arm, wait):
        """(reward, time, delay) of one epoch; delay = inf: not seen."""
        j = self.waits[wait]
        tau, potential = np.inf, 0.0
        cumulative = 0.0
        for position, d in enumerate(self.values):
            cumulative += self.delays[arm, position]
            if cumulative > noise[0]:
                tau = d
                potential = float(noise[1] < self.rewards[arm, position])
                break
        if tau <= j:
            return potential, tau, tau  # V 1{tau <= j}, min(tau, j)
        return 0.0, j, np.inf
