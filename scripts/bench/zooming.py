"""z-RCUCB against its NumPy twin, which keeps growing lists of grid points."""

import os
import sys
import time
from pathlib import Path

import numpy as np

HORIZON, CAPACITY, ROUNDS = 100_000, 256, 3_000
# The printed radii would refine nothing in so few rounds.
RADII = {"gain_radius": 0.1, "penalty_radius": 0.02}


def measure(options) -> list[dict]:
    """The library and its twin in turn; the best turn of each."""
    turns = [(_ours(options.seeds), _twin()) for _ in range(options.repeats)]
    ours, twin = (max(turn[i]["rate"] for turn in turns) for i in (0, 1))
    per_core = ours / (os.cpu_count() or 1)
    return [
        {
            "seed_rounds_per_s": ours,
            "twin_rounds_per_s": twin,
            "ratio_per_core": per_core / twin,
            "points": turns[0][0]["points"],
            "points_of_twin": turns[0][1]["points"],
        }
    ]


def _ours(seeds: int) -> dict:
    """Seed-rounds per second of one turn of `simulate`, on Indep (10 arms)."""
    from jaxbandits import Machine, simulate
    from jaxbandits.policies.censored import z_rcucb
    from jaxbandits.settings.censored import ANY, indep

    game = indep(ANY)
    policy = z_rcucb(game.problem, HORIZON, capacity=CAPACITY)
    data = simulate(
        policy,
        game,
        horizon=ROUNDS,
        seeds=seeds,
        grid=RADII,
        checkpoints=[ROUNDS],
        machine=Machine(progress=False),
    )
    rate = seeds * ROUNDS / float(data["run_seconds"].sum())
    return {"rate": rate, "points": float(data["points"].mean())}


def _twin() -> dict:
    """Rounds per second of the twin, one run on one core; its draws are made before."""
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
    from tests.policies.twins import cost, penalty
    from tests.reference.continuum_policies import ZRCUCB

    rng = np.random.default_rng(0)
    failures = np.array([0.2] + 9 * [0.3])
    reward = rng.beta(0.8, failures, (ROUNDS, 10))
    consumption = rng.exponential(1 / (0.8 / (0.8 + failures) + 1), (ROUNDS, 10))
    twin = ZRCUCB(10, 1.0, cost, penalty, horizon=HORIZON, splits=2, **RADII)
    began = time.perf_counter()
    for t in range(1, ROUNDS + 1):
        arm, limit = twin.act(t)
        spent = consumption[t - 1, arm]
        censored = spent > limit
        twin.update(t, arm, limit, reward[t - 1, arm], spent, censored)
    seconds = time.perf_counter() - began
    points = sum(len(twin.playable(i)) for i in range(10))
    return {"rate": ROUNDS / seconds, "points": points}
