"""The NumPy rival: one array program, vectorised over the seeds, on one core."""

from typing import NamedTuple

import numpy as np

from ..contest import Played, on_one_core
from .game import COST_FLOOR, LEAST_PULLS, RHO, Game

BLOCK = 256  # rounds whose uniforms are drawn at once


class Runs(NamedTuple):
    """The runs that go on; the last axis is theirs, a leading 2 is reward and cost.

    Attributes:
      money: f64[S], what is left of the budget.
      mean: f64[2, K, S], of the arms.
      count: f64[K, S].
      sums, squares: f64[2, K, S], of what has been observed, and of its squares.
      eta, spread: f64[2, K, S], what only a pull of the arm changes: eta of section
        5.2, and ``2 n mean (1 - mean)``.
      least: f64[K, S], n times the squared mean cost.
    """

    money: np.ndarray
    mean: np.ndarray
    count: np.ndarray
    sums: np.ndarray
    squares: np.ndarray
    eta: np.ndarray
    spread: np.ndarray
    least: np.ndarray


def play(game: Game, seeds: int, horizon: float, seed: int) -> Played:
    """Play `seeds` runs of omega*-UCB until the budget `horizon` is spent."""
    rng = np.random.Generator(np.random.SFC64(seed))
    runs = _start(game.arms, seeds, horizon, rng)
    rounds, regrets = [], []
    start = 1
    # Arms that have cost nothing have the index infinity, and a run may end before it
    # has pulled every arm.
    with np.errstate(divide="ignore", invalid="ignore"):
        while runs.money.size:
            _play_block(runs, start, rng)
            start += BLOCK
            goes_on = runs.money > 0
            if goes_on.all():
                continue
            ended = Runs(*(x[..., ~goes_on] for x in runs))
            rounds.append(ended.count.sum(axis=0))
            regrets.append(_regret(ended))
            runs = Runs(*(np.ascontiguousarray(x[..., goes_on]) for x in runs))
    return Played(np.concatenate(rounds).astype(np.int64), np.concatenate(regrets))


def _start(arms, seeds, horizon, rng):
    """The runs before the first round."""
    mean = rng.random((2, arms, seeds))
    mean[1] = COST_FLOOR + (1 - COST_FLOOR) * mean[1]
    pairs = [np.zeros(mean.shape) for _ in range(4)]
    one, other = np.zeros((2, arms, seeds))
    return Runs(horizon * mean[1].min(axis=0), mean, one, *pairs, other)


def _regret(runs):
    reward, cost = runs.mean
    best = (reward / cost).max(axis=0)
    return (runs.count * (cost * best - reward)).sum(axis=0)


def _play_block(runs, start, rng):
    """Play rounds ``start, ..., start + BLOCK - 1``; changes `runs`."""
    arms, seeds = runs.count.shape
    mean, count, sums, squares, eta, spread, least = (x.reshape(-1) for x in runs[1:])
    both = np.arange(2)[:, None] * count.size  # of an arm's two entries, flat
    positions = np.arange(seeds)
    codes = np.arange(arms, dtype=np.int8 if arms < 128 else np.int16)[:, None]
    coded = np.empty(runs.count.shape, codes.dtype)
    half, bound = np.empty((2, *runs.mean.shape))  # half is z^2 eta / 2
    index, scale = np.empty((2, arms, seeds))
    largest, new_eta = np.empty(seeds), np.empty((2, seeds))
    tied = np.empty((arms, seeds), bool)
    uniforms = rng.random((BLOCK, 2, seeds))
    for step in range(BLOCK):
        t = start + step
        if t <= arms:
            arm = (t - 1) * seeds + positions
        else:
            # Theorem 1: ``upper = bound / (n + 2 half)``, ``lower = least / bound``.
            np.multiply(runs.eta, RHO * np.log(t), out=half)
            np.add(half, runs.spread, out=bound)
            np.multiply(bound, half, out=bound)
            np.sqrt(bound, out=bound)
            np.add(bound, half, out=bound)
            np.add(bound, runs.sums, out=bound)
            np.add(runs.count, half[0], out=scale)
            np.add(scale, half[0], out=scale)
            np.multiply(scale, runs.least, out=scale)
            np.multiply(bound[0], bound[1], out=index)
            np.divide(index, scale, out=index)
            np.maximum.reduce(index, axis=0, out=largest)
            np.equal(index, largest, out=tied)
            if np.count_nonzero(tied) > seeds:
                _break_ties(tied, rng)
            # NumPy's argmax is slower along either axis.
            np.multiply(tied.view(np.int8), codes, out=coded)
            arm = np.maximum.reduce(coded, axis=0).astype(np.int64) * seeds + positions
        side = arm + both
        # A run that has ended stands still.
        goes_on = runs.money > 0
        seen = uniforms[step] < mean.take(side)
        seen &= goes_on
        np.subtract(runs.money, seen[1], out=runs.money)

        n = count.take(arm)
        n += goes_on
        total = sums.take(side)
        total += seen
        square = squares.take(side)
        square += np.square(seen, dtype=float)
        # The variance over its largest value at this mean, both times n^2.
        most = n - total
        most *= total
        trusted = most > 0
        trusted &= n >= LEAST_PULLS
        share = n * square
        share -= np.square(total)
        new_eta.fill(1.0)
        np.divide(share, most, out=new_eta, where=trusted)
        np.minimum(new_eta, 1.0, out=new_eta)
        np.maximum(new_eta, 0.0, out=new_eta)
        count[arm] = n
        sums[side] = total
        squares[side] = square
        eta[side] = new_eta
        most *= 2 / n
        spread[side] = most
        least[arm] = np.square(total[1]) / n


def _break_ties(tied, rng):
    """Leave one arm of every run, at random; changes `tied`, bool[K, S]."""
    columns = np.flatnonzero(np.add.reduce(tied, axis=0, dtype=np.int16) > 1)
    some = tied[:, columns]
    winner = (rng.random(some.shape) * some).argmax(axis=0)
    tied[:, columns] = False
    tied[winner, columns] = True


timed = on_one_core(play, warm=100)
