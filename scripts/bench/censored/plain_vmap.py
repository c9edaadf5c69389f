"""The game in JAX as one first writes it: ``vmap`` of a textbook step.

Gathers, scatters, ``jnp.argmax`` and a key split in every round.
"""

import time
from functools import cache, partial

import jax
import jax.numpy as jnp
import numpy as np

from ..contest import Timed
from .game import COST, Game, limits, penalties, played, rates


def _run(game: Game, key, horizon):
    tau, penalty, rate = map(jnp.asarray, (limits(game), penalties(game), rates(game)))

    def step(carry, t):
        key, counts, exceeded, gains, pulls = carry
        key, k1, k2 = jax.random.split(key, 3)
        plays = counts[:, :1]
        index = gains / counts - penalty * exceeded / plays
        index = index + jnp.sqrt(2 * jnp.log(t) / counts)
        index = index + game.penalty_radius * penalty * jnp.sqrt(2 * jnp.log(t) / plays)
        start = (t - 1) * game.limits + game.limits - 1
        pair = jnp.where(t <= game.arms, start, jnp.argmax(index))
        arm, limit = pair // game.limits, pair % game.limits
        consumption = jax.random.exponential(k1) / rate[arm]
        reward = jax.random.uniform(k2)
        censored = consumption > tau[limit]
        over = censored | (consumption > tau)
        within = jnp.arange(game.limits) <= limit
        gain = jnp.where(within & ~over, reward - COST * consumption, 0.0)
        counts = counts.at[arm].add(within)
        exceeded = exceeded.at[arm].add(over)
        gains = gains.at[arm].add(gain)
        return (key, counts, exceeded, gains, pulls.at[arm, limit].add(1)), None

    zeros = jnp.zeros((game.arms, game.limits))
    carry = (key, zeros, zeros, zeros, zeros.astype(jnp.int32))
    return jax.lax.scan(step, carry, jnp.arange(1, horizon + 1))[0][-1]


@cache
def _compiled(game: Game, seeds: int, horizon: int):
    run = jax.jit(jax.vmap(partial(_run, game, horizon=horizon)))
    return run.lower(jax.random.split(jax.random.key(0), seeds)).compile()


def timed(game: Game, seeds: int, horizon: int, seed: int = 1) -> Timed:
    """One turn, on one device as it would be used (XLA may use more threads)."""
    began = time.perf_counter()
    run = _compiled(game, seeds, horizon)
    compiling = time.perf_counter() - began
    keys = jax.random.split(jax.random.key(seed), seeds)
    began = time.perf_counter()
    pulls = np.asarray(run(keys))
    seconds = time.perf_counter() - began
    return Timed(played(game, pulls), seconds, len(jax.local_devices()), compiling)
