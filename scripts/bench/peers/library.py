"""jaxbandits itself: a censored game with one limit that is never exceeded.

Resources are neither consumed nor paid for, so that the reward of a round is the plain
reward, and the reduction of UCB to pairs of an arm and a limit is plain UCB.
"""

from functools import cache

import jax
import numpy as np

from jaxbandits.laws import Bernoulli, Product, Uniform, bernoulli, product, uniform
from jaxbandits.policies.censored import ucb_reduction
from jaxbandits.settings.censored import censored, make_problem, scaled

from ..contest import Timed
from ..warm import simulated
from .game import Game, played

UCB1 = {"alpha": 4.0}  # sqrt(alpha log t / (2 pulls))


@cache
def environment(game: Game):
    """The game as an environment of the library."""
    size = len(game.means)
    problem = make_problem(size, [1.0], scaled(0.0), scaled(0.0))
    consumption = Uniform(np.zeros(size), np.ones(size))  # free, and within the limit
    arms = Product(Bernoulli(np.array(game.means)), consumption)
    return censored("plain", problem, product(bernoulli, uniform), arms)


def timed(game: Game, seeds: int, horizon: float, seed: int = 1) -> Timed:
    """One turn of `simulate`."""
    env = environment(game)
    policy = ucb_reduction(env.problem)
    data, compiling = simulated(
        policy,
        env,
        horizon=int(horizon),
        seeds=seeds,
        seed=seed,
        grid=UCB1,
    )
    cores = len(jax.local_devices())
    done = played(int(horizon), data["optimal"].values.ravel())
    return Timed(done, float(data["run_seconds"].sum()), cores, compiling)
