"""Sweeps as programs of their own, to be killed or to work together."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def start(store: Path, cache: Path, *, devices: int = 1, more=(), **variables):
    """Start ``jaxbandits sweep tests/sweeps/walk.py --store STORE``.

    Args:
      store: where to.
      cache: folder of compiled programs, so that a restart is a matter of seconds.
      devices: devices of the process.
      more: further arguments.
      **variables: of the environment; ``WALK_...`` change the sweep.
    """
    return subprocess.Popen(
        [sys.executable, "-m", "jaxbandits.cli", "sweep", "tests/sweeps/walk.py"]
        + ["--store", str(store), *more],
        cwd=ROOT,
        env=os.environ
        | {
            "PYTHONPATH": str(ROOT),
            "JAX_NUM_CPU_DEVICES": str(devices),
            "JAX_COMPILATION_CACHE_DIR": str(cache),
            "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
            **variables,
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finish(process, timeout: float = 120) -> tuple[int, str]:
    """Exit status and what it said on stderr."""
    try:
        _, said = process.communicate(timeout=timeout)
    finally:
        process.kill()
    return process.returncode, said
