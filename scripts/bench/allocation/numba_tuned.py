"""The tuned Numba rival: a plain loop per seed, in one process per core.

What depends on an arm's own history only (its bounds, and the logarithms that the
oracle needs of them) is renewed when the arm is observed. Thresholds and activations
are drawn of the observed arm only: neither the policy nor the expected regret looks
at the others.
"""

import math

import numba
import numpy as np

from ..contest import Played
from ..processes import in_all_processes
from . import formulas
from .grid import MARGIN, PER_OCTAVE, grid
from .numba_bounds import bounds_of_rate

compiled = numba.njit(fastmath=True, error_model="numpy", cache=True)
cubic = compiled(formulas.cubic)

NOTHING = -1e30  # log of a weight of 0: fastmath knows no infinity


@compiled
def split(height, inverse, budget, shares):
    """Water-filling: x_i = max(height_i - level, 0) inverse_i, of sum `budget`.

    The level that spends the budget on all arms is not above the optimal one, and
    dropping the arms below it raises it.

    Args:
      height: f64[K], log (weight rate); at least one is not `NOTHING`.
      inverse: f64[K], 1 / rate.
      budget: B.
      shares: f64[K], written.
    """
    level, before = 0.1 * NOTHING, -1
    while True:
        need, slope, active = -budget, 0.0, 0
        for i in range(height.size):
            if height[i] > level:
                need += height[i] * inverse[i]
                slope += inverse[i]
                active += 1
        if active == before:
            break
        level, before = need / slope, active
    for i in range(height.size):
        shares[i] = max(height[i] - level, 0.0) * inverse[i]


@compiled
def lost(probability, rate, shares):
    """sum p_i (1 - G(x_i)): expected successes that the shares miss."""
    total = 0.0
    for i in range(rate.size):
        total += probability[i] * math.exp(-rate[i] * shares[i])
    return total


@compiled
def observe(amount, threshold, rates, survival, score, exposure):
    """Add a round to an arm's score and exposure, f64[J] each.

    A success at `amount` shows the threshold truncated to [0, amount]; `threshold` is
    -1 without a success.
    """
    for j in range(PER_OCTAVE):
        survival[j] = math.exp(-rates[j] * amount)
    for j in range(PER_OCTAVE, rates.size):
        survival[j] = survival[j - PER_OCTAVE] * survival[j - PER_OCTAVE]
    for j in range(rates.size):
        exposure[j] += 1.0 - survival[j]
    if threshold >= 0.0:
        for j in range(rates.size):
            hazard = amount * survival[j] / (1.0 - survival[j])
            score[j] += 1.0 - rates[j] * (threshold + hazard)


@compiled
def exposure_at(exposure, place):
    """C at a place of the grid."""
    j = int(place) - 1
    return cubic(
        exposure[j], exposure[j + 1], exposure[j + 2], exposure[j + 3], place - j
    )


@compiled
def play_one(seed, horizon, arms, budget, lowest, highest, initial, rates, first, last):
    """Play one run; return its expected regret."""
    np.random.seed(seed)
    probability, rate = np.empty(arms), np.empty(arms)
    for i in range(arms):
        probability[i] = 1.0 - np.random.random()
        rate[i] = lowest + (highest - lowest) * np.random.random()
    shares = np.empty(arms)
    split(np.log(probability * rate), 1.0 / rate, budget, shares)
    regret = -horizon * lost(probability, rate, shares)

    score, exposure = np.zeros((arms, rates.size)), np.zeros((arms, rates.size))
    scratch = np.empty(rates.size)
    successes = np.zeros(arms, np.int64)
    peaks = np.full(arms, rates.size // 2)
    # Of every arm at its worst and at its best: log (weight rate) and 1 / rate. Of
    # p s(rate, rate') rate the factor `rate` cancels.
    worst, worst_inverse = np.full(arms, NOTHING), np.full(arms, 1.0 / highest)
    best, best_inverse = np.full(arms, math.log(highest)), np.full(arms, 1.0 / lowest)

    start = arms * initial
    for t in range(1, horizon + 1):
        if t <= start:
            arm = (t - 1) // initial
            shares[:] = 0.0
            shares[arm] = budget
        else:
            arm = (t - 1 - start) % arms
            height, inverse = worst[arm], worst_inverse[arm]
            worst[arm], worst_inverse[arm] = best[arm], best_inverse[arm]
            split(worst, worst_inverse, budget, shares)
            worst[arm], worst_inverse[arm] = height, inverse
        regret += lost(probability, rate, shares)

        threshold = -1.0
        if np.random.random() < probability[arm]:
            needed = -math.log1p(-np.random.random()) / rate[arm]
            if needed < shares[arm]:
                threshold = needed
                successes[arm] += 1
        slopes, reached = score[arm], exposure[arm]
        observe(shares[arm], threshold, rates, scratch, slopes, reached)
        n = successes[arm]
        if n == 0:
            continue
        z2 = math.log(t)
        z = math.sqrt(z2)
        low, high, peaks[arm] = bounds_of_rate(
            slopes, scratch, peaks[arm], z, first, last
        )
        width = z * math.sqrt(n + 0.25 * z2)
        p_low = (n + 0.5 * z2 - width) / exposure_at(reached, high)
        p_high = (n + 0.5 * z2 + width) / exposure_at(reached, low)
        rate_low = lowest * 2.0 ** ((low - MARGIN) / PER_OCTAVE)
        rate_high = lowest * 2.0 ** ((high - MARGIN) / PER_OCTAVE)
        worst[arm] = math.log(min(p_low, 1.0) * rate_low)
        best[arm] = math.log(min(p_high, 1.0) * rate_high)
        worst_inverse[arm], best_inverse[arm] = 1.0 / rate_high, 1.0 / rate_low
    return regret


def play_block(game, first, count, horizon):
    """Play the runs ``first, ..., first + count - 1`` in this process."""
    nodes = grid(game)
    game_numbers = (game.arms, game.budget, game.lowest, game.highest, game.initial)
    regrets = [
        play_one(first + k, int(horizon), *game_numbers, *nodes) for k in range(count)
    ]
    return Played(np.full(count, int(horizon)), np.array(regrets))


timed = in_all_processes(play_block, warm=200)
