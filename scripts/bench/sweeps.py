"""What a sweep costs beside its seeds: many points, many seeds, several devices."""

import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import jax
import numpy as np

from jaxbandits import Machine, sweep
from jaxbandits.policies.censored import rcucb

from .censored.game import Game
from .censored.library import environment

POINTS = {"alpha": np.geomspace(0.25, 4, 8), "gain_radius": np.linspace(0.25, 2, 8)}


def measure(options) -> list[dict]:
    """Seconds, each the best of several turns, peak memories, and their ratios."""
    game = environment(Game())
    policy = rcucb(game.problem)

    def seconds(grid, seeds, devices=None):
        with tempfile.TemporaryDirectory() as folder:
            began = time.perf_counter()
            sweep(
                policy,
                game,
                grid,
                horizon=options.horizon,
                seeds=seeds,
                store=Path(folder) / "sweep.zarr",
                machine=Machine(devices, progress=False),
            )
            return time.perf_counter() - began

    turns = {
        "64 points x 1,024 seeds": lambda: seconds(POINTS, 1_024),
        "1 point x 65,536 seeds": lambda: seconds({"alpha": [1.0]}, 65_536),
        "1 device": lambda: seconds({"alpha": [1.0]}, 16_384, jax.devices()[:1]),
        "all devices": lambda: seconds({"alpha": [1.0]}, 16_384),
    }
    # The first turn compiles.
    rounds = [
        {name: turn() for name, turn in turns.items()}
        for _ in range(options.repeats + 1)
    ]
    best = {name: min(r[name] for r in rounds[1:]) for name in turns}
    peaks = {seeds: _peak(seeds) for seeds in (1_000, 10_000, 100_000)}
    many, one, single, every = best.values()
    rows = [{"what": name, "seconds": value} for name, value in best.items()]
    rows += [
        {"what": f"peak of {seeds:,} seeds", "megabytes": value}
        for seeds, value in peaks.items()
    ]
    return [
        *rows,
        {"what": "points over seeds, time", "ratio": many / one},
        {"what": f"speed of {len(jax.devices())} devices", "ratio": single / every},
        {
            "what": "peaks, largest over smallest",
            "ratio": max(peaks.values()) / min(peaks.values()),
        },
    ]


def _peak(seeds: int) -> float:
    """Peak memory of a process that plays one point on so many seeds, megabytes."""
    command = [sys.executable, "-m", "bench.sweeps", str(seeds)]
    here = Path(__file__).parents[1]
    done = subprocess.run(command, cwd=here, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


if __name__ == "__main__":
    GAME = environment(Game())
    with tempfile.TemporaryDirectory() as out:
        sweep(
            rcucb(GAME.problem),
            GAME,
            {"alpha": [1.0]},
            horizon=200,
            seeds=int(sys.argv[1]),
            store=Path(out) / "sweep.zarr",
        )
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
