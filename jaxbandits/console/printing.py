"""What is printed: all text as it stands, whatever a name has in it.

`Printer` is the only console of the library and `say` its only other way to print:
rich reads ``[b]`` as bold, ``:smile:`` as an emoji and ``12`` as a number to colour,
and terminals obey control characters.
"""

import os
import sys
import textwrap
from typing import Any

import rich.box
import rich.table
from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from jaxbandits.console.texts import visible

WIDTH = 80  # characters of a line where there is no terminal


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

    def item(self, text: str, indent: int = 2) -> None:
        """Print a text broken between words, its further lines indented."""
        lines = textwrap.wrap(
            visible(text),
            self.width,
            subsequent_indent=indent * " ",
            break_long_words=False,
            break_on_hyphens=False,
        )
        for line in lines or [""]:
            self.print(line, soft_wrap=True)


class Table(rich.table.Table):
    """A table without a frame that never shortens a text.

    What is too long for its column goes on below.
    """

    def __init__(self, *headers: Any, **options: Any) -> None:
        look: dict[str, Any] = {"box": rich.box.SIMPLE_HEAD, "padding": (0, 1, 0, 0)}
        look |= {"show_edge": False, "pad_edge": False}
        look |= {"title_justify": "left", "title_style": ""}
        super().__init__(*headers, **look | options)

    def add_column(self, *header: Any, **options: Any) -> None:
        """As rich's."""
        super().add_column(*header, **{"overflow": "fold"} | options)


def say(text: str) -> None:
    """Write to stderr at once; line breaks are meant."""
    print(visible(text, keep="\n"), file=sys.stderr, flush=True)


def width_of(text: str) -> int:
    """Characters of a terminal's line that a text takes."""
    return cell_len(visible(text))
