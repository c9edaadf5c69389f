"""Solves per second of the allocation problem's solvers, beside SciPy's SLSQP.

Ours on all cores, in batches that fit into the cache and take milliseconds; of half a
second of turns per repeat the best counts. SLSQP, on one core, solves 30 problems; of
each the best repeat counts.
"""

import os

# SciPy's matrices are small, and more threads slow it down. Set before NumPy is loaded.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import time
from functools import partial

import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from jaxbandits.experiments.allocation.cases import CASES
from jaxbandits.experiments.allocation.outsider import OUTSIDER, slsqp
from jaxbandits.experiments.allocation.problems import simulated

SIMULATED = CASES["exponential, K = 10"]
QUIZ = CASES["Weibull, k > 1, K = 20"]
CONCAVE = {"closed form": 4_000, "bisection": 4_000, "projected gradient": 500}
SIGMOID = {"sigmoid prefix": 500, "sigmoid filling": 20, "projected gradient": 500}
# Problem, its class, how it is drawn, and how many problems each solver gets.
CONTESTS = (
    ("exponential, K = 10", SIMULATED, simulated, CONCAVE),
    ("exponential, K = 20", SIMULATED, partial(simulated, num_arms=20), CONCAVE),
    ("Weibull, k > 1, K = 20", QUIZ, QUIZ.draw, SIGMOID),
)


def measure(options) -> list[dict]:
    """Rows ``{problem, solver, solves_per_s, times_slsqp}``."""
    rows = []
    for title, case, draw, sizes in CONTESTS:
        rates = {
            name: _solves_per_s(case.solvers[name].solve, draw(size), options.repeats)
            for name, size in sizes.items()
        }
        turns = [slsqp(case, draw(30))[1] for _ in range(options.repeats)]
        rates[OUTSIDER] = 1 / float(np.mean(np.min(turns, axis=0)))
        rows += [
            {
                "problem": title,
                "solver": name,
                "solves_per_s": rate,
                "times_slsqp": rate / rates[OUTSIDER],
            }
            for name, rate in rates.items()
        ]
    return rows


def _solves_per_s(solve, batch, repeats: int) -> float:
    """Of a batch that is shared out to all devices, float32, compiled before."""
    devices = np.array(jax.devices())
    shared = NamedSharding(Mesh(devices, ("problem",)), PartitionSpec("problem"))
    size = len(batch.budget) // devices.size * devices.size
    columns = [jax.device_put(x[:size].astype(np.float32), shared) for x in batch]
    run = jax.jit(jax.vmap(solve))
    jax.block_until_ready(run(*columns))
    best = float("inf")
    end = time.perf_counter() + 0.5 * repeats
    while best == float("inf") or time.perf_counter() < end:
        began = time.perf_counter()
        jax.block_until_ready(run(*columns))
        best = min(best, time.perf_counter() - began)
    return size / best
