"""Budgets that are found out as they end (section 5 of the paper): who plays best.

Nobody is told the round's budget. Regret is against the optimum of every round's own.
"""

from collections.abc import Callable
from functools import cache, partial
from typing import NamedTuple

import jax
import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from jaxbandits import allocation
from jaxbandits.laws.thresholds import discrete_weibull, exponential, weibull
from jaxbandits.plots import draw_legend, figure, readable_ticks
from jaxbandits.protocol import Environment
from jaxbandits.stats import final, interval_of
from jaxbandits_studies.common.casts import cast
from jaxbandits_studies.common.comparison import play_games
from jaxbandits_studies.common.drawing import draw_intervals, draw_rows
from jaxbandits_studies.common.experiment import Options, Outcome
from jaxbandits_studies.datasets import instances, synthetic

NUM_ARMS = 5
BUDGETS = tuple(range(4, 41, 4))  # each as likely as the others, in every round
QUESTIONS, SECONDS = 8, (60, 120, 180, 240, 300)
CAMPAIGNS, LARGEST = 8, 20  # impressions
# The rates of A.1 with B = 40; in a cascade those of `allocation-cascade`.
WIDE, NARROW = (1 / 40, 2.0), (1 / 40, 0.1)
UNKNOWN = {"known": False, "order": "draw"}
BASELINE = "Thompson"


def _drawn(
    low: float, high: float, *, cascade: bool = False, stop: bool = False
) -> Environment:
    """Arms of appendix A.1, rates ~ U[low, high], and budgets of 4 to 40."""
    problem = allocation.make_problem(
        exponential,
        NUM_ARMS,
        BUDGETS,
        lowest=low,
        highest=high,
        known=False,
        cascade=cascade,
    )
    return allocation.random_environment(
        "A.1",
        problem,
        _arms(),
        np.array([low, high]),
        budgets=BUDGETS,
        order="draw",
        stop_on_success=stop,
    )


@cache
def _arms():
    def draw(key, ends):
        u = jax.random.uniform(key, (2, NUM_ARMS), ends.dtype)
        return allocation.Arms(1 - u[0], ends[0] + (ends[1] - ends[0]) * u[1])

    return draw


def _quiz() -> Environment:
    """Questions of `ednet_like`, and pupils who leave when they please."""
    arms = synthetic.ednet_like_parameters(QUESTIONS)
    law = arms.probability, arms.shape, 1 / arms.scale
    rates = instances.EDNET_LIKE_RATES
    return instances.game_of("quiz", weibull, law, SECONDS, rates, **UNKNOWN)


def _campaigns() -> Environment:
    """Campaigns of `criteo_like`, and users who leave when they please."""
    arms = synthetic.criteo_like_parameters(CAMPAIGNS)
    budgets = np.minimum(arms.budgets, LARGEST)
    law, rates = arms[:3], instances.CRITEO_LIKE_RATES
    return instances.game_of(
        "campaigns", discrete_weibull, law, budgets, rates, **UNKNOWN
    )


# What is drawn alike -> names in the games.
SERIES = {name: [name] for name in (BASELINE, "NO-UCB", "RA-ETC")} | {
    "MG-UCB or MG-UCB-Delta, tuned": [
        "MG-UCB, tuned",
        "MG-UCB-Delta, envelopes",
        "MG-UCB-Delta, differences",
    ],
    "uniform": ["uniform"],
}


class Game(NamedTuple):
    """A game; who can play it is the cast of its title.

    Attributes:
      make: of the environment.
      shorter: by what its seeds and its rounds are divided.
    """

    make: Callable[[], Environment]
    shorter: int = 1


GAMES = {
    "concave": Game(partial(_drawn, *WIDE)),
    "a round pays once": Game(partial(_drawn, *NARROW, cascade=True)),
    "sigmoids": Game(_quiz),
    "whole units": Game(_campaigns),
    # Regrets may be below 0, as the benchmark never gives back. K + 1 flows a round.
    "stop on success": Game(partial(_drawn, *WIDE, stop=True), 4),
}
QUICK = ("concave", "stop on success")


def unknown(name: str, options: Options) -> Outcome:
    """Regret of all policies that can play a game, a row per game."""
    datasets, records = {}, []
    for title in QUICK if options.quick else GAMES:
        own = _of(GAMES[title], options)
        played = play_games(
            name,
            {title: GAMES[title].make()._replace(name=title)},
            cast("allocation", title),
            own,
            metrics=["regret"],
            spread=BASELINE,
            worst=True,
            checkpoints=[own.horizon],
        )
        datasets |= played.datasets
        records += played.records
    return Outcome(datasets, records, partial(_picture, datasets, options))


def _of(game: Game, options: Options) -> Options:
    return options._replace(
        seeds=max(options.seeds // game.shorter, 2),
        horizon=max(options.horizon // game.shorter, 1),
    )


def _picture(datasets: dict[str, xr.Dataset], options: Options) -> Figure:
    """A panel for games of one length."""
    lengths = sorted({GAMES[title].shorter for title in datasets})
    of_each = [[t for t in datasets if GAMES[t].shorter == n] for n in lengths]
    fig, axes = figure(len(lengths), 1)
    fig.set_figwidth(figure()[0].get_figwidth())  # that of a single panel
    axes[0].get_gridspec().set_height_ratios([len(each) + 0.4 for each in of_each])
    for ax, titles in zip(axes, of_each, strict=True):
        _draw(ax, {title: datasets[title] for title in titles})
        own = _of(GAMES[titles[0]], options)
        ax.set_xlabel(f"regret at T = {own.horizon:,}, {own.seeds:,} seeds")
    draw_legend(axes, "mean, 95 % interval")
    return fig


def _draw(ax: Axes, datasets: dict[str, xr.Dataset]) -> None:
    """A row per game, on a logarithmic axis if no mean is below 0."""
    results = {}
    for row, dataset in enumerate(datasets.values()):
        at_end = final(dataset, "regret").isel(params=0)
        for name in dataset["policy"].values.tolist():
            interval = interval_of(at_end.sel(policy=name))
            results[row, name] = [float(end) for end in interval]
    means = [mean for mean, _, _ in results.values()]
    for place, (label, names) in enumerate(SERIES.items()):
        own = {row: ends for (row, name), ends in results.items() if name in names}
        mean, low, high = np.reshape([*own.values()], (-1, 3)).T
        if min(means) > 0:
            low = np.maximum(low, mean / 10)
        rows = np.array([*own], float) + 0.16 * (place - 2)
        draw_intervals(ax, place, label, rows, mean, low, high)
    draw_rows(ax, [*datasets])
    if min(means) > 0:
        readable_ticks(ax.xaxis, "log", min(means), max(means))
