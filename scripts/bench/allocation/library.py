"""jaxbandits on the game of the allocation contest."""

from functools import cache

import jax
import numpy as np

from jaxbandits.policies.allocation import ra_ucb
from jaxbandits.settings.allocation import simulation

from ..contest import Played, Timed
from ..warm import simulated
from .game import Game


@cache
def environment(game: Game):
    """The game as an environment of the library."""
    return simulation(game.arms, game.budget, game.m, game.M)


def timed(game: Game, seeds: int, horizon: int, seed: int = 1, **options) -> Timed:
    """One turn of `simulate`, which gets the options."""
    env = environment(game)
    policy = ra_ucb(env.problem)
    grid = {"initial": float(game.initial)}
    how = {"horizon": int(horizon), "seeds": seeds, "grid": grid} | options
    data, compiling = simulated(policy, env, seed=seed, **how)
    played = Played(np.full(seeds, int(horizon)), data["regret"].values.ravel())
    cores = len(jax.local_devices())
    return Timed(played, float(data["run_seconds"].sum()), cores, compiling)
