"""Theory curves on top of measured ones, and in their record."""

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes

from jaxbandits.plots import draw_bounds
from jaxbandits.stats import Entry, entry

TRIVIAL = "trivial bound"  # label of the curve that no policy exceeds


def add_bounds(
    ax: Axes,
    x: np.ndarray,
    curves: Mapping[str, np.ndarray],
    metrics: dict[str, Entry],
) -> None:
    """Draw bounds on axes that hold measured curves, and note where they end.

    Args:
      ax: the axes.
      x: where the bounds are evaluated, increasing.
      curves: label -> values at `x`.
      metrics: of the record of a measured curve; gets the bounds' last values.
    """
    draw_bounds(ax, x, curves)
    for label, values in curves.items():
        metrics[label] = entry(values[-1])
