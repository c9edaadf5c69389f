"""How wide RA-UCB's radii should be, game by game, beside Thompson sampling."""

from functools import partial

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from jaxbandits import allocation
from jaxbandits.laws.thresholds import lomax, weibull
from jaxbandits.plots import (
    draw_legend,
    figure,
    line_style,
    readable_ticks,
    share_names,
)
from jaxbandits.stats import interval_of, summary_records
from jaxbandits_studies import datasets
from jaxbandits_studies.allocation.cast import THOMPSON, all_learn_at
from jaxbandits_studies.allocation.quiz import games_of_the_quiz
from jaxbandits_studies.common.comparison import Contestant, run_contestants
from jaxbandits_studies.common.experiment import Options, Outcome

SCALES = (1.0, 0.25, 0.05, 0.01)
SHOWN = ["regret", "reward"]
RA_UCB = "RA-UCB, all arms learn"
RIVALS = {"Thompson": THOMPSON, "uniform": Contestant(allocation.uniform)}
FEW = {
    "A.1": allocation.simulation,
    "Criteo-like (synthetic)": datasets.criteo_like,
}
MORE = {
    "A.1, 30 arms": partial(allocation.simulation, 30),
    "A.1, Lomax 2": partial(allocation.simulation, family=lomax, shape=2.0),
    "A.1, Weibull 2": partial(allocation.simulation, family=weibull, shape=2.0),
}


def tuning(options: Options) -> Outcome:
    """Regret of RA-UCB with ``z**2 = scale log t``, all arms learning from the start.

    The radii that a game wants are found with hindsight: what is left between the best
    of them and Thompson sampling is not a matter of tuning.
    """
    quiz = {} if options.quick else games_of_the_quiz(options._replace(quick=True))
    games = FEW if options.quick else FEW | MORE | quiz
    datasets, records = {}, []
    for title, make in games.items():
        game, end = make(), [options.horizon]
        scaled = {RA_UCB: all_learn_at(np.array(SCALES))}
        scaled = run_contestants(game, scaled, options, checkpoints=end)
        rivals = run_contestants(game, RIVALS, options, checkpoints=end)
        datasets |= {f"{title}, by scale": scaled, title: rivals}
        by_scale, others = (
            summary_records(
                dataset, "allocation-tuning", environment=title, metrics=SHOWN
            )
            for dataset in (scaled, rivals)
        )
        for record in by_scale:
            record["policy"] += f", scale {record['params']['scale']:g}"
        records += by_scale + others
    return Outcome(datasets, records, partial(_picture, datasets, [*games], options))


def _picture(
    datasets: dict[str, xr.Dataset], titles: list[str], options: Options
) -> Figure:
    """A panel per game."""
    fig, axes = figure(1, 2) if options.quick else figure(2, 3)
    for ax, title in zip(axes, titles, strict=True):
        scaled, rivals = datasets[f"{title}, by scale"], datasets[title]
        _draw(ax, scaled, rivals)
        ax.set(title=title, xscale="log", yscale="log", xlabel="$z^2 / \\log t$")
        readable_ticks(ax.yaxis, "log", *np.sort(ax.get_ylim()))
        readable_ticks(ax.xaxis, "log", min(SCALES), max(SCALES))
        ax.set_ylabel(f"regret at T = {options.horizon:,}")
    share_names(axes)
    draw_legend(axes)
    return fig


def _draw(ax, scaled, rivals):
    """A point per scale; a line with its band for what has no scale."""
    at_end = scaled["regret"].isel(policy=0, checkpoint=-1)
    mean, low, high = (x.values for x in interval_of(at_end))
    errors = (mean - low, high - mean)
    ax.errorbar(SCALES, mean, errors, label=RA_UCB, **line_style(0)._asdict())
    for i, name in enumerate(RIVALS, start=1):
        at_end = rivals["regret"].sel(policy=name).isel(params=0, checkpoint=-1)
        mean, low, high = (float(x) for x in interval_of(at_end))
        style = line_style(i)._asdict() | {"marker": None}
        ax.axhline(mean, label=name, **style)
        ax.axhspan(low, high, color=style["color"], alpha=0.2, linewidth=0)
