"""The C rivals: single precision on one core (``c_loop.c``).

`timed` is the loop as a compiler makes it fast (``-O3 -march=native``): cached index
terms, only the pulled arm's row renewed, sixteen runs side by side. `timed_intrinsics`
has its two inner loops written out for AVX-512, for 10 x 10 pairs.
"""

import ctypes
import functools
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np

from ..contest import Played, Timed, on_one_core
from .game import COST, Game, limits, penalties, played, rates

SOURCE = Path(__file__).with_name("c_loop.c")
FLAGS = (
    "-std=gnu11 -O3 -march=native -ffp-contract=fast -fno-math-errno "
    "-fno-trapping-math -fassociative-math -fno-signed-zeros -ffinite-math-only "
    "-freciprocal-math -shared -fPIC"
)
MAX_HORIZON = 1 << 24  # counts are single-precision numbers


@functools.cache
def load(arms: int, limit_count: int, intrinsics: bool):
    """Compile the source for these sizes; None, with a message, if that fails."""
    candidates = (os.environ.get("CC"), "gcc", "clang", "cc")
    compiler = next(filter(None, (shutil.which(c) for c in candidates if c)), None)
    if compiler is None:
        print("C: no compiler found (gcc, clang, cc), skipped")
        return None
    sizes = [f"-DK={arms}", f"-DM={limit_count}", *["-DINTRINSICS"] * intrinsics]
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder, "c_loop.so")
        options = [*FLAGS.split(), *sizes, "-o", str(library)]
        command = [compiler, *options, str(SOURCE), "-lm"]
        done = subprocess.run(command, check=False, capture_output=True, text=True)
        if done.returncode:
            print(f"C: {compiler} failed, skipped\n{done.stderr}")
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


def play(
    game: Game, seeds: int, horizon: int, seed: int, intrinsics: bool = False
) -> Played:
    """Play ``seeds`` runs, sixteen at a time."""
    if horizon >= MAX_HORIZON:
        raise ValueError(f"horizon must be less than {MAX_HORIZON}, got {horizon}")
    pulls = np.zeros((seeds, game.arms, game.limits), np.int64)
    numbers = (float(game.penalty_radius), limits(game), penalties(game), rates(game))
    function = load(game.arms, game.limits, intrinsics)
    if function(seeds, horizon, seed, *numbers, COST, pulls):
        raise MemoryError("C: out of memory")
    return played(game, pulls)


def _contestant(intrinsics: bool):
    turn = on_one_core(functools.partial(play, intrinsics=intrinsics), warm=50)

    def timed(game: Game, seeds: int, horizon: int, seed: int = 1) -> Timed | None:
        if load(game.arms, game.limits, intrinsics) is None:
            return None
        return turn(game, seeds, horizon, seed)

    return timed


timed = _contestant(intrinsics=False)
timed_intrinsics = _contestant(intrinsics=True)
