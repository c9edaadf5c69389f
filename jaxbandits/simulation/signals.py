"""SIGTERM, as batch systems send it before they kill: finish the block, then stop."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


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
