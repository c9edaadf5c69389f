"""Wrong values by the kind of argument, and cases made of them."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from attack.case import Case

NAN, INF = float("nan"), float("inf")
NO_NUMBERS = (None, "3", "", b"3", True, 1j, {}, {"a": 1}, print, object())
NO_COUNTS = (*NO_NUMBERS, 2.5, 3.0, NAN, INF, [3], [], -1, 2**70)
NO_NAMES = (None, "nonsense", "", 3, 0.5, True, b"x", ["a"], {}, print)
NO_OBJECTS = (None, "x", "", 3, 0.5, True, [], {}, print, np.ones(3))

WRONG: dict[str, tuple] = {
    "count": (*NO_COUNTS, 0),
    "natural": NO_COUNTS,
    "positive": (*NO_NUMBERS, NAN, INF, -INF, -1.0, 0.0, -0.0, [[1.0], [1.0, 2.0]]),
    "played": (*NO_NUMBERS, NAN, INF, -1.0, 0.0, 1e39, 1e-50, [[1.0], [1.0, 2.0]]),
    "not negative": (*NO_NUMBERS, NAN, INF, -1.0, [[1.0], [1.0, 2.0]]),
    "at least one": (*NO_NUMBERS, NAN, INF, -1.0, 0.0, 0.5),
    "share": (*NO_NUMBERS, NAN, INF, -0.5, 0.0, 1.0, 1.5),
    "choice": NO_NAMES,
    "flag": (None, "yes", 2, 0.5, [], {}),
    "function": (None, "x", 0.5, 3, [], {}, np.ones(2)),
    "object": NO_OBJECTS,
    "text": (None, "", 3, 0.5, True, b"x", [], {}),
    "path": (None, "", 3, 0.5, [], {}, "https://example.org/a.csv", "s3://a/b.csv"),
    "missing path": ("missing.csv", ".", "none/at/all.csv"),
}


def of(kind: str, *but, plus=()) -> tuple:
    """The wrong values of a kind, some taken out (by equality and type), some added."""

    def is_out(value):
        return any(
            type(value) is type(b) and not isinstance(b, np.ndarray) and value == b
            for b in but
        )

    return (*(value for value in WRONG[kind] if not is_out(value)), *plus)


def attack(
    function: Callable,
    good: Mapping[str, Any],
    wrong: Mapping[str, str | tuple],
    name: str | None = None,
    fine: Mapping[str, Any] | None = None,
    named: Mapping[str, tuple[str, ...]] | None = None,
    heavy: bool = False,
    works: bool = True,
) -> Iterator[Case]:
    """One argument of a call at a time, with every wrong value.

    Args:
      function: what is called.
      good: arguments with which it works.
      wrong: per argument, a kind of `WRONG` or values.
      name: of the function.
      fine: per argument, what may come back: see `Case.fine`.
      named: per argument, words that do as well as its name.
      heavy: see `Case.heavy`.
      works: whether the good arguments are a case too, which must be answered.
    """
    name = name or function.__name__
    if works:
        yield Case(f"{name}, rightly", lambda: function(**good), (), True, True)
    for argument, values in wrong.items():
        for value in WRONG[values] if isinstance(values, str) else values:
            arguments = {**good, argument: value}
            yield Case(
                f"{name}({argument}={label(value)})",
                lambda arguments=arguments: function(**arguments),
                (argument, *((named or {}).get(argument, ()))),
                (fine or {}).get(argument),
                heavy,
            )


def label(value) -> str:
    """A value in a few characters, the same in every process."""
    if callable(value) and hasattr(value, "__name__"):
        return value.__name__
    words = repr(value)
    if " at 0x" in words or len(words) > 40:
        return f"{type(value).__name__} {getattr(value, 'name', '')}".strip()
    return words
