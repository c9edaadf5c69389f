"""The Numba rival with cached indices: what one writes after profiling the first form.

Per pair the estimate and the width without its common factor ``sqrt(2 log t)`` are
kept, so that an index is one multiply-add; a round renews the pulled arm's row.
"""

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
    arms, limit_count = pulls.shape
    pairs = arms * limit_count
    counts = np.zeros((arms, limit_count))
    exceeded = np.zeros((arms, limit_count))
    gains = np.zeros((arms, limit_count))
    estimates = np.full(pairs, -1e30)
    widths = np.zeros(pairs)
    index = np.zeros(pairs)
    for t in range(1, horizon + 1):
        if t <= arms:
            pair = (t - 1) * limit_count + limit_count - 1
        else:
            # Two passes, of which both are vector code; one with a position is not.
            factor = math.sqrt(2.0 * math.log(t))
            best = -1e30
            for k in range(pairs):
                index[k] = estimates[k] + factor * widths[k]
                best = max(best, index[k])
            pair = 0
            while index[pair] != best:
                pair += 1
        arm = pair // limit_count
        limit = pair - arm * limit_count
        consumption = -math.log1p(-np.random.random()) / rates[arm]
        gain = np.random.random() - cost * consumption
        pulls[arm, limit] += 1
        seen = 1e30 if consumption > limits[limit] else consumption
        for m in range(limit_count):
            over = 1.0 if seen > limits[m] else 0.0
            counted = 1.0 if m <= limit else 0.0
            exceeded[arm, m] += over
            counts[arm, m] += counted
            gains[arm, m] += counted * (1.0 - over) * gain
        plays = counts[arm, 0]
        for m in range(limit_count):
            if counts[arm, m] > 0.0:
                n = counts[arm, m]
                loss = penalties[m] * exceeded[arm, m] / plays
                estimates[arm * limit_count + m] = gains[arm, m] / n - loss
                width = penalty_radius * penalties[m] / math.sqrt(plays)
                widths[arm * limit_count + m] = 1.0 / math.sqrt(n) + width


def play_block(game: Game, first: int, count: int, horizon: int) -> Played:
    """Play the runs ``first, ..., first + count - 1`` in this process."""
    pulls = np.zeros((count, game.arms, game.limits), np.int64)
    numbers = (game.penalty_radius, limits(game), penalties(game), rates(game), COST)
    for k in range(count):
        play_one(first + k, horizon, *numbers, pulls[k])
    return played(game, pulls)


timed = in_all_processes(play_block, warm=20)
