"""Which limit grid were the censored paper's tables made with? Exact numbers only."""

from functools import partial

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from jaxbandits import censored
from jaxbandits.plots import draw_legend, figure, line_style, share_names
from jaxbandits.stats import entry, make_record
from jaxbandits_studies.common.casts import games
from jaxbandits_studies.common.experiment import Options, Outcome

INSTANCES = games("censored", "5.1")
# Limits, and the list whose printed numbers they may be those of.
GRIDS = {
    "5.1, linspace(0.1, 0.9, 10)": (censored.equidistant(10), "5.1"),
    "5.1, literal {0.1, ..., 1}": (censored.equidistant(10, form="printed"), "5.1"),
    "F.1, M1 = {0.5, 0.9}": (censored.M1, "M1"),
    "F.1, linspace(0.1, 0.9, 20)": (censored.equidistant(20), "M2"),
    "F.1, literal {0.05, ..., 1}": (censored.equidistant(20, form="printed"), "M2"),
}
CURVE = tuple(np.linspace(0.02, 1.0, 99).tolist())
NOTE = (
    "The paper names (arm 1, limit 0.4) as the optimal pair of all three instances.",
)

LOWEST = -1.0  # value that is shown
JUMP = 0.5  # between neighbours: nu is discontinuous there


def exact_table() -> list[dict]:
    """The optimal pair of every instance on every grid, beside the printed number.

    Returns:
      Rows ``{"table", "environment", "arm", "limit", "value", "censoring",
      "published"}``; arms count from 1 as in the paper.
    """
    rows = []
    for grid, (limits, table) in GRIDS.items():
        for title, printed in games("censored", table).items():
            oracle = INSTANCES[title].make(limits).oracle()
            rows.append(
                {
                    "table": grid,
                    "environment": title,
                    "arm": oracle.arm + 1,
                    "limit": limits[oracle.limit],
                    "value": oracle.value,
                    "censoring": float(oracle.censoring[oracle.arm, oracle.limit]),
                    "published": printed.facts["printed"]["best"],
                }
            )
    return rows


def grid_readings(options: Options) -> Outcome:
    """The optimal pairs on every grid, and nu of the best arms over all limits."""
    del options
    datasets = {}
    for title, instance in INSTANCES.items():
        values = instance.make(CURVE).oracle().values
        datasets[title] = xr.Dataset(
            {"value": (("arm", "limit"), values)},
            coords={"arm": np.arange(1, len(values) + 1), "limit": list(CURVE)},
        )
    rows = sorted(
        exact_table(), key=lambda row: list(INSTANCES).index(row["environment"])
    )
    records = [_record(row) for row in rows]
    return Outcome(datasets, records, partial(_picture, datasets), NOTE)


def _picture(datasets: dict[str, xr.Dataset]) -> Figure:
    """A panel per instance: two arms' curves, and the grids' values of the first."""
    fig, axes = figure(1, len(datasets))
    for ax, (title, dataset) in zip(axes, datasets.items(), strict=True):
        values = dataset["value"].values
        for arm in (0, 1):
            style = line_style(arm)._asdict()
            ax.plot(*_broken(values[arm]), label=f"arm {arm + 1}", **style)
        for grid, marker, fill, label in (
            (censored.equidistant(10), "o", "black", "linspace(0.1, 0.9, 10)"),
            (censored.equidistant(10, form="printed"), "s", "none", "{0.1, ..., 1}"),
        ):
            marks = {"marker": marker, "linestyle": "none", "markerfacecolor": fill}
            at_grid = np.interp(grid, CURVE, values[0])
            # Marks that lie below are not cut in half by the edge.
            at_grid[at_grid < LOWEST] = np.nan
            ax.plot(grid, at_grid, color="black", label=label, zorder=5, **marks)
        # Beyond 0.5 the penalty jumps and nu falls far below zero.
        ax.set(title=title, xlabel=r"limit $\tau$", ylim=(LOWEST - 0.1, 0.75))
        ax.set_ylabel(r"expected gain $\nu$")
    share_names(axes)
    draw_legend(axes, "grids: values of arm 1; what is below the axis is not shown")
    return fig


def _broken(values):
    """The curve, interrupted where it jumps: a jump is no slope."""
    limits = np.asarray(CURVE)
    jump = np.flatnonzero(np.abs(np.diff(values)) > JUMP) + 1
    middle = (limits[jump - 1] + limits[jump]) / 2
    return np.insert(limits, jump, middle), np.insert(values, jump, np.nan)


def _record(row):
    metrics = {key: row[key] for key in ("arm", "limit", "value")}
    metrics["censoring"] = entry(row["censoring"], published=row["published"])
    return make_record(
        "censored-grids",
        row["environment"],
        f"best pair, {row['table']}",
        metrics,
        seeds=1,
        horizon=0,
    )
