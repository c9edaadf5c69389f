"""Tables of cases that are one test: an error says of which row it is."""


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
