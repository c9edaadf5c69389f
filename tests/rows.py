"""Tables in one test: a failure names the row."""

import re
from contextlib import contextmanager


@contextmanager
def naming(row):
    """Adds to what is raised inside in which row of a table it was."""
    try:
        yield
    except BaseException as problem:
        problem.add_note(f"in row {row!r}")
        raise


def assert_refused(rows, error=ValueError):
    """Every call of a table raises, and its message has the words of its row.

    Args:
      rows: pairs of a call without arguments and a pattern of its message, in a list,
        or in a dict by the names of the rows.
      error: the type of what is raised, or several.
    """
    if not isinstance(rows, dict):
        rows = {f"{i}, {row[1]!r}": row for i, row in enumerate(rows)}
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


def for_all(check, rows):
    """Call ``check(*row)`` for every row, in order.

    Raises:
      Exception: what the check raised, with the row for a note.
    """
    for row in rows:
        try:
            check(*row)
        except Exception as error:
            error.add_note(f"in the row {row!r}")
            raise
