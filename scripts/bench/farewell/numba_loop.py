"""The straightforward Numba rival: a plain loop per seed, in one process per core.

What one writes first: counts and sums per pair, and every index of Algorithm 1 anew in
every epoch. `numba_tuned` is the tuned form.
"""

import math

import numba
import numpy as np

from ..contest import Played
from ..processes import in_all_processes
from .game import Game, cumulative_delays, losses, radius_factors, utilities


@numba.njit(fastmath=True, error_model="numpy", cache=True)
def play_one(seed, budget, cumulative, utility, alpha, beta, counts):
    """Play one run of Wait-UCB and count its pulls in ``counts`` (``[K, D]``)."""
    np.random.seed(seed)
    arms, waits = cumulative.shape
    rewards = np.zeros((arms, waits))
    times = np.zeros((arms, waits))
    clock = 0.0
    epochs = 0
    while True:
        if epochs < arms * waits:
            arm = epochs // waits
            wait = epochs % waits
        else:
            arm = 0
            wait = 0
            best = -1e30  # fastmath knows no infinity
            log_s = math.log(epochs)
            for k in range(arms):
                for j in range(waits):
                    index = (
                        rewards[k, j] / times[k, j]
                        + alpha[j] * log_s / counts[k, j]
                        + beta[j] * math.sqrt(log_s / counts[k, j])
                    )
                    if index > best:
                        best = index
                        arm = k
                        wait = j
        uniform = np.random.random()
        delay = 0
        while cumulative[arm, delay] <= uniform:
            delay += 1
        reward = 0.0
        if delay <= wait and np.random.random() < utility[arm]:
            reward = 1.0
        time = min(delay, wait) + 1.0  # both are positions
        clock += time
        if clock > budget:
            return
        epochs += 1
        counts[arm, wait] += 1
        rewards[arm, wait] += reward
        times[arm, wait] += time


def play_block(game: Game, first: int, count: int, horizon: float) -> Played:
    """Play the runs ``first, ..., first + count - 1`` in this process."""
    pulls = np.zeros((count, game.arms, game.waits), np.int64)
    arrays = cumulative_delays(game), utilities(game), *radius_factors(game)
    budget = float(horizon)  # one type, and so one compilation
    for k in range(count):
        play_one(first + k, budget, *arrays, pulls[k])
    return Played(pulls.sum(axis=(1, 2)), (pulls * losses(game)).sum(axis=(1, 2)))


timed = in_all_processes(play_block, warm=100)
