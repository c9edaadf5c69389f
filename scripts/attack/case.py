"""A case, and what its answer is worth."""

import os
import re
import tempfile
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

CLEAR, FINE, CRYPTIC, SILENT, HANG = "clear", "fine", "cryptic", "silent", "hang"
KINDS = (CLEAR, FINE, CRYPTIC, SILENT, HANG)
# What an error that says what is allowed has one of.
SAYS = re.compile(
    r"must|need|there is no|has |have |had no|unknown|not |one of|at least|at most|"
    r"cannot|give |only |expected|required|unexpected|taken|empty|refuse|spends|"
    r"changes|holds? NaN|negative|uses|policies are|no JSON form|minimum|maximum|"
    r"invalid|unrecognized|known are|both|are no |is damaged",
    re.IGNORECASE,
)
# Words of machinery, not of this package.
FOREIGN = ("JAX has removed its internal frames", "loop_carry", "Tracer", "ufunc")


class Case(NamedTuple):
    """Something that should not be done.

    Attributes:
      name: what is tried.
      call: tries it.
      named: words of which an error must have one: the argument, the policy, ...
      fine: what may come back instead of an error: a test of the result, or True where
        any result is right. None: nothing may.
      heavy: whether it compiles something before it is refused, or is not refused.
      group: the part of the surface.
    """

    name: str
    call: Callable[[], Any]
    named: tuple[str, ...]
    fine: Callable[[Any], bool] | bool | None = None
    heavy: bool = False
    group: str = ""


class Verdict(NamedTuple):
    """The kind of an answer, and its words."""

    kind: str
    words: str


def judge(case: Case) -> Verdict:
    """Try a case in an empty folder."""
    here = os.getcwd()
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        os.chdir(folder)
        try:
            return _returned(case, case.call())
        except Exception as error:
            return _raised(case, error)
        finally:
            os.chdir(here)


def _raised(case, error) -> Verdict:
    text = str(error)
    words = f"{type(error).__name__}: {' '.join(text.split())}"[:300]
    known = isinstance(error, ValueError | TypeError | OSError | AssertionError)
    named = any(_names(word, text) for word in case.named)
    ours = not any(word in text for word in FOREIGN)
    clear = known and named and ours and SAYS.search(text)
    return Verdict(CLEAR if clear else CRYPTIC, words)


def _names(word, text) -> bool:
    """Whether a text names an argument; of one letter only in so many words."""
    if len(word) == 1:
        return bool(re.search(rf"(?<!\w){word}(?= must|:| ?=| and \w must)", text))
    return bool(re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text, re.IGNORECASE))


def _returned(case, result) -> Verdict:
    fine = case.fine(result) if callable(case.fine) else case.fine
    words = " ".join(repr(result).split())[:200]
    return Verdict(FINE if fine else SILENT, words)
