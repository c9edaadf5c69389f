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
from jaxbandits.plots.words import check_formulas, entry, letters, wrapped

_HANDLE = 8  # letters: a line, the space beside it, and between columns


@checks.kinds
def draw_legend(
    axes: Axes | Sequence[Axes], title: str = "", *, order: Sequence[str] | None = None
) -> Legend:
    """One legend of all axes, below the figure, in as few rows as fit.

    A figure of `figure` becomes as much taller, so that its panels keep their height.
    A legend of this kind that the figure has already is replaced.

    Args:
      axes: axes of one figure. All labelled artists are shown, equal labels once.
      title: text above the entries that explains lines and bands. By default that of
        the legend that is replaced.
      order: labels in the order to show them; by default that of the axes.

    Returns:
      The legend.

    Raises:
      ValueError: if `axes` is empty, or of several figures, or `order` has a label that
        they have not.
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
    texts = list(map(entry, order or shown))
    if unknown := [text for text in texts if text not in shown]:
        raise ValueError(f"order: {unknown[0]!r} is no label of axes: {[*shown]}")
    with under(in_force()):
        size = FontProperties(size=matplotlib.rcParams["legend.fontsize"])
        room = letters(72 * fig.get_figwidth(), size.get_size_in_points())
        lines = [wrapped(text, max(1, room - _HANDLE)) for text in texts]
        widths = [max(map(len, text.split("\n"))) for text in lines]
        legend = fig.legend(
            [shown[text] for text in texts],
            lines,
            loc="outside lower center",
            ncols=_columns(widths, room),
            title=wrapped(title, room) or None,
            borderpad=0.2,
        )
    _grow(fig, legend, 1)
    return legend


def _columns(widths: Sequence[int], room: int) -> int:
    """The largest number of columns that fit, each as wide as its longest entry."""
    for columns in range(len(widths), 1, -1):
        rows = -(-len(widths) // columns)
        parts = [max(widths[i : i + rows]) for i in range(0, len(widths), rows)]
        if len(parts) == columns and sum(parts) + _HANDLE * columns <= room:
            return columns
    return 1


def _grow(fig: BaseFigure, legend: Legend, sign: int) -> None:
    """By the legend's height, or back; a figure that is not ours keeps its size."""
    if isinstance(fig, Figure):
        height = legend.get_window_extent().height / fig.dpi
        fig.set_figheight(fig.get_figheight() + sign * height)
