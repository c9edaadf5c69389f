"""A metric against one parameter: how much the choice of it matters."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import matplotlib
import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from jaxbandits.checks import one_of
from jaxbandits.plots._style import check_axes, figure_of, line_style, setting
from jaxbandits.plots.canvas import figure
from jaxbandits.plots.labels import metric_at, parameter_label, value_labels
from jaxbandits.plots.legend import draw_legend
from jaxbandits.plots.points import (
    along,
    cells,
    check_at,
    check_labels,
    coordinates,
    shown_value,
    the_policy,
)
from jaxbandits.plots.samples import Samples, samples, t_interval
from jaxbandits.plots.selection import names_of, seeds_text, texts_of
from jaxbandits.plots.ticks import SCALES, readable_ticks
from jaxbandits.plots.words import entry, literal
from jaxbandits.results.lookup import check_checkpoint
from jaxbandits.stats.checks import check_level
from jaxbandits.stats.lookup import check_shown
from jaxbandits.stats.replications import shared_instances
from jaxbandits.stats.soundness import warn_of_coverage

_MARKERS = "osD^vPX*"


class _Response(NamedTuple):
    """A metric against the parameter.

    Attributes:
      label: text of the legend.
      x: float64[N], values of the parameter; empty for a policy without it.
      mean: float64[N], or [1] without the parameter; NaN where no run was played.
      lower: lower end of the interval, as `mean`; NaN with one seed.
      upper: upper end.
      counts: int, as `mean`: seeds that were used.
      samples: as many replications as there are at every point.
      style: arguments of `Axes.plot`.
    """

    label: str
    x: np.ndarray
    mean: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    counts: np.ndarray
    samples: list[np.ndarray]
    style: dict[str, Any]


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
    check_labels(dataset, labels)
    dataset, points = along(dataset, {"x": x, "by": by}, at)
    fixed = {name: shown_value(value) for name, value in (at or {}).items()}
    check_checkpoint(dataset, checkpoint)
    check_shown(dataset, policies)
    if level is not None:
        check_level(level)
    check_axes(ax)
    names = _policies(dataset, policies, x, by)
    check_at(dataset, names, points)
    lines, drawn = [], []
    for name in names:
        runs = samples(dataset, metric, name, checkpoint)
        results = _responses(dataset, runs, name, x, by, points, level, labels)
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
    if one_of("x_scale", x_scale, SCALES) == "log" and low <= 0:
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
        known = any(np.isfinite(each.lower).any() for each in lines)
        draw_legend(ax, _note(used, level if known else None, by, fixed, labels))
    return figure_of(ax)


def _warn(lines: list[_Response], what: str) -> None:
    """One warning for all points with as many replications: all, of a whole sweep."""
    samples = [sample for each in lines for sample in each.samples]
    for size in sorted({len(sample) for sample in samples if len(sample)}):
        rows = [sample for sample in samples if len(sample) == size]
        warn_of_coverage(xr.DataArray(rows, dims=("point", "seed")), what)


def _policies(
    dataset: xr.Dataset, policies: Sequence[str] | None, x: str, by: str | None
) -> list[str]:
    """The policies to show, one if there is `by`."""
    if x == by:
        raise ValueError(f"by must be another parameter than x, got {by!r} for both")
    names = dataset["policy"].values.tolist() if policies is None else list(policies)
    if by is None:
        if not any(x in coordinates(dataset, name) for name in names):
            raise ValueError(f"x: none of {', '.join(names)} has the parameter {x!r}")
        return names
    if policies is not None and len(names) > 1:
        raise ValueError(f"policies: with `by` name one, got {', '.join(names)}")
    one = None if policies is None else names[0]
    return [the_policy(dataset, one, {"x": x, "by": by}, "policies")]


def _draw(ax: Axes, response: _Response, ends: tuple[float, float]) -> None:
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
    """What lines are, and bands unless `level` is None."""
    note = used if used.startswith("one ") else f"mean of {used}"
    if level is not None:
        note += f", {100 * level:g} % interval of each point"
    for name, value in fixed.items():
        note += f", {labels.get(name, parameter_label(name))} = {value}"
    return note if by is None else f"{note}\n{labels.get(by, parameter_label(by))}:"


def _responses(
    dataset: xr.Dataset,
    runs: Samples,
    name: str,
    x: str,
    by: str | None,
    at: Mapping[str, float],
    level: float | None,
    labels: Mapping[str, str],
) -> list[_Response]:
    """The lines of policy `name`, from the lowest value of `by` to the highest.

    `runs` are those of the policy; other arguments as in `plot_sensitivity`.
    """
    if by is not None:
        points = cells(dataset, name, (by, x), at)
        values = sorted({value for value, _ in points})
        looks = zip(values, value_labels(values), _sequence(len(values)), strict=True)
        return [
            _response(
                runs,
                {at_x: point for (of, at_x), point in points.items() if of == value},
                level,
                text,
                style,
            )
            for value, text, style in looks
        ]
    label = labels.get(name, literal(name))
    place = dataset["policy"].values.tolist().index(name)
    style = line_style(place)._asdict()
    if x not in coordinates(dataset, name):
        everywhere = cells(dataset, name, (), at).get(())
        points = {} if everywhere is None else {np.nan: everywhere}
        return [_response(runs, points, level, label, style)]
    points = {at_x: point for (at_x,), point in cells(dataset, name, (x,), at).items()}
    style |= {"marker": _MARKERS[place % len(_MARKERS)]}
    return [_response(runs, points, level, label, style)]


def _sequence(count: int) -> list[dict[str, Any]]:
    """Looks in an order, from dark to light; the lightest is too pale for white."""
    colors = matplotlib.colormaps["viridis"](np.linspace(0, 0.87, count))
    return [
        {
            "color": to_hex(color),
            "marker": _MARKERS[place % len(_MARKERS)],
            "linewidth": 0.9 * setting("lines.linewidth"),
            "zorder": 2 + place / 100,
        }
        for place, color in enumerate(colors)
    ]


def _response(
    runs: Samples,
    points: Mapping[float, int],
    level: float | None,
    label: str,
    style: dict[str, Any],
) -> _Response:
    """`points` are by the value of the parameter; NaN for a policy without it."""
    x = np.array(sorted(points))
    chosen = [points[value] for value in sorted(points)]
    samples = [runs.replications(point) for point in chosen]
    results = [t_interval(sample, level or 0.95) for sample in samples]
    mean, lower, upper = np.array(results).reshape(-1, 3).T
    if level is None:
        lower = upper = np.full_like(mean, np.nan)
    x = x[~np.isnan(x)]
    counts = runs.counts[chosen]
    return _Response(label, x, mean, lower, upper, counts, samples, style)
