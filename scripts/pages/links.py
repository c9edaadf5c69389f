"""Links that hold in the repository, made to hold on the site too.

Pages come from all over the repository, and link to one another and to its files by
relative paths. On the site some files are pages; the others are shown by the host.
"""

import posixpath
import re
from collections.abc import Callable

MARKDOWN = re.compile(r"(?<=\]\()(?![a-z]+:|#|/)([^)\s#]+)(#[^)\s]*)?(?=\))")
# As a notebook's cells come out.
HTML = re.compile(r"(?<=href=\")(?![a-z]+:|#|/)([^\"\s#]+)(#[^\"\s]*)?(?=\")")


# A policy's name outside of code: Markdown takes two asterisks for emphasis.
_STARRED = re.compile(
    r"(```.*?```|`[^`\n]*`|^    .*?$)|(?<!\*)\b(omega|ω)\*(?=[-\s,.;:)])", re.S | re.M
)


def with_asterisks(text: str) -> str:
    """Markdown in which names such as omega*-UCB keep their asterisk."""
    return _STARRED.sub(lambda m: m[1] or rf"{m[2]}\*", text)


def relink(text: str, links: re.Pattern, source: str, place: Callable[[str], str]):
    """A page's text with its links moved.

    Args:
      text: the page.
      links: what a link looks like in it: `MARKDOWN` or `HTML`. Paths are relative to
        `source`.
      source: path of the page in the repository.
      place: where the page links to, for a path in the repository.
    """
    folder = posixpath.dirname(source)

    def moved(match: re.Match) -> str:
        return place(posixpath.normpath(posixpath.join(folder, match[1]))) + (
            match[2] or ""
        )

    return links.sub(moved, text)
