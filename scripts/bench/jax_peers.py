"""jaxbandits on the benchmark's game, and the same game in JAX as one first writes it.

`measure` times the library. `measure_plain` times ``vmap`` of a textbook step: gathers,
scatters, ``jnp.argmax`` and a key split in every round.
"""

import time
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np

from jaxbandits.laws import Exponential, Product, Uniform, exponential, product, uniform
from jaxbandits.policies.censored import rcucb
from jaxbandits.settings.censored import censored, running_example
from jaxbandits.simulate import simulate

from .game import ARMS, COST, LIMIT_COUNT, LIMITS, PENALTIES, RATES, optimal_shares


def environment():
    """The game as an environment of the library."""
    arms = Product(Uniform(np.zeros(ARMS), np.ones(ARMS)), Exponential(RATES))
    problem = running_example(ARMS, LIMITS.tolist())
    return censored("benchmark", problem, product(uniform, exponential), arms)


def measure(seeds: int, horizon: int) -> dict:
    """Time a warm run of the library; compile time is reported apart."""
    game = environment()
    policy = rcucb(game.problem)
    options = {"horizon": horizon, "seeds": seeds, "checkpoints": [horizon]}
    params = {policy.name: {"penalty_radius": 0.0}}
    first = simulate(policy, game, params=params, progress=False, **options)
    warm = simulate(policy, game, params=params, progress=False, seed=1, **options)
    return {
        "name": "jaxbandits",
        "seed_rounds_per_s": seeds * horizon / warm["run_seconds"].item(),
        "cores": len(jax.local_devices()),
        "optimal_share": float(warm["optimal"].mean()),
        "compile_seconds": first["compile_seconds"].item(),
    }


def _plain_run(key, horizon):
    limits, penalties = jnp.asarray(LIMITS), jnp.asarray(PENALTIES)
    rates = jnp.asarray(RATES)

    def step(carry, t):
        key, counts, exceeded, gains, pulls = carry
        key, k1, k2 = jax.random.split(key, 3)
        plays = counts[:, :1]
        index = gains / counts - penalties * exceeded / plays
        index = index + jnp.sqrt(2 * jnp.log(t) / counts)
        start = (t - 1) * LIMIT_COUNT + LIMIT_COUNT - 1
        pair = jnp.where(t <= ARMS, start, jnp.argmax(index))
        arm, limit = pair // LIMIT_COUNT, pair % LIMIT_COUNT
        consumption = jax.random.exponential(k1) / rates[arm]
        reward = jax.random.uniform(k2)
        censored = consumption > limits[limit]
        over = censored | (consumption > limits)
        within = jnp.arange(LIMIT_COUNT) <= limit
        gain = jnp.where(within & ~over, reward - COST * consumption, 0.0)
        counts = counts.at[arm].add(within)
        exceeded = exceeded.at[arm].add(over)
        gains = gains.at[arm].add(gain)
        return (key, counts, exceeded, gains, pulls.at[arm, limit].add(1)), None

    zeros = jnp.zeros((ARMS, LIMIT_COUNT))
    carry = (key, zeros, zeros, zeros, zeros.astype(jnp.int32))
    return jax.lax.scan(step, carry, jnp.arange(1, horizon + 1))[0][-1]


def measure_plain(seeds: int, horizon: int) -> dict:
    """Time ``vmap`` of the textbook step, on one device as it would be used."""
    run = jax.jit(jax.vmap(partial(_plain_run, horizon=horizon)))
    compiled = run.lower(jax.random.split(jax.random.key(0), seeds)).compile()
    start = time.perf_counter()
    pulls = np.asarray(compiled(jax.random.split(jax.random.key(1), seeds)))
    seconds = time.perf_counter() - start
    return {
        "name": "JAX, plain vmap",
        "seed_rounds_per_s": seeds * horizon / seconds,
        "cores": len(jax.local_devices()),
        "optimal_share": float(optimal_shares(pulls).mean()),
    }
