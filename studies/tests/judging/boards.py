"""A small game to be judged on, and scores that are known by hand."""

from functools import partial
from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
import xarray as xr

from jaxbandits.testing import altered
from jaxbandits_studies.judging.board import Board
from jaxbandits_studies.judging.protocol import Case, Entrant, Goal, Protocol
from jaxbandits_studies.judging.scores import cell_of
from tests.engine import budget_game

# A game and policies that compile in no time; the regret is what is spent.
COINS = altered(
    budget_game.environment(),
    name="coins",
    metrics=lambda tables, instance, record: {"regret": record.spent},
)


class Every(NamedTuple):
    """Rounds from one pull of the dear arm to the next."""

    every: float = 2.0


class Told(NamedTuple):
    """The budget, which the game tells."""

    budget: float = 1.0


def _pull(every):
    """The dear arm whenever so many rounds have passed."""

    def act(noise, view, state, params):
        return (view.round % every(params) == 0).astype(jnp.int32)

    return act


EVERY = budget_game.ALTERNATE._replace(
    name="every", act=_pull(lambda params: params.every), params=Every()
)
TOLD = EVERY._replace(
    name="told",
    act=_pull(lambda params: params.budget / 10),
    params=Told(),
    game_params=("budget",),
)


def _made(policy, problem):
    del problem
    return policy


ENTRANTS = {
    "slow": Entrant(partial(_made, EVERY)),
    "fast": Entrant(partial(_made, EVERY), {"every": 5.0}),
    "lost": Entrant(partial(_made, EVERY), {"every": 3.0}, flaw="loses runs"),
    "new": Entrant(partial(_made, TOLD), knows=("budget",), ours=True),
}
PROTOCOL = Protocol(
    setting="budgeted",
    fixed="2026-11-24",
    by_budget=True,
    horizons=(20, 40),
    tuning={},
    judging={
        "coins": Case(lambda: COINS, "paper"),
        "short": Case(lambda: COINS, "trap", horizons=(20,)),
        "absent": Case(lambda path: COINS, "recorded", data="no such file"),
    },
    entrants=ENTRANTS,
    quick=("slow", "new"),
    goal=Goal(("new",), within=1.5, share=0.75),
)
# Regret of four runs. "fast" is the best rival in the mean (40 to 50), "slow" in the
# quantile (50 to 118).
RUNS = {
    "slow": [50.0, 50.0, 50.0, 50.0],
    "fast": [10.0, 10.0, 10.0, 130.0],
    "lost": [0.0, 0.0, 0.0, 4.0],
    "new": [20.0, 30.0, 40.0, 50.0],
}


def runs(values=RUNS) -> xr.Dataset:
    """As `play_case` gives them."""
    array = np.array([*values.values()])[:, None, :, None]
    dims = ("policy", "params", "seed", "checkpoint")
    coords = {"policy": [*values], "checkpoint": [20]}
    return xr.Dataset({"regret": (dims, array)}, coords)


def cell(case="coins", horizon=20, values=RUNS):
    """Scores of runs."""
    return cell_of(case, horizon, runs(values), ENTRANTS)


def board() -> Board:
    """Three cells: the goal is reached in one of them, in one by a hair."""
    worse = RUNS | {"new": [600.0] * 4}
    even = RUNS | {"new": [60.0] * 4}
    cells = (cell(), cell(horizon=40, values=even), cell("short", values=worse))
    played = {"created": "2026-11-24T10:00:00", "versions": {"jax": "0.12"}}
    return Board("budgeted", 4, 7, cells, {"new": 0.1234, "slow": 1.0}, played)
