"""Theory curves on top of measured ones, and in their record."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from jaxbandits.plots import draw_bounds, draw_legend, figure, plot_curves, share_names
from jaxbandits.protocol import Environment
from jaxbandits.stats import entry
from jaxbandits_studies.common.comparison import play_games
from jaxbandits_studies.common.experiment import Options, Outcome

TRIVIAL = "trivial bound"  # label of the curve that no policy exceeds


def under_bounds(
    name: str,
    games: Mapping[str, Environment],
    contestants: Mapping[str, Any],
    options: Options,
    curves: Callable[[str, np.ndarray], Mapping[str, np.ndarray]],
    since: Callable[[str], float] = lambda title: 0.0,
    *,
    note: str = "",
    titles: Mapping[str, str] = {},  # noqa: B006
) -> Outcome:
    """Play games: regret below its bounds, which every first policy's record has, too.

    Args:
      name, games, contestants, options: as for `play_games`.
      curves: title and checkpoints -> values of the bounds by label.
      since: title -> the first checkpoint that has bounds.
      note: behind the number of seeds, above the legend.
      titles: of panels, where they are others.
    """
    few = {"metrics": ["regret"], "checkpoints": "log"}
    played = play_games(name, games, contestants, options, **few)
    panels = {}
    for title, dataset in played.datasets.items():
        x = dataset["checkpoint"].values
        x = x[x >= since(title)]
        bounds = curves(title, x)
        panels[titles.get(title, title)] = dataset, x, bounds
        first = next(r for r in played.records if r["environment"] == title)
        first["metrics"].update({k: entry(y[-1]) for k, y in bounds.items()})

    def draw() -> Figure:
        fig, axes = figure(1, len(panels))
        scales = {"x_scale": "log", "y_scale": "log"}
        for ax, (title, (dataset, x, bounds)) in zip(axes, panels.items(), strict=True):
            plot_curves(dataset, ax=ax, title=title, **scales)
            draw_bounds(ax, x, bounds)
        share_names(axes)
        draw_legend(axes, f"regret: {options.seeds:,} seeds{note}")
        return fig

    return Outcome(*played, draw)
