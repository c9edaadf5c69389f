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
`of_symbols` takes cells apart, by what they gain, and is used for the game of Sharoff,
Mehta & Ganti (2020) as well (theory/least-waiting-regret.md).
"""

from typing import Annotated, Any, NamedTuple

import numpy as np
from scipy.optimize import linprog
from scipy.special import rel_entr

from jaxbandits_studies.theory.domains import (
    Finite,
    NonNegative,
    Numbers,
    OfLimits,
    Share,
    Table,
    domains,
)

OfSymbols = Annotated[Numbers, "K S"]
_TIE = 1e-9  # gaps below are none, as in `censored.exact_oracle`
_MASS = 1e-12  # chances below are none
_CLOSE = 1e-3  # of a rival's information, which is to be 1
_ROUNDS = 200  # of new rivals
_BARRIERS = 10.0 ** -np.arange(0, 7)
_STEPS = 50  # of Newton's method, per barrier
_NEWTON = 1e-2  # of the barrier, which a step must gain


class LowerBound(NamedTuple):
    """What `lower_bound` finds.

    Attributes:
      constant: c, regret per log T.
      pulls: f64[K, M], the pulls of suboptimal pairs per log T that attain it.
    """

    constant: float
    pulls: np.ndarray


@domains
def lower_bound(
    below: Share[Table], values: Finite[Table], penalties: NonNegative[OfLimits]
) -> LowerBound:
    """The constant of Graves & Lai in the game with censored consumption.

    A semi-infinite linear program, solved from below: as many rivals as have been found
    are told apart at the least cost, then those are added that these pulls do not tell
    apart. Whatever the rivals, the bound is valid.

    Args:
      below: f64[K, M] in [0, 1], P(C <= tau), limits ascending: ``1 -
        oracle().censoring``.
      values: f64[K, M], nu, eq. (2): ``oracle().values``.
      penalties: f64[M] >= 0, lambda: ``problem.penalties()``.

    Returns:
      A `LowerBound`; 0 where a single arm's pulls at the best limit show everything.
    """
    if np.any(np.diff(below, axis=1) < 0):
        raise ValueError("below must not fall from one limit to the next")
    chances = np.diff(below, axis=1, prepend=0.0, append=1.0)
    gained = np.diff(values + penalties * (1 - below), axis=1, prepend=0.0)
    seen = np.arange(chances.shape[1])
    results = []
    for p, v in zip(chances, gained, strict=True):
        # Of what never happens nothing is known, and rivals have none of it either.
        there = p > _MASS
        gains = np.append(v, 0.0)[there] / p[there]
        results.append(_arm(p[there], seen[there], gains, penalties, values.max()))
    return _together(results)


@domains
def of_symbols(
    chances: Share[OfSymbols],
    seen: Annotated[Numbers, "S"],
    gains: Finite[OfSymbols],
    penalties: NonNegative[OfLimits],
) -> LowerBound:
    """The constant where a round shows one of finitely many symbols, or nothing.

    `lower_bound` with several symbols to a cell, as the gain of a round. Rivals may
    have any chances, and also those symbols whose chance is 0.

    Args:
      chances: f64[K, S] in [0, 1], of the symbols; what is left to 1 is of none.
      seen: [S], position in 0, ..., M - 1 of the shortest limit that shows a symbol.
      gains: f64[K, S], what a round that shows it is worth on average.
      penalties: f64[M] >= 0, what a round that shows nothing loses.
    """
    if not np.isin(seen, np.arange(penalties.size)).all():
        raise ValueError(f"seen must be positions of {penalties.size} limits")
    nothing = 1 - chances.sum(axis=1, keepdims=True)
    if np.any(nothing < -1e-9):
        raise ValueError("chances must not sum to more than 1")
    chances = np.append(chances, np.maximum(nothing, 0.0), axis=1)
    gains = np.append(gains, np.zeros_like(nothing), axis=1)
    seen = np.append(seen, penalties.size)
    arms = [(p, seen, v, penalties) for p, v in zip(chances, gains, strict=True)]
    best = max(np.max(_worth(*arm[1:]) @ arm[0]) for arm in arms)
    return _together([_arm(*arm, best) for arm in arms])


def _together(results: list[LowerBound]) -> LowerBound:
    """Of all arms: a rival differs in one of them."""
    return LowerBound(
        sum(a.constant for a in results), np.stack([a.pulls for a in results])
    )


def _within(seen: np.ndarray, size: int) -> np.ndarray:
    """Whether a limit shows a symbol, bool[M, S]."""
    return seen <= np.arange(size)[:, None]


def _worth(seen: np.ndarray, gains: np.ndarray, penalties: np.ndarray) -> np.ndarray:
    """What a symbol is worth under a limit, f64[M, S]."""
    return np.where(_within(seen, penalties.size), gains, -penalties[:, None])


def _arm(
    cells: np.ndarray,
    seen: np.ndarray,
    gains: np.ndarray,
    penalties: np.ndarray,
    best: float,
) -> LowerBound:
    """One arm's part: rivals in which it alone is another. Cells or symbols ``[S]``."""
    within, worth = _within(seen, penalties.size), _worth(seen, gains, penalties)
    gaps = best - worth @ cells
    # Up to its longest optimal limit it is pulled, and seen, all the time.
    free = 1 + int(max(np.flatnonzero(gaps < _TIE), default=-1))
    kept = seen < free
    open_ = [
        rival
        for each in worth[free:]
        if (rival := _Rivals.of(cells, within, each, kept, best))
    ]
    rows: list[np.ndarray] = []
    pulls = np.zeros(penalties.size)
    cost = gaps[free:]
    for _ in range(_ROUNDS):
        results = [rivals.nearest(pulls) for rivals in open_]
        new = [row for row in results if row @ pulls < 1 - _CLOSE]
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
      cells: f64[S], the arm's chances, with that of exceeding all limits.
      within: bool[M, S], whether a limit shows a cell.
      worth: f64[S], what a round in a cell is worth under the rival's limit.
      kept: bool[S], cells whose chances cannot be others: seen all the time.
      best: what the limit is to be worth.
    """

    cells: np.ndarray
    within: np.ndarray
    worth: np.ndarray
    kept: np.ndarray
    best: float

    @classmethod
    def of(cls, *fields: Any) -> "_Rivals | None":
        """None if the limit cannot be made the best one."""
        results = cls(*fields)
        return (
            results
            if results.best_mix() @ results.worth > results.best + _TIE
            else None
        )

    def best_mix(self) -> np.ndarray:
        """All that may move in the cell that is worth most."""
        mix = np.where(self.kept, self.cells, 0.0)
        most = np.argmax(np.where(self.kept, -np.inf, self.worth))
        mix[most] += 1 - mix.sum()
        return mix

    def information(self, mix: np.ndarray) -> np.ndarray:
        """Divergence that a pull at each limit shows, f64[M]."""
        mix = np.maximum(mix, _MASS)
        seen = self.within @ rel_entr(self.cells, mix)
        return seen + rel_entr(~self.within @ self.cells, ~self.within @ mix)

    def nearest(self, pulls: np.ndarray) -> np.ndarray:
        """Information about the rival that these pulls tell apart least.

        It minimises ``- a @ log(q) - b @ log(Q)``, Q what is beyond a limit, where the
        rival is worth as much as the best. By Newton's method in the interior, with a
        barrier ``- mu sum(log(q))`` that is lowered.
        """
        weights = pulls if pulls.any() else np.ones_like(pulls)
        moves, top = ~self.kept, self.best_mix()
        out = 1.0 - self.within
        a = (weights @ self.within * self.cells)[moves]
        b = weights * (out @ self.cells)
        mix = self.start(top)

        def barred(mix: np.ndarray, mu: float) -> float:
            """What is minimised, with the barrier."""
            if mix[moves].min() <= 0:
                return np.inf
            rest = np.where(b > 0, out @ mix, 1.0)
            return -(a + mu) @ np.log(mix[moves]) - b @ np.log(rest)

        for mu in _BARRIERS:
            for _ in range(_STEPS):
                # Steps as shares of q, over the root of their curvature.
                share = mix[moves] / np.sqrt(a + mu)
                rest = np.where(b > 0, out @ mix, 1.0)
                shown = out[:, moves] * share / rest[:, None]
                slope = -np.sqrt(a + mu) - b @ shown
                bent = np.eye(len(share)) + (shown.T * b) @ shown
                held = share * np.stack([np.ones_like(share), self.worth[moves]])
                solved = np.linalg.solve(bent, np.vstack([slope, held]).T).T
                along = np.linalg.lstsq(held @ solved[1:].T, held @ solved[0])[0]
                step = along @ solved[1:] - solved[0]
                fall = -(slope @ step)
                if fall < _NEWTON * mu:
                    break
                move = np.zeros_like(mix)
                move[moves] = share * step
                before, part = barred(mix, mu), 1.0
                while barred(mix + part * move, mu) > before - part * fall / 4:
                    part /= 2
                mix = mix + part * move
        return self.information(_reaching(mix, top, self.worth, self.best))

    def start(self, top: np.ndarray) -> np.ndarray:
        """Something of everything that may move, and worth as much as the best."""
        moves = ~self.kept
        even = np.where(moves, self.cells[moves].sum() / moves.sum(), self.cells)
        short = self.best - self.worth @ self.cells
        more = self.worth @ (even - self.cells)
        some = self.cells + (even - self.cells) * short / (2 * max(more, short))
        return _reaching(some, top, self.worth, self.best)


def _reaching(
    mix: np.ndarray, top: np.ndarray, worth: np.ndarray, best: float
) -> np.ndarray:
    """The mixture, moved towards `top` as far as `best` demands."""
    short = best - worth @ mix
    if short <= 0:
        return mix
    return mix + (top - mix) * min(1.0, short / (worth @ (top - mix)))
