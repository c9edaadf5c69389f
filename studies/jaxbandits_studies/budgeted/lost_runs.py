"""Runs that share-UCB loses on two coins, and what theory says of them."""

import numpy as np
from matplotlib.figure import Figure

from jaxbandits import plots
from jaxbandits.budgeted import make_environment
from jaxbandits.laws import Bernoulli, Discrete, Product, bernoulli, discrete, product
from jaxbandits.protocol import Environment
from jaxbandits.stats import entry
from jaxbandits_studies.common.casts import cast
from jaxbandits_studies.common.comparison import play_games
from jaxbandits_studies.common.experiment import Options, Outcome
from jaxbandits_studies.theory import lost_runs as theory

BEST, OTHER, COST, RHO = 0.95, 0.9, 0.5, 0.5
ANYTIME = "share-UCB, anytime"
LOG_SHARE = "omega*-UCB, shrunk, log(t/n)"


def two_coins() -> Environment:
    """Rewards of 1 in 95 and 90 of 100 pulls; every pull costs 1/2, as is known.

    A budget of B pays for B pulls.
    """
    mean = np.array([BEST, OTHER])
    cost = Discrete(np.full((2, 1), COST), np.ones((2, 1)))
    law = product(bernoulli, discrete)
    arms = Product(Bernoulli(mean), cost)
    known = (COST, COST)
    return make_environment("two coins", law, arms, unit="cheapest", cost_range=known)


def lost_runs(name: str, options: Options) -> Outcome:
    """Regret and the share of lost runs, and what theory says of both."""
    environment = two_coins()
    played = play_games(
        name,
        {environment.name: environment},
        cast("budgeted", "lost runs"),
        options,
        metrics=["regret", "optimal"],
        checkpoints="log",
    )
    dataset = played.datasets[environment.name]
    rounds = np.asarray(dataset["checkpoint"].values, float)
    whole = np.maximum(rounds, 1.0)  # the first checkpoints are parts of a pull
    bound = theory.lost_regret(whole, RHO, BEST, OTHER)
    pulls = (dataset["optimal"] * dataset["rounds"]).isel(params=0).round()
    for record in played.records:
        form = "log_share" if record["policy"] == LOG_SHARE else "share"
        # No more pulls of the best arm than the failures that give it up.
        few = theory.pulls_until_given_up(whole[-1], RHO, OTHER, form)
        ends = pulls.sel(policy=record["policy"]).isel(checkpoint=-1)
        share = (ends <= few).mean().item()
        error = np.sqrt(share * (1 - share) / options.seeds)
        record["metrics"]["lost"] = entry(share, error)
        if record["policy"] == ANYTIME:
            record["metrics"]["regret_of_lost_runs"] = entry(bound[-1])
            chance = theory.chance_of_loss(whole[-1], RHO, BEST, OTHER)
            record["metrics"]["lost_about"] = entry(chance)

    def draw() -> Figure:
        fig, (ax,) = plots.figure()
        plots.plot_curves(dataset, ax=ax, x_scale="log", y_scale="log")
        style = plots.line_style(dataset.sizes["policy"])._asdict()
        ax.plot(rounds, bound, label="what lost runs lose, by theory", **style)
        plots.readable_ticks(ax.yaxis, "log", 0.1, ax.dataLim.y1)
        ax.set_ylim(0.1)
        plots.draw_legend(ax, f"{options.seeds:,} seeds")
        return fig

    return Outcome(*played, draw)
