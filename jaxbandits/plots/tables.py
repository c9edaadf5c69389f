"""A table as a picture: rows between rules, as journals set them."""

from collections.abc import Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.font_manager import FontProperties

from jaxbandits import checks
from jaxbandits.plots._style import SCREEN, setting
from jaxbandits.plots.canvas import Figure, figure
from jaxbandits.plots.words import width_of, wrapped

_BETWEEN = 1.6  # columns, in widths of a letter
_HEAD = 7.0  # width of a heading that is not broken, in heights of a letter
_LINE = 1.45  # from line to line, in heights of a letter


def table_figure(
    columns: Sequence[str], rows: Sequence[Sequence[str]], title: str = ""
) -> Figure:
    """A figure that shows a table; the first column is flush left, others right.

    In print the letters are as large as the figure's width allows, at most those of
    the style.

    Args:
      columns: headings; they may be broken between words.
      rows: texts, one per column.
      title: above.

    Raises:
      ValueError: if there is no row, or one of another length than the headings.
    """
    if not rows:
        raise ValueError("rows: there is nothing to show")
    for row in rows:
        checks.one_of("length of a row", len(row), (len(columns),))
    size = float(setting("legend.fontsize"))
    font = FontProperties(family=setting("font.family"), size=size)
    cells = [max(width_of(row[i], font) for row in rows) for i in range(len(columns))]
    heads = [
        wrapped(head, max(cells[i], _HEAD * size), font)
        for i, head in enumerate(columns)
    ]
    widths = [
        max(cells[i], *(width_of(line, font) for line in head.split("\n")))
        for i, head in enumerate(heads)
    ]
    between = _BETWEEN * size
    wide = sum(widths) + between * (len(columns) - 1)
    fig, (ax,) = figure()
    given = tuple(setting("figure.figsize"))
    room = 72 * given[0] - size
    scale = 1.0 if given == SCREEN else min(1.0, room / wide)
    lines = max(head.count("\n") + 1 for head in heads)
    tall = (lines + len(rows) + 1.2) * _LINE * size
    fig.set_size_inches(
        (wide + size) / 72 if given == SCREEN else given[0],
        (scale * tall + (2.0 if title else 0.5) * size) / 72,
    )
    ax.set_axis_off()
    ax.set_title(title)
    ax.set(xlim=(0, wide), ylim=(tall, 0))
    _draw(ax, heads, rows, widths, between, size, scale)
    return fig


def _draw(
    ax: Axes,
    heads: Sequence[str],
    rows: Sequence[Sequence[str]],
    widths: Sequence[float],
    between: float,
    size: float,
    scale: float,
) -> None:
    """Texts and rules, in points from the upper left corner."""
    step = _LINE * size
    below_heads = (max(head.count("\n") for head in heads) + 1.6) * step
    end = below_heads + (len(rows) + 0.4) * step
    line = setting("axes.linewidth")
    for height, width in ((0.2 * step, 1.6), (below_heads, 1.0), (end, 1.6)):
        ax.axhline(height, color="black", linewidth=width * line)
    left = 0.0
    for place, width in enumerate(widths):
        at, side = (left, "left") if place == 0 else (left + width, "right")
        look: dict[str, Any] = {"ha": side, "fontsize": scale * size}
        ax.text(at, below_heads - 0.3 * step, heads[place], va="bottom", **look)
        for number, row in enumerate(rows):
            height = below_heads + (number + 0.7) * step
            ax.text(at, height, row[place], va="center", **look)
        left += width + between
