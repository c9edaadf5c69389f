"""Contestants that play one game, side by side.

A contestant is a function ``timed(game, seeds, horizon, seed) -> Timed | None`` (None,
with a message, where it cannot run here). It warms up and compiles before its clock
starts. Contestants take turns, several times, and the best turn of each counts: on a
shared machine noise only ever slows things down.
"""

import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np


class Played(NamedTuple):
    """What was played.

    Attributes:
      rounds: i64[S], the rounds of every run.
      score: f64[S], a statistic of every run by which contestants are compared in
        distribution; what it is, its game says.
    """

    rounds: np.ndarray
    score: np.ndarray


class Timed(NamedTuple):
    """A turn: what was played, how long it took, on how many cores."""

    played: Played
    seconds: float
    cores: int = 1
    compile_seconds: float = 0.0

    @property
    def rate(self) -> float:
        """Rounds per second, of all runs together."""
        return float(self.played.rounds.sum()) / self.seconds


FIRST_HORIZON = 200
LONGEST_HORIZON = 10_000_000

Contestant = Callable[[Any, int, float, int], Timed | None]


def on_one_core(play: Callable[[Any, int, float, int], Played], warm: float):
    """A contestant that plays in this process: ``play(game, seeds, horizon, seed)``.

    Args:
      play: plays, and returns what it played.
      warm: the horizon of an untimed first call.
    """

    def timed(game, seeds, horizon, seed=1):
        play(game, min(seeds, 4), min(horizon, warm), seed)
        began = time.perf_counter()
        played = play(game, seeds, horizon, seed)
        return Timed(played, time.perf_counter() - began)

    return timed


class Turn(NamedTuple):
    """The best turn of one contestant.

    Attributes:
      name: of the contestant.
      rate: rounds per second, of all runs together.
      cores: what it used.
      compile_seconds: of its first turn.
      horizon: rounds of a run, or its budget.
    """

    name: str
    rate: float
    cores: int
    compile_seconds: float
    horizon: int


def turns(
    contestants: dict[str, Contestant],
    game: Any,
    seeds: int,
    *,
    seconds: float = 1.0,
    repeats: int = 3,
    horizon: int | None = None,
    shortest: int = FIRST_HORIZON,
) -> list[Turn]:
    """Let contestants take turns.

    Args:
      contestants: by name.
      game: what they play.
      seeds: runs at a time.
      seconds: how long a turn should take; each contestant gets a horizon for that.
      repeats: turns of each.
      horizon: the horizon of all, instead of `seconds`.
      shortest: no horizon found is shorter.

    Returns:
      The best turn of each that can run here.
    """
    best: dict[str, Turn] = {}
    for name, timed in contestants.items():
        first = first_turn(name, timed, game, seeds, seconds, horizon, shortest)
        if first is not None:
            best[name] = first
    for repeat in range(repeats):
        for name, before in best.items():
            done = contestants[name](game, seeds, before.horizon, repeat + 1)
            if done is not None and done.rate > before.rate:
                best[name] = before._replace(rate=done.rate)
    return list(best.values())


def first_turn(
    name, timed, game, seeds, seconds, horizon=None, shortest=FIRST_HORIZON
) -> Turn | None:
    """Find a horizon that takes about so many seconds; None if it cannot run here.

    The rate is 0: it is of a run that was too short.
    """
    compiling = 0.0
    trial = horizon or shortest
    while True:
        done = timed(game, seeds, trial, 0)
        if done is None:
            return None
        compiling = max(compiling, done.compile_seconds)
        # The first rounds and short runs are not typical: come closer step by step.
        factor = 1.0 if horizon else min(seconds / done.seconds, 10.0)
        trial = min(max(int(trial * factor), shortest), LONGEST_HORIZON)
        if factor < 2 or trial == LONGEST_HORIZON:
            return Turn(name, 0.0, done.cores, compiling, horizon or trial)


def z_score(mine: Played, other: Played) -> float:
    """Difference of the mean scores, in standard errors."""

    def mean_and_variance(x):
        return x.score.mean(), x.score.var(ddof=1) / len(x.score)

    (mean, variance), (others, other_variance) = map(mean_and_variance, (mine, other))
    return float((mean - others) / max(np.sqrt(variance + other_variance), 1e-12))
