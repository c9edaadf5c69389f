"""Rounds in step, instances drawn per seed, whatever JAX's switches say."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxbandits import simulate
from jaxbandits.arrays import position, unit_interval
from jaxbandits.protocol import Environment, Game, Policy
from jaxbandits.testing import altered, trace_run
from tests.engine.budget_game import ALTERNATE, environment

K, ROUNDS, SEEDS = 3, 60, 5


def _step(noise, instance, state, action):
    hit, (pulls, heads) = jnp.arange(K) == action, state
    chance = jnp.sum(jnp.where(hit, instance, 0.0))
    head = (unit_interval(noise[0]) < chance).astype(jnp.int32)
    return (pulls + hit, heads + head), head


def _metrics(tables, instance, record):
    pulls, heads = record
    columns = {f"pulls {k}": pulls[k] for k in range(K)}
    return columns | {"heads": heads, "chance": instance[0]}


# Coins whose chances are drawn anew for every seed. State: pulls and heads.
COINS = Environment(
    "coins",
    Game(
        init=lambda instance: (jnp.zeros(K, jnp.int32), jnp.int32(0)),
        step=_step,
        metrics=_metrics,
        words=1,
        sample=lambda key, setup: setup + jax.random.uniform(key, (K,)) / 2,
    ),
    setup=np.float64(0.5),
)


def _act(noise, view, state, params):
    anyone, best = position(noise[1], K), jnp.argmax(state).astype(jnp.int32)
    return jnp.where(unit_interval(noise[0]) < 0.25, anyone, best)


def _update(noise, view, state, action, feedback, params):
    counted = feedback * (unit_interval(noise[0]) < 0.9)
    return state + jnp.where(jnp.arange(K) == action, counted, 0)


# Plays the coin with the most heads, in one of four rounds any; learns noisily.
FOLLOWER = Policy(
    "follower", lambda params: jnp.zeros(K, jnp.int32), _act, _update, words=(2, 1)
)


@pytest.fixture(scope="module")
def data():
    return simulate(
        FOLLOWER,
        COINS,
        horizon=ROUNDS,
        seeds=SEEDS,
        root_seed=9,
        checkpoints=range(1, ROUNDS + 1),
    )


@pytest.mark.parametrize("seed", range(SEEDS))
def test_every_round_in_step_is_that_of_the_plain_loop(data, seed):
    """Whole numbers leave no near ties: action by action, the same."""
    trace = trace_run(FOLLOWER, COINS, ROUNDS, root_seed=9, seed_index=seed)
    one = data.isel(policy=0, params=0, seed=seed)
    chosen = trace.actions[:, None] == np.arange(K)
    for k in range(K):
        np.testing.assert_array_equal(one[f"pulls {k}"], np.cumsum(chosen[:, k]))
    np.testing.assert_array_equal(one["heads"], np.cumsum(trace.feedback))
    assert trace.environment[0].tolist() == chosen.sum(axis=0).tolist()


def test_every_seed_meets_its_own_instance(data):
    chances = data["chance"].values[0, 0, :, 0]
    assert len(set(chances)) == SEEDS


def test_a_trace_has_the_same_instance_by_either_form_of_the_generator():
    as_usual = trace_run(FOLLOWER, COINS, 5, seed_index=1)
    with jax.threefry_partitionable(not jax.config.jax_threefry_partitionable):
        traced = trace_run(FOLLOWER, COINS, 5, seed_index=1)
    jax.tree.map(np.testing.assert_array_equal, traced, as_usual)


def test_what_cannot_be_played_under():
    with jax.disable_jit(), pytest.raises(ValueError, match="jax_disable_jit must be"):
        simulate(FOLLOWER, COINS, horizon=20, seeds=4)
    with pytest.raises(TypeError, match=r"outside jax.jit"):
        jax.jit(lambda x: simulate(FOLLOWER, COINS, horizon=20, seeds=4) and x)(1.0)


def test_a_program_of_one_precision_is_not_played_in_the_other():
    """No argument of this game is a float: shapes and dtypes alone do not tell."""
    thirds = altered(
        environment(),
        record=lambda instance, state, budget: jnp.asarray(1 / 3, float),
        metrics=lambda tables, instance, record: {"third": record},
    )
    found = []
    for x64 in (False, True):
        with jax.enable_x64(x64):
            data = simulate(ALTERNATE, thirds, horizon=2, seeds=2)
            found.append(float(data["third"].max()))
    assert found == [float(np.float32(1 / 3)), 1 / 3]
