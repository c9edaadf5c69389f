"""Printing of texts as they are, whatever characters a name has.

The library prints by `Printer` and `say` only: rich would read ``[b]`` as bold,
``:smile:`` as an emoji and ``12`` as a number to colour, and terminals obey control
characters.
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
    """A console that prints strings as they are, in tables too.

    Args:
      width: characters of a line, if neither a terminal nor ``COLUMNS`` sets them.
      stderr: whether to print on stderr in place of stdout.
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
        """The form that rich gives to every string."""
        return super().render_str(visible(text), **options)

    def sentence(self, text: str) -> None:
        """Print a text, on a terminal broken between words."""
        self.print(text, soft_wrap=not self.is_terminal)

    def item(self, text: str, indent: int = 2) -> None:
        """Print a text broken between words, with later lines indented."""
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
    """A table without a frame; a text that is too long for its column is broken."""

    def __init__(self, *headers: Any, **options: Any) -> None:
        look: dict[str, Any] = {"box": rich.box.SIMPLE_HEAD, "padding": (0, 1, 0, 0)}
        look |= {"show_edge": False, "pad_edge": False}
        look |= {"title_justify": "left", "title_style": ""}
        super().__init__(*headers, **look | options)

    def add_column(self, *header: Any, **options: Any) -> None:
        """As rich's, but long texts are broken and not cut."""
        super().add_column(*header, **{"overflow": "fold"} | options)


def say(text: str) -> None:
    """Write to stderr at once, with the line breaks of the text."""
    print(visible(text, keep="\n"), file=sys.stderr, flush=True)


def width_of(text: str) -> int:
    """The width of a text on a terminal, in characters."""
    return cell_len(visible(text))
