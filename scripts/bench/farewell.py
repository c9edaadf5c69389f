"""Wait-UCB on ads that are clicked after a while, 3 macro-arms x 5 waits.

An epoch with macro-arm k and wait j draws a delay on 1, ..., D. If it is at most j, the
epoch lasts that long and brings a Bernoulli reward with the macro-arm's utility; else
it lasts j and brings nothing. The policy is Algorithm 1 of Sharoff, Mehta & Ganti
(2020) with observe="pair" and scale 1: every pair once, then the first pair of the
largest index.

The horizon of a contestant is the budget T of time. The rounds of a run are the epochs
that end by T (the last one, if it would last beyond T, does not count). Its score is
their pseudo-regret, sum n mu_c Delta.
"""

import math

import numpy as np

from .contest import Library, compiled

LIBRARY = Library("farewell/wait-ucb", "budget", 600_000, "regret", rounds="epochs")

# The library's `display_advertising(1)`: three categories of ads, five waits.
DELAYS = np.array(
    [(0.4, 0.1, 0.1, 0.1, 0.3), (0.1, 0.5, 0.1, 0.1, 0.2), (0.1, 0.1, 0.2, 0.3, 0.3)]
)
UTILITIES = np.array([0.7, 1.0, 0.5])
# Pairs are flat, row-major: of each the macro-arm and the wait, as positions; what a
# click pays; the probabilities of a delay of at most 1, ..., D; and the factors of the
# radius (section 5).
PAIRS, WAITS = DELAYS.size, DELAYS.shape[1]
ARM, WAIT = np.divmod(np.arange(PAIRS), WAITS)
UTILITY, CUMULATIVE = UTILITIES[ARM], np.cumsum(DELAYS, axis=1)[ARM]
CUMULATIVE[:, -1] = 1.0
ALPHA, BETA = 8 * WAIT / 3, np.sqrt(2) * (np.sqrt(WAIT) + 1)
LOWEST = -1e30  # an index; fastmath knows no infinity


def environment():
    """The game as an environment of the library."""
    from jaxbandits.farewell import make_environment

    return make_environment("benchmark", DELAYS, UTILITIES[:, None])


_ORACLE = environment().oracle()
# Pseudo-regret of an epoch, mu_c Delta by eq. (2), f64[K D].
LOSSES = (_ORACLE.mean_time * _ORACLE.gaps).ravel()


@compiled
def largest(log, root_log, rate, linear, root):
    """The pair of the largest index, of terms that only a pull of the pair changes."""
    pair, best = 0, LOWEST
    for i in range(rate.size):
        index = rate[i] + linear[i] * log + root[i] * root_log
        if index > best:
            best = index
            pair = i
    return pair


@compiled
def play_one(rng, budget, logs):
    """Play one run; return its epochs that ended in time and its score."""
    pairs = LOSSES.size
    count, rewards, times = np.zeros(pairs), np.zeros(pairs), np.zeros(pairs)
    rate, linear, root = np.zeros(pairs), np.zeros(pairs), np.zeros(pairs)
    epoch = clock = 0
    while True:
        if epoch < pairs:
            pair = epoch
        else:
            pair = largest(logs[0, epoch], logs[1, epoch], rate, linear, root)
        wait = WAIT[pair]
        drawn = rng.random()
        # No branches, which a processor would mispredict. Positions are times less 1.
        position = 0
        for d in range(WAITS):
            position += CUMULATIVE[pair, d] <= drawn
        time = min(position, wait) + 1
        paid = (position <= wait) & (rng.random() < UTILITY[pair])
        clock += time
        if clock > budget:
            return epoch, (count * LOSSES).sum()
        epoch += 1
        count[pair] += 1
        rewards[pair] += 1.0 if paid else 0.0
        times[pair] += time
        rate[pair] = rewards[pair] / times[pair]
        linear[pair] = ALPHA[pair] / count[pair]
        root[pair] = BETA[pair] / math.sqrt(count[pair])
