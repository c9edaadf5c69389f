"""jaxbandits on the game of the farewell setting."""

from functools import cache

import jax
import numpy as np

from jaxbandits.policies.farewell import wait_ucb
from jaxbandits.settings.farewell import farewell

from ..contest import Played, Timed
from ..warm import simulated
from .game import Game, delays, utilities


@cache
def environment(game: Game):
    """The game as an environment of the library."""
    return farewell("benchmark", delays(game), utilities(game)[:, None])


def timed(game: Game, seeds: int, horizon: float, seed: int = 1, **options) -> Timed:
    """One turn of `simulate`, which gets the options."""
    env = environment(game)
    policy = wait_ucb(env.problem)
    how = {"budget": horizon, "seeds": seeds} | options
    data, compiling = simulated(policy, env, seed=seed, **how)
    rounds = data["epochs"].values.ravel().astype(np.int64)
    played = Played(rounds, data["regret"].values.ravel())
    cores = len(jax.local_devices())
    return Timed(played, float(data["run_seconds"].sum()), cores, compiling)
