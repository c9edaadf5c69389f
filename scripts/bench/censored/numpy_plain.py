"""The straightforward NumPy rival: every index is computed anew in every round.

What one writes first: statistics ``[seeds, K, M]``, eqs. (8)-(12) as array expressions,
fancy indexing for the pulled rows. `numpy_seeds` is the tuned form.
"""

import numpy as np

from ..contest import Played, on_one_core
from .game import COST, Game, limits, penalties, played, rates


def play(game: Game, seeds: int, horizon: int, seed: int) -> Played:
    """Play ``seeds`` runs, all rounds in step."""
    rng = np.random.default_rng(seed)
    taus, penalty, rate = limits(game), penalties(game), rates(game)
    counts = np.zeros((seeds, game.arms, game.limits), np.int64)
    exceeded = np.zeros_like(counts)
    pulls = np.zeros_like(counts)
    gains = np.zeros(counts.shape)
    runs = np.arange(seeds)
    for t in range(1, horizon + 1):
        if t <= game.arms:
            arm = np.full(seeds, t - 1)
            limit = np.full(seeds, game.limits - 1)
        else:
            with np.errstate(divide="ignore", invalid="ignore"):
                plays = counts[:, :, :1]
                index = gains / counts - penalty * exceeded / plays
                index += np.sqrt(2 * np.log(t) / counts)
                if game.penalty_radius:
                    width = np.sqrt(2 * np.log(t) / plays)
                    index += game.penalty_radius * penalty * width
            arm, limit = np.divmod(index.reshape(seeds, -1).argmax(axis=1), game.limits)
        uniform, reward = rng.random((2, seeds))
        consumption = -np.log1p(-uniform) / rate[arm]
        tau = taus[limit]
        seen = np.where(consumption > tau, np.inf, consumption)
        within = tau[:, None] >= taus
        over = seen[:, None] > taus
        gain = np.where(consumption > tau, 0.0, reward - COST * consumption)
        counts[runs, arm] += within
        exceeded[runs, arm] += over
        gains[runs, arm] += (within & ~over) * gain[:, None]
        pulls[runs, arm, limit] += 1
    return played(game, pulls)


timed = on_one_core(play, warm=50)
