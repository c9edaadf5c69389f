"""Theory curves on top of measured ones, and in their record."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import NamedTuple

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from jaxbandits.plots import draw_bounds, draw_legend, figure, plot_curves, share_names
from jaxbandits.stats import Entry, entry
from jaxbandits_studies.common.comparison import Played
from jaxbandits_studies.common.experiment import Options, Outcome

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


def under_bounds(
    played: Played,
    options: Options,
    curves: Callable[[str, np.ndarray], Mapping[str, np.ndarray]],
    since: Callable[[str], float] = lambda title: 0.0,
    *,
    note: str = "",
    titles: Mapping[str, str] = {},  # noqa: B006
) -> Outcome:
    """Regret of games below its bounds, which stand in every first policy's record.

    Args:
      played: the games.
      options: seeds.
      curves: title and checkpoints -> values of the bounds by label.
      since: title -> the first checkpoint that has bounds.
      note: behind the number of seeds, above the legend.
      titles: of panels, where they are others.
    """
    panels = {}
    for title, dataset in played.datasets.items():
        x = dataset["checkpoint"].values
        x = x[x >= since(title)]
        panel = panels[titles.get(title, title)] = Panel(dataset, x, curves(title, x))
        first = next(r for r in played.records if r["environment"] == title)
        panel.record(first["metrics"])
    draw = partial(bounds_figure, panels, f"regret: {options.seeds:,} seeds{note}")
    return Outcome(*played, draw)


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
