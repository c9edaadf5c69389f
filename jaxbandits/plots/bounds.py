"""Curves of a theory on top of measured ones."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from jaxbandits import checks
from jaxbandits.checks import no_nan, numbers
from jaxbandits.plots._style import check_axes, line_style
from jaxbandits.plots.ticks import readable_ticks
from jaxbandits.plots.words import check_formulas, entry


def draw_bounds(ax: Axes, x: Any, curves: Mapping[str, Any]) -> None:
    """Draw bounds, or other known curves, on axes that hold measured ones.

    They take the next styles after the curves that are there, and the y axis grows as
    far as they need; `draw_legend` shows them too. ::

        (ax,) = plots.plot_curves(data, x_scale="log", y_scale="log").axes
        rounds = data["checkpoint"].values
        bound = theory.censored.rcucb_regret_bound(gaps, penalties, rounds, 1.5)
        plots.draw_bounds(ax, rounds, {"Theorem 1": bound})
        plots.draw_legend(ax)

    Args:
      ax: the axes, which hold at least one curve.
      x: f64[N], where the bounds are evaluated, increasing.
      curves: label -> f64[N], values at `x`; infinite values are not drawn.

    Raises:
      TypeError, ValueError: naming `ax`, `x` or the curve that is wrong.
    """
    check_axes(ax)
    if ax is None:
        raise TypeError("ax must be Matplotlib axes, got None")
    checks.mapping("curves", curves)
    places = numbers("x", x)
    if places.ndim != 1 or not np.all(np.diff(places) > 0):
        raise ValueError("x must be a list of increasing numbers")
    drawn = ax.get_legend_handles_labels()[1]
    if not drawn:
        raise ValueError("ax must hold at least one curve with a label, got none")
    for i, (label, values) in enumerate(curves.items(), start=len(drawn)):
        check_formulas(f"curves: {label!r}", label)
        heights = numbers(f"curves: {label!r}", values)
        no_nan(**{f"curves: {label!r}": heights})
        if not np.any(np.isfinite(heights)):
            raise ValueError(f"curves: {label!r} must have a finite number, got none")
        if entry(label) in drawn:
            raise ValueError(f"curves: {label!r} is the label of a curve of ax already")
        if heights.shape != places.shape:
            raise ValueError(
                f"curves: {label!r} must have {len(places)} numbers, one for each of "
                f"x, got shape {list(heights.shape)}"
            )
        ax.plot(places, heights, label=entry(label), **line_style(i)._asdict())
    ax.autoscale(axis="y")
    if ax.get_yscale() != "linear":
        # The bounds have widened the range.
        readable_ticks(ax.yaxis, "log", ax.dataLim.minposy, ax.dataLim.y1)
