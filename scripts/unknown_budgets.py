"""Budgets that are found out as they end (section 5 of the paper): who plays best.

    python scripts/unknown_budgets.py [--seeds 16] [--horizon 1000]

Nobody is told the round's budget. Prints the regret of all policies that can play a
game, against the optimum of every budget: the table of docs/settings/allocation.md.
Half an hour on a core, most of it compilation.
"""

import argparse
from collections.abc import Callable
from functools import cache, partial

import jax
import numpy as np

from jaxbandits.experiments.allocation.cast import exploration, start_rounds
from jaxbandits.experiments.common.comparison import Contestant, run_contestants
from jaxbandits.experiments.common.experiment import Options
from jaxbandits.laws.thresholds import discrete_weibull, exponential, weibull
from jaxbandits.policies import allocation as policies
from jaxbandits.protocol import Environment
from jaxbandits.settings import allocation as settings
from jaxbandits.settings.allocation.synthetic import (
    criteo_like_parameters,
    ednet_like_parameters,
)

NUM_ARMS = 5
BUDGETS = tuple(range(4, 41, 4))  # each as likely as the others, in every round
QUESTIONS, SECONDS = 8, (60, 120, 180, 240, 300)
CAMPAIGNS, LARGEST = 8, 20  # impressions
# As RA-UCB is tuned (`cast.TUNED`): all arms learn, and radii are 0.05 log t.
LEARN = {"update": "all", "others": "point", "start": "uniform_split"}
SHARP = {"scale": 0.05, "initial": start_rounds}


def _delta(greedy: str) -> Contestant:
    return Contestant(partial(policies.mg_ucb_delta, greedy=greedy, **LEARN), SHARP)


# Who plays everywhere.
ALL = {
    "Thompson": Contestant(policies.thompson_allocation),
    "NO-UCB": Contestant(policies.no_ucb, {"initial": start_rounds}),
    "RA-ETC": Contestant(policies.ra_etc, {"exploration": exploration}),
}
UNIFORM = {"uniform": Contestant(policies.uniform_split)}
MG_UCB = {"MG-UCB, tuned": Contestant(partial(policies.mg_ucb, **LEARN), SHARP)}
DIFFERENCE = {"MG-UCB-Delta, differences": _delta("difference")}
ENVELOPE = {"MG-UCB-Delta, envelopes": _delta("envelope")}


def _drawn(
    low: float, high: float, *, cascade: bool = False, stop: bool = False
) -> Environment:
    """Arms of appendix A.1, rates ~ U[low, high], and budgets of 4 to 40."""
    problem = settings.make_problem(
        exponential,
        NUM_ARMS,
        BUDGETS,
        lowest=low,
        highest=high,
        known=False,
        cascade=cascade,
    )
    return settings.random_allocation(
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
        return settings.Arms(1 - u[0], ends[0] + (ends[1] - ends[0]) * u[1])

    return draw


def _quiz() -> Environment:
    """Questions of `ednet_like`, and pupils who leave when they please."""
    arms = ednet_like_parameters(QUESTIONS)
    return settings.allocation(
        "quiz",
        weibull,
        arms.probability,
        1 / arms.scale,
        SECONDS,
        shape=arms.shape,
        lowest=1 / 240,
        highest=4 / 15,
        known=False,
        order="draw",
    )


def _campaigns() -> Environment:
    """Campaigns of `criteo_like`, and users who leave when they please."""
    arms = criteo_like_parameters(CAMPAIGNS)
    return settings.allocation(
        "campaigns",
        discrete_weibull,
        arms.probability,
        arms.rate,
        np.minimum(arms.budgets, LARGEST),
        shape=arms.shape,
        lowest=0.04,
        highest=14.0,
        known=False,
        order="draw",
    )


# The rates of A.1 with B = 40; in a cascade those of `allocation-cascade`.
WIDE, NARROW = (1 / 40, 2.0), (1 / 40, 0.1)
GAMES: dict[str, tuple[Callable[[], Environment], dict[str, Contestant]]] = {
    "concave": (
        partial(_drawn, *WIDE),
        ALL | MG_UCB | UNIFORM,
    ),
    "concave, a round pays once": (
        partial(_drawn, *NARROW, cascade=True),
        ALL | UNIFORM,
    ),
    "sigmoids": (_quiz, ALL | ENVELOPE | UNIFORM),
    "whole units": (_campaigns, ALL | DIFFERENCE | UNIFORM),
    # Regrets may be below 0: the benchmark never gives back.
    "concave, arms stop on success": (
        partial(_drawn, *WIDE, stop=True),
        ALL | MG_UCB,
    ),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=16)
    parser.add_argument("--horizon", type=int, default=1_000)
    given = parser.parse_args()
    options = Options(given.seeds, given.horizon)
    print("| game | policy | regret | median | worst |\n|---|---|---|---|---|")
    for title, (make, cast) in GAMES.items():
        for name, contestant in cast.items():
            game = make()._replace(name=title)
            data = run_contestants(game, {name: contestant}, options)
            regret = data["regret"].isel(policy=0, params=0, checkpoint=-1).values
            error = np.std(regret, ddof=1) / len(regret) ** 0.5
            print(
                f"| {title} | {name} | {regret.mean():,.1f} ± {error:,.1f} | "
                f"{np.median(regret):,.1f} | {regret.max():,.0f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
