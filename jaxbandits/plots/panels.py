"""Several environments side by side."""

from collections.abc import Mapping, Sequence
from itertools import chain

import xarray as xr
from matplotlib.figure import Figure

from jaxbandits.plots.curves import plot_curves
from jaxbandits.plots.selection import seeds_note
from jaxbandits.plots.style import SMALL_FONT, figure, line_style


def plot_panels(
    datasets: Mapping[str, xr.Dataset],
    metric: str = "regret",
    *,
    params: int = 0,
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
      datasets: panel title -> dataset. They may have different policies.
      metric: name of a metric that all datasets have.
      params: number of the parameter point.
      level: coverage of the pointwise confidence bands, in (0, 1); None for no bands.
      policies: which ones, and their order in the legend; by default all.
      labels: policy -> text of the legend; by default the policy's name.
      seeds_quantiles: two probabilities whose quantiles are drawn as thin lines.
      x_scale: "linear" or "log".
      y_scale: "linear" or "log".
      columns: panels in a row; by default all of them.
      tops: panel title -> upper end of its y axis, for what grows out of the picture.

    Returns:
      The figure.

    Raises:
      ValueError: as `plot_curves`; `datasets` if it is empty; `policies` or `labels`
        if no dataset has one of them.
    """
    if not datasets:
        raise ValueError("datasets: there is nothing to plot")
    everyone = (each["policy"].values.tolist() for each in datasets.values())
    names = list(dict.fromkeys(chain.from_iterable(everyone)))
    labels = dict(labels or {})
    for argument, asked in {"policies": policies, "labels": labels}.items():
        if unknown := [name for name in asked or () if name not in names]:
            raise ValueError(
                f"{argument}: {unknown[0]!r} is unknown; known are {', '.join(names)}"
            )
    styles = {name: line_style(i) for i, name in enumerate(names)}
    if columns is not None and columns < 1:
        raise ValueError(f"columns: must be at least 1, got {columns}")
    columns = min(columns or len(datasets), len(datasets))
    fig, axes = figure(-(-len(datasets) // columns), columns)
    for ax in axes[len(datasets) :]:
        ax.remove()
    axes = axes[: len(datasets)]
    handles = {}
    for ax, (title, dataset) in zip(axes, datasets.items(), strict=True):
        here = dataset["policy"].values.tolist()
        plot_curves(
            dataset,
            metric,
            ax=ax,
            params=params,
            level=level,
            policies=[name for name in policies or here if name in here],
            labels={name: labels[name] for name in here if name in labels},
            styles=styles,
            seeds_quantiles=seeds_quantiles,
            x_scale=x_scale,
            y_scale=y_scale,
            title=title,
            legend=False,
        )
        for handle, text in zip(*ax.get_legend_handles_labels(), strict=True):
            handles.setdefault(text, handle)
        if title in (tops or {}):
            ax.set_ylim(top=tops[title])
    for place, ax in enumerate(axes):
        if place % columns:
            ax.set_ylabel("")  # The same as on the left.
        if place + columns < len(axes):
            ax.set_xlabel("")  # The same as below.
    wanted = [labels.get(name, name) for name in policies or names]
    entries = [text for text in dict.fromkeys(wanted) if text in handles]
    # In inches: about 0.1 per letter, 0.8 for the line and the space around it.
    fitting = fig.get_figwidth() / (0.8 + 0.1 * max(map(len, entries)))
    rows = -(-len(entries) // max(1, min(len(entries), int(fitting))))
    # The legend is not to come out of the panels' height.
    fig.set_figheight(fig.get_figheight() + 0.25 * max(rows - 1, 0))
    fig.legend(
        [handles[text] for text in entries],
        entries,
        loc="outside lower center",
        ncols=max(1, min(len(entries), int(fitting))),
        frameon=False,
        fontsize=SMALL_FONT,
        title_fontsize=SMALL_FONT,
        title=_note(datasets, level, seeds_quantiles),
    )
    return fig


def _note(datasets, level, seeds_quantiles) -> str:
    """One note for all panels, or a line for each if they differ."""
    notes = {
        title: seeds_note(each, level, seeds_quantiles)
        for title, each in datasets.items()
    }
    if len(set(notes.values())) == 1:
        return next(iter(notes.values()))
    return "\n".join(f"{title}: {note}" for title, note in notes.items())
