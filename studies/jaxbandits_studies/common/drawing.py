"""Curves and rows, as several figures draw them."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from jaxbandits.plots import line_style


def draw_lines(
    ax: Axes, x: Any, curves: Mapping[str, Any], first: int = 0, **look: Any
) -> None:
    """A curve per label over x.

    Args:
      ax: where.
      x: f64[n].
      curves: by label f64[n], or f64[3, n]: also the ends of a band.
      first: number of the first curve's style.
      **look: of all curves, in place of their styles'.
    """
    for place, (label, values) in enumerate(curves.items(), first):
        style = line_style(place)._asdict() | look
        middle, *ends = np.atleast_2d(values)
        ax.plot(x, middle, label=label, **style)
        if ends:
            ax.fill_between(x, *ends, color=style["color"], alpha=0.2, lw=0)


def draw_rows(ax: Axes, titles: Sequence[str]) -> None:
    """The frame of a picture that has a row per title, the first one at the top."""
    ax.set_yticks(range(len(titles)), titles)
    ax.set_ylim(len(titles) - 0.5, -0.5)
    ax.grid(False, axis="y")
    for row in range(len(titles) - 1):
        ax.axhline(row + 0.5, color="0.85", linewidth=0.8, zorder=0)


def draw_intervals(
    ax: Axes, place: int, label: str, rows: Any, mean: Any, low: Any, high: Any
) -> None:
    """Means with their intervals in rows, in the style of a policy's number."""
    ax.errorbar(
        mean,
        rows,
        xerr=[mean - low, high - mean],
        fmt="os^vD"[place],
        ms=5,
        capsize=0,
        color=line_style(place).color,
        label=label,
    )
