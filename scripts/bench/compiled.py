"""What a loop for Numba is written with; plain Python where Numba was not imported."""

import sys

import numpy as np


def compiled(function):
    """The function by Numba, in a process that imported Numba before; else as it is.

    So one source serves Numba's numbers and NumPy's arrays, and tests need no Numba.
    """
    numba = sys.modules.get("numba")
    if numba is None:
        return function
    return numba.njit(fastmath=True, error_model="numpy", cache=True)(function)


@compiled
def uniform(rng):
    """U[0, 1) from a generator, or of Numba's own (None), which take three times as
    long.

    Numba compiles a form of its own for None, without the branches of the other one.
    """
    if rng is None:
        return np.random.random()
    return rng.random()
