"""The straightforward NumPy rival: every index is computed anew in every round.

What one writes first: statistics ``[seeds, K, M]``, eqs. (8)-(12) as array expressions,
fancy indexing for the pulled rows. `numpy_peer` is the tuned form.
"""

import numpy as np

from .game import ARMS, COST, LIMIT_COUNT, LIMITS, PENALTIES, RATES, timed


def play(seeds, horizon, penalty_radius=0.0, seed=0):
    """Play ``seeds`` runs of RCUCB; arguments and result as `numpy_peer.play`."""
    rng = np.random.default_rng(seed)
    counts = np.zeros((seeds, ARMS, LIMIT_COUNT), np.int64)
    exceeded = np.zeros_like(counts)
    pulls = np.zeros_like(counts)
    gains = np.zeros(counts.shape)
    runs = np.arange(seeds)
    for t in range(1, horizon + 1):
        if t <= ARMS:
            arm = np.full(seeds, t - 1)
            limit = np.full(seeds, LIMIT_COUNT - 1)
        else:
            with np.errstate(divide="ignore", invalid="ignore"):
                plays = counts[:, :, :1]
                index = gains / counts - PENALTIES * exceeded / plays
                index += np.sqrt(2 * np.log(t) / counts)
                if penalty_radius:
                    width = np.sqrt(2 * np.log(t) / plays)
                    index += penalty_radius * PENALTIES * width
            arm, limit = np.divmod(index.reshape(seeds, -1).argmax(axis=1), LIMIT_COUNT)
        uniform, reward = rng.random((2, seeds))
        consumption = -np.log1p(-uniform) / RATES[arm]
        tau = LIMITS[limit]
        seen = np.where(consumption > tau, np.inf, consumption)
        within = tau[:, None] >= LIMITS
        over = seen[:, None] > LIMITS
        gain = np.where(consumption > tau, 0.0, reward - COST * consumption)
        counts[runs, arm] += within
        exceeded[runs, arm] += over
        gains[runs, arm] += (within & ~over) * gain[:, None]
        pulls[runs, arm, limit] += 1
    return pulls


def measure(seeds: int, horizon: int) -> dict:
    """Time the peer; see `game.timed`."""
    return timed("NumPy, straightforward", play, seeds, horizon)
