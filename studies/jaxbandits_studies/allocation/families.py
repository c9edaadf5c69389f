"""Every threshold family: Thompson sampling beside RA-UCB tuned for that family.

A scale of RA-UCB's radii is chosen family by family, on seeds of the tuning set. All
numbers that are shown are of others.
"""

import itertools
from functools import partial

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from jaxbandits.allocation.solving import is_concave
from jaxbandits.plots import draw_legend, figure, line_style, readable_ticks
from jaxbandits.protocol import Environment
from jaxbandits.stats import Record, entry, final
from jaxbandits_studies.common.casts import cast, games
from jaxbandits_studies.common.comparison import Contestant, play_games
from jaxbandits_studies.common.drawing import draw_intervals, draw_rows
from jaxbandits_studies.common.experiment import Options, Outcome
from jaxbandits_studies.judging.protocol import TUNING_SEED

ROOT_SEED = 26_112_026  # of no other experiment
QUICK = ("exponential", "discrete Weibull 0.8 (units)")
TUNED, PRINTED = "RA-UCB, tuned", "RA-UCB, as printed"
ONE, EIGHT = "Thompson", "Thompson, mean of 8, feasible"
DRAWN = (EIGHT, ONE, PRINTED)  # beside the tuned one
MEDIANS = "ratio of medians"


def _cast(game: Environment) -> dict[str, Contestant]:
    """Who can play a game: a mean of optima is for what is concave."""
    concave = is_concave(game.problem) and not game.problem.family.integer
    return cast("allocation", "family, concave" if concave else "family")


def families(name: str, options: Options) -> Outcome:
    """Regret over that of the tuned RA-UCB, a row per family."""
    datasets, records = {}, []
    rows = games("allocation", "families")
    for title in QUICK if options.quick else rows:
        game = rows[title].make()
        at_end = partial(
            play_games,
            name,
            {title: game},
            options=options,
            metrics=["regret"],
            checkpoints=[options.horizon],
        )
        contestants = _cast(game)
        tuning = at_end(cast={TUNED: contestants[TUNED]}, root_seed=TUNING_SEED)
        means = final(tuning.datasets[title], "regret").sel(policy=TUNED).mean("seed")
        best = int(np.argmin(means.values))
        played = at_end(cast=contestants, root_seed=ROOT_SEED)
        datasets |= played.datasets
        records += _with_ratios(played.records, datasets[title], best)
    draw = partial(_picture, records, options)
    return Outcome(datasets, records, draw, _notes(records), root_seed=ROOT_SEED)


def _with_ratios(records: list[Record], dataset: xr.Dataset, best: int) -> list[Record]:
    """The records, with what the mean of heavy tails does not tell.

    The error of a ratio of means is that of its linearisation, seeds being paired.
    """
    regret = final(dataset, "regret")
    tuned = regret.sel(policy=TUNED).isel(params=best)
    scales = itertools.count()
    for record in records:
        name = record["policy"]
        i = next(scales) if name == TUNED else 0
        own = regret.sel(policy=name).isel(params=i)
        metrics = record["metrics"]
        metrics["regret_median"] = entry(own.median().item())
        metrics["regret_worst"] = entry(own.max().item())
        if name != TUNED:
            ratio = (own.mean() / tuned.mean()).item()
            off = (own - ratio * tuned).std(ddof=1) / tuned.mean()
            metrics["ratio"] = entry(ratio, (off / len(own) ** 0.5).item())
            of_medians = own.median() / tuned.median()
            metrics["ratio_of_medians"] = entry(of_medians.item())
        elif i != best:
            record["policy"] = f"RA-UCB, scale {record['params']['scale']:g}"
    return records


def _picture(records: list[Record], options: Options) -> Figure:
    """A row per family; dots are ratios of means, diamonds of medians."""
    titles = list(dict.fromkeys(record["environment"] for record in records))
    fig, (ax,) = figure()
    fig.set_figheight(1.0 + fig.get_figheight() * 0.09 * max(len(titles), 5))
    ends = [1.0]
    for place, name in enumerate(DRAWN):
        own = {r["environment"]: r["metrics"] for r in records if r["policy"] == name}
        rows = np.array([titles.index(title) for title in own]) + 0.22 * (place - 1)
        mean, error = (
            np.array([metrics["ratio"][key] for metrics in own.values()], float)
            for key in ("mean", "sem")
        )
        middle = [metrics["ratio_of_medians"]["mean"] for metrics in own.values()]
        wide = np.exp(1.96 * error / mean)
        draw_intervals(ax, place, name, rows, mean, mean / wide, mean * wide)
        color = line_style(place).color
        ax.plot(middle, rows, "D", ms=4.5, mfc="none", mec=color)
        ends += [*(mean / wide), *(mean * wide), *middle]
    ax.plot([], [], "D", ms=4.5, mfc="none", mec="0.25", label=MEDIANS)
    ax.axvline(1.0, color="0.25", lw=1.2, zorder=1)
    draw_rows(ax, titles)
    low, high = min(ends) / 1.15, max(ends) * 1.15
    readable_ticks(ax.xaxis, "log", low, high)
    ax.set_xlim(low, high)
    ax.set_xlabel(f"regret over that of RA-UCB tuned, T = {options.horizon:,}")
    note = f"means of {options.seeds:,} seeds, 95 % interval"
    draw_legend(ax, note, order=[*DRAWN, MEDIANS])
    return fig


def _notes(records: list[Record]) -> tuple[str, ...]:
    """Which scale was chosen where, and what the best one would have been worth."""
    regret: dict[str, dict[str, float]] = {}
    chosen = []
    for record in records:
        title, name = record["environment"], record["policy"]
        regret.setdefault(title, {})[name] = record["metrics"]["regret"]["mean"]
        if name == TUNED:
            chosen.append(f"{title} {record['params']['scale']:g}")
    notes = [f"Scales of the radii, chosen on other seeds: {', '.join(chosen)}."]
    for name in (EIGHT, ONE):
        over = [
            own[name] / min(own[each] for each in own if each.startswith("RA-UCB"))
            for own in regret.values()
            if name in own
        ]
        if over:
            notes.append(
                f"{name}: {min(over):.2f} to {max(over):.2f} times the mean regret of "
                f"the best scale, found with hindsight, in {len(over)} families."
            )
    return tuple(notes)
