"""The least regret of any consistent policy, to first order, with censored consumption.

Graves & Lai (1997), "Asymptotically efficient adaptive choice of control laws in
controlled Markov chains", for the game of Bengs & Hüllermeier (2022). A policy is
consistent if on every instance its regret is ``o(T^a)`` for all ``a > 0``. Then its
regret is at least ``(c + o(1)) log T``, where c is the least ``sum_{i,j} N_{i,j}
Delta_{i,j}`` of pulls N (in units of log T) that tell the instance from every other one
that has another best pair and looks the same under the best pair's feedback.

The instances are arms with any chances of the cells ``(tau_{j-1}, tau_j]`` of
consumption; what a round in a cell gains on average is known. That makes the game
easier, so the bound holds for policies that have to learn the gains too.
"""

from typing import NamedTuple

import numpy as np
from scipy.optimize import linprog, minimize
from scipy.special import rel_entr

from jaxbandits.checks import (
    Numbers,
    finite,
    in_unit_interval,
    non_negative,
    numbers,
    shaped,
)
from jaxbandits.theory.plain import plain_numbers

_TIE = 1e-9  # gaps below are none, as in `settings.censored.exact_oracle`
_MASS = 1e-12  # chances below are none
_CLOSE = 1e-3  # of a rival's information, which is to be 1
_ROUNDS = 200  # of new rivals


class LowerBound(NamedTuple):
    """What `lower_bound` finds.

    Attributes:
      constant: c, regret per log T.
      pulls: f64[K, M], the pulls of suboptimal pairs per log T that attain it.
    """

    constant: float
    pulls: np.ndarray


@plain_numbers
def lower_bound(below: Numbers, values: Numbers, penalties: Numbers) -> LowerBound:
    """The constant of Graves & Lai in the game with censored consumption.

    A semi-infinite linear program, solved from below: as many rivals as have been found
    are told apart at the least cost, then those are added that these pulls do not tell
    apart. Whatever the rivals, the bound is valid.

    Args:
      below: f64[K, M], P(C <= tau), limits ascending: ``1 - oracle().censoring``.
      values: f64[K, M], nu, eq. (2): ``oracle().values``.
      penalties: f64[M], lambda: ``problem.penalties()``.

    Returns:
      A `LowerBound`; 0 where a single arm's pulls at the best limit show everything.

    Raises:
      ValueError: if an argument is out of its range, the shapes do not fit, or chances
        fall from one limit to the next.
    """
    below, values = numbers("below", below, 2), numbers("values", values, 2)
    penalties = numbers("penalties", penalties, 1)
    if below.size == 0:
        raise ValueError("below must have an arm and a limit at least")
    in_unit_interval(below=below)
    finite(values=values)
    non_negative(penalties=penalties)
    arms, limits = map(str, below.shape)
    shaped(f"{arms} {limits}", values=values)
    shaped(limits, penalties=penalties)
    if np.any(np.diff(below, axis=1) < 0):
        raise ValueError("below must not fall from one limit to the next")
    best = values.max()
    found = [_arm(b, v, penalties, best) for b, v in zip(below, values, strict=True)]
    return LowerBound(
        sum(a.constant for a in found), np.stack([a.pulls for a in found])
    )


def _arm(
    below: np.ndarray, values: np.ndarray, penalties: np.ndarray, best: float
) -> LowerBound:
    """One arm's part: rivals in which it alone is another. ``[M]``."""
    size = len(values)
    gaps = best - values
    # Up to its longest optimal limit it is pulled, and seen, all the time.
    free = 1 + int(max(np.flatnonzero(gaps < _TIE), default=-1))
    chances = np.append(np.diff(below, prepend=0.0), 1 - below[-1])
    gained = np.diff(values + penalties * (1 - below), prepend=0.0)
    cells = np.where(chances > _MASS, chances, 0.0)
    gain = np.divide(gained, cells[:-1], out=np.zeros(size), where=cells[:-1] > 0)
    open_ = [
        rival
        for limit in range(free, size)
        if (rival := _Rivals.of(cells, gain, penalties[limit], limit, free, best))
    ]
    rows: list[np.ndarray] = []
    pulls = np.zeros(size)
    cost = gaps[free:]
    for _ in range(_ROUNDS):
        found = [rivals.nearest(pulls) for rivals in open_]
        new = [row for row in found if row @ pulls < 1 - _CLOSE]
        if not new:
            break
        rows += new
        table = np.stack(rows)[:, free:]
        solved = linprog(cost, A_ub=-table, b_ub=-np.ones(len(rows)))
        pulls = np.append(np.zeros(free), solved.x)
    return LowerBound(float(cost @ pulls[free:]), pulls)


class _Rivals(NamedTuple):
    """Other chances of an arm's cells with which one of its limits would be best.

    Attributes:
      cells: f64[M + 1], the arm's chances; the last one is of exceeding all limits.
      worth: f64[M + 1], what a round in a cell is worth under that limit.
      kept: bool[M + 1], cells whose chances cannot be others: seen all the time, or
        empty.
      best: what the limit is to be worth.
    """

    cells: np.ndarray
    worth: np.ndarray
    kept: np.ndarray
    best: float

    @classmethod
    def of(
        cls,
        cells: np.ndarray,
        gain: np.ndarray,
        penalty: float,
        limit: int,
        free: int,
        best: float,
    ) -> "_Rivals | None":
        """None if the limit cannot be made the best one."""
        within = np.arange(len(cells)) <= limit
        worth = np.where(within, np.append(gain, 0.0), -penalty)
        kept = (np.arange(len(cells)) < free) | (cells == 0)
        found = cls(cells, worth, kept, best)
        return found if found.best_mix() @ worth > best + _TIE else None

    def best_mix(self) -> np.ndarray:
        """All that may move in the cell that is worth most."""
        mix = np.where(self.kept, self.cells, 0.0)
        most = np.argmax(np.where(self.kept, -np.inf, self.worth))
        mix[most] += 1 - mix.sum()
        return mix

    def information(self, mix: np.ndarray) -> np.ndarray:
        """Divergence that a pull at each limit shows, f64[M]."""
        there = self.cells > 0
        mix = np.where(there, np.maximum(mix, _MASS), 0.0)
        seen = np.cumsum(rel_entr(self.cells, mix))[:-1]
        beyond = (_beyond(each) for each in (self.cells, mix))
        return seen + rel_entr(*beyond)

    def nearest(self, pulls: np.ndarray) -> np.ndarray:
        """Information about the rival that these pulls tell apart least."""
        weights = pulls / max(pulls.sum(), 1.0) if pulls.any() else np.ones(len(pulls))
        moves = np.flatnonzero(~self.kept)
        base = np.where(self.kept, self.cells, 0.0)

        def filled(part: np.ndarray) -> np.ndarray:
            mix = base.copy()
            mix[moves] = part
            return mix

        def objective(part: np.ndarray) -> tuple[float, np.ndarray]:
            mix = filled(part)
            reach = np.append(np.cumsum(weights[::-1])[::-1], 0.0)  # that see a cell
            seen = reach * self.cells / np.maximum(mix, _MASS)
            beyond = weights * _beyond(self.cells) / np.maximum(_beyond(mix), _MASS)
            slope = -seen - np.append(0.0, np.cumsum(beyond))
            return weights @ self.information(mix), slope[moves]

        mass = 1 - base.sum()
        top = self.best_mix()
        start = _reaching(self.cells, top, self.worth, self.best)[moves]
        solved = minimize(
            objective,
            start,
            jac=True,
            method="SLSQP",
            bounds=[(_MASS, 1.0)] * len(moves),
            constraints=[
                {"type": "eq", "fun": lambda q: q.sum() - mass, "jac": np.ones_like},
                {
                    "type": "ineq",
                    "fun": lambda q: self.worth @ filled(q) - self.best,
                    "jac": lambda q: self.worth[moves],
                },
            ],
            options={"ftol": 1e-12, "maxiter": 300},
        )
        part = np.maximum(solved.x, 0.0)
        mix = filled(part * mass / part.sum())
        return self.information(_reaching(mix, top, self.worth, self.best))


def _beyond(mix: np.ndarray) -> np.ndarray:
    """Chance of exceeding each limit, f64[M]."""
    return np.cumsum(mix[:0:-1])[::-1]


def _reaching(
    mix: np.ndarray, top: np.ndarray, worth: np.ndarray, best: float
) -> np.ndarray:
    """The mixture, moved towards `top` as far as `best` demands."""
    short = best - worth @ mix
    if short <= 0:
        return mix
    return mix + (top - mix) * min(1.0, short / (worth @ (top - mix)))
