"""Metrics over checkpoints: mean curves with confidence bands."""

from collections.abc import Mapping, Sequence

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from jaxbandits import checks
from jaxbandits.plots._style import LineStyle, check_axes, figure_of
from jaxbandits.plots.canvas import figure
from jaxbandits.plots.labels import FROM_ZERO, checkpoint_label, metric_label
from jaxbandits.plots.legend import draw_legend
from jaxbandits.plots.selection import seeds_note, select, shown
from jaxbandits.plots.ticks import SCALES, readable_ticks
from jaxbandits.plots.words import check_formulas, entry
from jaxbandits.results.lookup import check_policies
from jaxbandits.stats.intervals import quantiles
from jaxbandits.stats.lookup import check_recorded, one_environment


def plot_curves(
    dataset: xr.Dataset,
    metric: str = "regret",
    *,
    ax: Axes | None = None,
    params: int | Mapping[str, int] = 0,
    level: float | None = 0.95,
    policies: Sequence[str] | None = None,
    labels: Mapping[str, str] | None = None,
    styles: Mapping[str, LineStyle] | None = None,
    seeds_quantiles: tuple[float, float] | None = None,
    x_scale: str = "linear",
    y_scale: str = "linear",
    title: str | None = None,
) -> Figure:
    """Plot the mean of a metric over seeds, per policy, with its t interval.

    The colour and dashes of a policy do not depend on which others are shown. A policy
    without the metric, or without runs at its parameter point, is left out. With one
    seed there is no band. On linear axes, curves of metrics that are sums over rounds
    start at 0. The legend names policies with equal curves. For a half-finished sweep,
    the figure uses the seeds that all shown policies have played, and the legend states
    their number. For a curve per value of a parameter, or of an environment's argument,
    see `by_value`. A logarithmic axis has a linear part below, where 0 is drawn.

    Args:
      dataset: as `jaxbandits.results.build_dataset` makes it, of one environment.
      metric: name of a metric.
      ax: where to draw, without a legend (see `draw_legend`); by default a new figure.
      params: number of the parameter point, or policy -> number; 0 for policies that
        are not named.
      level: coverage of the pointwise confidence band, in (0, 1); None for no band.
      policies: which ones, and their order in the legend; by default all.
      labels: policy -> text of the legend; by default the policy's name.
      styles: policy -> how to draw it; by default by its place in the dataset.
      seeds_quantiles: two probabilities whose quantiles over seeds are drawn as thin
        lines, to show the spread of single runs.
      x_scale: "linear" or "log".
      y_scale: "linear" or "log". A linear axis of a metric >= 0 starts at 0.
      title: of the axes.

    Returns:
      The figure that was drawn on.

    Raises:
      ValueError: naming the argument that is unknown or out of range; `metric` if
        none of the policies has it; `dataset` if it has several environments, or a
        policy lacks a checkpoint between others; `policies` if no seed has been played
        by all of them; `labels` if they do not tell policies apart; what has a formula
        that cannot be drawn.
    """
    check_axes(ax)
    check_formulas("title", "" if title is None else title)
    checks.one_of("x_scale", x_scale, SCALES)
    checks.one_of("y_scale", y_scale, SCALES)
    dataset = one_environment(dataset)
    total = dataset.sizes["seed"]
    dataset = shown(dataset, metric, params, policies)
    check_recorded(dataset, policies, last=False)
    if styles is not None:
        checks.mapping("styles", styles)
    check_policies(dataset, styles or (), "styles")
    for name, style in (styles or {}).items():
        if not isinstance(style, LineStyle):
            raise TypeError(f"styles[{name!r}] must be a LineStyle, got {style!r}")
    curves = select(dataset, metric, level, policies, labels)
    spread = _spread(dataset, metric, seeds_quantiles)
    if y_scale == "log" and not any(
        (curve.mean > 0).any() for curve in curves.values()
    ):
        raise ValueError(f'y_scale: "log" needs positive values, {metric!r} has none')
    own = ax is None
    if ax is None:
        _, (ax,) = figure()
    x = dataset["checkpoint"].values
    if x_scale == y_scale == "linear" and metric in FROM_ZERO and len(x) > 1:
        x = np.concatenate([[0.0], x])
        curves = {name: curve.from_zero() for name, curve in curves.items()}
    for name, curve in curves.items():
        style = (styles or {}).get(name, curve.style)._asdict()
        if len(x) == 1:
            style["marker"] = "o"  # A line of one point would be invisible.
        ax.plot(x, curve.mean, label=entry(curve.label), **style)
        if not np.isnan(curve.lower).all():
            band = {"color": style["color"], "alpha": 0.2, "linewidth": 0}
            ax.fill_between(x, curve.lower, curve.upper, zorder=1.5, **band)
        if spread is not None:
            thin = style | {"linewidth": 0.4 * style["linewidth"], "alpha": 0.8}
            ax.plot(x[-spread.shape[-1] :], spread.sel(policy=name).values.T, **thin)
    _dress(ax, dataset, metric, x_scale, y_scale)
    ax.set_title(title or "")
    if own:
        note = seeds_note(dataset, level, seeds_quantiles, total)
        lines = [*note.split("; "), *equal_curves(ax)]
        draw_legend(ax, "\n".join(lines))
    return figure_of(ax)


def _spread(
    dataset: xr.Dataset, metric: str, seeds_quantiles: tuple[float, float] | None
) -> xr.DataArray | None:
    """Quantiles over seeds, ``[quantile, policy, checkpoint]``."""
    if seeds_quantiles is None:
        return None
    try:
        low, high = map(float, seeds_quantiles)
    except (TypeError, ValueError):
        raise TypeError(
            f"seeds_quantiles must be two probabilities, got {seeds_quantiles!r}"
        ) from None
    if not 0 <= low < high <= 1:
        raise ValueError(
            f"seeds_quantiles must increase and lie in [0, 1], got {seeds_quantiles}"
        )
    return quantiles(dataset, metric, [low, high])


def equal_curves(ax: Axes) -> list[str]:
    """A sentence for every group of labelled lines that coincide."""
    alike: dict[bytes, list[str]] = {}
    for line, text in zip(*ax.get_legend_handles_labels(), strict=True):
        values = np.asarray(line.get_ydata(), np.float32)  # type: ignore[attr-defined]
        alike.setdefault((values + np.float32(0)).tobytes(), []).append(text.strip())
    return [
        f"equal curves: {', '.join(group)}"
        for group in alike.values()
        if len(group) > 1
    ]


def _dress(
    ax: Axes, dataset: xr.Dataset, metric: str, x_scale: str, y_scale: str
) -> None:
    box = ax.dataLim
    readable_ticks(ax.xaxis, x_scale, box.minposx, box.x1)
    # The lines decide: a band may dip below 0 where the metric cannot.
    drawn = np.concatenate([line.get_ydata() for line in ax.lines])
    low = drawn[drawn > 0].min(initial=np.inf)
    zero = bool((drawn == 0).any())
    readable_ticks(ax.yaxis, y_scale, min(low, box.y1), box.y1, zero=zero)
    ax.margins(x=0.02)
    if np.nanmin(drawn) >= 0 and (y_scale == "linear" or zero):
        ax.set_ylim(bottom=0)
    ax.set_xlabel(checkpoint_label(dataset))
    ax.set_ylabel(metric_label(metric))
