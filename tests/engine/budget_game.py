"""A small game with a budget, and the same game as a plain Python loop.

Two arms cost 1 to 3 units and 2 to 6 units; the policy alternates between them. Costs
are whole numbers, so that a game can be followed exactly.
"""

from typing import NamedTuple

import jax.numpy as jnp
import numpy as np

from jaxbandits.arrays import unit_interval
from jaxbandits.engine.tape import Stream, read
from jaxbandits.protocol import Environment, Game, Policy
from tests.reference.words import grid

HIGHEST = (3, 6)


class State(NamedTuple):
    """pulls: i32[2]; spent: i32[]."""

    pulls: jnp.ndarray
    spent: jnp.ndarray


def cost_of(uniform, arm, unit):
    """A uniform cost in {1, 2, 3} or {2, 4, 6}, times the unit."""
    third = jnp.floor(uniform * 3).astype(jnp.int32) + 1
    return third * (arm + 1) * unit


def _step(noise, instance, state, action):
    cost = cost_of(unit_interval(noise[0]), action, instance)
    pulls = state.pulls + (jnp.arange(2) == action)
    return State(pulls, state.spent + cost), cost


# Made once: other functions would be another program.
_GAME = Game(
    init=lambda instance: State(jnp.zeros(2, jnp.int32), jnp.int32(0)),
    step=_step,
    metrics=lambda tables, instance, record: {
        "spent": record.spent,
        "first": record.pulls[0],
    },
    words=1,
    spent=lambda instance, state: state.spent,
)


def environment(unit: int = 1) -> Environment:
    """The game; `unit` scales all costs."""
    return Environment("budget game", _GAME, setup=np.int32(unit))


ALTERNATE = Policy(
    "alternate",
    init=lambda params: (),
    act=lambda noise, view, state, params: view.round % 2,
    update=lambda noise, view, state, action, feedback, params: state,
)


def plain_loop(seed_index, amounts, unit=1, most=10**6):
    """Rounds, spend and pulls of arm 0 when each amount is first reached."""
    found = []
    rounds = spent = first = 0
    noise = grid(read(0, seed_index, Stream.ENVIRONMENT, 4_000, 1))[:, 0]
    for amount in amounts:
        while spent < amount and rounds < most:
            rounds += 1
            arm = rounds % 2
            spent += (int(noise[rounds - 1] * 3) + 1) * (arm + 1) * unit
            first += arm == 0
        found.append((rounds, spent, first))
    return np.array(found)
