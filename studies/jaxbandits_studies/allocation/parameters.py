"""What numbers of policies are worth: radii of RA-UCB, draws of Thompson sampling."""

from functools import partial
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from jaxbandits import allocation, plots
from jaxbandits.allocation import thompson
from jaxbandits.stats import interval_of
from jaxbandits_studies.allocation.comparisons import games_of_the_quiz
from jaxbandits_studies.common.casts import cast, games
from jaxbandits_studies.common.comparison import Contestant, name_points, play_games
from jaxbandits_studies.common.drawing import draw_lines
from jaxbandits_studies.common.experiment import Options, Outcome
from jaxbandits_studies.judging.protocol import TUNING_SEED
from jaxbandits_studies.judging.protocols import PROTOCOLS

DRAWS, DEFAULT = (1, 2, 4, 8, 16, 32), 8  # of what is advised
# Of the tuning set, games with concave families and budgets that can be divided.
CASES = ("A.1, K = 5", "A.1, K = 15, tight", "A.1, Lomax 3")


def radii(name: str, options: Options) -> Outcome:
    """Regret against the scale: ``z**2 = scale log t``, or the printed radii times it.

    6 log t is the level of the paper's ``sqrt(3 log t / (2 n))``.
    """
    kinds = {f"{kind} radii": kind for kind in ("profile", "delta", "printed")}
    played = play_games(
        name,
        dict.fromkeys(kinds, allocation.simulation()),
        {title: cast("allocation", kind) for title, kind in kinds.items()},
        options,
        metrics=["regret"],
        checkpoints="log",
    )
    name_points(played.records, "scale")

    def draw() -> Figure:
        fig, axes = plots.figure(1, 2)
        for i, (title, dataset) in enumerate(played.datasets.items()):
            _points(axes[kinds[title] == "printed"], dataset, title, i)
        names = ("$z^2 / \\log t$", "factor of the radii")
        for ax, text in zip(axes, names, strict=True):
            _scales(ax, text, options)
            plots.readable_ticks(ax.yaxis, "log", ax.dataLim.minposy, ax.dataLim.y1)
            plots.readable_ticks(ax.xaxis, "log", ax.dataLim.minposx, ax.dataLim.x1)
        plots.share_names(axes)
        plots.draw_legend(axes)
        return fig

    return Outcome(*played, draw)


def tuning(name: str, options: Options) -> Outcome:
    """Regret of RA-UCB with ``z**2 = scale log t``, all arms learning from the start.

    The radii that a game wants are found with hindsight: what is left between the best
    of them and Thompson sampling is not a matter of tuning.
    """
    quiz = {} if options.quick else games_of_the_quiz(options._replace(quick=True))
    rows = games("allocation", "tuning, quick" if options.quick else "tuning")
    chosen = {title: row.make for title, row in rows.items()} | quiz
    datasets: dict[str, xr.Dataset] = {}
    records = []
    for title, make in chosen.items():
        run = partial(
            play_games,
            name,
            {title: make()},
            options=options,
            metrics=["regret", "reward"],
            checkpoints=[options.horizon],
        )
        scaled = run(cast=cast("allocation", "by scale"))
        rivals = run(cast=cast("allocation", "beside scales"))
        name_points(scaled.records, "scale")
        datasets |= {f"{title}, by scale": scaled.datasets[title], **rivals.datasets}
        records += scaled.records + rivals.records

    def draw() -> Figure:
        fig, axes = plots.figure(1, 2) if options.quick else plots.figure(2, 3)
        for ax, title in zip(axes, chosen, strict=True):
            scaled = datasets[f"{title}, by scale"]
            scales = _points(ax, scaled, scaled["policy"].item(), 0)
            for i, label in enumerate(datasets[title]["policy"].values.tolist(), 1):
                _level(ax, datasets[title].sel(policy=label), label, i)
            ax.set(title=title)
            _scales(ax, "$z^2 / \\log t$", options)
            plots.readable_ticks(ax.yaxis, "log", *np.sort(ax.get_ylim()))
            plots.readable_ticks(ax.xaxis, "log", min(scales), max(scales))
        plots.share_names(axes)
        plots.draw_legend(axes)
        return fig

    return Outcome(datasets, records, draw)


def draws(name: str, options: Options) -> Outcome:
    """Regret of the mean of m draws' optima against m: on the tuning set alone."""
    numbers, titles = DRAWS, CASES
    if options.quick:
        numbers, titles = (1, DEFAULT), CASES[:2]
    cases = PROTOCOLS["allocation"].tuning
    made = {title: cases[title].environment() for title in titles}
    forms: dict[str, Contestant] = {}
    for m in numbers:
        make = partial(thompson, draws=m)
        forms[make(next(iter(made.values())).problem).name] = Contestant(make)
    played = play_games(
        name,
        made,
        forms,
        options,
        metrics=["regret"],
        checkpoints=[options.horizon],
        root_seed=TUNING_SEED,
    )

    def draw() -> Figure:
        fig, (ax,) = plots.figure()
        bands = {x: np.array(interval_of(played.final(x))[:3]) for x in made}
        draw_lines(ax, numbers, bands)
        for i, (means, _, _) in enumerate(bands.values()):
            look = {"color": plots.line_style(i).color, "ms": 6, "zorder": 4}
            ax.plot(DEFAULT, means[numbers.index(DEFAULT)], "o", **look)
        ax.set_xscale("log", base=2)
        ax.set_yscale("log")  # Ends of intervals of few seeds are not all positive.
        ax.set_xticks(numbers, [f"{m}" for m in numbers])
        ax.minorticks_off()
        plots.readable_ticks(ax.yaxis, "log", *np.sort(ax.get_ylim()))
        ax.set(xlabel="draws", ylabel=f"regret at T = {options.horizon:,}")
        seeds = f"mean of {options.seeds:,} seeds, 95 % interval"
        plots.draw_legend(ax, f"{seeds}; the dots: what is advised")
        return fig

    return Outcome(*played, draw, root_seed=TUNING_SEED)


def _scales(ax: Axes, text: str, options: Options) -> None:
    ax.set(xscale="log", yscale="log", xlabel=text)
    ax.set_ylabel(f"regret at T = {options.horizon:,}")


def _points(ax: Axes, dataset: xr.Dataset, label: str, place: int) -> Any:
    """A point with its interval per scale; the scales."""
    scales = dataset["param_scale"].values.ravel()
    at_end = dataset["regret"].isel(policy=0, checkpoint=-1)
    means, low, high = (x.values for x in interval_of(at_end))
    errors = (means - low, high - means)
    ax.errorbar(scales, means, errors, label=label, **plots.line_style(place)._asdict())
    return scales


def _level(ax: Axes, dataset: xr.Dataset, label: str, place: int) -> None:
    """A line with its band for what has no scale."""
    at_end = dataset["regret"].isel(params=0, checkpoint=-1)
    means, low, high = (float(x) for x in interval_of(at_end))
    style = plots.line_style(place)._asdict() | {"marker": None}
    ax.axhline(means, label=label, **style)
    ax.axhspan(low, high, color=style["color"], alpha=0.2, linewidth=0)
