"""A metric against one parameter: how much the choice of it matters."""

from collections.abc import Mapping, Sequence

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from jaxbandits import checks
from jaxbandits.plots._style import check_axes, figure_of
from jaxbandits.plots.arguments import along, shown_value
from jaxbandits.plots.canvas import figure
from jaxbandits.plots.labels import metric_at, parameter_label
from jaxbandits.plots.legend import draw_legend
from jaxbandits.plots.points import (
    check_at,
    check_labels,
    coordinates,
)
from jaxbandits.plots.responses import Response, responses
from jaxbandits.plots.samples import samples
from jaxbandits.plots.selection import names_of, seeds_text, texts_of
from jaxbandits.plots.ticks import readable_ticks
from jaxbandits.plots.words import entry, literal
from jaxbandits.results.lookup import check_checkpoint, check_dataset
from jaxbandits.stats.lookup import check_shown
from jaxbandits.stats.replications import shared_instances
from jaxbandits.stats.soundness import warn_of_coverage


def plot_sensitivity(
    dataset: xr.Dataset,
    metric: str = "regret",
    *,
    x: str,
    by: str | None = None,
    policies: Sequence[str] | None = None,
    checkpoint: int = -1,
    at: Mapping[str, float | str] | None = None,
    level: float | None = 0.95,
    ax: Axes | None = None,
    x_scale: str | None = None,
    y_scale: str = "linear",
    labels: Mapping[str, str] | None = None,
) -> Figure:
    """Plot the mean of a metric against a parameter, with its t interval.

    The parameter is one of policies, or an argument in which environments differ.

    Intervals are pointwise. The lowest of many means is selected and therefore biased
    downwards: play that point on fresh seeds to estimate its mean.

    There is a line per policy; a policy without the parameter is a horizontal line.
    With `by`, there is a line per value of a second parameter of one policy, from dark
    to light.

    A sweep may be half finished: every point uses the seeds that were played there, and
    the legend states their number; lines have gaps at points without seeds.

    Args:
      dataset: as `jaxbandits.simulate` makes it, of one environment, or of `variants`.
      metric: name of a metric.
      x: parameter from left to right, or argument (``num_arms``, which the dataset has
        as ``environment_num_arms``).
      by: second parameter or argument; then one policy is shown.
      policies: which ones, and their order in the legend; by default all that have the
        metric, with `by` the one that has both parameters.
      checkpoint: number of the checkpoint; -1 is the last.
      at: parameter or argument -> value that selects the points and environments,
        where others vary too. A parameter counts for policies that have it.
      level: coverage of the pointwise confidence band, in (0, 1); None for no band.
      ax: where to draw, without a legend (see `draw_legend`); by default a new figure.
      x_scale: "linear" or "log"; by default log if the values are positive and span a
        decade or more.
      y_scale: "linear" or "log".
      labels: policy or parameter -> its text; by default its name. With `by`, the
        policy's is the title.

    Returns:
      The figure that was drawn on.

    Raises:
      ValueError: naming the argument that is unknown or out of range; `x` if none of
        the policies has it; `dataset` if it has several environments that `x`, `by` and
        `at` do not tell apart; `at` if points differ in other parameters too; `metric`
        if no run has it; `labels` if they do not tell policies apart, or have a formula
        that cannot be drawn.
    """
    labels = texts_of(labels)
    given = {} if at is None else at
    checks.mapping("at", given)
    check_dataset(dataset)
    check_labels(dataset, labels)
    dataset, points = along(dataset, {"x": x, "by": by}, given)
    fixed = {name: shown_value(value) for name, value in given.items()}
    check_checkpoint(dataset, checkpoint)
    check_shown(dataset, policies)
    if level is not None:
        checks.between_zero_and_one(level=checks.number("level", level))
    check_axes(ax)
    names = _policies(dataset, policies, x, by)
    check_at(dataset, names, points)
    lines, drawn = [], []
    for name in names:
        runs = samples(dataset, metric, name, checkpoint)
        results = responses(dataset, runs, name, x, by, points, level, labels)
        # As in `plot_curves`: what has nothing to show is left out.
        results = [each for each in results if not np.isnan(each.mean).all()]
        lines += results
        drawn += [name] * bool(results)
    if by is None:
        names_of(drawn, labels)
    if not any(each.x.size for each in lines):
        raise ValueError(f"metric: no run of {names} has {metric!r}")
    if level is not None:
        _warn(lines, f"the {100 * level:g} % intervals of {metric!r}")

    own = ax is None
    if ax is None:
        _, (ax,) = figure()
    span = np.concatenate(
        [each.x[~np.isnan(each.mean)] for each in lines if each.x.size]
    )
    low, high = span.min(), span.max()
    if x_scale is None:
        x_scale = "log" if 0 < low * 10 <= high else "linear"
    if x_scale == "log" and low <= 0:
        raise ValueError(f'x_scale: "log" needs positive values of {x!r}, got {low:g}')
    for each in lines:
        _draw(ax, each, (low, high))
    readable_ticks(ax.xaxis, x_scale, low, high)
    readable_ticks(ax.yaxis, y_scale, ax.dataLim.minposy, ax.dataLim.y1)
    ax.margins(x=0.04)
    ax.set_xlabel(labels.get(x, parameter_label(x)))
    ax.set_ylabel(metric_at(dataset, metric, checkpoint))
    if by is not None:
        ax.set_title(labels.get(names[0], literal(names[0])))
    if own:
        counts = np.concatenate([each.counts[each.counts > 0] for each in lines])
        used = seeds_text(counts, dataset.sizes["seed"], shared_instances(dataset))
        draw_legend(ax, _note(used, level, by, fixed, labels))
    return figure_of(ax)


def _warn(lines: list[Response], what: str) -> None:
    """One warning for all points with as many replications: all, of a whole sweep."""
    samples = [sample for each in lines for sample in each.samples]
    for size in sorted({len(sample) for sample in samples if len(sample)}):
        rows = [sample for sample in samples if len(sample) == size]
        warn_of_coverage(xr.DataArray(rows, dims=("point", "seed")), what, 4)


def _policies(
    dataset: xr.Dataset, policies: Sequence[str] | None, x: str, by: str | None
) -> list[str]:
    """The policies to show, one if there is `by`."""
    if x == by:
        raise ValueError(f"by must be another parameter than x, got {by!r} for both")
    names = dataset["policy"].values.tolist() if policies is None else list(policies)
    needed = {x} if by is None else {x, by}
    able = [name for name in names if needed <= coordinates(dataset, name).keys()]
    if by is None:
        if not able:
            raise ValueError(f"x: none of {', '.join(names)} has the parameter {x!r}")
        return names
    if len(able) != 1 or (policies is not None and len(names) > 1):
        raise ValueError(
            f"policies: with `by` name one; {', '.join(able) or 'none'} has both "
            f"{x!r} and {by!r}"
        )
    return able


def _draw(ax: Axes, response: Response, ends: tuple[float, float]) -> None:
    """Draw a line and its band; a lone point has a bar instead of a band."""
    x, mean = response.x, response.mean
    lower, upper = response.lower, response.upper
    if not x.size:  # The same whatever the parameter is.
        x = np.array(ends)
        mean, lower, upper = (np.repeat(each, 2) for each in (mean, lower, upper))
    ax.plot(x, mean, label=entry(response.label), **response.style)
    color = response.style["color"]
    there = np.pad(~np.isnan(lower), 1)
    if not there.any():
        return
    ax.fill_between(x, lower, upper, color=color, alpha=0.2, linewidth=0, zorder=1.5)
    lone = there[1:-1] & ~there[:-2] & ~there[2:]
    if lone.any():
        ax.vlines(x[lone], lower[lone], upper[lone], color=color)


def _note(
    used: str,
    level: float | None,
    by: str | None,
    fixed: Mapping[str, str],
    labels: Mapping[str, str],
) -> str:
    """What lines and bands are."""
    note = used if used.startswith("one ") else f"mean of {used}"
    if level is not None and note != "one seed":
        note += f", {100 * level:g} % interval of each point"
    for name, value in fixed.items():
        note += f", {labels.get(name, parameter_label(name))} = {value}"
    return note if by is None else f"{note}\n{labels.get(by, parameter_label(by))}:"
