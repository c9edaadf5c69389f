"""Bounds over a measured curve: all are seen, numbers on the axis do not touch."""

import numpy as np

from jaxbandits.plots import draw_bounds, figure, line_style, readable_ticks
from studies.tests.checks import assert_readable


def test_bounds_widen_the_range_and_its_ticks():
    """From one decade, with ticks at 1, 2 and 5, to seven of them."""
    fig, axes = figure(1, 3)
    x = np.array([10.0, 1_000.0])
    axes[0].plot(x, [100, 900], label="measured")
    readable_ticks(axes[0].xaxis, "log", 10, 1_000)
    readable_ticks(axes[0].yaxis, "log", 100, 900)
    curves = {"low": np.array([0.1, 1.0]), "high": np.array([1e5, 1e6])}
    draw_bounds(axes[0], x, curves)
    assert [line.get_label() for line in axes[0].lines] == ["measured", "low", "high"]
    colors = [line.get_color() for line in axes[0].lines[1:]]
    assert colors == [line_style(1).color, line_style(2).color]
    low, high = axes[0].get_ylim()
    assert low <= 0.1 and high >= 1e6
    assert_readable(fig)
