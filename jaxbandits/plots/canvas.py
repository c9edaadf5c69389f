"""Figures and files: sizes, panels, and line breaks of titles.

Figures are made without pyplot: they do not depend on a backend, a display or the open
figures of a notebook.
"""

import io
import os
import sys
from collections.abc import Iterator, Sequence
from string import ascii_lowercase
from typing import Any

from matplotlib.axes import Axes
from matplotlib.backend_bases import RendererBase
from matplotlib.figure import Figure as BaseFigure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.text import Text

from jaxbandits import checks
from jaxbandits.plots._style import SCREEN, in_force, setting, under
from jaxbandits.plots.ticks import Round, tick_formatter
from jaxbandits.plots.words import tex, wrapped
from jaxbandits.results.atomic import replacing

SUFFIXES = (".png", ".pdf", ".svg")
PANEL = (3.3, 2.9)  # inches, on the screen
_FLATTER = 0.85  # height of a panel over its width, in print
# Heights of a letter that a panel in print is wide at least: as a rule, and where the
# figure would become longer than a page.
_LEAST = (20, 14)
_PAGE = 9.0  # inches

_MOST_PANELS = 1000  # of a figure: more is a slip


class Figure(BaseFigure):
    """A Matplotlib figure that shows itself in notebooks without pyplot.

    It keeps the settings that it was made under: some are read when it is drawn.
    """

    settings: dict[str, Any]

    def draw(self, renderer: RendererBase) -> None:
        with under(self.settings):
            super().draw(renderer)

    def savefig(self, fname: Any, **options: Any) -> None:
        with under(self.settings):
            super().savefig(fname, **options)

    def _repr_png_(self) -> bytes:
        file = io.BytesIO()
        self.savefig(file, format="png", dpi=self.dpi)
        return file.getvalue()


class _Layout(ConstrainedLayoutEngine):
    """Constrained layout that breaks the lines of titles and axes' names.

    Matplotlib makes room for as many lines as a title has, and not for their length.
    """

    def execute(self, fig: BaseFigure) -> None:
        for text in fig.findobj(Text):
            if text.get_usetex():
                text.set_text(tex(text.get_text()))
        super().execute(fig)  # Where the axes are is known now.
        if any([_wrap(text, most) for text, most in _widths(fig)]):  # All are wrapped.
            super().execute(fig)


def _widths(fig: BaseFigure) -> Iterator[tuple[Text, float]]:
    """Titles and names of axes, and how many pixels long a line of each may be."""
    for ax in fig.axes:
        frame = ax.get_position()
        yield ax.yaxis.label, 1.05 * frame.height * fig.bbox.height
        if place := ax.get_subplotspec():
            columns, middle = place.get_gridspec().ncols, (frame.x0 + frame.x1) / 2
            ends = place.colspan.start / columns, place.colspan.stop / columns
            half = min(abs(end - middle) for end in ends)
            # Beside long names of rows, the frame has its middle elsewhere.
            for text in (ax.title, ax.xaxis.label):
                yield text, max(2 * half, frame.width) * fig.bbox.width


def _wrap(text: Text, most: float) -> bool:
    """Break lines that are longer than so many pixels; whether the text changed."""
    box, words = text.get_window_extent(), text.get_text()
    length = box.height if text.get_rotation() == 90 else box.width
    if length <= most:
        return False
    longest = max(map(len, words.split("\n")))
    text.set_text(wrapped(words, max(1, int(longest * most / length))))
    return text.get_text() != words


def figure(rows: int = 1, columns: int = 1) -> tuple[Figure, list[Axes]]:
    """An empty figure in the style that is in force (see `style`).

    On the screen a panel has a fixed size. In print the figure has a fixed width;
    columns that would be too narrow are moved below the others.

    Args:
      rows: number of rows of panels.
      columns: number of columns of panels.

    Returns:
      The figure and its axes, row by row of the requested layout.
    """
    rows = checks.whole("rows", rows, 1)
    columns = checks.whole("columns", columns, 1)
    checks.whole("rows * columns", rows * columns, 1, _MOST_PANELS)
    settings = in_force()
    across = _columns_that_fit(settings, rows, columns)
    blocks = -(-columns // across)
    with under(settings):
        fig = Figure(
            figsize=_size(settings, rows * blocks, across),
            dpi=settings["figure.dpi"],
            layout=_Layout(),
        )
        fig.settings = settings
        grid = fig.add_gridspec(rows * blocks, across)
        places = [
            (column // across * rows + row, column % across)
            for row in range(rows)
            for column in range(columns)
        ]
        axes = [fig.add_subplot(grid[place]) for place in places]
    for ax in axes:
        for axis in (ax.xaxis, ax.yaxis):
            axis.set_major_locator(Round())
            axis.set_major_formatter(tick_formatter())
    return fig, axes


def _columns_that_fit(settings: dict[str, Any], rows: int, columns: int) -> int:
    width, height = settings["figure.figsize"]
    if (width, height) == SCREEN:
        return columns
    across = 1
    for count in _LEAST:
        least = count * settings["font.size"] / 72
        across = min(columns, max(1, int(width / least)))
        blocks = -(-columns // across)
        if _size(settings, rows * blocks, across)[1] <= _PAGE:
            break
    return across


def _size(settings: dict[str, Any], rows: int, columns: int) -> tuple[float, float]:
    width, height = settings["figure.figsize"]
    if rows == columns == 1:
        return width, height
    if (width, height) == SCREEN:
        return PANEL[0] * columns, PANEL[1] * rows
    return width, rows * min(height, _FLATTER * width / columns)


@checks.kinds
def share_names(axes: Sequence[Axes]) -> None:
    """Letter the panels (a), (b), ..., and remove repeated names of axes.

    A panel's y name is removed if the panel at its left has the same name, its x name
    if the panel below has the same. A single panel gets no letter.
    """
    for letter, ax in zip(ascii_lowercase, axes if len(axes) > 1 else (), strict=False):
        ax.set_title(f"({letter}) {ax.get_title()}".strip())
    panels = {}
    for ax in axes:
        if place := ax.get_subplotspec():
            panels[place.rowspan.start, place.colspan.start] = ax
    named = {place: (ax.get_xlabel(), ax.get_ylabel()) for place, ax in panels.items()}
    for (row, column), ax in panels.items():
        if ax.get_xlabel() == named.get((row + 1, column), (None, None))[0]:
            ax.set_xlabel("")
        if ax.get_ylabel() == named.get((row, column - 1), (None, None))[1]:
            ax.set_ylabel("")


def write_beside(ax: Axes, text: str, x: float, place: int) -> None:
    """Write at the right of a bar or dot, legible where it meets a line."""
    small = setting("legend.fontsize")
    ax.annotate(
        text,
        (x, place),
        xytext=(0.6 * small, 0),
        textcoords="offset points",
        va="center",
        fontsize=small,
        bbox={"facecolor": "white", "edgecolor": "none", "pad": 1},
        zorder=4,
    )


def save_figure(fig: BaseFigure, path: str | os.PathLike[str]) -> None:
    """Write a figure atomically and close it.

    Args:
      fig: any Matplotlib figure. One that pyplot holds is released; it can still be
        drawn and saved.
      path: the file; an old one is replaced. Its suffix says what is written: .png,
        .pdf or .svg.

    Raises:
      TypeError: if `fig` is no figure.
      ValueError: if the folder of `path` does not exist, or its suffix is another.
      PermissionError: if the folder cannot be written to.
    """
    if not isinstance(fig, BaseFigure):
        raise TypeError(f"fig must be a Matplotlib figure, got {fig!r}")
    path = checks.path("path", path)
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise ValueError(f"path must end in {', '.join(SUFFIXES)}, got {str(path)!r}")
    with replacing(path) as temporary, under(in_force()):
        fig.savefig(temporary, format=suffix[1:])
    if pyplot := sys.modules.get("matplotlib.pyplot"):
        pyplot.close(fig)
