"""Moments of many recorded runs: a store that is written here, read block by block.

The store is of the library's own writer, a thousand points of made-up numbers; another
process reads it, whose peak memory counts.
"""

import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import xarray as xr

from jaxbandits import stats
from jaxbandits.results import open_store
from jaxbandits.results.layout import Place
from jaxbandits.results.store import create_store, write_block

POINTS = 1_000
SEEDS_OF_A_BLOCK = 50_000


def measure(options) -> list[dict]:
    """Seconds and peak memory of a mean with its interval, of so many seeds."""
    with tempfile.TemporaryDirectory(prefix="jaxbandits-") as folder:
        store = Path(folder) / "large.zarr"
        began = time.perf_counter()
        means = _write(store, options.seeds)
        rows = [{"what": "written", "seconds": time.perf_counter() - began}]
        size = sum(f.stat().st_size for f in store.rglob("*") if f.is_file())
        rows[0] |= {"runs": POINTS * options.seeds, "megabytes": size / 2**20}
        command = [sys.executable, "-m", "scripts.bench.moments", str(store)]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
        found = json.loads(done.stdout)
    worst = float(np.abs(np.array(found.pop("means")) - means).max())
    return [*rows, {"what": "interval", **found, "error_of_means": worst}]


def _write(store: Path, seeds: int) -> np.ndarray:
    """A store of exponential numbers; their means."""
    axes = xr.Dataset(
        coords={
            "environment": ["made up"],
            "policy": ["one"],
            "params": np.arange(POINTS),
            "seed": np.arange(seeds),
            "checkpoint": [1],
        }
    )
    create_store(store, axes, {"regret": ()}, (1, SEEDS_OF_A_BLOCK), {})
    rng, sums = np.random.default_rng(0), np.zeros(POINTS)
    for point in range(POINTS):
        for first in range(0, seeds, SEEDS_OF_A_BLOCK):
            seed = slice(first, min(first + SEEDS_OF_A_BLOCK, seeds))
            regret = rng.exponential(size=(1, seed.stop - first, 1))
            sums[point] += regret.sum()
            values = {"regret": regret, "rounds": np.ones(regret.shape)}
            write_block(store, Place(0, 0, slice(point, point + 1), seed), values, 1)
    return sums / seeds


def _read(store: str) -> dict:
    start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    began, busy = time.perf_counter(), time.process_time()
    found = stats.interval(open_store(store, chunks={}), "regret")
    return {
        "seconds": time.perf_counter() - began,
        "processor_s": time.process_time() - busy,
        "megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10,
        "megabytes_before": start / 2**10,
        "means": found.mean.values.ravel().tolist(),
    }


if __name__ == "__main__":
    print(json.dumps(_read(sys.argv[1])))
