"""Every plot in a column of a journal: nothing overlaps, and nothing is hidden."""

import itertools

import matplotlib
import numpy as np
import pytest

from jaxbandits import plots
from jaxbandits_studies.common.tables import table_figure
from tests.plots.crowding import complaints
from tests.plots.sweeps import several, sweep, unplayed
from tests.tables import each_row

LONG = "Kaplan-Meier, gain radius only"
NAMES = {"ucb": LONG, "ts": "Thompson sampling", "kl": "kl-UCB"}
FEW = [
    {"alpha": a, "radius": r} for a in (0.01, 0.1, 1.0, 10.0) for r in (0.0, 0.5, 1.0)
]
MANY = [
    {"alpha": float(a), "radius": float(r)}
    for a in np.geomspace(0.01, 100, 12)
    for r in np.linspace(0, 1, 9)
]
LINE = [{"alpha": a} for a in (0.03, 0.3, 3.0)]
TRIO = sweep(dict.fromkeys(NAMES, [{}]), num_seeds=24)
NOTHING = TRIO.assign(regret=TRIO["regret"].where(TRIO["checkpoint"] > 100, 0.0))
SHARE = TRIO.assign(censored=TRIO["regret"] / 400)
SETS = {"PosCorr": TRIO, f"NegCorr, {LONG}": TRIO, "Indep": TRIO}
HALF = unplayed(sweep({"ucb": MANY}, num_seeds=24), policy=0, params=[3, 50])
XY = {"x": "alpha", "y": "radius"}
MIXED = {"ucb": FEW, "ts": [{}], "kl": LINE}
PLOTS = {
    "curves": lambda: plots.plot_curves(
        TRIO, labels=NAMES, title=f"PosCorr, {LONG}", seeds_quantiles=(0.05, 0.95)
    ),
    "log": lambda: plots.plot_curves(TRIO, labels=NAMES, x_scale="log", y_scale="log"),
    "zeros": lambda: plots.plot_curves(NOTHING, labels=NAMES, y_scale="log"),
    "panels": lambda: plots.plot_panels(SETS, labels=NAMES),
    "environments": lambda: plots.plot_panels(several(grids={"a": [{}], "b": [{}]})),
    "shares": lambda: plots.plot_bars(
        SHARE, labels=NAMES, reference=0.2, reference_label="clairvoyant", title="Indep"
    ),
    "bars": lambda: plots.plot_bars(TRIO, "regret", percent=False),
    "ranks": lambda: plots.plot_ranks(TRIO, labels=NAMES, title="PosCorr"),
    "few cells": lambda: plots.plot_heat_map(sweep({"ucb": FEW}, num_seeds=24), **XY),
    "many cells": lambda: plots.plot_heat_map(
        HALF, **XY, log=True, labels={"ucb": LONG}
    ),
    "sensitivity": lambda: plots.plot_sensitivity(
        sweep(MIXED, num_seeds=24), x="alpha", at={"radius": 0.5}, labels=NAMES
    ),
    "by": lambda: plots.plot_sensitivity(HALF, x="alpha", by="radius"),
    "table": lambda: table_figure(
        ["setting", "least mean cost", "relative gap: 10 %, 50 %, 90 % quantile"],
        [["S-Br-10", "0.0123", "0.001, 0.01, 0.1"], ["FB", "0.2", "0.5, 0.6, 0.7"]],
        "Means of 1,000 instances",
    ),
}


def overlaps(name, width):
    with matplotlib.rc_context(plots.style(width)):
        fig = PLOTS[name]()
    found = complaints(fig)
    if width is None:  # What juts out at the edge widens the picture there.
        found = [each for each in found if "cut off" not in each]
    return found


@each_row("name", PLOTS)
def test_nothing_overlaps_in_a_column(name):
    """The narrowest width: what is readable there mostly is elsewhere."""
    assert not overlaps(name, 3.25)


@pytest.mark.slow
@each_row("name, width", itertools.product(PLOTS, (None, "text")))
def test_nothing_overlaps_in_wider_figures(name, width):
    assert not overlaps(name, width)


def test_long_titles_and_names_of_axes_are_broken_and_have_their_place():
    """Of any panel, or of both."""
    long = "a name that is a good deal longer than its axis, and not the only one"
    for panels in ([1], [0, 1]):
        for names in (["title", "xlabel"], ["ylabel"]):
            fig, axes = plots.figure(1, 2)
            for panel, name in itertools.product(panels, names):
                axes[panel].set(**{name: long})
            assert complaints(fig) == []
            for panel, name in itertools.product(panels, names):
                assert "\n" in getattr(axes[panel], f"get_{name}")()


def test_every_plot_is_here():
    names = {name for name in plots.__all__ if name.startswith("plot_")}
    drawn = {name for make in PLOTS.values() for name in make.__code__.co_names}
    assert names <= drawn


def test_what_overlaps_is_found():
    fig = PLOTS["curves"]()
    assert complaints(fig) == []
    ax = fig.axes[0]
    where = ax.yaxis.label.get_window_extent().transformed(fig.transFigure.inverted())
    planted = fig.text(*where.min, "planted")
    assert any("planted" in each for each in complaints(fig))
    planted.remove()
    outside = fig.text(0.95, 0.5, "beyond the edge")
    assert any("cut off" in each for each in complaints(fig))
    outside.remove()
    assert complaints(fig) == []
    ax.legend(loc="upper right")
    assert any("the legend covers data" in each for each in complaints(fig))


def test_a_legend_is_replaced_and_its_title_stays():
    fig = plots.plot_curves(TRIO, y_scale="log")
    (before,) = fig.legends
    height = fig.get_figheight()
    plots.draw_bounds(fig.axes[0], [100, 2000], {"Theorem 1": [1e4, 1e9]})
    after = plots.draw_legend(fig.axes)
    assert fig.legends == [after]
    assert after.get_title().get_text() == before.get_title().get_text()
    assert [t.get_text() for t in after.get_texts()] == [*NAMES, "Theorem 1"]
    assert fig.get_figheight() == pytest.approx(height)
    assert fig.axes[0].get_ylim()[1] >= 1e9
    line = fig.axes[0].lines[-1]
    assert line.get_color() == plots.line_style(3).color


@each_row(
    "panels, names, columns",
    [
        (1, ["short"] * 3, 3),
        (1, ["half as long as the room of a panel"] * 3, 1),
        # Two rows are needed, of as many entries as fit or fewer.
        (3, [f"of middling length, {i}" for i in range(6)], 3),
        (3, [f"of middling length, {i}" for i in range(7)], 3),
        (3, [f"middling, {i}" for i in range(8)], 4),
    ],
)
def test_columns_of_a_legend_are_of_one_length(panels, names, columns):
    fig, axes = plots.figure(1, panels)
    for i, name in enumerate(names):
        axes[0].plot([0, 1], [i, i], label=f"{name}{' ' * i}")
    assert plots.draw_legend(axes)._ncols == columns


def test_bounds_widen_the_range_and_its_ticks():
    """From one decade, with ticks at 1, 2 and 5, to seven of them."""
    fig, (ax, *_) = plots.figure(1, 3)
    x = np.array([10.0, 1_000.0])
    ax.plot(x, [100, 900], label="measured")
    plots.readable_ticks(ax.xaxis, "log", 10, 1_000)
    plots.readable_ticks(ax.yaxis, "log", 100, 900)
    curves = {"low": np.array([0.1, 1.0]), "high": np.array([1e5, 1e6])}
    plots.draw_bounds(ax, x, curves)
    assert [line.get_label() for line in ax.lines] == ["measured", *curves]
    colors = [line.get_color() for line in ax.lines[1:]]
    assert colors == [plots.line_style(i).color for i in (1, 2)]
    low, high = ax.get_ylim()
    assert low <= 0.1 and high >= 1e6
    assert complaints(fig) == []
