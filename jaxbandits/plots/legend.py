"""The legend of a figure: below its panels, where it covers nothing."""

from collections.abc import Sequence

import matplotlib
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure as BaseFigure
from matplotlib.font_manager import FontProperties
from matplotlib.legend import Legend

from jaxbandits import checks
from jaxbandits.plots._style import figure_of, in_force, under
from jaxbandits.plots.canvas import Figure
from jaxbandits.plots.words import check_formulas, entry, width_of, wrapped

# In widths of the font: the line, the space beside it, and between columns.
_HANDLE = 2.0 + 0.8
_BETWEEN = 1.6
_EDGE = 1.0


@checks.kinds
def draw_legend(
    axes: Axes | Sequence[Axes], title: str = "", *, order: Sequence[str] | None = None
) -> Legend:
    """One legend of all axes, below the figure, in as few rows as fit.

    A figure of `figure` becomes as much taller, so that its panels keep their height.
    A legend of this kind that the figure has already is replaced.

    Args:
      axes: of one figure. What is labelled there is shown, equal labels once.
      title: says what lines and bands are; above the entries. By default that of the
        legend that is replaced.
      order: labels in the order to show them; by default that of the axes.

    Returns:
      The legend.

    Raises:
      ValueError: if `axes` is empty, or of several figures.
    """
    axes = [axes] if isinstance(axes, Axes) else list(axes)
    figures = {ax.figure for ax in axes}
    if len(figures) != 1:
        raise ValueError(f"axes must be of one figure, got {len(figures)}")
    check_formulas("title", title)
    checks.label("title", title or "none")
    fig = figure_of(axes[0])
    for old in fig.legends:
        title = title or old.get_title().get_text()
        _grow(fig, old, -1)
        old.remove()
    shown: dict[str, Artist] = {}
    for ax in axes:
        for handle, text in zip(*ax.get_legend_handles_labels(), strict=True):
            shown.setdefault(text, handle)
    texts = [text for text in map(entry, order or shown) if text in shown]
    with under(in_force()):
        small = FontProperties(size=matplotlib.rcParams["legend.fontsize"])
        size = small.get_size_in_points()
        room = 72 * fig.get_figwidth() - 2 * _EDGE * size
        texts_ = [wrapped(text, room - _HANDLE * size, small) for text in texts]
        legend = fig.legend(
            [shown[text] for text in texts],
            texts_,
            loc="outside lower center",
            ncols=_columns(texts_, room, small),
            title=wrapped(title, room, small) or None,
            handlelength=2.0,
            handletextpad=0.8,
            columnspacing=_BETWEEN,
            borderpad=0.2,
        )
    _grow(fig, legend, 1)
    return legend


def _grow(fig: BaseFigure, legend: Legend, sign: int) -> None:
    """By the legend's height, or back; a figure that is not ours keeps its size."""
    if isinstance(fig, Figure):
        height = legend.get_window_extent().height / fig.dpi
        fig.set_figheight(fig.get_figheight() + sign * height)


def _columns(texts: Sequence[str], room: float, font: FontProperties) -> int:
    """As few rows as fit, in as few columns as hold them, which so are of one length.

    A legend fills its columns one after the other.
    """
    size = font.get_size_in_points()
    widths = [
        max(width_of(line, font) for line in text.split("\n")) + _HANDLE * size
        for text in texts
    ]
    for rows in range(1, len(texts)):
        columns = -(-len(texts) // rows)
        # Matplotlib: the first columns have one more where it does not come out even.
        long, more = divmod(len(texts), columns)
        ends, at = [], 0
        for place in range(columns):
            at += long + (place < more)
            ends.append(at)
        starts = [0, *ends[:-1]]
        wide = [max(widths[a:b]) for a, b in zip(starts, ends, strict=True)]
        if sum(wide) + (columns - 1) * _BETWEEN * size <= room:
            return columns
    return 1
