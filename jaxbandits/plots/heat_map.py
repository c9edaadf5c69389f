"""A metric over two parameters of a policy."""

from collections.abc import Mapping

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.collections import QuadMesh
from matplotlib.colors import LogNorm, Normalize, to_rgb
from matplotlib.figure import Figure

from jaxbandits.checks import one_of
from jaxbandits.plots.grid import Grid, grid_of, grid_policy, grid_values
from jaxbandits.plots.labels import (
    metric_at,
    padded_number,
    parameter_label,
    tick_formatter,
    tick_locator,
    value_labels,
)
from jaxbandits.plots.marks import MISSING, draw_best, draw_key
from jaxbandits.plots.points import check_labels
from jaxbandits.plots.runs import one_environment
from jaxbandits.plots.samples import STATISTICS, samples
from jaxbandits.plots.selection import seeds_text, texts_of
from jaxbandits.plots.style import SMALL_FONT, check_axes, figure
from jaxbandits.results.checks import check_level, check_mapping
from jaxbandits.results.lookup import check_checkpoint

_WORDS = {"median": "median ", "std": "s.d. of ", "sem": "standard error of "}
_DIGIT = 0.078  # inches wide, about
_MOST_NUMBERS = 100  # cells beyond which numbers are only asked for


def plot_heat_map(
    dataset: xr.Dataset,
    metric: str = "regret",
    *,
    x: str,
    y: str,
    policy: str | None = None,
    checkpoint: int = -1,
    at: Mapping[str, float] | None = None,
    statistic: str = "mean",
    level: float = 0.95,
    ax: Axes | None = None,
    log: bool = False,
    annotate: bool | None = None,
    mark_best: bool = True,
    smaller_is_better: bool = True,
    labels: Mapping[str, str] | None = None,
    title: str | None = None,
) -> Figure:
    """Plot a metric over two parameters of a policy, a cell per parameter point.

    Cells are of one size, in the order of their values. A star marks the best mean:
    selected, so that its number flatters it (play the point on fresh seeds to know its
    mean). Dots mark the points that are not surely worse: star and dots together hold
    the point with the best true mean with probability `level` (paired t tests over the
    seeds that both have, corrected for the number of points; with fewer than 20 seeds,
    or where the seeds do not support the test, nothing is sure).

    A sweep may be half finished: every cell is of the seeds that were played there,
    and the note tells how many. Cells without a run, or whose metric is undefined, are
    hatched. The star goes to a cell with at least half as many seeds as any has.

    Args:
      dataset: as `jaxbandits.sweep` makes it, of one environment.
      metric: name of a metric.
      x: parameter from left to right.
      y: parameter from bottom to top.
      policy: name; may be left out if one policy alone has both parameters.
      checkpoint: number of the checkpoint; -1 is the last.
      at: parameter -> value that selects the points, where others vary too.
      statistic: over seeds: "mean", "median", "std" or "sem". The marks go by the mean
        whatever is shown.
      level: probability in (0, 1) that star or dots hold the best point.
      ax: where to draw; by default a new figure.
      log: whether colours go by the logarithm.
      annotate: whether numbers stand in the cells; by default if there is room.
      mark_best: whether to draw star and dots.
      smaller_is_better: as for a regret.
      labels: parameter -> text of its axis; by default its name.
      title: of the axes; by default the policy's name or its text in `labels`.

    Returns:
      The figure that was drawn on.

    Raises:
      ValueError: naming the argument that is unknown or out of range; `dataset` if it
        has several environments; `at` if more than one point falls into a cell;
        `metric` if no run of the policy has it.
    """
    labels = texts_of(labels)
    at = at or {}
    check_mapping("at", at)
    dataset = one_environment(dataset)
    check_checkpoint(dataset, checkpoint)
    check_labels(dataset, labels)
    one_of("statistic", statistic, STATISTICS)
    check_level(level)
    check_axes(ax)
    policy = grid_policy(dataset, policy, x, y)
    grid = grid_of(dataset, policy, x, y, at)
    runs = samples(dataset, metric, policy, checkpoint).only(grid.points)
    shown = grid_values(grid, runs, statistic)
    if np.isnan(shown).all():
        raise ValueError(f"metric: no run of {policy!r} has {statistic} {metric!r}")
    if log and np.nanmin(shown) <= 0:
        raise ValueError(f"log: needs positive values, got {np.nanmin(shown):g}")

    if ax is None:
        fig, (ax,) = figure()
        fig.set_size_inches(
            np.clip(2.4 + 0.6 * len(grid.x), 5.2, 11),
            np.clip(2.0 + 0.42 * len(grid.y), 3.6, 9),
        )
    width, height = _room(ax)
    cell = width / len(grid.x), height / len(grid.y)
    narrow = width < 2.6
    mesh = _draw_cells(ax, shown, log)
    words = _WORDS.get(statistic, "") + metric_at(dataset, metric, checkpoint)
    _draw_bar(ax, mesh, log, words.replace(" at ", "\nat "))
    numbers = ["" if np.isnan(value) else padded_number(value) for value in shown.flat]
    if annotate is None:
        wide = _DIGIT * max(map(len, numbers)) + 0.1
        annotate = shown.size <= _MOST_NUMBERS and wide < cell[0] and cell[1] > 0.3
    if annotate:
        _draw_numbers(ax, shown, numbers, mesh)
    marks = []
    if mark_best:
        # Numbers have the middle of a cell.
        options = {"level": level, "shift": (0.36, 0.31) if annotate else (0, 0)}
        marks = draw_best(
            ax, grid, runs, smaller_is_better=smaller_is_better, **options
        )
    lines = draw_key(ax, marks, bool(np.isnan(shown).any()), narrow)
    _label_ticks(ax, grid, cell)
    texts = {name: labels.get(name, parameter_label(name)) for name in (x, y, *at)}
    used = seeds_text(runs.counts[runs.counts > 0], dataset.sizes["seed"], runs.drawn)
    note = [
        texts[x],
        *(f"{texts[name]} = {value_labels([at[name]])[0]}" for name in at),
        f"mean of {used}" if statistic == "mean" and runs.counts.max() > 1 else used,
    ]
    ax.set_xlabel("\n".join(note))
    ax.set_ylabel(texts[y])
    title = labels.get(policy, policy) if title is None else title
    ax.set_title(title, pad=6 + 15.5 * lines)  # Points; above the key.
    return ax.figure


def _room(ax: Axes) -> tuple[float, float]:
    """Width and height for the cells in inches, about: the layout is not made yet."""
    width, height = ax.figure.get_size_inches()
    if place := ax.get_subplotspec():
        layout = place.get_gridspec()
        width, height = width / layout.ncols, height / layout.nrows
    # Without the numbers and words around, and the colour bar.
    return max(width - 1.95, 0.5), max(height - 1.4, 0.5)


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
    low, high = mesh.norm.vmin, mesh.norm.vmax
    bar = ax.figure.colorbar(mesh, ax=ax)
    # Within a decade a log axis has few round numbers.
    bar.locator = tick_locator(
        "log" if log and high >= 10 * low else "linear", low, high
    )
    bar.formatter = tick_formatter()
    bar.update_ticks()
    bar.minorticks_off()
    bar.outline.set_visible(False)
    bar.ax.tick_params(labelsize=SMALL_FONT)
    bar.set_label(words, fontsize=ax.yaxis.label.get_size())


def _draw_numbers(
    ax: Axes, shown: np.ndarray, numbers: list[str], mesh: QuadMesh
) -> None:
    for (row, column), text in zip(np.ndindex(shown.shape), numbers, strict=True):
        if not text:
            continue
        # About the luminance of WCAG 2.1; above 0.18 black has more contrast.
        channels = np.power(to_rgb(mesh.to_rgba(shown[row, column])), 2.2)
        bright = channels @ (0.2126, 0.7152, 0.0722) > 0.18
        ax.text(
            column,
            row,
            text,
            color="black" if bright else "white",
            ha="center",
            va="center",
            fontsize=SMALL_FONT,
        )


def _label_ticks(ax: Axes, grid: Grid, cell: tuple[float, float]) -> None:
    """Label the cells, as many as there is room for."""
    letters = max(map(len, value_labels(grid.x)))
    needed = _DIGIT * letters + 0.12, 0.2
    for axis, values, space, size in zip(
        (ax.xaxis, ax.yaxis), (grid.x, grid.y), needed, cell, strict=True
    ):
        every = max(1, int(np.ceil(space / size)))
        axis.set_ticks(range(0, len(values), every), value_labels(values)[::every])
    ax.tick_params(length=0)
