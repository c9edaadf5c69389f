"""Texts in figures: line breaks, formulas and LaTeX."""

import re
import textwrap

from matplotlib.cbook import is_math_text
from matplotlib.mathtext import MathTextParser

from jaxbandits.checks import kinds
from jaxbandits.console.texts import latex, visible
from jaxbandits.plots._style import setting

_SPECIAL = re.compile(r"(?<!\\)([%&#_])")
_FORMULA = re.compile(r"(?<!\\)\$")  # where one begins or ends
_WHOLE = re.compile(r"(?<!\\)\$.*?(?<!\\)\$| %| = ")  # what no line is broken within
# Letters that policies and parameters are called by.
GREEK = dict(
    zip(
        "alpha beta gamma delta epsilon eta theta lambda rho sigma tau omega".split(),
        "αβγδεηθλρστω",
        strict=True,
    )
)
_GREEK = re.compile(rf"(?<![a-zA-Z])({'|'.join(GREEK)})(?![a-zA-Z])")
_LETTER = 0.56  # mean width of a letter of the sans-serif font, in its size


@kinds
def literal(text: str) -> str:
    """A text from data (a name, say) that figures show as it stands.

    Titles, labels and names of axes may have formulas between two $; so would ``Shoes
    $5 off $10``. Nor are there formulas or other orders where LaTeX sets the text, and
    line breaks and further control characters become visible.

    Args:
      text: any.

    Returns:
      Text for figures in the style that is in force.
    """
    if setting("text.usetex"):
        return latex(text)
    return visible(text).replace("$", r"\$")


def symbols(name: str) -> str:
    """A name as `literal` shows it, with Greek letters for their English words.

    ``omega*-UCB, rho = 1/4`` becomes ``ω*-UCB, ρ = 1/4``. LaTeX gets the words.
    """
    if setting("text.usetex"):
        return literal(name)
    return _GREEK.sub(lambda word: GREEK[word[0]], literal(name))


def check_formulas(argument: str, text: str) -> None:
    """Raise an error naming `argument` if it is no text, or has a formula that is none.

    What LaTeX takes is its own affair: it reads more than Matplotlib.
    """
    if not isinstance(text, str):
        raise TypeError(f"{argument} must be a text, got {text!r}")
    if any("\ud800" <= letter <= "\udfff" for letter in text):
        raise ValueError(f"{argument} must have no half of a character, got {text!r}")
    if setting("text.usetex"):
        return
    for line in text.split("\n"):
        if is_math_text(line):
            try:
                MathTextParser("path").parse(line)
            except ValueError:  # in lines of its own, the first of them empty
                raise ValueError(
                    f"{argument} must have formulas (between two $) that Matplotlib "
                    f"can read, or \\$ for a dollar, got {text!r}"
                ) from None


def entry(text: str) -> str:
    """A text as lines are labelled with it, for a legend.

    Matplotlib leaves out what begins with an underscore.
    """
    return f" {text}" if text.startswith("_") else text


def letters(points: float, size: float) -> int:
    """How many letters of a size, in points, are about as long as so many points."""
    return max(1, int(points / (_LETTER * size)))


def wrapped(text: str, most: int) -> str:
    """The text in lines of at most so many letters, broken between words.

    A word (or a formula) that is longer has a line of its own. Lines that there are
    stay, and numbers are not broken from the sign after them.
    """
    kept = _WHOLE.sub(lambda match: match[0].replace(" ", "\0"), text)
    lines = [
        part
        for line in kept.split("\n")
        for part in textwrap.wrap(
            line, most, break_long_words=False, break_on_hyphens=False
        )
        or [line]
    ]
    return "\n".join(lines).replace("\0", " ")


def tex(text: str) -> str:
    """The text with LaTeX's special characters escaped outside formulas."""
    parts = _FORMULA.split(text)
    return "$".join(
        part if i % 2 else _SPECIAL.sub(r"\\\1", part) for i, part in enumerate(parts)
    )
