"""Who writes to a store: one program alone, or several side by side.

Who makes room in a store or mends it has it alone; who plays blocks has it together
with others, since two that write the same block write the same bits.
"""

import errno
import fcntl
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

from jaxbandits.results.home import LOCKS, home_of

WRITERS_LOCK, ROOT_LOCK = LOCKS
_PAUSE = 0.05  # seconds between two looks


class Lock(NamedTuple):
    """A hold on a store, none at first.

    Attributes:
      alone: ``(seconds=0) -> bool``: whether nobody else has a hold on the store now;
        waits so long for it. Where it says no, no hold is left.
      together: ``(seconds=0) -> bool``: whether nobody has it alone; the same.
      none: ``() -> None``: lets go.
    """

    alone: Callable[..., bool]
    together: Callable[..., bool]
    none: Callable[[], None]


@contextmanager
def writer(path: Any, name: str = WRITERS_LOCK) -> Iterator[Lock]:
    """A lock on a store.

    It is the operating system's, on a file in the store: it goes with the process,
    however that ends, also where the file is left. (On a file that is open for writing,
    as NFS wants it.) File systems without locks, and stores that are no folders, are
    trusted.

    Args:
      path: the store.
      name: of the file, where it is another matter than the whole store.

    Raises:
      PermissionError: if the store may not be read.
    """
    home = home_of(path)
    if home.folder is None:
        yield Lock(lambda seconds=0.0: True, lambda seconds=0.0: True, lambda: None)
        return
    if not os.access(home.folder, os.R_OK | os.X_OK):
        message = f"store: {home.name} may not be read"
        raise PermissionError(errno.EACCES, message)
    file = home.folder / name
    held: list[int] = []

    def none() -> None:
        if held:
            os.close(held.pop())

    def hold(how: int, seconds: float) -> bool:
        deadline = time.monotonic() + seconds
        while True:
            try:
                if not held:
                    held.append(os.open(file, os.O_RDWR | os.O_CREAT, 0o666))
                if _take(held[0], how, file):
                    return True
                none()  # Of a file that the last one has just taken away.
                continue
            except BlockingIOError:
                none()
            except OSError:  # There is nothing to be written, or there are no locks.
                return True
            if time.monotonic() >= deadline:
                return False
            time.sleep(_PAUSE)

    try:
        yield Lock(
            lambda seconds=0.0: hold(fcntl.LOCK_EX, seconds),
            lambda seconds=0.0: hold(fcntl.LOCK_SH, seconds),
            none,
        )
    finally:
        # The last one takes the file away, under the lock: who has opened it in the
        # meantime sees that it is gone.
        if held and hold(fcntl.LOCK_EX, 0):
            with suppress(OSError):
                file.unlink()
        none()


def _take(descriptor: int, how: int, file: Path) -> bool:
    """Whether a file is locked now and still there; an error where others have it."""
    fcntl.flock(descriptor, how | fcntl.LOCK_NB)
    with suppress(FileNotFoundError):
        return os.path.samestat(os.fstat(descriptor), file.stat())
    return False


def busy(path: Any) -> BlockingIOError:
    """The error of who finds another program at work."""
    message = (
        f"store: another program is writing to {home_of(path).name}; it loses nothing, "
        "and this one can begin when it has ended"
    )
    return BlockingIOError(errno.EAGAIN, message)
