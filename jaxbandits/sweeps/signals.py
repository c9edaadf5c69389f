"""SIGTERM, as batch systems send it before they kill: finish the block, then stop."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def stop_at_sigterm() -> Iterator[threading.Event]:
    """An event that SIGTERM sets; a second one ends the process as ever.

    In the main thread only, which is the one that hears signals.
    """
    stop = threading.Event()
    before = signal.getsignal(signal.SIGTERM)

    def heard(number, frame):
        stop.set()
        signal.signal(signal.SIGTERM, before)

    signal.signal(signal.SIGTERM, heard)
    try:
        yield stop
    finally:
        signal.signal(signal.SIGTERM, before)
