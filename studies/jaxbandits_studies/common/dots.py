"""A row per case and a dot per policy, in panels beside each other."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure

from jaxbandits.plots import draw_legend, figure, line_style, readable_ticks

MARKS = "osD^vP"
ROW = 0.27  # inches
APART = 0.13  # of a row, from one policy's dots to the next one's


def draw_dots(
    cases: Sequence[str],
    panels: Mapping[str, Mapping[str, Sequence[float | None]]],
    shown: tuple[float, float],
    note: str,
) -> Figure:
    """Quotients on a logarithmic axis, with a line at 1.

    Args:
      cases: titles of the rows.
      panels: by label of the axis, then by policy, one number per case, or None. The
        dots of the last policy are hollow.
      shown: what is beyond is drawn there.
      note: for the legend.
    """
    fig, axes = figure(1, len(panels))
    # As high as its rows, whether panels stand side by side or not.
    spec = axes[0].get_subplotspec()
    blocks = spec.get_gridspec().nrows if spec else 1
    fig.set_size_inches(fig.get_figwidth(), blocks * (0.7 + ROW * len(cases)))
    for ax, (label, policies) in zip(axes, panels.items(), strict=True):
        for place, (policy, numbers) in enumerate(policies.items()):
            lower = APART * (place - (len(policies) - 1) / 2)
            dots = [(x, row + lower) for row, x in enumerate(numbers) if x is not None]
            ax.plot(
                np.clip([x for x, _ in dots], *shown),
                [row for _, row in dots],
                MARKS[place],
                color=line_style(place).color,
                markersize=5,
                markerfacecolor="none" if place == len(policies) - 1 else None,
                label=policy,
            )
        ax.axvline(1.0, color="0.25", linewidth=1, zorder=1)
        ax.set_yticks(range(len(cases)), cases)
        ax.set_ylim(len(cases) - 0.5, -0.5)
        ax.grid(False, axis="y")
        for row in range(len(cases) - 1):
            ax.axhline(row + 0.5, color="0.85", linewidth=0.8, zorder=0)
        readable_ticks(ax.xaxis, "log", *shown)
        ax.set_xlabel(label)
    draw_legend(axes, note)
    return fig
