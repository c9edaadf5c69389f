"""Sweeps as programs of their own, to be killed or to work together."""

import os
import subprocess
import sys
import time
from pathlib import Path

from jaxbandits.store.block_store import BlockStore
from tests.programs import CACHE

ROOT = Path(__file__).resolve().parents[2]
WALK = "tests/simulation/walk.py"
# A shell may have told its jobs in the background to ignore Ctrl-C.
MAIN = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
from jaxbandits.cli.main import main
sys.exit(main())
"""


def start(store: Path, *, cache="", spec=WALK, devices: int = 1, more=(), **variables):
    """Start ``jaxbandits sweep SPEC --store STORE``, with `more` arguments.

    Programs are kept in `cache`, by default the caller's. Of the environment's
    `variables` those of ``WALK_...`` change the sweep; None removes one.
    """
    variables = {
        "PYTHONPATH": str(ROOT),
        "JAX_NUM_CPU_DEVICES": str(devices),
        "JAX_COMPILATION_CACHE_DIR": str(cache or os.environ.get(CACHE, "")),
        "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
        # JAX 0.10.0 logs an error for every program of the cache: the pipe was full.
        "TF_CPP_MIN_LOG_LEVEL": "3",
        **variables,
    }
    return subprocess.Popen(
        [sys.executable, "-c", MAIN, "sweep", str(spec)]
        + ["--store", str(store), *more],
        cwd=ROOT,
        env={k: v for k, v in (os.environ | variables).items() if v is not None},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def wait_for_runs(
    process, store: Path, runs: int, timeout: float = 300, every: float = 0.05
) -> bool:
    """Wait until a store has so many complete runs; false if the time is over before.

    It is an error if the process ends.
    """
    deadline = time.monotonic() + timeout
    while time.monotonic() < deadline:
        if is_made(store):
            held, there = BlockStore(store), BlockStore(store).played()
            if sum(x.size for x in held.blocks() if x.key in there) >= runs:
                return True
        assert process.poll() is None, finish(process, 1)
        time.sleep(every)
    return False


def is_made(store: Path) -> bool:
    """Whether there is a store."""
    return BlockStore(store).exists()


def finish(process, timeout: float = 120) -> tuple[int, str]:
    """Exit status and what it said on stderr."""
    try:
        _, said = process.communicate(timeout=timeout)
    finally:
        process.kill()
    return process.returncode, said
