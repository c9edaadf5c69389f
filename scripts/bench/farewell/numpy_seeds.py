"""The NumPy rival: one array program, vectorised over the seeds, on one core."""

from typing import NamedTuple

import numpy as np

from ..contest import Played, on_one_core
from .game import Game, cumulative_delays, losses, radius_factors, utilities

BLOCK = 256  # epochs whose uniforms are drawn at once


class Runs(NamedTuple):
    """The runs that go on; the last axis is theirs. Pairs are flat, row-major.

    Attributes:
      clock: f64[S].
      sums: f64[3, K D, S], of ones, rewards and times; exact whole numbers.
      parts: f64[3, K D, S], what only a pull of the pair changes: its rate, ``alpha /
        n`` and ``beta / sqrt(n)``.
    """

    clock: np.ndarray
    sums: np.ndarray
    parts: np.ndarray


class Pairs(NamedTuple):
    """What is known of every pair, ``[K D]``, and of its delays, ``[D, K D]``."""

    wait: np.ndarray
    utility: np.ndarray
    alpha: np.ndarray
    beta: np.ndarray
    cumulative: np.ndarray


def play(game: Game, seeds: int, horizon: float, seed: int) -> Played:
    """Play `seeds` runs of Wait-UCB until the time `horizon`."""
    rng = np.random.Generator(np.random.SFC64(seed))
    pairs = _pairs(game)
    sums, parts = np.zeros((2, 3, game.arms * game.waits, seeds))
    runs = Runs(np.zeros(seeds), sums, parts)
    counts = []
    epoch = 0
    while runs.clock.size:
        _play_block(runs, pairs, epoch, horizon, rng)
        epoch += BLOCK
        goes_on = runs.clock < horizon
        if not goes_on.all():
            counts.append(runs.sums[0, :, ~goes_on])
            runs = Runs(*(np.ascontiguousarray(x[..., goes_on]) for x in runs))
    count = np.concatenate(counts)
    return Played(count.sum(axis=1).astype(np.int64), count @ losses(game).ravel())


def _play_block(runs, pairs, start, horizon, rng):
    """Play epochs ``start, ..., start + BLOCK - 1``; changes `runs`."""
    _, num_pairs, seeds = runs.sums.shape
    sums, parts = runs.sums.reshape(-1), runs.parts.reshape(-1)
    rate, linear, root = runs.parts
    # Flat positions of the three entries of every run's first pair, [3, S].
    entries_of_first = np.arange(3)[:, None] * rate.size + np.arange(seeds)
    # From the first pair's, the largest, down to 1.
    codes = np.arange(num_pairs, 0, -1)[:, None]
    codes = codes.astype(np.int8 if num_pairs < 128 else np.int16)
    coded = np.empty(rate.shape, codes.dtype)
    index, part = np.empty((2, num_pairs, seeds))
    largest, tied = np.empty(seeds), np.empty(rate.shape, bool)
    new, new_parts = np.empty((2, 3, seeds))
    uniforms = rng.random((BLOCK, 2, seeds))
    logs = np.log(np.maximum(np.arange(start, start + BLOCK), 1))
    roots = np.sqrt(logs)
    for step in range(BLOCK):
        if start + step < num_pairs:
            pair = np.full(seeds, start + step)
        else:
            np.multiply(linear, logs[step], out=index)
            np.multiply(root, roots[step], out=part)
            np.add(index, part, out=index)
            np.add(index, rate, out=index)
            np.maximum.reduce(index, axis=0, out=largest)
            np.equal(index, largest, out=tied)
            # The first of the largest. NumPy's argmax is slower along either axis.
            np.multiply(tied.view(np.int8), codes, out=coded)
            pair = num_pairs - np.maximum.reduce(coded, axis=0).astype(np.int64)
        for_delay, for_reward = uniforms[step]
        # Comparing with all delays has no branches, which a search would mispredict.
        too_short = pairs.cumulative.take(pair, axis=1) <= for_delay
        delay = np.add.reduce(too_short, axis=0, dtype=np.int16)
        wait = pairs.wait.take(pair)
        reward = for_reward < pairs.utility.take(pair)
        reward &= delay <= wait
        # Delay and wait are positions, one less than the times.
        time = np.minimum(delay, wait)
        time += 1
        np.add(runs.clock, time, out=runs.clock)

        # Of a run that has ended only the count matters, and that stands still.
        np.less_equal(runs.clock, horizon, out=new[0])
        new[1] = reward
        new[2] = time
        entries = pair * seeds + entries_of_first
        np.add(new, sums.take(entries), out=new)
        sums[entries] = new
        count, rewards, times = new
        # A run may have ended before it has pulled every pair.
        np.maximum(count, 1.0, out=count)
        np.divide(rewards, times, out=new_parts[0])
        np.divide(pairs.alpha.take(pair), count, out=new_parts[1])
        np.divide(pairs.beta.take(pair), np.sqrt(count), out=new_parts[2])
        parts[entries] = new_parts


def _pairs(game):
    arm, wait = np.divmod(np.arange(game.arms * game.waits), game.waits)
    alpha, beta = (x[wait] for x in radius_factors(game))
    cumulative = np.ascontiguousarray(cumulative_delays(game)[arm].T)
    return Pairs(wait, utilities(game)[arm], alpha, beta, cumulative)


timed = on_one_core(play, warm=100)
