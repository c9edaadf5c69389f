"""Figures of labelled results: curves over checkpoints, panels of them, bars.

`plot_curves`, `plot_panels` and `plot_bars` take the datasets of
`jaxbandits.results` and return Matplotlib figures, which show themselves in notebooks
and which `save_figure` writes. They use no pyplot and so need no display. `figure` and
`line_style` give one's own plots the same look.
"""

from jaxbandits.plots.bars import plot_bars
from jaxbandits.plots.curves import plot_curves
from jaxbandits.plots.panels import plot_panels
from jaxbandits.plots.style import LineStyle, figure, line_style, save_figure

__all__ = [
    "LineStyle",
    "figure",
    "line_style",
    "plot_bars",
    "plot_curves",
    "plot_panels",
    "save_figure",
]
