"""A leaderboard as a dot plot: an entrant per row, a dot per case and horizon."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

from jaxbandits.plots import draw_legend, figure, line_style
from jaxbandits_studies.judging.board import Board
from jaxbandits_studies.judging.page import ANY_GOAL
from jaxbandits_studies.judging.protocol import Protocol
from jaxbandits_studies.judging.scores import standings

LARGEST = 300.0  # ratios beyond are drawn there
ROW = 0.46  # inches
WIDTH = 9.0  # inches
SPREAD = 0.15  # of a row, over which dots of one kind are scattered


def dot_plot(board: Board, protocol: Protocol) -> Figure:
    """Ratios to the best rival; means above the line of a row, 95 % quantiles below."""
    goal = protocol.goal or ANY_GOAL
    order = [standing.name for standing in standings(board.cells, goal.within)]
    horizons = sorted({cell.horizon for cell in board.cells})
    cases = list(dict.fromkeys(cell.case for cell in board.cells))
    fig, (ax,) = figure()
    fig.set_size_inches(WIDTH, 1.3 + ROW * len(order))
    # Wide colours first: dots of the longest horizon lie on top.
    for i, horizon in enumerate(horizons):
        color = line_style(i).color
        at = [cell for cell in board.cells if cell.horizon == horizon]
        for row, name in enumerate(order):
            played = [cell for cell in at if name in cell.scores]
            place = np.array([cases.index(cell.case) for cell in played])
            shift = SPREAD * (2 * place / max(len(cases) - 1, 1) - 1)
            means = [min(cell.ratio(name), LARGEST) for cell in played]
            highs = [min(cell.high_ratio(name), LARGEST) for cell in played]
            ax.scatter(means, row - 0.22 + shift, s=26, color=color, linewidths=0)
            look = {"facecolors": "none", "edgecolors": color, "linewidths": 0.9}
            ax.scatter(highs, row + 0.22 + shift, s=22, marker="D", **look)
    ax.axvline(1.0, color="0.25", linewidth=1.2, zorder=1)
    ax.axvline(goal.within, color="0.25", linewidth=1.2, linestyle="dotted", zorder=1)
    for row in range(len(order) - 1):
        ax.axhline(row + 0.5, color="0.85", linewidth=0.8, zorder=0)
    ax.set_yticks(range(len(order)), order)
    for label, name in zip(ax.get_yticklabels(), order, strict=True):
        entrant = protocol.entrants[name]
        label.set_fontweight("bold" if entrant.ours else "normal")
        label.set_color("0.5" if entrant.flaw else "black")
    ax.set_ylim(len(order) - 0.5, -0.5)
    ax.set_xscale("log")
    lowest = min(
        min(cell.ratio(name), cell.high_ratio(name))
        for cell in board.cells
        for name in cell.scores
    )
    ax.set_xlim(min(0.4, lowest / 1.1), LARGEST * 1.15)
    ax.grid(False, axis="y")
    ax.xaxis.set_major_locator(LogLocator(subs=(1.0, 3.0)))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.xaxis.set_major_formatter(FuncFormatter(_tick))
    ax.set_xlabel(
        f"regret over that of the best rival (both at least 1); dotted: {goal.within:g}"
    )
    number = "one case" if len(cases) == 1 else f"{len(cases)} cases"
    ax.set_title(f"{board.setting}: {number}, {board.seeds} seeds each")
    _label(ax, horizons, protocol)
    draw_legend(ax)
    return fig


def _tick(value: float, _) -> str:
    return f"{value:g}+" if value >= LARGEST else f"{value:g}"


def _label(ax: Axes, horizons: list[int], protocol: Protocol) -> None:
    """What dots mean, as artists of the axes that hold no point."""
    unit = "budget" if protocol.by_budget else "T ="
    for i, horizon in enumerate(horizons):
        look = {"color": line_style(i).color, "label": f"{unit} {horizon:,}"}
        ax.plot([], [], "o", markersize=6, **look)
    dark = {"color": "0.25", "markersize": 6}
    ax.plot([], [], "o", label="mean", **dark)
    ax.plot([], [], "D", markerfacecolor="none", label="95 % quantile", **dark)
