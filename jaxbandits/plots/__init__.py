"""Figures of labelled results, also of sweeps over parameters and environments.

`plot_curves` draws metrics over checkpoints and `plot_panels` several such figures
side by side; `plot_bars` draws them at the horizon and `plot_ranks` the average ranks
of policies. Of a sweep, `plot_heat_map` draws a metric over two parameters of a policy
and `plot_sensitivity` over one, for several policies. Arguments in which environments
differ count as parameters; `by_value` turns the points of a policy into separate curves
or bars. A sweep may be half finished: figures use the available runs and state their
number.

All functions take the datasets of `jaxbandits.results` and return Matplotlib figures,
which notebooks display and `save_figure` writes. They do not use pyplot and need no
display.

Matplotlib's ``rcParams`` set the look of figures; `style` makes those for a width in
print. On a new figure, a plot has a legend below. On axes that you give, it has none:
draw everything there and call `draw_legend` once. `figure`, `line_style`,
`readable_ticks` and `draw_bounds` (curves of `jaxbandits_studies.theory`, say) give
your own plots the same look.
"""

from jaxbandits.plots._style import LineStyle, line_style, style
from jaxbandits.plots.bars import plot_bars
from jaxbandits.plots.bounds import draw_bounds
from jaxbandits.plots.canvas import figure, save_figure, share_names
from jaxbandits.plots.curves import plot_curves
from jaxbandits.plots.heat_map import plot_heat_map
from jaxbandits.plots.legend import draw_legend
from jaxbandits.plots.marks import Best
from jaxbandits.plots.panels import plot_panels
from jaxbandits.plots.points import by_value
from jaxbandits.plots.ranks import plot_ranks
from jaxbandits.plots.sensitivity import plot_sensitivity
from jaxbandits.plots.ticks import readable_ticks
from jaxbandits.plots.words import literal

__all__ = [
    "Best",
    "LineStyle",
    "by_value",
    "draw_bounds",
    "draw_legend",
    "figure",
    "line_style",
    "literal",
    "plot_bars",
    "plot_curves",
    "plot_heat_map",
    "plot_panels",
    "plot_ranks",
    "plot_sensitivity",
    "readable_ticks",
    "save_figure",
    "share_names",
    "style",
]
