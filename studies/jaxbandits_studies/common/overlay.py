"""Theory curves on top of measured ones, and in their record."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from jaxbandits.plots import draw_bounds, draw_legend, figure, plot_curves, share_names
from jaxbandits.stats import Entry, entry

TRIVIAL = "trivial bound"  # label of the curve that no policy exceeds


class Panel(NamedTuple):
    """Measured curves and bounds over one x axis.

    Attributes:
      dataset: of the measured curves.
      x: where the bounds are evaluated, increasing.
      curves: label -> values of a bound at `x`.
    """

    dataset: xr.Dataset
    x: np.ndarray
    curves: Mapping[str, np.ndarray]

    def record(self, metrics: dict[str, Entry]) -> None:
        """Note the bounds' last values among the metrics of a measured curve."""
        for label, values in self.curves.items():
            metrics[label] = entry(values[-1])


def bounds_figure(panels: Mapping[str, Panel], note: str) -> Figure:
    """Regret below its bounds, both axes logarithmic.

    Args:
      panels: by title.
      note: above the legend.
    """
    fig, axes = figure(1, len(panels))
    for ax, (title, panel) in zip(axes, panels.items(), strict=True):
        plot_curves(panel.dataset, ax=ax, x_scale="log", y_scale="log", title=title)
        draw_bounds(ax, panel.x, panel.curves)
    share_names(axes)
    draw_legend(axes, note)
    return fig
