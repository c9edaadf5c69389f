"""Several processes on one sweep, by `jax.distributed`; and what ends one.

Each process plays a share of the blocks on its own devices, by its number. Nothing is
sent between them: what others have played is in the store. SIGTERM is what batch
systems send before they kill: the block under way is finished.
"""

import os
import re
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import jax

from jaxbandits import checks

# A process that is silent for so long is dead; its heart beats in a thread of its own.
HEARTBEAT_SECONDS = 10


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
    if processes is not None:
        checks.whole("processes", processes, 1)
        checks.whole("process", process, 0, processes - 1)
        result = re.fullmatch(r".+:(\d+)", checks.text("coordinator", coordinator))
        if not result or not 0 < int(result[1]) < 2**16:  # JAX would wait for it
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


def exit_status(status: int) -> int:
    """An exit status; one of several processes that has failed ends here and now.

    The ordinary goodbye of `jax.distributed` waits for the others.
    """
    if status and jax.distributed.is_initialized():
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)
    return status


@contextmanager
def stop_at_sigterm() -> Iterator[threading.Event]:
    """An event that SIGTERM sets; a second one ends the process as ever.

    In threads but the main one, which is the one that hears signals, nothing sets it.
    """
    stop = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield stop
        return
    before = signal.getsignal(signal.SIGTERM)

    def heard(number: int, frame: object) -> None:
        stop.set()
        signal.signal(signal.SIGTERM, before)

    signal.signal(signal.SIGTERM, heard)
    try:
        yield stop
    finally:
        signal.signal(signal.SIGTERM, before)
