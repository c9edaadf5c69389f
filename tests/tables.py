"""One test of many rows: a table, whose red line names the row.

For rows that are cheap. What XLA compiles for seconds is a case of its own.
"""

import functools
import inspect
import re

import jax
import numpy as np


def each_row(names, rows):
    """Has a test run once for every row, as one case.

    Args:
      names: of the test's arguments that a row gives, with commas between.
      rows: an iterable of values, or of as many values as there are names.
    """
    names = [name.strip() for name in names.split(",")]
    rows = [row if len(names) > 1 else (row,) for row in rows]

    def tabled(test):
        @functools.wraps(test)
        def run(*args, **given):
            for row in rows:
                values = dict(zip(names, row, strict=True))
                _told(f"in the row {values}", test, *args, **given, **values)

        return _without(run, names)

    return tabled


def in_both_precisions(test):
    """Has a test run in float32 and in float64; its `dtype` is NumPy's type."""

    @functools.wraps(test)
    def run(*args, **given):
        for dtype in (np.float32, np.float64):
            with jax.enable_x64(dtype is np.float64):
                _told(f"in {dtype.__name__}", test, *args, **given, dtype=dtype)

    return _without(run, ["dtype"])


def assert_refused(rows, kinds=(TypeError, ValueError)):
    """Every call of a table is refused, in words that match.

    Args:
      rows: pairs of a call without arguments and a regular expression.
      kinds: of the errors.
    """
    wrong = []
    for place, (call, says) in enumerate(rows):
        try:
            call()
        except kinds as error:
            if not re.search(says, str(error)):
                wrong.append(f"row {place}: {says!r} is not said by {str(error)!r}")
        else:
            wrong.append(f"row {place}: nothing is refused, where {says!r} is due")
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


def _told(where, test, /, *args, **given):
    try:
        test(*args, **given)
    except Exception as error:
        error.add_note(where)
        raise


def _without(run, names):
    """The same function, for pytest: without the arguments that a row gives."""
    signature = inspect.signature(run)
    left = [p for p in signature.parameters.values() if p.name not in names]
    run.__signature__ = signature.replace(parameters=left)
    return run
