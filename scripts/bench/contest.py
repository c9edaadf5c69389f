"""Contestants that play one game, side by side.

A contestant is a function ``timed(seeds, horizon, seed) -> Timed | None`` (None, with a
message, where it cannot run here). It warms up and compiles before its clock starts.
"""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from jaxbandits.engine import devices

try:
    import numba
except ImportError:
    numba = None

SHORT = 200  # the longest horizon of an untimed call


class Timed(NamedTuple):
    """A turn: what was played, by how many cores, in how many seconds of each.

    Seconds are of processors: what else a machine does is not counted.

    Attributes:
      rounds: f64[S], the rounds of every run.
      score: f64[S], a statistic of every run by which contestants are compared in
        distribution; what it is, its game says.
    """

    rounds: np.ndarray
    score: np.ndarray
    seconds: float
    cores: int = 1
    compile_seconds: float = 0.0

    @property
    def rate(self) -> float:
        """Rounds per second, of all runs together."""
        return float(self.rounds.sum()) / self.seconds


Contestant = Callable[[int, int, int], Timed | None]


class Library(NamedTuple):
    """What the library plays: fields of a setting's module, of this name.

    Attributes:
      policy: name in the registry.
      end: what of `simulate` the horizon is, ``"horizon"`` or ``"budget"``.
      horizon: at which 512 seeds take about a second.
      score: the metric that is the score.
      rounds: the metric that counts rounds; None if the horizon does.
      params: of the policy, those that are not default.
    """

    policy: str
    end: str
    horizon: int
    score: str
    rounds: str | None = None
    params: dict[str, float] = {}


def library(setting) -> Contestant:
    """jaxbandits itself, on all devices."""

    def timed(seeds, horizon, seed):
        import jax

        from jaxbandits import Machine, simulate
        from jaxbandits.registry import POLICIES

        what, game = setting.LIBRARY, setting.environment()
        policy = POLICIES[what.policy](game.problem, **what.params)
        how = {"seeds": seeds, "root_seed": seed, "machine": Machine(progress=False)}

        def played(end):
            began = time.process_time()
            data = simulate(policy, game, **{what.end: end}, checkpoints=[end], **how)
            return data, time.process_time() - began

        # A game that has hardly begun compiles, and then shows what setting up takes.
        (first, _), (_, before), (data, took) = map(played, (1, 1, horizon))
        rounds = data[what.rounds].values if what.rounds else np.full(seeds, horizon)
        score, cores = data[what.score].values.ravel(), len(jax.local_devices())
        compiling = float(first["compile_seconds"].sum())
        seconds = max(took - before, 1e-3) / cores
        return Timed(rounds.ravel(), score, seconds, cores, compiling)

    return timed


def compiled(function):
    """The function by Numba, which plays without Python's lock; as it is without it."""
    if numba is None:
        return function
    options = {"fastmath": True, "error_model": "numpy", "nogil": True, "cache": True}
    return numba.njit(**options)(function)


def loop(setting) -> Contestant:
    """The Numba loop of a setting's module, one seed after the other, on every core."""

    def timed(seeds, horizon, seed):
        if numba is None:
            print("Numba: not installed (pip install -e '.[bench]'), skipped")
            return None
        cores = min(devices.cores(), seeds)
        # Runs of different seeds do not overlap below a million of them.
        numbers = np.array_split(seed * 1_000_003 + np.arange(seeds), cores)
        play_block(setting, [0], min(horizon, SHORT))
        with ThreadPoolExecutor(cores) as pool:
            done = pool.map(lambda block: play_block(setting, block, horizon), numbers)
            rounds, scores, seconds, *_ = zip(*done, strict=True)
        rounds, scores = np.concatenate(rounds), np.concatenate(scores)
        return Timed(rounds, scores, sum(seconds) / cores, cores)

    return timed


def play_block(setting, numbers, horizon: int) -> Timed:
    """Play runs by the loop of a module in this thread, each by the seed of its number.

    Its ``play_one(rng, horizon, logs)`` returns the rounds and the score of a run. What
    all runs share are log t and its root for t up to the horizon, f64[2, horizon + 1].
    """
    logs = np.log(np.maximum(np.arange(horizon + 1), 1))
    logs = np.stack([logs, np.sqrt(logs)])
    runs, began = [], time.thread_time()
    for number in numbers:
        rng = np.random.Generator(np.random.SFC64(int(number)))
        runs.append(setting.play_one(rng, horizon, logs))
    return Timed(*np.array(runs, float).T, time.thread_time() - began)


def best_turns(
    contestants: dict[str, Contestant], seeds: int, horizon: int, turns: int
) -> dict[str, Timed]:
    """Let contestants take turns, several times.

    Returns:
      The best turn of each that can run here (its `compile_seconds`: of the first one):
      on a shared machine noise only ever slows things down.
    """
    best: dict[str, Timed] = {}
    for turn in range(turns):
        for name, timed in contestants.items():
            done = timed(seeds, horizon, turn)
            if done is None:
                continue
            before = best.get(name, done)
            if turn == 0 or done.rate > before.rate:
                best[name] = done._replace(compile_seconds=before.compile_seconds)
    return best


def z_score(mine: Timed, other: Timed) -> float:
    """Difference of the mean scores, in standard errors."""
    from scipy.stats import ttest_ind

    return float(ttest_ind(mine.score, other.score, equal_var=False).statistic)
