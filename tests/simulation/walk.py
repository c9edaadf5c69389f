"""A game that compiles in no time: every round the chosen step, times a coin, is lost.

Its policies have two parameters, and the instance may be drawn.
"""

import os
import time
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxbandits.arrays import unit_interval
from jaxbandits.checks import positive
from jaxbandits.protocol import Environment, Game, Policy
from jaxbandits.simulation import Entry, Spec
from jaxbandits.testing import altered


class Params(NamedTuple):
    """Both > 0."""

    step: float = 1.0
    growth: float = 1.0


# Seconds that a block takes at least: so a process is never done before it is killed.
PAUSE = float(os.environ.get("WALK_PAUSE", 0))


def pause():
    """Asked for the tables of a chunk."""
    time.sleep(PAUSE)
    return ()


GAME = Environment(
    "walk",
    Game(
        init=lambda instance: jnp.zeros((), float),
        step=lambda noise, instance, state, action: (
            state + instance * action * (unit_interval(noise[0]) < 0.5),
            unit_interval(noise[0]),
        ),
        metrics=lambda tables, instance, record: {"regret": record},
        words=1,
    ),
    tables=lambda instance: pause(),
    setup=np.float64(1.0),
    provenance={"setting": "walk"},
)
DRAWN = altered(
    GAME, name="drawn", sample=lambda key, setup: setup * jax.random.uniform(key)
)


def act(noise, view, state, params):
    return params.step * jnp.sqrt(view.round.astype(float)) * params.growth


def check(params):
    positive(step=params.step, growth=params.growth)


# Its report says how often the coin was small.
WALKER = Policy(
    "walker",
    init=lambda params: jnp.int32(0),
    act=act,
    update=lambda noise, view, state, action, feedback, params: (
        state + (feedback < 0.25).astype(jnp.int32)
    ),
    params=Params(),
    check=check,
    report=lambda state, params: {"small": jnp.stack([state, -state])},
)


def spec(points: int = 4, seeds: int = 200, horizon: int = 40, **changes) -> Spec:
    """Two policies, one with `points` points, on two environments."""
    cross = {"step": np.linspace(0.5, 2.0, points)}
    return Spec(
        policies={
            "walker": Entry(WALKER, cross),
            "idler": Entry(WALKER),
        },
        environments={"short": GAME, "long": GAME._replace(setup=np.float64(3.0))},
        seeds=seeds,
        horizon=horizon,
        checkpoints=[horizon // 2],
    )._replace(**changes)


# As a file that `jaxbandits sweep` reads, it is what the environment says.
SPEC = spec(
    int(os.environ.get("WALK_POINTS", 4)), int(os.environ.get("WALK_SEEDS", 200))
)
