"""The NumPy rival: one array program, vectorised over the seeds, on one core."""

import numpy as np

from ..contest import Played, on_one_core
from .game import COST, Game, limits, penalties, played, rates

BLOCK = 256


def play(game: Game, seeds: int, horizon: int, seed: int) -> Played:
    """Play ``seeds`` runs, all rounds in step.

    The estimates and the confidence widths (without their common factor ``sqrt(2 log
    t)``) are cached, and only the pulled arms' rows are renewed.
    """
    rng = np.random.default_rng(seed)
    taus, penalty, rate = limits(game), penalties(game), rates(game)
    limit_ids = np.arange(game.limits)
    row_starts = np.arange(seeds) * game.arms
    pair_starts = row_starts * game.limits
    # One row per (run, arm), so that a pulled row has a single flat number; its
    # statistics N, exceedances and sums of gains lie together, to be fetched and
    # stored at once. The counts are whole numbers in float64, which are exact.
    statistics = np.zeros((seeds * game.arms, 3, game.limits))
    estimates = np.zeros((seeds * game.arms, game.limits))
    widths = np.zeros((seeds * game.arms, game.limits))
    pulls = np.zeros(seeds * game.pairs, np.int64)
    index = np.empty((seeds, game.pairs))
    flat_estimates = estimates.reshape(index.shape)
    flat_widths = widths.reshape(index.shape)
    factors = np.sqrt(2.0 * np.log(np.arange(1, horizon + 1)))

    for t in range(horizon):
        if t % BLOCK == 0:
            block = rng.random((min(BLOCK, horizon - t), 2, seeds))
            block[:, 0] = -np.log1p(-block[:, 0])
        exponential, reward = block[t % BLOCK]
        if t < game.arms:
            pair = np.full(seeds, t * game.limits + game.limits - 1)
        else:
            np.multiply(flat_widths, factors[t], out=index)
            np.add(index, flat_estimates, out=index)
            pair = index.argmax(axis=1)
        arm, limit = np.divmod(pair, game.limits)
        consumption = exponential / rate[arm]
        seen = np.where(consumption > taus[limit], np.inf, consumption)
        gain = reward - COST * consumption
        over = seen[:, None] > taus
        counted = limit_ids <= limit[:, None]

        row = row_starts + arm
        rows = statistics.take(row, axis=0)
        counts, exceeded, gains = rows[:, 0], rows[:, 1], rows[:, 2]
        counts += counted
        exceeded += over
        gains += (counted & ~over) * gain[:, None]
        statistics[row] = rows
        inverse = 1.0 / counts
        estimates[row] = gains * inverse - exceeded * inverse[:, :1] * penalty
        width = np.sqrt(inverse)
        if game.penalty_radius:
            width = width + game.penalty_radius * penalty * width[:, :1]
        widths[row] = width
        pulls[pair_starts + pair] += 1
    return played(game, pulls.reshape(seeds, game.arms, game.limits))


timed = on_one_core(play, warm=50)
