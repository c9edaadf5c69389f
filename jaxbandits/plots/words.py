"""Words in figures: how long they are, where lines break, what LaTeX wants."""

import re
from functools import lru_cache

from matplotlib.cbook import is_math_text
from matplotlib.font_manager import FontProperties
from matplotlib.mathtext import MathTextParser
from matplotlib.textpath import TextToPath

from jaxbandits.checks import kinds
from jaxbandits.console.texts import latex, visible
from jaxbandits.plots._style import setting

_SPECIAL = re.compile(r"(?<!\\)([%&#_])")
_FORMULA = re.compile(r"(?<!\\)\$")  # where one begins or ends
_MEASURE = TextToPath()


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


def check_formulas(argument: str, text: str) -> None:
    """Raise an error naming `argument` if it is no text, or has a formula that is none.

    What LaTeX takes is its own affair: it reads more than Matplotlib.
    """
    if not isinstance(text, str):
        raise TypeError(f"{argument} must be a text, got {text!r}")
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


def width_of(text: str, font: FontProperties) -> float:
    """How wide one line is, in points (of Matplotlib's own text, not of LaTeX's)."""
    return _width(text, font.get_name(), font.get_size_in_points(), font.get_weight())


@lru_cache(4096)
def _width(text: str, family: str, size: float, weight: str | int) -> float:
    font = FontProperties(family=family, size=size, weight=weight)
    formulas = is_math_text(text)
    shown = text if formulas else text.replace(r"\$", "$")
    width, _, _ = _MEASURE.get_text_width_height_descent(shown, font, formulas)
    return float(width)


def wrapped(text: str, points: float, font: FontProperties) -> str:
    """The text in lines of at most so many points, broken between words.

    A word (or a formula) that is longer has a line of its own. Lines that there are
    stay.
    """
    lines = []
    for line in text.split("\n"):
        if width_of(line, font) <= points:
            lines.append(line)
            continue
        lines.append("")
        for word in _words(line):
            longer = f"{lines[-1]} {word}".strip()
            if lines[-1] and width_of(longer, font) > points:
                lines.append(word)
            else:
                lines[-1] = longer
    return "\n".join(lines)


def _words(line: str) -> list[str]:
    """Formulas are not broken, nor numbers from the sign after them."""
    parts = _FORMULA.split(line)
    kept = [part.replace(" ", "\0") if i % 2 else part for i, part in enumerate(parts)]
    joined = "$".join(kept).replace(" %", "\0%").replace(" = ", "\0=\0")
    return [word.replace("\0", " ") for word in joined.split()]


def tex(text: str) -> str:
    """The text with what LaTeX takes for its own marked as meant, outside formulas."""
    parts = _FORMULA.split(text)
    return "$".join(
        part if i % 2 else _SPECIAL.sub(r"\\\1", part) for i, part in enumerate(parts)
    )
