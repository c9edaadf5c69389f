"""A table as a picture: rows between rules, as journals set them."""

from collections.abc import Sequence

from jaxbandits import checks, plots
from jaxbandits.plots._style import setting
from jaxbandits.plots.canvas import Figure
from jaxbandits.plots.words import wrapped

_HEAD = 14  # letters of a heading, or as many as its column has, before its line breaks
_LINE = 1.45  # from line to line, in heights of a letter


def table_figure(
    columns: Sequence[str], rows: Sequence[Sequence[str]], title: str = ""
) -> Figure:
    """A figure that shows a table; the first column is flush left, others right.

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
    widest = [max(len(row[i]) for row in rows) for i in range(len(columns))]
    heads = [
        wrapped(head, max(_HEAD, most))
        for head, most in zip(columns, widest, strict=True)
    ]
    fig, (ax,) = plots.figure()
    lines = max(head.count("\n") + 1 for head in heads)
    size = float(setting("legend.fontsize"))
    fig.set_figheight((lines + len(rows) + 3) * _LINE * size / 72)
    ax.set_axis_off()
    ax.set_title(title)
    table = ax.table(rows, colLabels=heads, loc="center", bbox=(0, 0, 1, 1))
    table.auto_set_font_size(False)
    table.set_fontsize(size)
    table.auto_set_column_width(range(len(columns)))
    for (row, column), cell in table.get_celld().items():
        cell.visible_edges = {0: "BT", len(rows): "B"}.get(row, "")
        cell.set_height(lines if row == 0 else 1)
        cell.get_text().set_horizontalalignment("right" if column else "left")
        cell._loc = "right" if column else "left"
    return fig
