"""Texts of users (names of arms, policies, files), made safe for display.

A name can be any text, and so have characters that a terminal, LaTeX or Markdown takes
for commands.
"""

import re
import unicodedata

# Categories of characters that are not seen: commands to a terminal, changes of the
# writing direction, halves of characters. Two characters of these belong to spelling:
# the joiners of Persian, of Indic scripts and of emoji.
_UNSEEN = {"Cc", "Cf", "Cs", "Zl", "Zp"}
_JOINERS = "\u200c\u200d"
_ESCAPE = re.compile(
    r"[ntr]|x[\da-f]{2}|u[\da-f]{4}|U[\da-f]{8}"
)  # after its backslash

_TEX = {
    "\\": r"\textbackslash{}",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    # Without a package for fonts LaTeX sets other characters for these.
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    **{mark: "\\" + mark for mark in "&%$#_{}"},
    # At the start of a row LaTeX reads these as options of the end of the last row.
    **{mark: f"{{{mark}}}" for mark in "[]*"},
}
_MARKDOWN = re.compile(r"([\\`*_{}\[\]<>|~$&#])")


def visible(text: str, keep: str = "") -> str:
    r"""The text with an escape for every character that would not be seen.

    A line break becomes ``\n``, the start of a terminal's command ``\x1b``. Backslashes
    before an escape, or before what looks like one, are doubled, so that different
    texts look different. All other characters stay.

    Args:
      text: any text.
      keep: characters that stay, such as the line breaks of several lines. Names in
        such lines have been escaped before, so backslashes stay, too.
    """
    if text.isprintable() and "\\" not in text:
        return text

    def hidden(letter: str) -> bool:
        unseen = unicodedata.category(letter) in _UNSEEN
        return unseen and letter not in _JOINERS + keep

    def doubled(result: re.Match[str]) -> str:
        behind = text[result.end() : result.end() + 9]
        escaped = _ESCAPE.match(behind) or any(map(hidden, behind[:1]))
        return result[0] * 2 if escaped and not keep else result[0]

    return "".join(
        letter.encode("unicode_escape").decode() if hidden(letter) else letter
        for letter in re.sub(r"\\+", doubled, text)
    )


def latex(text: str) -> str:
    """LaTeX source that sets the text as it is."""
    return "".join(_TEX.get(letter, letter) for letter in visible(text))


def markdown(text: str) -> str:
    """Markdown that shows the text as it is, in a table too."""
    return _MARKDOWN.sub(r"\\\1", visible(text))
