"""The page of the command line: the help of every command."""

import os
from unittest.mock import patch

from jaxbandits.cli.main import parsers

WIDTH = "80"  # characters of a line of help

INTRODUCTION = """# Command line

The help of every command. `--traceback`, which all of them take, shows where an error
was raised. Progress goes to stderr; `JAXBANDITS_PROGRESS=off` silences it. Tables are
as wide as the terminal, or as `COLUMNS` says.

To complete words in a shell, put the output of `jaxbandits completion bash` (or zsh,
fish) where your shell reads completions; this needs the extra `completion`.
"""


def page() -> str:
    """The page's Markdown."""
    lines = [INTRODUCTION]
    with patch.dict(os.environ, COLUMNS=WIDTH):
        for name, parser in parsers()[1].items():
            if name != "completion":
                lines += [f"## {name}", "", "```text", parser.format_help(), "```", ""]
    return "\n".join(lines)
