"""Processes that play one sweep by `jax.distributed`, and the end of a process.

Each process plays a share of the blocks, by its number, on its own devices. Processes
send each other nothing: the store says what is played. Batch systems send SIGTERM
before they kill a process: then it finishes the block under way.
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

# A process is dead after so much silence: a thread of its own sends its signs of life.
HEARTBEAT_SECONDS = 10


def join(
    coordinator: str | None = None,
    processes: int | None = None,
    process: int | None = None,
) -> None:
    """Make this process one of several, before anything else uses JAX.

    Under SLURM or Open MPI and on TPU pods, JAX finds out all arguments.

    Args:
      coordinator: ``host:port`` of process 0.
      processes: how many processes there are.
      process: the number of this one.

    Raises:
      TypeError, ValueError: if some arguments are missing, or one is out of range.
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
    """An exit status; but one of several processes that has failed ends at once.

    `jax.distributed` would wait for the other processes when this one exits.
    """
    if status and jax.distributed.is_initialized():
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)
    return status


@contextmanager
def stop_at_sigterm() -> Iterator[threading.Event]:
    """An event that the first SIGTERM sets; the second one ends the process.

    Only the main thread gets signals: in other threads nothing sets the event.
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
