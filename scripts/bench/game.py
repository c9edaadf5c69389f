"""The game every peer plays: constants, the optimal pair, and its share.

An arm's consumption is exponential, its reward uniform on (0, 1) (simpler than
the paper's instance "Indep", for every contestant alike).  A round whose
consumption exceeds the chosen limit is censored: its reward is not seen and it
counts as exceeding every limit (eq. (9) of the paper).
"""

import time

import numpy as np

ARMS = 10
LIMIT_COUNT = 10
LIMITS = np.linspace(0.1, 0.9, LIMIT_COUNT)
RATES = np.array([1.8] + [0.8 / 1.1 + 1.0] * (ARMS - 1))
COST = 0.1
PENALTIES = np.where(LIMITS <= 0.5, COST * LIMITS, 10.0 * LIMITS)


def expected_gains():
    """Return the exact penalized expected gain of every pair, ``[K, M]``."""
    rate = RATES[:, None]
    survival = np.exp(-rate * LIMITS)
    consumption = (1.0 - survival) / rate - LIMITS * survival
    return 0.5 * (1.0 - survival) - COST * consumption - PENALTIES * survival


def optimal_shares(pulls):
    """Return each run's share of pulls of the optimal pair, ``[seeds]``."""
    flat = pulls.reshape(len(pulls), -1)
    return flat[:, expected_gains().argmax()] / flat.sum(axis=1)


def timed(name, play, seeds, horizon):
    """Time one warm call of a one-core peer and return the benchmark's entry."""
    play(seeds, min(horizon, 50))
    start = time.perf_counter()
    pulls = play(seeds, horizon, seed=1)
    seconds = time.perf_counter() - start
    return {
        "name": name,
        "seed_rounds_per_s": seeds * horizon / seconds,
        "cores": 1,
        "optimal_share": float(optimal_shares(pulls).mean()),
    }
