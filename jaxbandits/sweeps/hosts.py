"""Several processes on one sweep, by `jax.distributed`.

Each process plays and writes blocks of its own on its own devices; nothing is sent
between them but the word that everybody has come this far.
"""

import jax
from jax.experimental import multihost_utils


def join(
    coordinator: str | None = None,
    processes: int | None = None,
    process: int | None = None,
) -> None:
    """Make this process one of several; before anything else uses JAX.

    Args:
      coordinator: ``host:port`` of process 0; found out under SLURM, Open MPI and on
        TPU pods.
      processes: how many there are.
      process: the number of this one.

    Raises:
      ValueError: if some but not all of them are given.
    """
    given = [x is not None for x in (coordinator, processes, process)]
    if any(given) and not all(given):
        raise ValueError(
            "coordinator, processes and process go together; give all of them, or none "
            "under SLURM, Open MPI or on a TPU pod"
        )
    jax.distributed.initialize(coordinator, processes, process)


def meet(name: str) -> None:
    """Wait until every process has come to the place called `name`."""
    if jax.process_count() > 1:
        multihost_utils.sync_global_devices(name)
