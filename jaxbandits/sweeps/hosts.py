"""Several processes on one sweep, by `jax.distributed`.

Each process plays and writes blocks of its own on its own devices; nothing is sent
between them but the word that everybody has come this far.
"""

import itertools
import logging
import os
import re
import sys
import warnings

import jax
from jax._src import distributed

from jaxbandits import checks

# A process that is silent for so long is dead; its heart beats in a thread of its own.
HEARTBEAT_SECONDS = 10
_LONGEST_WAIT = 2**31 - 1  # milliseconds, 24 days
_meetings = itertools.count()


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
      TypeError, ValueError: if some but not all of them are given, or one is out of
        range.
    """
    given = [x is not None for x in (coordinator, processes, process)]
    if any(given) and not all(given):
        raise ValueError(
            "coordinator, processes and process go together; give all of them, or none "
            "under SLURM, Open MPI or on a TPU pod"
        )
    if all(given):
        checks.whole("processes", processes, 1)
        checks.whole("process", process, 0, processes - 1)
        found = re.fullmatch(r".+:(\d+)", checks.text("coordinator", coordinator))
        if not found or not 0 < int(found[1]) < 2**16:  # JAX would wait for it
            raise ValueError(
                f"coordinator must be HOST:PORT, a port in [1, 65535], got "
                f"{coordinator!r}"
            )
    try:
        jax.distributed.initialize(
            coordinator, processes, process, heartbeat_timeout_seconds=HEARTBEAT_SECONDS
        )
    except ValueError as error:
        if any(given):
            raise
        raise ValueError(
            "coordinator, processes and process must be given: this process was not "
            "started by SLURM or Open MPI, nor on a TPU pod"
        ) from error


def meet(name: str) -> None:
    """Wait until every process has come to the place called `name`.

    Raises:
      ConnectionError: if another process has died or given up.
    """
    if jax.process_count() == 1:
        return
    # `jax.experimental.multihost_utils` meets on the devices, where a process that is
    # missing ends the others with a page of C++; this is what it rests on.
    client = distributed.global_state.client
    try:
        client.wait_at_barrier(f"{name} {next(_meetings)}", _LONGEST_WAIT)
    except jax.errors.JaxRuntimeError as error:
        raise ConnectionError(
            f"another process of the sweep has ended (waiting until all have {name}); "
            "complete blocks are safe in the store; start all processes again, or any "
            f"number of others, to go on from there: {str(error).splitlines()[0][:120]}"
        ) from error


SIGNALLED = 128  # what the number of a signal is added to


def leave(status: int) -> int:
    """An exit status; one of several processes that has failed ends here and now.

    The ordinary goodbye of `jax.distributed` waits for the others, who wait for us.
    After a signal nothing more is said: what it has cut short in the event loop of a
    store is told by Python in seven lines that read as if something were lost.
    """
    if status > SIGNALLED:
        warnings.simplefilter("ignore", RuntimeWarning)
        logging.getLogger("asyncio").setLevel(logging.CRITICAL)
    if status and jax.distributed.is_initialized():
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)
    return status
