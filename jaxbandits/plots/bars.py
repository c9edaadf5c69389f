"""Metrics at the horizon: one bar per policy."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from jaxbandits import checks
from jaxbandits.plots._style import check_axes, figure_of, setting
from jaxbandits.plots.canvas import figure, write_beside
from jaxbandits.plots.labels import metric_at, percentage, short_number
from jaxbandits.plots.selection import seeds_note, select, shown
from jaxbandits.plots.ticks import readable_ticks, tick_formatter
from jaxbandits.plots.words import check_formulas
from jaxbandits.stats.lookup import check_recorded, one_environment


def plot_bars(
    dataset: xr.Dataset,
    metric: str = "censored",
    *,
    ax: Axes | None = None,
    params: int | Mapping[str, int] = 0,
    level: float | None = 0.95,
    policies: Sequence[str] | None = None,
    labels: Mapping[str, str] | None = None,
    percent: bool = True,
    reference: float | None = None,
    reference_label: str = "reference",
    title: str | None = None,
) -> Figure:
    """Plot a metric at the last checkpoint, per policy, with its t interval.

    For a half-finished sweep, the figure uses the seeds that all shown policies have
    played, and states their number.

    Args:
      dataset: as `jaxbandits.results.build_dataset` makes it, of one environment.
      metric: name of a metric.
      ax: where to draw; by default a new figure.
      params: number of the parameter point, or policy -> number; 0 for policies that
        are not named.
      level: coverage of the error bars, in (0, 1), or None for no bars; with one seed
        there are none.
      policies: which ones, from top to bottom; by default all that have the metric.
      labels: policy -> text beside its bar; by default the policy's name.
      percent: whether the metric is a share in [0, 1], to be shown in percent.
      reference: value of a vertical line (an oracle's, or a published one).
      reference_label: text of the line.
      title: of the axes.

    Returns:
      The figure that was drawn on.

    Raises:
      ValueError: as `plot_curves`, but of `dataset` if a policy was played and not to
        the last checkpoint; `percent` if a mean is not in [0, 1].
    """
    check_axes(ax)
    check_formulas("title", "" if title is None else title)
    checks.label("reference_label", reference_label)
    check_formulas("reference_label", reference_label)
    if reference is None and reference_label != "reference":
        raise ValueError("reference_label needs a reference, the height of the line")
    if reference is not None:
        checks.number("reference", reference)
        if not np.isfinite(reference):
            raise ValueError(f"reference must be finite, got {reference}")
    checks.flag("percent", percent)
    dataset = one_environment(dataset)
    total = dataset.sizes["seed"]
    dataset = shown(dataset, metric, params, policies)
    check_recorded(dataset, policies, last=True)
    horizon = dataset.isel(checkpoint=[-1])
    bars = select(horizon, metric, level, policies, labels).values()
    means = np.concatenate([bar.mean for bar in bars])
    if percent and not ((means >= 0) & (means <= 1)).all():
        raise ValueError(
            f"percent must be False where a metric is no share in [0, 1]: {metric!r} "
            f"is {means[(means < 0) | (means > 1)][0]:g}"
        )

    text = percentage if percent else lambda value: short_number(value, 4)
    line = setting("font.size") / 72  # inches
    small = setting("legend.fontsize")
    if ax is None:
        fig, (ax,) = figure()
        fig.set_figheight((9 + 3 * len(bars)) * line)
    for place, bar in enumerate(bars):
        (mean,), (upper,) = bar.mean, bar.upper
        error = None if np.isnan(upper) else upper - mean
        look: dict[str, Any] = {"color": bar.style.color, "alpha": 0.75, "height": 0.62}
        capsize = setting("errorbar.capsize")
        ax.barh(place, mean, xerr=error, capsize=capsize, **look)
        write_beside(ax, text(mean), max(mean if error is None else upper, 0), place)
    if reference is not None:
        ax.axvline(reference, color="0.25", linestyle="dashed", zorder=3)
        ax.annotate(
            f"{reference_label}: {text(reference)}",
            (reference, 1),
            xycoords=("data", "axes fraction"),
            xytext=(0, small / 4),
            textcoords="offset points",
            ha="center",
            va="bottom",
            fontsize=small,
        )
    ax.set_yticks(range(len(bars)), [bar.label for bar in bars])
    ax.invert_yaxis()  # The first policy on top.
    ax.grid(False, axis="y")
    ax.margins(x=0.02)
    readable_ticks(ax.xaxis, "linear", 1, 1)
    ax.xaxis.set_major_formatter(tick_formatter(percent))
    note = seeds_note(dataset, level, total=total)
    ax.set_xlabel(f"{metric_at(dataset, metric)}\n{note}")
    # Above the line of the reference's text, if there is one.
    ax.set_title(title or "", pad=(0.5 if reference is None else 1.8) * 72 * line)
    return figure_of(ax)
