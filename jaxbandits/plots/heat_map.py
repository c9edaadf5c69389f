"""A metric over two parameters of a policy."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.collections import QuadMesh
from matplotlib.colors import LogNorm, Normalize
from matplotlib.figure import Figure

from jaxbandits.checks import flag, one_of
from jaxbandits.plots._style import SCREEN, check_axes, figure_of, setting
from jaxbandits.plots.canvas import figure
from jaxbandits.plots.labels import (
    metric_at,
    padded_number,
    parameter_label,
    value_labels,
)
from jaxbandits.plots.legend import draw_legend
from jaxbandits.plots.marks import MISSING, Best, check_best, draw_best, missing_key
from jaxbandits.plots.points import (
    along,
    argument_of,
    check_labels,
    points_at,
    shown_value,
    the_policy,
)
from jaxbandits.plots.samples import OF_RUNS, STATISTICS, Samples, samples
from jaxbandits.plots.selection import seeds_text, texts_of
from jaxbandits.plots.ticks import tick_formatter, tick_locator
from jaxbandits.plots.words import literal
from jaxbandits.results.lookup import check_checkpoint

_WORDS = {"median": "median ", "std": "s.d. of ", "sem": "standard error of "}
# In widths of the font.
_DIGIT = 0.6  # of a number in a cell or at a tick
_CELL = (4.0, 2.8)  # that suits a number
_AROUND = (13.0, 9.5)  # numbers and names of axes, and the colour bar
_SMALLEST, _LARGEST = (31.0, 21.0), (66.0, 54.0)  # of a figure
_MOST_NUMBERS = 100  # cells beyond which numbers are only asked for


class _Grid(NamedTuple):
    """The distinct values f64[X] and f64[Y] of two parameters, increasing, and the
    numbers int[Y, X] of the points that have them; -1 where there is none."""

    x: np.ndarray
    y: np.ndarray
    points: np.ndarray


def plot_heat_map(
    dataset: xr.Dataset,
    metric: str = "regret",
    *,
    x: str,
    y: str,
    policy: str | None = None,
    checkpoint: int = -1,
    at: Mapping[str, float | str] | None = None,
    statistic: str = "mean",
    best: Best | None = Best(),  # noqa: B008 - a value that cannot change
    ax: Axes | None = None,
    log: bool = False,
    labels: Mapping[str, str] | None = None,
) -> Figure:
    """Plot a metric over two parameters, a cell per parameter point.

    Parameters are those of a policy, or arguments in which environments differ.

    All cells have one size, in the order of their values. A star marks the best mean.
    As it is selected, this mean is biased (play the point on fresh seeds to estimate
    it). Dots mark the points that are not significantly worse. With the probability of
    `best`, the point with the best true mean is among star and dots: paired t tests
    over common seeds, corrected for the number of points. With fewer than 20 seeds, or
    seeds that do not support the test, no point is significantly worse. There are no
    marks if an axis shows an argument of environments. Cells show numbers if there is
    room.

    A sweep may be half finished: every cell uses the seeds that were played there, and
    the note states their number. Cells without a run, or with an undefined metric, are
    hatched. The star needs at least half of the largest number of seeds of a cell.

    Args:
      dataset: as `jaxbandits.simulate` makes it, of one environment, or of `variants`.
      metric: name of a metric.
      x: parameter from left to right, or argument (``num_arms``, which the dataset has
        as ``environment_num_arms``).
      y: parameter or argument from bottom to top.
      policy: name; may be left out if one policy alone has both parameters.
      checkpoint: number of the checkpoint; -1 is the last.
      at: parameter or argument -> value that selects the points and environments,
        where others vary too.
      statistic: over seeds: "mean", "median", "std" or "sem". The marks go by the mean
        whatever is shown.
      best: which mean is the best, and how sure the marks are; None for no marks.
      ax: where to draw, without a legend (see `draw_legend`); by default a new figure.
      log: whether colours go by the logarithm.
      labels: parameter or argument -> text of its axis, policy -> title; by default
        their names.

    Returns:
      The figure that was drawn on.

    Raises:
      ValueError: naming the argument that is unknown or out of range; `dataset` if it
        has several environments that `x`, `y` and `at` do not tell apart; `at` if more
        than one point falls into a cell;
        `metric` if no run of the policy has it.
    """
    labels = texts_of(labels)
    check_labels(dataset, labels)
    if any(argument_of(dataset, name) is not None for name in (x, y)):
        best = None  # Means of different environments cannot be compared.
    dataset, points = along(dataset, {"x": x, "y": y}, at)
    fixed = {name: shown_value(value) for name, value in (at or {}).items()}
    check_checkpoint(dataset, checkpoint)
    one_of("statistic", statistic, STATISTICS)
    flag("log", log)
    check_best(best)
    check_axes(ax)
    if x == y:
        raise ValueError(f"y must be another parameter than x, got {y!r} for both")
    policy = the_policy(dataset, policy, {"x": x, "y": y})
    runs = samples(dataset, metric, policy, checkpoint)
    grid = _grid_of(points_at(dataset, policy, (x, y), points))
    runs = runs.only(grid.points)
    shown = _values(grid, runs, statistic)
    if np.isnan(shown).all():
        raise ValueError(f"metric: no run of {policy!r} has {statistic} {metric!r}")
    if log and np.nanmin(shown) <= 0:
        raise ValueError(f"log: needs positive values, got {np.nanmin(shown):g}")

    own = ax is None
    if ax is None:
        fig, (ax,) = figure()
        fig.set_size_inches(*_size(grid))
    width, height = _room(ax)
    cell = width / len(grid.x), height / len(grid.y)
    mesh = _draw_cells(ax, shown, log)
    words = _WORDS.get(statistic, "") + metric_at(dataset, metric, checkpoint)
    _draw_bar(ax, mesh, log, words)
    numbers = ["" if np.isnan(value) else padded_number(value) for value in shown.flat]
    wide = _letter() * (_DIGIT * max(map(len, numbers)) + 0.7)
    numbered = (
        shown.size <= _MOST_NUMBERS and wide < cell[0] and cell[1] > 1.8 * _letter()
    )
    if numbered:
        _draw_numbers(ax, shown, numbers, mesh)
    if best is not None:
        # Numbers have the middle of a cell.
        draw_best(
            ax, grid.points, runs, best, shift=(0.36, 0.31) if numbered else (0, 0)
        )
    if np.isnan(shown).any():
        ax.add_patch(missing_key())
    _label_ticks(ax, grid, cell)
    texts = {name: labels.get(name, parameter_label(name)) for name in (x, y, *fixed)}
    used = seeds_text(runs.counts[runs.counts > 0], dataset.sizes["seed"], runs.drawn)
    note = [
        texts[x],
        *(f"{texts[name]} = {value}" for name, value in fixed.items()),
        f"mean of {used}" if statistic == "mean" and runs.counts.max() > 1 else used,
    ]
    ax.set_xlabel("\n".join(note))
    ax.set_ylabel(texts[y])
    ax.set_title(labels.get(policy, literal(policy)))
    if own and ax.get_legend_handles_labels()[0]:
        draw_legend(ax)
    return figure_of(ax)


def _grid_of(points: Mapping[tuple[float, ...], int]) -> _Grid:
    """The grid of points by their values of x and y."""
    xs, ys = (np.unique(column) for column in zip(*points, strict=True))
    places = np.full((len(ys), len(xs)), -1)
    for (at_x, at_y), point in points.items():
        places[np.searchsorted(ys, at_y), np.searchsorted(xs, at_x)] = point
    return _Grid(xs, ys, places)


def _values(grid: _Grid, runs: Samples, statistic: str) -> np.ndarray:
    """float64[Y, X]; NaN where there is no run or the metric is undefined."""
    values = np.full(grid.points.shape, np.nan)
    for place, point in np.ndenumerate(grid.points):
        if point >= 0 and runs.counts[point]:
            of = runs.of if statistic in OF_RUNS else runs.replications
            values[place] = STATISTICS[statistic](of(point))
    return values


def _letter() -> float:
    """The size of the font in inches."""
    return float(setting("font.size")) / 72


def _size(grid: _Grid) -> np.ndarray:
    """Of a figure in inches: it grows with the cells, to the style's width in print."""
    wanted = np.multiply(_CELL, (len(grid.x), len(grid.y))) + _AROUND
    width, height = np.clip(wanted, _SMALLEST, _LARGEST) * _letter()
    given = tuple(setting("figure.figsize"))
    return np.array([width if given == SCREEN else given[0], height])


def _room(ax: Axes) -> tuple[float, float]:
    """Width and height for the cells in inches, about: the layout is not made yet."""
    width, height = figure_of(ax).get_size_inches()
    if place := ax.get_subplotspec():
        layout = place.get_gridspec()
        width, height = width / layout.ncols, height / layout.nrows
    around = np.multiply(_AROUND, _letter())
    return max(width - around[0], 0.5), max(height - around[1], 0.5)


def _draw_cells(ax: Axes, shown: np.ndarray, log: bool) -> QuadMesh:
    rows, columns = shown.shape
    ax.patch.set(**MISSING)  # Seen where a cell is missing.
    mesh = ax.pcolormesh(
        np.arange(columns + 1) - 0.5,
        np.arange(rows + 1) - 0.5,
        np.ma.masked_invalid(shown),
        norm=(LogNorm if log else Normalize)(np.nanmin(shown), np.nanmax(shown)),
        cmap="viridis",
        edgecolors="white",
        linewidth=0.4,
    )
    ax.grid(False)
    ax.spines[:].set_visible(False)
    ax.set(xlim=(-0.5, columns - 0.5), ylim=(-0.5, rows - 0.5))
    return mesh


def _draw_bar(ax: Axes, mesh: QuadMesh, log: bool, words: str) -> None:
    low, high = (float(end) for end in mesh.get_clim())
    bar = ax.figure.colorbar(mesh, ax=ax)
    # Within a decade a log axis has few round numbers.
    bar.locator = tick_locator(
        "log" if log and high >= 10 * low else "linear", low, high
    )
    bar.formatter = tick_formatter()
    bar.update_ticks()
    bar.minorticks_off()
    bar.outline.set_visible(False)
    bar.ax.tick_params(labelsize=setting("ytick.labelsize"))
    bar.set_label(words, fontsize=ax.yaxis.label.get_fontsize())


def _draw_numbers(
    ax: Axes, shown: np.ndarray, numbers: list[str], mesh: QuadMesh
) -> None:
    for (row, column), text in zip(np.ndindex(shown.shape), numbers, strict=True):
        if not text:
            continue
        # About the luminance of WCAG 2.1; above 0.18 black has more contrast.
        channels = np.power(mesh.to_rgba(shown[row, column])[:3], 2.2)
        bright = channels @ (0.2126, 0.7152, 0.0722) > 0.18
        ax.text(
            column,
            row,
            text,
            color="black" if bright else "white",
            ha="center",
            va="center",
            fontsize=setting("legend.fontsize"),
        )


def _label_ticks(ax: Axes, grid: _Grid, cell: tuple[float, float]) -> None:
    """Label the cells, as many as there is room for."""
    letters = max(map(len, value_labels(grid.x)))
    needed = (_DIGIT * letters + 0.7) * _letter(), 1.4 * _letter()
    for axis, values, space, size in zip(
        (ax.xaxis, ax.yaxis), (grid.x, grid.y), needed, cell, strict=True
    ):
        every = max(1, int(np.ceil(space / size)))
        axis.set_ticks(range(0, len(values), every), value_labels(values)[::every])
    ax.tick_params(length=0)
