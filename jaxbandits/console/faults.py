"""Errors and warnings of what a user has written, and faults of this package."""

import dis
import sys
import warnings
from types import TracebackType

PACKAGES = "jaxbandits"  # begins the names of this package and its studies
_RAISE = dis.opmap["RAISE_VARARGS"]
EXPECTED = (ValueError, TypeError, OSError)  # from checks, and from the file system


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn of the line outside this package that has led here."""
    frame, level = sys._getframe(1), 2
    while frame.f_back and frame.f_globals.get("__name__", "").startswith(PACKAGES):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)


def is_users(error: BaseException) -> bool:
    """Whether an error was raised on purpose, so that its text says enough.

    That is the case if its innermost line is a ``raise`` of this package, or if the
    file system raised it. Other errors (of NumPy, of JAX, of a user's own file, or a
    fault of this package) need their traceback.
    """
    if not isinstance(error, EXPECTED):
        return False
    if isinstance(error, OSError):
        return True
    innermost = _innermost(error.__traceback__)
    if innermost is None:
        return False
    code = innermost.tb_frame.f_code
    ours = innermost.tb_frame.f_globals.get("__name__", "").startswith(PACKAGES)
    # The bytecode decides: the line of the source may have been edited meanwhile.
    return ours and code.co_code[innermost.tb_lasti] == _RAISE


def _innermost(result: TracebackType | None) -> TracebackType | None:
    while result is not None and result.tb_next is not None:
        result = result.tb_next
    return result
