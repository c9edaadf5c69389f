"""The smallest game and policies: two arms that pay 0.2 and 0.6, and cost 1 each.

They compile in a second, and their regret is known.
"""

from typing import NamedTuple

import jax.numpy as jnp
import numpy as np

from attack.values import of
from jaxbandits import Machine
from jaxbandits.arrays import unit_interval
from jaxbandits.protocol import Environment, Game, Policy

GAPS = np.array([0.4, 0.0])
QUIET = Machine(progress=False)
# Nothing of them can be played on.
MACHINES = [
    *of("object"),
    *(
        QUIET._replace(devices=value)
        for value in ([], "cpu", "", 0, 3, [None], ["cpu:0"], {}, print, [0], True)
    ),
    *(QUIET._replace(memory=value) for value in of("count", 2**70)),
    *(QUIET._replace(chunk=value) for value in of("count", None, 2**70)),
    *(QUIET._replace(engine=value) for value in of("choice")),
    *(QUIET._replace(progress=value) for value in ("no", 3, [])),
]


class Params(NamedTuple):
    """eps: how often the worse arm is played."""

    eps: float


class Greedy(NamedTuple):
    """pulls: i32[2]; reward: f32[2]."""

    pulls: jnp.ndarray
    reward: jnp.ndarray


class Books(NamedTuple):
    """pulls: i32[2]."""

    pulls: jnp.ndarray


def _act(noise, view, state, params):
    mean = state.reward / jnp.maximum(state.pulls, 1)
    best = (mean[1] >= mean[0]).astype(jnp.int32)
    return jnp.where(unit_interval(noise[0]) < params.eps, 1 - best, best)


def _update(noise, view, state, action, feedback, params):
    played = jnp.arange(2) == action
    return Greedy(state.pulls + played, state.reward + played * feedback)


GREEDY = Policy(
    "greedy",
    init=lambda params: Greedy(jnp.zeros(2, jnp.int32), jnp.zeros(2)),
    act=_act,
    update=_update,
    params=Params(0.1),
    words=(1, 0),
)


def _step(noise, instance, state, action):
    reward = (unit_interval(noise[0]) < instance[action]).astype(float)
    return Books(state.pulls + (jnp.arange(2) == action)), reward


def _metrics(tables, instance, record):
    return {"regret": jnp.sum(record.pulls.astype(float) * GAPS)}


GAME = Environment(
    "two arms",
    Game(
        init=lambda instance: Books(jnp.zeros(2, jnp.int32)),
        step=_step,
        metrics=_metrics,
        words=1,
        spent=lambda instance, state: jnp.sum(state.pulls).astype(float),
    ),
    setup=np.array([0.2, 0.6]),
    provenance={"setting": "attack"},
)
