"""A leaderboard as a dot plot: per entrant and horizon the median case, and a range."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

from jaxbandits.plots import draw_legend, figure, line_style
from jaxbandits.plots.words import symbols
from jaxbandits_studies.common.drawing import draw_rows
from jaxbandits_studies.judging.board import Board
from jaxbandits_studies.judging.page import ANY_GOAL
from jaxbandits_studies.judging.protocol import Protocol
from jaxbandits_studies.judging.scores import standings

LARGEST = 300.0  # ratios beyond are drawn there
LINE = 0.13  # inches, of one horizon
WIDTH = 9.0  # inches
RANGE = (0.1, 0.9)  # quantiles over cases, the ends of a range


def dot_plot(board: Board, protocol: Protocol) -> Figure:
    """Ratios of mean regrets to the best rival's: medians over cases, and ranges."""
    goal = protocol.goal or ANY_GOAL
    order = [standing.name for standing in standings(board.cells, goal.within)]
    horizons = sorted({cell.horizon for cell in board.cells})
    cases = list(dict.fromkeys(cell.case for cell in board.cells))
    height = LINE * (len(horizons) + 1)  # inches, of an entrant
    fig, (ax,) = figure()
    fig.set_size_inches(WIDTH, 1.3 + height * len(order))
    lowest = 0.4
    for i, horizon in enumerate(horizons):
        shift = ((i + 1) / (len(horizons) + 1) - 0.5) * 0.9
        at = [cell for cell in board.cells if cell.horizon == horizon]
        for row, name in enumerate(order):
            ratios = [cell.ratio(name) for cell in at if name in cell.scores]
            if not ratios:
                continue
            low, median, high = np.minimum(
                np.quantile(ratios, [RANGE[0], 0.5, RANGE[1]]), LARGEST
            )
            lowest = min(lowest, low / 1.1)
            look = {"color": line_style(i).color, "linewidth": 1.6}
            ax.plot([low, high], [row + shift] * 2, **look)
            ax.plot([median], [row + shift], "o", markersize=5, color=look["color"])
    ax.axvline(1.0, color="0.25", linewidth=1.2, zorder=1)
    ax.axvline(goal.within, color="0.25", linewidth=1.2, linestyle="dotted", zorder=1)
    draw_rows(ax, [*map(symbols, order)])
    for label, name in zip(ax.get_yticklabels(), order, strict=True):
        entrant = protocol.entrants[name]
        label.set_fontweight("bold" if entrant.ours else "normal")
        label.set_color("0.5" if entrant.flaw else "black")
    ax.set_xscale("log")
    ax.set_xlim(lowest, LARGEST * 1.15)
    ax.xaxis.set_major_locator(LogLocator(subs=(1.0, 3.0)))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.xaxis.set_major_formatter(FuncFormatter(_tick))
    ax.set_xlabel(
        f"mean regret over the best rival's (both at least 1); dotted: {goal.within:g}"
    )
    number = "one case" if len(cases) == 1 else f"{len(cases)} cases"
    ax.set_title(f"{board.setting}: {number}, {board.seeds} seeds each")
    _label(ax, horizons, protocol)
    draw_legend(ax, "dot: median over cases; line: from the 10 % to the 90 % quantile")
    return fig


def _tick(value: float, _) -> str:
    return f"{value:g}+" if value >= LARGEST else f"{value:g}"


def _label(ax: Axes, horizons: list[int], protocol: Protocol) -> None:
    """What dots mean, as artists of the axes that hold no point."""
    unit = "budget" if protocol.by_budget else "T ="
    for i, horizon in enumerate(horizons):
        look = {"color": line_style(i).color, "label": f"{unit} {horizon:,}"}
        ax.plot([], [], "o-", markersize=5, linewidth=1.6, **look)
