"""RCUCB on a censored bandit, 10 arms x 10 limits.

An arm's consumption is exponential, its reward uniform on (0, 1) (simpler than the
paper's instance "Indep", for every contestant alike). A round whose consumption
exceeds the chosen limit is censored: its reward is not seen and it counts as exceeding
every limit (eq. (9) of the paper). The policy is RCUCB with the gain part of the radius
only; the score of a run is the share of its rounds that played the optimal pair.
"""

import ctypes
import functools
import math
import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np

from .contest import Library, Timed, compiled

LIBRARY = Library(
    "censored/rcucb", "horizon", 40_000, "optimal", params={"penalty_radius": 0.0}
)

COST = 0.1
TAUS = np.linspace(0.1, 0.9, 10)
PENALTIES = np.where(TAUS <= 0.5, COST * TAUS, 10.0 * TAUS)  # the paper's fast track
RATES = np.array([1.8] + [0.8 / 1.1 + 1.0] * 9)  # of the consumption
LOWEST = -1e30  # an index; fastmath knows no infinity


def environment():
    """The game as an environment of the library."""
    from jaxbandits import laws
    from jaxbandits.censored import make_environment, running_example

    reward = laws.Uniform(np.zeros(RATES.size), np.ones(RATES.size))
    arms = laws.Product(reward, laws.Exponential(RATES))
    law = laws.product(laws.uniform, laws.exponential)
    return make_environment(
        "benchmark", running_example(RATES.size, TAUS.tolist()), law, arms
    )


_ORACLE = environment().oracle()
BEST = _ORACLE.arm * TAUS.size + _ORACLE.limit  # the optimal pair, row-major


@compiled
def largest(t, estimates, widths, index):
    """The pair of the largest index, one multiply-add each.

    Two passes, of which both are vector code; one with a position is not.
    """
    factor = math.sqrt(2.0 * math.log(t))
    best = LOWEST
    for k in range(index.size):
        index[k] = estimates[k] + factor * widths[k]
        best = max(best, index[k])
    pair = 0
    while index[pair] != best:
        pair += 1
    return pair


@compiled
def play_one(rng, horizon, logs):
    """Play one run; return its rounds and its score.

    It keeps of every pair the estimate and the width without its common factor, and
    renews them of the pulled arm's row.
    """
    arms, limits = RATES.size, TAUS.size
    shape = arms, limits
    counts, exceeded, gains = np.zeros(shape), np.zeros(shape), np.zeros(shape)
    estimates, widths = np.full(counts.size, LOWEST), np.zeros(counts.size)
    index = np.empty(counts.size)
    hits = 0
    for t in range(1, horizon + 1):
        pair = t * limits - 1 if t <= arms else largest(t, estimates, widths, index)
        arm = pair // limits
        limit = pair - arm * limits
        consumption = -math.log1p(-rng.random()) / RATES[arm]
        gain = rng.random() - COST * consumption
        hits += pair == BEST
        seen = 1e30 if consumption > TAUS[limit] else consumption
        for m in range(limits):
            over = 1.0 if seen > TAUS[m] else 0.0
            counted = 1.0 if m <= limit else 0.0
            exceeded[arm, m] += over
            counts[arm, m] += counted
            gains[arm, m] += counted * (1.0 - over) * gain
        for m in range(limits):
            n, k = counts[arm, m], arm * limits + m
            loss = PENALTIES[m] * exceeded[arm, m] / counts[arm, 0]
            estimates[k] = gains[arm, m] / n - loss
            widths[k] = 1.0 / math.sqrt(n)
    return horizon, hits / horizon


FLAGS = (
    "-std=gnu11 -O3 -march=native -ffp-contract=fast -fno-math-errno "
    "-fno-trapping-math -fassociative-math -fno-signed-zeros -ffinite-math-only "
    "-freciprocal-math -shared -fPIC"
)


@functools.cache
def load():
    """``play`` of ``rcucb.c``; None, with a message, if that cannot be compiled."""
    compiler = shutil.which(os.environ.get("CC", "cc"))
    if compiler is None:
        print("C: no compiler found (cc, or what CC names), skipped")
        return None
    source = Path(__file__).with_name("rcucb.c")
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder, "rcucb.so")
        command = [compiler, *FLAGS.split(), "-o", str(made), str(source), "-lm"]
        done = subprocess.run(command, check=False, capture_output=True, text=True)
        if done.returncode:
            print(f"C: {compiler} failed, skipped\n{done.stderr}")
            return None
        return ctypes.CDLL(str(made)).play


def c_seeds(seeds: int, horizon: int, seed: int) -> Timed | None:
    """The C rival: single precision on one core, sixteen runs side by side."""
    play = load()
    if play is None:
        return None
    states = np.random.default_rng(seed).integers(1, 1 << 32, (seeds, 4), np.uint32)
    hits = np.zeros(seeds)
    arrays = (x.ctypes for x in (states, TAUS, PENALTIES, RATES, hits))
    began = time.process_time()
    if play(seeds, horizon, BEST, *arrays):
        raise MemoryError("C: out of memory")
    seconds = time.process_time() - began
    return Timed(np.full(seeds, horizon), hits / horizon, seconds)


OTHERS = {"C, -O3 -march=native": c_seeds}
