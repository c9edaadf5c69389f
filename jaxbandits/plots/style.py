"""The look of all figures: colours, dashes, fonts, sizes, files.

Figures are made without pyplot, so nothing here depends on a backend, a display or
what a notebook has open.
"""

import io
import os
import sys
from typing import NamedTuple

import matplotlib
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure as BaseFigure

from jaxbandits import checks
from jaxbandits.atomic import replacing

# Okabe & Ito (2008), "Color Universal Design", without yellow, which is too pale for
# a line on white.
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
# In units of the line width. The gaps grow, so that a curve drawn over an earlier one
# lets it show through.
DASHES = (
    "solid",
    (0, (4, 2.2)),
    (0, (1, 1.2)),
    (0, (6, 1.5, 1, 1.5)),
    (0, (2.5, 2)),
    (0, (6, 1.5, 1, 1.5, 1, 1.5)),
    (0, (10, 4)),
)
DPI = 150
SUFFIXES = (".png", ".pdf", ".svg")
# A README shows a figure about 830 pixels wide: a row of three panels (1485 pixels)
# shrinks to 56 %, which leaves 12 points at some 14 pixels.
PANEL = (3.3, 2.9)  # inches
SINGLE = (6.4, 4.2)  # inches
FONT = {"font.size": 12, "axes.titlesize": 12, "axes.labelsize": 12}
SMALL_FONT = 11  # Numbers and legends.


class LineStyle(NamedTuple):
    """How to draw one curve; the fields are arguments of `Axes.plot`."""

    color: str
    linestyle: str | tuple
    linewidth: float
    zorder: float


class Figure(BaseFigure):
    """A Matplotlib figure that shows itself in notebooks without pyplot."""

    def _repr_png_(self) -> bytes:
        file = io.BytesIO()
        FigureCanvasAgg(self).print_png(file)
        return file.getvalue()


def check_axes(ax) -> None:
    """Raise a TypeError if `ax` is neither None nor Matplotlib's axes."""
    if not isinstance(ax, Axes | None):
        raise TypeError(f"ax must be Matplotlib axes, got {ax!r}")


def line_style(index: int) -> LineStyle:
    """The style of curve number `index` (0, 1, ...).

    The first seven differ in colour and, separately, in dashes; the first 49 in at
    least one. Later curves are thinner and lie on top, so that equal curves stay
    visible as one inside the other.
    """
    checks.whole("index", index, 0)
    turn, place = divmod(index, len(COLORS))
    return LineStyle(
        color=COLORS[place],
        linestyle=DASHES[(place + turn) % len(DASHES)],
        linewidth=max(2.8 - 0.25 * place, 1.3),
        zorder=2 + index / 100,
    )


def figure(rows: int = 1, columns: int = 1) -> tuple[Figure, list[Axes]]:
    """An empty figure in the house style.

    Args:
      rows: of panels.
      columns: of panels.

    Returns:
      The figure and its axes, row by row.
    """
    checks.whole("rows", rows, 1)
    checks.whole("columns", columns, 1)
    width, height = SINGLE if rows == columns == 1 else PANEL
    # Sizes relative to the font are resolved as the axes' texts are made.
    with matplotlib.rc_context(FONT):
        fig = Figure(
            figsize=(width * columns, height * rows), dpi=DPI, layout="constrained"
        )
        axes = list(fig.subplots(rows, columns, squeeze=False).flat)
    for ax in axes:
        ax.spines[["top", "right"]].set_visible(False)
        ax.grid(True, color="0.9", linewidth=0.8)
        ax.set_axisbelow(True)
        # Ticks are made when drawn, when the settings above are gone.
        ax.tick_params(labelsize=SMALL_FONT)
    return fig, axes


def save_figure(fig: BaseFigure, path: str | os.PathLike) -> None:
    """Write a figure, whole or not at all, and close it.

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
    suffix = checks.path("path", path).suffix.lower()
    if suffix not in SUFFIXES:
        raise ValueError(
            f"path must end in {', '.join(SUFFIXES)}, got {os.fspath(path)!r}"
        )
    with replacing(path) as temporary:
        fig.savefig(
            temporary,
            format=suffix[1:],
            dpi=DPI,
            bbox_inches="tight",
            facecolor="white",
        )
    if pyplot := sys.modules.get("matplotlib.pyplot"):
        pyplot.close(fig)
