"""The NumPy rival: one array program, vectorised over the seeds, on one core.

All seeds boost the same arm in a round, so an arm's histories lie together, seeds last,
and need no gather. As in `numba_tuned` only the observed arm is drawn and renewed.
"""

import numpy as np

from ..contest import Played, on_one_core
from . import formulas
from .grid import MARGIN, PER_OCTAVE, grid
from .numpy_bounds import bounds_of_rate, window

BLOCK = 256  # rounds whose uniforms are drawn at once
NOTHING = -1e30  # log of a weight of 0
LEAST = 1e-12  # stands for an amount of 0, whose G has no logarithm


def split(height, inverse, budget):
    """Water-filling: ``x_i = max(height_i - level, 0) inverse_i``, of sum `budget`.

    The level that spends the budget on all arms is not above the optimal one, and
    dropping the arms below it raises it.

    Args:
      height: f64[K, S], log (weight rate); of every seed one is not `NOTHING`.
      inverse: f64[K, S], 1 / rate.
      budget: B.

    Returns:
      f64[K, S].
    """
    worth = height * inverse
    taking, before = height > 0.1 * NOTHING, None
    while before is None or (taking != before).any():
        need = np.add.reduce(worth * taking, axis=0) - budget
        level = need / np.add.reduce(inverse * taking, axis=0)
        before, taking = taking, height > level
    shares = height - level
    np.maximum(shares, 0.0, out=shares)
    shares *= inverse
    return shares


class Histories:
    """Log likelihood and exposure of every arm, and its successes: ``[K, J, S]``."""

    def __init__(self, nodes, arms, seeds):
        self.rates = nodes.rates[:, None]
        self.log_rates = np.log(self.rates)
        self.likelihood = np.zeros((arms, nodes.rates.size, seeds))
        self.exposure = np.zeros_like(self.likelihood)
        self.successes = np.zeros((arms, seeds))
        self.reach, self.seen, self.scratch = np.empty((3, nodes.rates.size, seeds))

    def observe(self, arm, amount, threshold, success):
        """Add a round to an arm, f64[S] each and bool[S].

        A success at an amount shows the threshold truncated to [0, amount].
        """
        reach, octave = self.reach, PER_OCTAVE
        amount = np.maximum(amount, LEAST)
        np.multiply(self.rates[:octave], -amount, out=reach[:octave])
        np.exp(reach[:octave], out=reach[:octave])
        for j in range(octave, len(reach), octave):
            part = reach[j : j + octave]
            np.square(reach[j - octave : j - octave + len(part)], out=part)
        np.subtract(1.0, reach, out=reach)
        self.exposure[arm] += reach
        self.successes[arm] += success
        # Logarithms of everybody are faster than those of the successful, gathered.
        seen, scratch = self.seen, self.scratch
        np.log(reach, out=seen)
        np.subtract(self.log_rates, seen, out=seen)
        np.multiply(self.rates, threshold, out=scratch)
        seen -= scratch
        seen *= success
        self.likelihood[arm] += seen

    def exposure_at(self, arm, place):
        """C of an arm at places ``[2, S]`` of the grid."""
        start = place.astype(np.int64) - 1
        return formulas.cubic(*window(self.exposure[arm], start, 4), place - start)


def play(game, seeds, horizon, seed):
    """Play `seeds` runs."""
    rng = np.random.default_rng(seed)
    nodes, arms, budget = grid(game), game.arms, game.budget
    probability, rate = rng.random((2, arms, seeds))
    probability = 1.0 - probability
    rate = game.lowest + (game.highest - game.lowest) * rate
    lost = np.empty_like(rate)

    def missed(shares):
        """sum p_i (1 - G(x_i)), f64[S]."""
        np.multiply(rate, shares, out=lost)
        np.negative(lost, out=lost)
        np.exp(lost, out=lost)
        np.multiply(lost, probability, out=lost)
        return np.add.reduce(lost, axis=0)

    regret = -int(horizon) * missed(split(np.log(probability * rate), 1 / rate, budget))
    histories = Histories(nodes, arms, seeds)
    # Of every arm at its worst and at its best: log (weight rate) and 1 / rate. Of
    # p s(rate, rate') rate the factor `rate` cancels.
    worst = np.empty((2, arms, seeds))
    worst[0], worst[1] = NOTHING, 1.0 / game.highest
    best = np.empty_like(worst)
    best[0], best[1] = np.log(game.highest), 1.0 / game.lowest

    start = arms * game.initial
    for t in range(1, int(horizon) + 1):
        place = (t - 1) % BLOCK
        if place == 0:
            block = rng.random((min(BLOCK, int(horizon) - t + 1), 2, seeds))
            block[:, 1] = -np.log1p(-block[:, 1])
        if t <= start:
            arm = (t - 1) // game.initial
            shares = np.zeros((arms, seeds))
            shares[arm] = budget
        else:
            arm = (t - 1 - start) % arms
            # In place of its worst, which is renewed below.
            worst[:, arm] = best[:, arm]
            shares = split(*worst, budget)
        regret += missed(shares)
        active, exponential = block[place]
        threshold = exponential / rate[arm]
        success = (active < probability[arm]) & (threshold <= shares[arm])
        histories.observe(arm, shares[arm], threshold, success)
        worst[:, arm], best[:, arm] = bounds(game, nodes, histories, arm, np.log(t))
    return Played(np.full(seeds, int(horizon)), regret)


def bounds(game, nodes, histories, arm, z2):
    """Log (weight rate) and 1 / rate of an arm: f64[2, S] at its worst and at its best.

    Args:
      game: the game.
      nodes: its grid.
      histories: of all arms.
      arm: the arm.
      z2: square of the number of standard deviations.
    """
    n, z = histories.successes[arm], np.sqrt(z2)
    places = bounds_of_rate(histories.likelihood[arm], z, nodes)
    exposure = histories.exposure_at(arm, places)
    rate_low, rate_high = game.lowest * np.exp2((places - MARGIN) / PER_OCTAVE)
    middle, width = n + 0.5 * z2, z * np.sqrt(n + 0.25 * z2)
    with np.errstate(divide="ignore", invalid="ignore"):
        p_low = np.minimum((middle - width) / exposure[1], 1.0)
        p_high = np.minimum((middle + width) / exposure[0], 1.0)
        worst = np.log(p_low * rate_low)
        best = np.log(p_high * rate_high)
    none = n == 0
    ends = np.log(game.highest)
    return (
        (np.where(none, NOTHING, worst), 1.0 / rate_high),
        (
            np.where(none, ends, best),
            1.0 / np.where(none, game.lowest, rate_low),
        ),
    )


timed = on_one_core(play, warm=200)
