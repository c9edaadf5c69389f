"""What the confidence radii decide: three forms, each with several scales."""

from functools import partial

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from jaxbandits import allocation
from jaxbandits.plots import (
    draw_legend,
    figure,
    line_style,
    readable_ticks,
    share_names,
)
from jaxbandits.stats import interval_of, summary_records
from jaxbandits_studies.allocation.cast import start_rounds
from jaxbandits_studies.common.comparison import Contestant, run_contestants
from jaxbandits_studies.common.experiment import Options, Outcome
from jaxbandits_studies.slips.allocation import ra_ucb_printed

SCALES = {
    "profile": (6.0, 2.0, 1.0, 0.5, 0.25),
    "delta": (6.0, 1.0, 0.5, 0.25),
    "printed": (1.0, 1e-4, 1e-5, 1e-6),
}


def radii(options: Options) -> Outcome:
    """Regret against the scale: ``z**2 = scale log t``, or the printed radii times it.

    6 log t is the level of the paper's ``sqrt(3 log t / (2 n))``.
    """
    game = allocation.simulation()
    datasets, records = {}, []
    for kind, scales in SCALES.items():
        cast = Contestant(
            partial(ra_ucb_printed, estimator="truncated", radii=kind),
            {"scale": np.array(scales), "initial": start_rounds},
        )
        dataset = run_contestants(game, {"RA-UCB": cast}, options, checkpoints="log")
        title = f"{kind} radii"
        datasets[title] = dataset
        result = summary_records(
            dataset, "allocation-radii", environment=title, metrics=["regret"]
        )
        for record in result:
            record["policy"] += f", scale {record['params']['scale']:g}"
        records += result
    return Outcome(datasets, records, partial(_picture, datasets, options))


def _picture(datasets: dict[str, xr.Dataset], options: Options) -> Figure:
    """Regret over the scale of the radii."""
    fig, axes = figure(1, 2)
    for i, (title, dataset) in enumerate(datasets.items()):
        kind = title.removesuffix(" radii")
        at_end = dataset["regret"].isel(policy=0, checkpoint=-1)
        mean, low, high = (x.values for x in interval_of(at_end))
        style = line_style(i)._asdict()
        ax = axes[kind == "printed"]
        errors = (mean - low, high - mean)
        ax.errorbar(SCALES[kind], mean, errors, label=title, **style)
    for ax, text in zip(axes, ("$z^2 / \\log t$", "factor of the radii"), strict=True):
        ax.set(xscale="log", yscale="log", xlabel=text)
        ax.set_ylabel(f"regret at T = {options.horizon:,}")
        readable_ticks(ax.yaxis, "log", ax.dataLim.minposy, ax.dataLim.y1)
        readable_ticks(ax.xaxis, "log", ax.dataLim.minposx, ax.dataLim.x1)
    share_names(axes)
    draw_legend(axes)
    return fig
