"""jaxbandits itself."""

from functools import cache

import jax
import numpy as np

from jaxbandits.laws import Exponential, Product, Uniform, exponential, product, uniform
from jaxbandits.policies.censored import rcucb
from jaxbandits.settings.censored import censored, running_example

from ..contest import Played, Timed
from ..warm import simulated
from .game import Game, limits, rates


@cache
def environment(game: Game):
    """The game as an environment of the library."""
    reward = Uniform(np.zeros(game.arms), np.ones(game.arms))
    problem = running_example(game.arms, limits(game).tolist())
    arms = Product(reward, Exponential(rates(game)))
    return censored("benchmark", problem, product(uniform, exponential), arms)


def timed(game: Game, seeds: int, horizon: int, seed: int = 1, **options) -> Timed:
    """One turn of `simulate`, which gets the options."""
    env = environment(game)
    policy = rcucb(env.problem)
    grid = {"penalty_radius": game.penalty_radius}
    how = {"horizon": horizon, "seeds": seeds, "grid": grid} | options
    data, compiling = simulated(policy, env, seed=seed, **how)
    played = Played(np.full(seeds, horizon), data["optimal"].values.ravel())
    cores = len(jax.local_devices())
    return Timed(played, float(data["run_seconds"].sum()), cores, compiling)
