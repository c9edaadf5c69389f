"""A small game to be judged on, and scores that are known by hand."""

from functools import cache

import numpy as np
import xarray as xr

from jaxbandits.experiments.judging.board import Board
from jaxbandits.experiments.judging.protocol import Case, Entrant, Goal, Protocol
from jaxbandits.experiments.judging.scores import cell_of
from jaxbandits.policies import budgeted as policies
from jaxbandits.settings.budgeted import s_br

COINS = cache(lambda: s_br(3))  # one game: its programs are made once
ENTRANTS = {
    "slow": Entrant(policies.c_ucb),
    "fast": Entrant(policies.kube),
    "lost": Entrant(policies.m_ucb, flaw="loses runs"),
    "new": Entrant(policies.share_ucb, knows=("budget",), ours=True),
}
PROTOCOL = Protocol(
    setting="budgeted",
    fixed="2026-11-24",
    by_budget=True,
    horizons=(20, 40),
    tuning={},
    judging={
        "coins": Case(COINS, "paper"),
        "short": Case(COINS, "trap", horizons=(20,)),
        "absent": Case(lambda path: s_br(2), "recorded", data="no such file"),
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
