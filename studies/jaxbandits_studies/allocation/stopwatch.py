"""How long a solver takes for a batch of problems."""

import time
from functools import cache

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from jaxbandits_studies.allocation.problems import Batch
from jaxbandits_studies.allocation.solvers import Solver

REPEATS = 3  # the best one counts: on a shared machine noise only slows things down


def timed(solver: Solver, batch: Batch, dtype, repeats=REPEATS):
    """Solutions of a batch as NumPy arrays, and the seconds of the best run."""
    columns = tuple(jnp.asarray(column, dtype) for column in batch)
    run = _program(solver.solve, solver.piece)
    out, best = jax.block_until_ready(run(columns)), np.inf
    for _ in range(repeats):
        began = time.perf_counter()
        jax.block_until_ready(run(columns))
        best = min(best, time.perf_counter() - began)
    return jax.tree.map(np.asarray, out), best


@cache
def _program(solve, piece):
    """A kernel for batches; held, for a reference may be asked for again."""

    def one(row):
        return solve(*row)

    if piece is None:
        return jax.jit(jax.vmap(one))
    return jax.jit(lambda columns: lax.map(one, columns, batch_size=piece))
