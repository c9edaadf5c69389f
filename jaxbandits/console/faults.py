"""Whose fault an error is: the user's, who is told in one line, or ours."""

import dis
from types import TracebackType

PACKAGES = "jaxbandits"  # and what builds on it under a name that begins so
_RAISE = dis.opmap["RAISE_VARARGS"]
EXPECTED = (ValueError, TypeError, OSError)  # what checks raise, and files


def is_users(error: BaseException) -> bool:
    """Whether one line says enough: the error was raised here, on purpose.

    So it is if its innermost line is a ``raise`` of this package, or if the file system
    has refused something. What NumPy, JAX or a file of one's own raised is found by its
    traceback only; so is a slip of ours that was not meant to raise.
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
    # Not by the line of the source, which may have been edited meanwhile.
    return ours and code.co_code[innermost.tb_lasti] == _RAISE


def _innermost(result: TracebackType | None) -> TracebackType | None:
    while result is not None and result.tb_next is not None:
        result = result.tb_next
    return result
