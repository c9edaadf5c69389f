"""Several environments side by side."""

from collections.abc import Mapping, Sequence
from itertools import chain
from math import isfinite
from typing import Any

import xarray as xr
from matplotlib.figure import Figure

from jaxbandits import checks
from jaxbandits.plots._style import line_style
from jaxbandits.plots.canvas import figure, share_names
from jaxbandits.plots.curves import equal_curves, plot_curves
from jaxbandits.plots.legend import draw_legend
from jaxbandits.plots.runs import environments, played
from jaxbandits.plots.selection import names_of, seeds_note, shown, texts_of
from jaxbandits.plots.words import literal
from jaxbandits.results.dataset import DIMS
from jaxbandits.results.lookup import at_points, check_dataset, check_policies
from jaxbandits.stats.lookup import check_shown


def plot_panels(
    datasets: Mapping[str, xr.Dataset] | xr.Dataset,
    metric: str = "regret",
    *,
    params: int | Mapping[str, int] = 0,
    level: float | None = 0.95,
    policies: Sequence[str] | None = None,
    labels: Mapping[str, str] | None = None,
    seeds_quantiles: tuple[float, float] | None = None,
    x_scale: str = "linear",
    y_scale: str = "linear",
    columns: int | None = None,
    tops: Mapping[str, float] | None = None,
) -> Figure:
    """Rows of `plot_curves` with one legend below.

    A policy looks the same in every panel. The y axes are independent.

    Args:
      datasets: panel title -> dataset. They may have different policies. Or one
        dataset with a dimension ``environment``, for a panel of each that has
        runs.
      metric: name of a metric that all datasets have.
      params: number of the parameter point, or policy -> number; 0 for policies that
        are not named.
      level: coverage of the pointwise confidence bands, in (0, 1); None for no bands.
      policies: which ones, and their order in the legend; by default all.
      labels: policy -> text of the legend, or panel title -> its text, with formulas;
        by default their names as they stand.
      seeds_quantiles: two probabilities whose quantiles are drawn as thin lines.
      x_scale: "linear" or "log".
      y_scale: "linear" or "log".
      columns: panels in a row; by default all of them. In print as many as fit.
      tops: panel title -> upper end of its y axis, for what grows out of the picture.

    Returns:
      The figure.

    Raises:
      ValueError: as `plot_curves`; `datasets` if it is empty; `policies`, `labels` or
        `params` if no dataset has one of them.
    """
    if isinstance(datasets, xr.Dataset):
        if "environment" not in datasets.dims:
            raise ValueError(
                "datasets: a mapping from titles to datasets, or a dataset with a "
                "dimension 'environment'; for one panel see plot_curves"
            )
        datasets = {
            name: each
            for name, each in environments(datasets).items()
            if played(at_points(each, params)).any()
        }
    checks.mapping("datasets", datasets)
    for title, each in datasets.items():
        if not isinstance(title, str):
            raise TypeError(f"datasets must have texts for titles, got {title!r}")
        if not isinstance(each, xr.Dataset):
            raise TypeError(f"datasets[{title!r}] must be an xarray.Dataset")
        check_dataset(each, *DIMS)
    if not datasets:
        raise ValueError("datasets: there is nothing to plot")
    everyone = (each["policy"].values.tolist() for each in datasets.values())
    names = list(dict.fromkeys(chain.from_iterable(everyone)))
    labels = texts_of(labels)
    known = xr.Dataset(coords={"policy": names})
    check_shown(known, policies)
    policies = None if policies is None else list(policies)
    check_policies(known, [x for x in labels if x not in datasets], "labels")
    if isinstance(params, Mapping):
        check_policies(known, params, "params")
    if tops is not None:
        checks.mapping("tops", tops)
    for title, top in (tops or {}).items():
        checks.number("tops", top)
        if title not in datasets:
            raise ValueError(
                f"tops: {title!r} is unknown; known are {', '.join(datasets)}"
            )
        if not isfinite(top):
            raise ValueError(f"tops: {title!r} must be finite, got {top}")
    heads = {title: labels.get(title, literal(title)) for title in datasets}
    texts = names_of(policies or names, labels)
    styles = {name: line_style(i) for i, name in enumerate(names)}
    if columns is None:
        columns = len(datasets)
    columns = min(checks.whole("columns", columns, 1), len(datasets))
    fig, axes = figure(-(-len(datasets) // columns), columns)
    for ax in axes[len(datasets) :]:
        ax.remove()
    axes = axes[: len(datasets)]
    for ax, (title, dataset) in zip(axes, datasets.items(), strict=True):
        here = dataset["policy"].values.tolist()
        plot_curves(
            dataset,
            metric,
            ax=ax,
            params=_known(params, here),
            level=level,
            policies=_known(policies or here, here),
            labels=_known(labels, here),
            styles=_known(styles, here),
            seeds_quantiles=seeds_quantiles,
            x_scale=x_scale,
            y_scale=y_scale,
            title=heads[title],
        )
        if tops is not None and title in tops:
            if tops[title] <= (low := ax.get_ylim()[0]):
                raise ValueError(
                    f"tops: {title!r} must be above the lower end of its y axis, "
                    f"{low:g}, got {tops[title]}"
                )
            ax.set_ylim(top=tops[title])
    note = _note(
        {heads[title]: each for title, each in datasets.items()},
        *(metric, params, policies, level, seeds_quantiles),
    )
    for title, ax in zip(datasets, axes, strict=True):
        note += "".join(f"\n{heads[title]}, {text}" for text in equal_curves(ax))
    share_names(axes)
    draw_legend(axes, note, order=list(texts.values()))
    return fig


def _known(asked: Any, here: list[str]) -> Any:
    """The part of a request that concerns the policies of one panel."""
    if isinstance(asked, Mapping):
        return {name: value for name, value in asked.items() if name in here}
    if isinstance(asked, Sequence):
        return [name for name in asked if name in here]
    return asked


def _note(
    datasets: Mapping[str, xr.Dataset],
    metric: str,
    params: int | Mapping[str, int],
    policies: Sequence[str] | None,
    level: float | None,
    seeds_quantiles: tuple[float, float] | None,
) -> str:
    """A line for panels of which the same is said; for most of them without names."""
    titles: dict[str, list[str]] = {}
    for title, each in datasets.items():
        here = each["policy"].values.tolist()
        part = shown(each, metric, _known(params, here), _known(policies or here, here))
        total = each.sizes["seed"]
        note = seeds_note(part, level, seeds_quantiles, total)
        titles.setdefault(note, []).append(title)
    lines = [
        note if len(alike) > len(datasets) / 2 else f"{', '.join(alike)}: {note}"
        for note, alike in titles.items()
    ]
    # What is said of all others comes first.
    return "\n".join(sorted(lines, key=lambda line: line not in titles))
