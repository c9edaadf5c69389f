"""What importing costs, next to JAX itself: each in processes of its own, in turns."""

import os
import subprocess
import sys
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parents[2]
WHAT = (
    "import jax",
    "import jaxbandits",
    "import jaxbandits.kernels",
    "from jaxbandits.cli.main import parsers; parsers()[0].format_help()",
    "import jaxbandits.registry",
    "from jaxbandits import simulate",
)
# The clock starts after Python has.
TIMED = """
import time
start = time.perf_counter()
{}
print(time.perf_counter() - start)
"""


def measure(options):
    """Seconds of an import and its ratio to ``import jax``: medians of all turns."""
    turns = [[*map(_seconds, WHAT)] for _ in range(options.repeats + 1)]
    # The first one writes what Python keeps compiled.
    medians = [*map(median, zip(*turns[1:], strict=True))]
    for what, seconds in zip(WHAT, medians, strict=True):
        yield {"import": what, "seconds": seconds, "of jax": seconds / medians[0]}


def _seconds(what):
    command = [sys.executable, "-c", TIMED.format(what)]
    # Users set no number of devices, and scripts/bench.py does.
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    del environment["JAX_NUM_CPU_DEVICES"]
    done = subprocess.run(
        command, env=environment, check=True, capture_output=True, text=True
    )
    return float(done.stdout)
