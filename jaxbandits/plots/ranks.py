"""Average ranks of policies."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import scipy
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from jaxbandits import checks
from jaxbandits.plots._style import check_axes, figure_of, line_style, setting
from jaxbandits.plots.canvas import figure, write_beside
from jaxbandits.plots.labels import metric_at
from jaxbandits.plots.runs import number_per_run, played
from jaxbandits.plots.selection import names_of, seeds_text, texts_of
from jaxbandits.plots.ticks import tick_formatter
from jaxbandits.plots.words import check_formulas
from jaxbandits.results.dataset import DIMS
from jaxbandits.results.lookup import (
    at_points,
    check_checkpoint,
    check_dataset,
    check_policies,
)
from jaxbandits.stats.betting import betting_ends
from jaxbandits.stats.checks import check_level
from jaxbandits.stats.lookup import check_shown
from jaxbandits.stats.replications import group, shared_instances


class _Ranks(NamedTuple):
    """Ranks of N policies.

    Attributes:
      policies: N names.
      values: float64[N, S], averages over environments of every seed; 1 is best. Of
        seeds that share a drawn instance, their average.
      seeds: how many were used.
      environments: how many were used; 0 if the dataset has no such dimension.
    """

    policies: list[str]
    values: np.ndarray
    seeds: int
    environments: int


def plot_ranks(
    dataset: xr.Dataset,
    metric: str = "regret",
    *,
    checkpoint: int = -1,
    params: int | Mapping[str, int] = 0,
    policies: Sequence[str] | None = None,
    smaller_is_better: bool = True,
    level: float = 0.95,
    ax: Axes | None = None,
    labels: Mapping[str, str] | None = None,
    title: str | None = None,
) -> Figure:
    """Plot the average rank of every policy, from the best to the worst.

    Policies are ranked per seed and environment, where all have the same noise. Equal
    policies share the average of their ranks. The ranks of a seed are averaged over the
    environments. The interval is over seeds: it is about other seeds, not about other
    environments. The average of seeds that share a drawn instance (``runs_per_instance
    > 1``) is one replication.

    The interval is for bounded variables (`jaxbandits.stats.interval`, "bounded"). It
    covers with at least the stated probability for every number of seeds, even if one
    policy is the best on all seeds.

    For a half-finished sweep only runs count that all shown policies have played.
    Environments without such a seed are left out, then seeds that an environment lacks;
    the note states how many of both were used. A policy without runs is left out.

    Args:
      dataset: as `jaxbandits.simulate` makes it, of one or
        several environments.
      metric: name of a metric.
      checkpoint: number of the checkpoint; -1 is the last.
      params: number of the parameter point, or policy -> number; 0 for policies that
        are not named.
      policies: which ones are ranked; by default all that have the metric.
      smaller_is_better: as for a regret.
      level: coverage of the intervals, in (0, 1); none with one seed.
      ax: where to draw; by default a new figure.
      labels: policy -> text beside its dot; by default the policy's name.
      title: of the axes.

    Returns:
      The figure that was drawn on.

    Raises:
      ValueError: naming the argument that is unknown or out of range; `policies` if
        fewer than two can be ranked, or no seed has been played by all of them;
        `metric` if it is NaN in a run that was played; `labels` if they do not tell
        policies apart; what has a formula that cannot be drawn.
    """
    check_dataset(dataset, *DIMS)
    checks.flag("smaller_is_better", smaller_is_better)
    check_checkpoint(dataset, checkpoint)
    check_shown(dataset, policies)
    labels = texts_of(labels)
    check_policies(dataset, labels, "labels")
    check_level(level)
    check_axes(ax)
    check_formulas("title", "" if title is None else title)
    ranks = _ranks(
        at_points(dataset, params), metric, checkpoint, policies, smaller_is_better
    )
    texts = list(names_of(ranks.policies, labels).values())
    means = ranks.values.mean(1)
    lowers, uppers = rank_ends(ranks.values, len(ranks.policies), level)
    order = np.argsort(means, kind="stable")

    if ax is None:
        fig, (ax,) = figure()
        fig.set_figheight((9 + 2.4 * len(order)) * setting("font.size") / 72)
    names = dataset["policy"].values.tolist()
    for place, number in enumerate(order):
        mean, lower, upper = means[number], lowers[number], uppers[number]
        color = line_style(names.index(ranks.policies[number])).color
        error = None if np.isnan(upper) else [[mean - lower], [upper - mean]]
        ax.errorbar(
            mean,
            place,
            xerr=error,
            fmt="o",
            color=color,
            capsize=setting("errorbar.capsize"),
        )
        write_beside(ax, f"{mean:.2f}", mean if error is None else upper, place)
    ax.set_yticks(range(len(order)), [texts[number] for number in order])
    ax.set_ylim(len(order) - 0.5, -0.5)  # The best on top.
    ax.grid(False, axis="y")
    # All ranks there are.
    gap = (len(order) - 1) / 20
    low, high = (pick([1, len(order), *ax.dataLim.intervalx]) for pick in (min, max))
    ax.set_xlim(low - gap, high + gap)
    ax.xaxis.set_major_locator(MaxNLocator(8, integer=True, steps=[1, 2, 5, 10]))
    ax.xaxis.set_major_formatter(tick_formatter())
    extreme = "lowest" if smaller_is_better else "highest"
    words = metric_at(dataset, metric, checkpoint)
    note = _note(ranks, dataset, level)
    ax.set_xlabel(f"average rank (1: {extreme})\n{words}\n{note}")
    ax.set_title(title or "")
    return figure_of(ax)


def _ranks(
    dataset: xr.Dataset,
    metric: str,
    checkpoint: int,
    policies: Sequence[str] | None,
    smaller_is_better: bool,
) -> _Ranks:
    """Ranks at one parameter point per policy."""
    at_end = dataset.isel(checkpoint=[checkpoint])
    values = number_per_run(at_end, metric).isel(checkpoint=0)
    ran = played(dataset)
    if policies is not None:
        values, ran = values.sel(policy=list(policies)), ran.sel(policy=list(policies))
    several = "environment" in values.dims
    if not several:
        values, ran = values.expand_dims("environment"), ran.expand_dims("environment")
    values = values.transpose("environment", "policy", "seed")
    names = values["policy"].values
    values, ran = values.values, ran.transpose("environment", "policy", "seed").values
    shown = (ran & ~np.isnan(values)).any((0, 2))
    values, ran, names = values[:, shown], ran[:, shown], names[shown].tolist()
    if len(names) < 2:
        raise ValueError(
            f"policies: at least two with runs and {metric!r} can be ranked, "
            f"got {', '.join(names) or 'none'}"
        )
    whole = ran.all(1)
    there = whole.any(1)
    seeds = whole[there].all(0)
    if not there.any() or not seeds.any():
        raise ValueError(
            f"policies: no seed has been played by all of {', '.join(names)} yet; "
            "name fewer"
        )
    values = values[there][:, :, seeds]
    if np.isnan(values).any():
        raise ValueError(f"metric: {metric!r} is NaN in runs that were played")
    ranked = scipy.stats.rankdata(
        values if smaller_is_better else -values, axis=1
    ).mean(0)
    numbers = shared_instances(dataset)
    if numbers is not None:
        ranked = group(numbers[seeds]).means(ranked)
    return _Ranks(names, ranked, int(seeds.sum()), int(there.sum()) if several else 0)


def rank_ends(
    ranks: np.ndarray, policies: int, level: float
) -> tuple[np.ndarray, np.ndarray]:
    """Ends of intervals of mean ranks in 1, ..., `policies`, of ``ranks [..., S]``.

    NaN with one replication.
    """
    if ranks.shape[-1] < 2:
        nothing = np.full(ranks.shape[:-1], np.nan)
        return nothing, nothing
    width = policies - 1
    lower, upper = betting_ends((ranks - 1) / width, level)
    return 1 + width * lower, 1 + width * upper


def _note(ranks: _Ranks, dataset: xr.Dataset, level: float) -> str:
    drawn = shared_instances(dataset)
    note = seeds_text([ranks.seeds], dataset.sizes["seed"], drawn)
    if ranks.environments:
        total = dataset.sizes["environment"]
        some = "" if ranks.environments == total else f" of {total}"
        note += f", {ranks.environments}{some} environment{'s' if total > 1 else ''}"
    single = ranks.values.shape[1] == 1
    return note if single else f"{note}, {100 * level:g} % interval"
