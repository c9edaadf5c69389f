"""How many draws' optima Thompson sampling should average: on the tuning set alone."""

from functools import partial

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from jaxbandits.allocation import thompson
from jaxbandits.plots import draw_legend, figure, line_style, readable_ticks
from jaxbandits.stats import final, interval_of, summary_records
from jaxbandits_studies.common.experiment import Options, Outcome
from jaxbandits_studies.common.playing import play
from jaxbandits_studies.judging.allocation import PROTOCOL
from jaxbandits_studies.judging.protocol import TUNING_SEED

NAME = "allocation-draws"
DRAWS = (1, 2, 4, 8, 16, 32)
DEFAULT = 8  # of what is advised
# Of the tuning set, games with concave families and budgets that can be divided.
CASES = ("A.1, K = 5", "A.1, K = 15, tight", "A.1, Lomax 3")


def draws(options: Options) -> Outcome:
    """Regret of the mean of m draws' optima against m."""
    numbers, titles = DRAWS, CASES
    if options.quick:
        numbers, titles = (1, DEFAULT), CASES[:2]
    datasets, records = {}, []
    for title in titles:
        environment = PROTOCOL.tuning[title].environment()
        made = (thompson(environment.problem, draws=m) for m in numbers)
        datasets[title] = play(
            {policy.name: policy for policy in made},
            environment,
            options,
            horizon=options.horizon,
            checkpoints=[options.horizon],
            root_seed=TUNING_SEED,
        )
        records += summary_records(
            datasets[title], NAME, environment=title, metrics=["regret"]
        )
    draw = partial(_picture, datasets, numbers, options)
    return Outcome(datasets, records, draw, root_seed=TUNING_SEED)


def _picture(
    datasets: dict[str, xr.Dataset], numbers: tuple[int, ...], options: Options
) -> Figure:
    """A curve per game over the numbers of draws."""
    fig, (ax,) = figure()
    for i, (title, dataset) in enumerate(datasets.items()):
        at_end = final(dataset, "regret").isel(params=0)
        mean, low, high = (x.values for x in interval_of(at_end))
        style = line_style(i)._asdict()
        ax.plot(numbers, mean, label=title, **style)
        ax.fill_between(numbers, low, high, color=style["color"], alpha=0.2, lw=0)
        at = numbers.index(DEFAULT)
        ax.plot(DEFAULT, mean[at], "o", color=style["color"], ms=6, zorder=4)
    ax.set_xscale("log", base=2)
    ax.set_xticks(numbers, [f"{m}" for m in numbers])
    ax.minorticks_off()
    readable_ticks(ax.yaxis, "log", *np.sort(ax.get_ylim()))
    ax.set(xlabel="draws", ylabel=f"regret at T = {options.horizon:,}")
    note = f"mean of {options.seeds:,} seeds, 95 % interval; the dots: what is advised"
    draw_legend(ax, note)
    return fig
