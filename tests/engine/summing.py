"""A policy that adds a product of two random numbers in every round."""

import jax.numpy as jnp
import numpy as np

from jaxbandits.arrays import multiply_add
from jaxbandits.arrays.sums import CompensatedSum
from jaxbandits.arrays.words import unit_interval
from jaxbandits.engine.tape import Stream, read
from jaxbandits.protocol import Policy
from tests.engine import budget_game

BEFORE = np.float32([10 / 3, 5.7, 1000.1]), np.float32([2**-30, -(2**-28), 2**-21])
GAME = budget_game.environment()


def _add(noise, view, state, *args):
    first, second = unit_interval(noise)
    return state.add(first * (second * jnp.arange(1.0, 4.0)))


def _join(noise, view, state, *args):
    first, second = unit_interval(noise)
    return state.add(multiply_add(first, second * jnp.arange(1.0, 4.0), first))


SUMMING = Policy(
    "summing",
    lambda params: CompensatedSum(*map(jnp.asarray, BEFORE)),
    lambda noise, view, state, params: view.round % 2,
    _add,
    (),
    words=(0, 2),
    report=lambda state, params: state._asdict(),
)
JOINING = SUMMING._replace(update=_join)


def factors(num_seeds: int):
    """What is multiplied in the first round: f64 ``[S, 1], [S, 3]``."""
    words = [read(0, s, Stream.UPDATE, 1, 2)[0] for s in range(num_seeds)]
    first, second = np.moveaxis(np.asarray(unit_interval(np.stack(words))), -1, 0)
    second = second[:, None] * np.arange(1, 4, dtype=np.float32)
    return first[:, None].astype(float), second.astype(float)
