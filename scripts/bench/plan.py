"""What planning a large sweep costs: a million seeds x a thousand points, not played.

Every stage is timed in one process, whose memory is watched from a thread; what the
process held before it began (imports, the compiled environment) is not counted.
"""

import json
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import jax
import numpy as np
import psutil

from jaxbandits.policies.censored import rcucb
from jaxbandits.results.store import sessions
from jaxbandits.settings.censored import poscorr
from jaxbandits.sweeps import Entry, Spec
from jaxbandits.sweeps.blocks import outstanding
from jaxbandits.sweeps.drive import _pilot
from jaxbandits.sweeps.stores import create, enter, fit

POINTS = 1_000


def measure(options) -> list[dict]:
    """Seconds of every stage, peak memory beyond the start, and files at the end."""
    command = [sys.executable, "-m", "scripts.bench.plan", str(options.seeds)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout)


class _Watch:
    """The largest resident memory of this process while it is open."""

    def __enter__(self):
        self.process, self.ended = psutil.Process(), threading.Event()
        self.start = self.peak = self.process.memory_info().rss
        self.thread = threading.Thread(target=self._look)
        self.thread.start()
        return self

    def _look(self):
        while not self.ended.wait(0.005):
            self.peak = max(self.peak, self.process.memory_info().rss)

    def __exit__(self, *error):
        self.ended.set()
        self.thread.join()

    def megabytes(self) -> float:
        return (self.peak - self.start) / 2**20


def _stages(seeds: int) -> list[dict]:
    spec = Spec(
        {"rcucb": Entry(rcucb, {"gain_radius": np.linspace(0.1, 1, POINTS)})},
        {"PosCorr": poscorr()},
        horizon=10_000,
        seeds=seeds,
        checkpoints=[10_000],
    )
    platform = jax.devices()[0].platform
    rows = []

    def timed(stage, function):
        began, busy = time.perf_counter(), time.process_time()
        found = function()
        rows.append(
            {
                "stage": stage,
                "seconds": time.perf_counter() - began,
                "processor_s": time.process_time() - busy,
            }
        )
        return found

    with tempfile.TemporaryDirectory(prefix="jaxbandits-") as folder:
        # The first of all traces and digests, whatever the size.
        small = Path(folder) / "small.zarr"
        create(_pilot(spec._replace(seeds=2))[0], small, None, platform)
        store = Path(folder) / "large.zarr"
        with _Watch() as watch:
            listed = timed("seeds", lambda: _pilot(spec)[0])
            timed("create", lambda: create(listed, store, None, platform))
            plan, larger = timed("fit", lambda: fit(listed, store, False, platform))
            timed("enter", lambda: enter(plan, store, larger))
            who = sessions(store)
            blocks = timed(
                "outstanding", lambda: outstanding(plan, who, who.chunks[-2:])
            )
        files = sum(1 for file in store.rglob("*") if file.is_file())
    total = {x: sum(row[x] for row in rows) for x in ("seconds", "processor_s")}
    return [
        *rows,
        {"stage": "all", **total, "megabytes": watch.megabytes()},
        {"stage": "blocks", "count": len(blocks)},
        {"stage": "files of an empty store", "count": files},
    ]


if __name__ == "__main__":
    print(json.dumps(_stages(int(sys.argv[1]))))
