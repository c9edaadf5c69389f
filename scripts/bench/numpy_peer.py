"""The NumPy rival: one array program, vectorised over the seeds, on one core."""

import numpy as np

from .game import ARMS, COST, LIMIT_COUNT, LIMITS, PENALTIES, RATES, timed

BLOCK = 256


def play(seeds, horizon, penalty_radius=0.0, seed=0):
    """Play ``seeds`` independent runs of RCUCB.

    The estimates and the confidence widths (without their common factor
    ``sqrt(2 log t)``) are cached, and only the pulled arms' rows are renewed.

    Args:
        seeds: number of independent runs.
        horizon: number of rounds.
        penalty_radius: factor of the penalty part of the radius.
        seed: seed of the random number generator.

    Returns:
        The pulls, integers of shape ``[seeds, K, M]``.
    """
    rng = np.random.default_rng(seed)
    limit_ids = np.arange(LIMIT_COUNT)
    row_starts = np.arange(seeds) * ARMS
    pair_starts = row_starts * LIMIT_COUNT
    # One row per (run, arm), so that a pulled row has a single flat number; its
    # statistics N, exceedances and sums of gains lie together, to be fetched and
    # stored at once.  The counts are whole numbers in float64, which are exact.
    statistics = np.zeros((seeds * ARMS, 3, LIMIT_COUNT))
    estimates = np.zeros((seeds * ARMS, LIMIT_COUNT))
    widths = np.zeros((seeds * ARMS, LIMIT_COUNT))
    pulls = np.zeros(seeds * ARMS * LIMIT_COUNT, np.int64)
    index = np.empty((seeds, ARMS * LIMIT_COUNT))
    flat_estimates = estimates.reshape(index.shape)
    flat_widths = widths.reshape(index.shape)
    factors = np.sqrt(2.0 * np.log(np.arange(1, horizon + 1)))

    for t in range(horizon):
        if t % BLOCK == 0:
            block = rng.random((min(BLOCK, horizon - t), 2, seeds))
            block[:, 0] = -np.log1p(-block[:, 0])
        exponential, reward = block[t % BLOCK]
        if t < ARMS:
            pair = np.full(seeds, t * LIMIT_COUNT + LIMIT_COUNT - 1)
        else:
            np.multiply(flat_widths, factors[t], out=index)
            np.add(index, flat_estimates, out=index)
            pair = index.argmax(axis=1)
        arm, limit = np.divmod(pair, LIMIT_COUNT)
        consumption = exponential / RATES[arm]
        seen = np.where(consumption > LIMITS[limit], np.inf, consumption)
        gain = reward - COST * consumption
        over = seen[:, None] > LIMITS
        counted = limit_ids <= limit[:, None]

        row = row_starts + arm
        rows = statistics.take(row, axis=0)
        counts, exceeded, gains = rows[:, 0], rows[:, 1], rows[:, 2]
        counts += counted
        exceeded += over
        gains += (counted & ~over) * gain[:, None]
        statistics[row] = rows
        inverse = 1.0 / counts
        estimates[row] = gains * inverse - exceeded * inverse[:, :1] * PENALTIES
        width = np.sqrt(inverse)
        if penalty_radius:
            width = width + penalty_radius * PENALTIES * width[:, :1]
        widths[row] = width
        pulls[pair_starts + pair] += 1
    return pulls.reshape(seeds, ARMS, LIMIT_COUNT)


def measure(seeds: int, horizon: int) -> dict:
    """Time the peer; see `game.timed`."""
    return timed("NumPy, tuned", play, seeds, horizon)
