"""The budgeted game on tables of rewards and costs: one program for all instances.

A policy's program depends on its environment's functions. Here the draws of any
environment are data, so that a policy is compiled once for Bernoulli, generalised
Bernoulli and Beta instances.
"""

from functools import cache
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxbandits import budgeted
from jaxbandits.engine.rollout import to_device
from jaxbandits.engine.tape import Stream, instance_key, root_key
from jaxbandits.laws import (
    Bernoulli,
    Copula,
    Discrete,
    Product,
    bernoulli,
    discrete,
    gaussian_copula,
    product,
)
from jaxbandits.protocol import Environment, Game
from tests.reference.words import tape

ROUNDS, K = 2000, 10
# Whose arms are alike: of three the reward per cost is within a tenth, and no arm costs
# less than .4. On most instances one cheap arm is all that is played, whatever the
# policy, and a twin that agrees says nothing.
SEED = 267
PROBLEM = budgeted.make_problem(K)
SOURCES = {
    "Bernoulli": budgeted.s_br,
    "generalised Bernoulli": budgeted.s_gbr,
    "Beta": budgeted.s_bt,
}


def rare_values(num_arms: int) -> Environment:
    """Rewards and costs of one value, nearly always; arms that are much alike.

    One arm never gives anything else.
    """
    reward, cost = np.linspace([0.5, 0.6], [0.52, 0.62], num_arms).T
    chance = np.linspace(0.0, 0.02, num_arms)

    def law(usual):
        values = np.stack([usual, np.ones(num_arms)], axis=1)
        return Discrete(values, np.stack([1 - chance, chance], axis=1))

    arms = Product(law(reward), law(cost))
    return budgeted.make_environment("rare values", product(discrete, discrete), arms)


def together(num_arms: int) -> Environment:
    """Coins for reward and cost, with correlations of both signs; arms much alike."""
    reward, cost = np.linspace([0.5, 0.5], [0.6, 0.62], num_arms).T
    coins = Bernoulli(reward), Bernoulli(cost)
    arms = Copula(*coins, np.linspace(-0.9, 0.9, num_arms))
    return budgeted.make_environment(
        "together", gaussian_copula(bernoulli, bernoulli), arms
    )


OTHER_SOURCES = {"rare values": rare_values, "together": together}


class Tables(NamedTuple):
    """What every arm would give in every round, and the facts that views hold."""

    reward: np.ndarray  # f32[T, K]
    cost: np.ndarray  # f32[T, K]
    unit: np.ndarray
    cheapest: np.ndarray
    best: np.ndarray


class State(NamedTuple):
    """round: i32[], from 0; spent: f32[]."""

    round: jax.Array
    spent: jax.Array


def _view(round_, instance, state):
    oracle = budgeted.OracleView(instance.cheapest, instance.best)
    num_arms = jnp.int32(instance.reward.shape[1])
    return budgeted.View(round_, num_arms, state.spent, instance.unit, oracle)


def _step(noise, instance, state, action):
    reward, cost = (x[state.round, action] for x in (instance.reward, instance.cost))
    state = State(state.round + 1, state.spent + cost)
    return state, budgeted.Feedback(reward, cost)


GAME = Environment(
    "replay",
    Game(
        init=lambda instance: State(jnp.int32(0), jnp.zeros((), float)),
        step=_step,
        metrics=lambda tables, instance, record: {"spent": record.spent},
        view=_view,
        spent=lambda instance, state: state.spent / instance.unit,
    ),
    problem=PROBLEM,
)


@cache
def replay(source: str) -> Environment:
    """An instance, with its draws as data."""
    environment = (SOURCES | OTHER_SOURCES)[source](K)
    game, key = environment.game, instance_key(root_key(0), jnp.uint32(SEED))

    @jax.jit
    def drawn(setup, words):
        instance = game.sample(key, setup)
        start = game.init(instance)

        def draw(noise, arm):
            return game.step(noise, instance, start, arm)[1]

        every_arm = jax.vmap(draw, (None, 0))
        arms = jnp.arange(K, dtype=jnp.int32)
        given = jax.vmap(every_arm, (0, None))(words, arms)
        return Tables(*given, instance.unit, *instance.oracle)

    setup = jax.tree.map(to_device, environment.setup)
    tables = drawn(setup, tape(Stream.ENVIRONMENT, ROUNDS, game.words))
    return GAME._replace(setup=jax.tree.map(np.asarray, tables))
