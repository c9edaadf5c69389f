"""jaxbandits on the game of the budgeted setting."""

from functools import cache

import jax
import numpy as np

from jaxbandits.policies.budgeted import omega_ucb
from jaxbandits.settings.budgeted import s_br

from ..contest import Played, Timed
from ..warm import simulated
from .game import COST_FLOOR, RHO, Game


@cache
def environment(game: Game):
    """The game as an environment of the library."""
    return s_br(game.arms, COST_FLOOR)


def timed(game: Game, seeds: int, horizon: float, seed: int = 1, **options) -> Timed:
    """One turn of `simulate`, which gets the options."""
    env = environment(game)
    policy = omega_ucb(env.problem, star=True)
    how = {"budget": horizon, "seeds": seeds, "grid": {"rho": RHO}} | options
    data, compiling = simulated(policy, env, seed=seed, **how)
    rounds = data["rounds"].values.ravel().astype(np.int64)
    played = Played(rounds, data["regret"].values.ravel())
    cores = len(jax.local_devices())
    return Timed(played, float(data["run_seconds"].sum()), cores, compiling)
