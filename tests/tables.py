"""One test of many rows: a table, whose red line names the row.

For rows that are cheap. What XLA compiles for seconds is a case of its own.
"""

import functools
import inspect
import re
from contextlib import contextmanager

import jax
import numpy as np


def each_row(names, rows):
    """Has a test run once for every row, as one case.

    A row gives the arguments of these names, with commas between; or the only one.
    """
    names = [name.strip() for name in names.split(",")]
    rows = [row if len(names) > 1 else (row,) for row in rows]

    def tabled(test):
        @functools.wraps(test)
        def run(*args, **given):
            for row in rows:
                values = dict(zip(names, row, strict=True))
                with naming(values):
                    test(*args, **given, **values)

        return _without(run, names)

    return tabled


def in_both_precisions(test):
    """Has a test run in float32 and in float64; its `dtype` is NumPy's type."""

    @functools.wraps(test)
    def run(*args, **given):
        for dtype in (np.float32, np.float64):
            with jax.enable_x64(dtype is np.float64), naming(dtype.__name__):
                test(*args, **given, dtype=dtype)

    return _without(run, ["dtype"])


@contextmanager
def naming(row):
    """Adds to what is raised inside in which row of a table it was."""
    try:
        yield
    except BaseException as problem:
        problem.add_note(f"in the row {row!r}")
        raise


def for_all(check, rows):
    """Call ``check(*row)`` for every row, in order; an error names the row."""
    for row in rows:
        with naming(row):
            check(*row)


def assert_refused(rows, error=(TypeError, ValueError)):
    """Every call of a table raises, and its message has the words of its row.

    Args:
      rows: pairs of a call without arguments and a pattern of its message, in a list,
        or in a dict by the names of the rows; or calls by the patterns.
      error: the type of what is raised, or several.
    """
    if not isinstance(rows, dict):
        rows = {f"{i}, {row[1]!r}": row for i, row in enumerate(rows)}
    rows = {k: (row, k) if callable(row) else row for k, row in rows.items()}
    wrong = []
    for row, (call, words) in rows.items():
        try:
            call()
        except error as refusal:
            if not re.search(words, str(refusal)):
                wrong.append(f"row {row}: the message is {refusal}, not {words!r}")
        else:
            wrong.append(f"row {row}: it is not refused")
    assert not wrong, "\n".join(wrong)


def assert_named(function, good, wrong, says="^{} must"):
    """What is wrong of a call's arguments is refused, in words that begin with a name.

    Args:
      function: passes with the good arguments.
      good: arguments by name.
      wrong: values by name, each of which takes the place of the good one.
      says: a regular expression, with the name in it.
    """
    function(**good)
    assert_refused(
        (lambda each={name: value}: function(**good | each), says.format(name))
        for name, values in wrong.items()
        for value in values
    )


def _without(run, names):
    """The same function, for pytest: without the arguments that a row gives."""
    signature = inspect.signature(run)
    left = [p for p in signature.parameters.values() if p.name not in names]
    run.__signature__ = signature.replace(parameters=left)
    return run
