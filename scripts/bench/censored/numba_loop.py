"""The Numba rival: a plain loop per seed, in one process per core."""

import math

import numba
import numpy as np

from ..contest import Played
from ..processes import in_all_processes
from .game import COST, Game, limits, penalties, played, rates


@numba.njit(fastmath=True, error_model="numpy", cache=True)
def play_one(seed, horizon, penalty_radius, limits, penalties, rates, cost, pulls):
    """Play one run of RCUCB and add its pulls to ``pulls`` (``[K, M]``)."""
    np.random.seed(seed)
    arms = rates.size
    limit_count = limits.size
    plays = np.zeros(arms, np.int64)
    counts = np.zeros((arms, limit_count), np.int64)
    exceeded = np.zeros((arms, limit_count), np.int64)
    gains = np.zeros((arms, limit_count))
    for t in range(1, horizon + 1):
        if t <= arms:
            arm = t - 1
            limit = limit_count - 1
        else:
            arm = 0
            limit = 0
            best = -1e30  # fastmath knows no infinity
            two_log = 2.0 * math.log(t)
            for i in range(arms):
                penalty_width = 0.0
                if penalty_radius != 0.0:
                    penalty_width = penalty_radius * math.sqrt(two_log / plays[i])
                for m in range(limit_count):
                    index = (
                        gains[i, m] / counts[i, m]
                        - penalties[m] * (exceeded[i, m] / plays[i] - penalty_width)
                        + math.sqrt(two_log / counts[i, m])
                    )
                    if index > best:
                        best = index
                        arm = i
                        limit = m
        consumption = -math.log1p(-np.random.random()) / rates[arm]
        reward = np.random.random()
        censored = consumption > limits[limit]
        pulls[arm, limit] += 1
        plays[arm] += 1
        for m in range(limit_count):
            over = censored or consumption > limits[m]
            if over:
                exceeded[arm, m] += 1
            if m <= limit:
                counts[arm, m] += 1
                if not over:
                    gains[arm, m] += reward - cost * consumption


def play_block(game: Game, first: int, count: int, horizon: int) -> Played:
    """Play the runs ``first, ..., first + count - 1`` in this process."""
    pulls = np.zeros((count, game.arms, game.limits), np.int64)
    numbers = (game.penalty_radius, limits(game), penalties(game), rates(game), COST)
    for k in range(count):
        play_one(first + k, horizon, *numbers, pulls[k])
    return played(game, pulls)


timed = in_all_processes(play_block, warm=20)
