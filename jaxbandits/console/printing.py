"""What is printed: all text as it stands, whatever a name has in it.

`Printer` is the only console of the library and `say` its only other way to print:
rich reads ``[b]`` as bold, ``:smile:`` as an emoji and ``12`` as a number to colour,
and terminals obey control characters.
"""

import os
import sys
from typing import Any

import rich.table
from rich.console import Console
from rich.text import Text

from jaxbandits.console.texts import visible

WIDTH = 120  # characters of a line where there is no terminal


class Printer(Console):
    """A console that prints strings, in tables too, as they stand.

    Args:
      width: of a line where neither a terminal nor ``COLUMNS`` says so, in characters.
      stderr: whether to print there, and not on stdout.
    """

    def __init__(self, width: int = WIDTH, *, stderr: bool = False) -> None:
        stream = sys.stderr if stderr else sys.stdout
        known = stream.isatty() or "COLUMNS" in os.environ
        super().__init__(
            stderr=stderr,
            width=None if known else width,
            markup=False,
            emoji=False,
            highlight=False,
        )

    def render_str(self, text: str, **options: Any) -> Text:
        """What rich makes of every string that it is given."""
        return super().render_str(visible(text), **options)

    def sentence(self, text: str) -> None:
        """Print a text; for a terminal it is broken between words."""
        self.print(text, soft_wrap=not self.is_terminal)


class Table(rich.table.Table):
    """A table that never shortens: what is too long for its column goes on below."""

    def add_column(self, *header: Any, **options: Any) -> None:
        """As rich's."""
        super().add_column(*header, **{"overflow": "fold"} | options)


def say(text: str) -> None:
    """Write to stderr at once; line breaks are meant."""
    print(visible(text, keep="\n"), file=sys.stderr, flush=True)
