"""Theory curves on top of measured ones."""

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes

from jaxbandits.plots import line_style
from jaxbandits.plots.labels import readable_ticks
from jaxbandits.stats import entry


def draw_bounds(
    ax: Axes, x, curves: Mapping[str, np.ndarray], metrics: dict, *, measured: int = 1
) -> None:
    """Draw bounds on log-log axes that hold measured curves.

    Args:
      ax: the axes.
      x: where the bounds are evaluated, increasing.
      curves: label -> values at `x`.
      metrics: of the record of a measured curve; gets the bounds' last values.
      measured: how many curves are there, whose styles are taken.
    """
    for i, (label, values) in enumerate(curves.items(), start=measured):
        ax.plot(x, values, label=label, **line_style(i)._asdict())
        metrics[label] = entry(values[-1])
    ax.autoscale(axis="y")
    # The bounds have widened the range.
    readable_ticks(ax.yaxis, "log", ax.dataLim.minposy, ax.dataLim.y1)
