"""Marks in a grid of parameter points: the best, and what may be as good."""

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.patches import Patch

from jaxbandits.plots.grid import Grid
from jaxbandits.plots.samples import (
    Samples,
    best_point,
    enough_seeds,
    may_be_best,
)
from jaxbandits.plots.style import SMALL_FONT

# Not played: as pale as nothing in the colour map, and hatched.
MISSING = {"facecolor": "0.93", "edgecolor": "0.7", "hatch": "////", "linewidth": 0}
# White with a black edge shows on every colour.
_MARK = {"markerfacecolor": "white", "markeredgecolor": "black", "linestyle": "none"}
_BEST = _MARK | {"marker": "*", "markersize": 13}
_CLOSE = _MARK | {"marker": "o", "markersize": 5.5}


def draw_best(
    ax: Axes,
    grid: Grid,
    runs: Samples,
    *,
    smaller_is_better: bool,
    level: float,
    shift: tuple[float, float],
) -> list[Artist]:
    """Draw a star at the best point and dots at those that may be the best.

    `shift` is where a mark lies in its cell, to the right and up from the middle.

    Returns:
      The star and, if there are any, the dots: labelled, for the legend.
    """
    best = best_point(runs, smaller_is_better)
    if best is None:
        return []
    means = int((runs.counts > 0).sum())
    label = f"{'lowest' if smaller_is_better else 'highest'} of {means} means"
    least = enough_seeds(runs)
    if ((runs.counts > 0) & (runs.counts < least)).any():
        label += f" of {least:,} seeds or more"
    marks = _draw(ax, grid, [best], shift, _BEST | {"label": label})
    if runs.counts.max() > 1:  # One seed can tell nothing apart.
        close = np.flatnonzero(may_be_best(runs, best, level, smaller_is_better))
        if close.size:
            label = f"may be the best ({100 * level:g} %)"
            marks += _draw(ax, grid, close, shift, _CLOSE | {"label": label})
    return marks


def draw_key(ax: Axes, marks: list[Artist], missing: bool, narrow: bool) -> int:
    """Explain marks and, if there are any, missing cells above the axes.

    `narrow` breaks lines at " of " and brackets.

    Returns:
      Number of lines.
    """
    if missing:
        marks = [*marks, Patch(**MISSING, label="no complete run")]
    if not marks:
        return 0
    texts = [mark.get_label() for mark in marks]
    if narrow:
        texts = [t.replace(" of ", "\nof ").replace(" (", "\n(") for t in texts]
    legend = ax.legend(
        marks,
        texts,
        loc="lower left",
        bbox_to_anchor=(0, 1),
        borderaxespad=0.2,
        borderpad=0,
        labelspacing=0.2,
        handlelength=1.3,
        frameon=False,
        fontsize=SMALL_FONT,
    )
    legend.set_zorder(10)
    return len("\n".join(texts).split("\n"))


def _draw(ax: Axes, grid: Grid, points, shift, look: dict) -> list[Artist]:
    rows, columns = grid.places(points)
    right, up = shift
    return ax.plot(columns + right, rows + up, **look)
