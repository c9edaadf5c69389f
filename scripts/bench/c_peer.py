"""The C rival: hand-tuned single-precision code on one core (``c_peer.c``)."""

import ctypes
import functools
import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np

from .game import ARMS, COST, LIMIT_COUNT, LIMITS, PENALTIES, RATES, optimal_shares

SOURCE = Path(__file__).with_name("c_peer.c")
FLAGS = (
    "-std=gnu11 -O3 -march=native -ffp-contract=fast -fno-math-errno "
    "-fno-trapping-math -fassociative-math -fno-signed-zeros -ffinite-math-only "
    "-freciprocal-math -shared -fPIC"
)
MAX_HORIZON = 1 << 24


@functools.cache
def load(defines=()):
    """Compile the C source and return its function, or None with a message.

    Args:
        defines: further compiler arguments, a tuple such as
            ``("-DREAL=double",)``.
    """
    candidates = (os.environ.get("CC"), "gcc", "clang", "cc")
    compiler = next(filter(None, (shutil.which(c) for c in candidates if c)), None)
    if compiler is None:
        print("C peer: no C compiler found (gcc, clang, cc), skipped")
        return None
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder, "c_peer.so")
        options = [*FLAGS.split(), *defines, "-o", str(library)]
        command = [compiler, *options, str(SOURCE), "-lm"]
        done = subprocess.run(command, check=False, capture_output=True, text=True)
        if done.returncode:
            print(f"C peer: {compiler} failed, skipped\n{done.stderr}")
            return None
        function = ctypes.CDLL(str(library)).play
    doubles = np.ctypeslib.ndpointer(np.float64, flags="C")
    function.restype = ctypes.c_int
    function.argtypes = [
        ctypes.c_long,
        ctypes.c_long,
        ctypes.c_uint64,
        ctypes.c_double,
        doubles,
        doubles,
        doubles,
        ctypes.c_double,
        np.ctypeslib.ndpointer(np.int64, flags="C"),
    ]
    return function


def play(seeds, horizon, penalty_radius=0.0, seed=0, defines=()):
    """Play ``seeds`` independent runs of RCUCB.

    Args:
        seeds: number of independent runs.
        horizon: number of rounds, less than 2**24.
        penalty_radius: factor of the penalty part of the radius.
        seed: seed of the random number generators.
        defines: further compiler arguments (see :func:`load`).

    Returns:
        The pulls, integers of shape ``[seeds, K, M]``; None, with a message,
        if there is no compiler.
    """
    if horizon >= MAX_HORIZON:
        raise ValueError(f"horizon must be less than {MAX_HORIZON}, got {horizon}")
    function = load(defines)
    if function is None:
        return None
    pulls = np.zeros((seeds, ARMS, LIMIT_COUNT), np.int64)
    setting = (float(penalty_radius), LIMITS, PENALTIES, RATES, COST)
    if function(seeds, horizon, seed, *setting, pulls):
        raise MemoryError("C peer: out of memory")
    return pulls


def measure(seeds: int, horizon: int) -> dict | None:
    """Time one warm call of :func:`play` and return the benchmark's entry.

    None, with a message, if there is no compiler.
    """
    if play(seeds, min(horizon, 50)) is None:
        return None
    start = time.perf_counter()
    pulls = play(seeds, horizon, seed=1)
    seconds = time.perf_counter() - start
    return {
        "name": "C",
        "seed_rounds_per_s": seeds * horizon / seconds,
        "cores": 1,
        "optimal_share": float(optimal_shares(pulls).mean()),
    }
