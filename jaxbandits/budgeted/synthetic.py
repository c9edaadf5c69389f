"""The synthetic instances of the budgeted paper, Table 1, drawn anew for every seed.

The paper's text draws mean costs from U(0, 1). The published code, and so the paper's
figures, draw them from U(0.01, 1): parameter `cost_floor` (errata.md).
"""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from jaxbandits.budgeted.environment import Arms, random_environment
from jaxbandits.checks import MOST, non_negative, number, played, whole
from jaxbandits.laws import (
    Bernoulli,
    Beta,
    Discrete,
    Product,
    bernoulli,
    beta,
    discrete,
    product,
)
from jaxbandits.laws.law import Law
from jaxbandits.protocol import Environment

OUTCOMES = (0.0, 0.25, 0.5, 0.75, 1.0)  # outcomes of the generalised Bernoulli law
LARGEST_PARAMETER = 5.0  # largest parameter of the Beta laws
COST_FLOOR = 0.01


def s_br(num_arms: int, cost_floor: float = COST_FLOOR) -> Environment[Any, Any, Array]:
    """S-Br-K: Bernoulli rewards with means U(0, 1), costs with U(cost_floor, 1).

    Raises:
      ValueError: if `cost_floor` is not in [0, 1).
      TypeError: if an argument is not a number.
    """
    non_negative(cost_floor=cost_floor)
    played(cost_floor=cost_floor)
    if not number("cost_floor", cost_floor) < 1:
        raise ValueError(f"cost_floor must be in [0, 1), got {cost_floor}")
    setup = {"floor": np.float64(cost_floor), "like": _like(num_arms)}
    return _synthetic("S-Br", bernoulli, draw_bernoulli, setup, num_arms)


def s_gbr(num_arms: int) -> Environment[Any, Any, Array]:
    """S-GBr-K: outcomes 0, 1/4, ..., 1 with weights U(0, 1), normalised."""
    setup = {"like": _like(num_arms), "values": np.tile(OUTCOMES, (num_arms, 1))}
    return _synthetic("S-GBr", discrete, _draw_discrete, setup, num_arms)


def s_bt(num_arms: int) -> Environment[Any, Any, Array]:
    """S-Bt-K: Beta laws whose parameters are U(0, 5)."""
    return _synthetic("S-Bt", beta, _draw_beta, {"like": _like(num_arms)}, num_arms)


def _synthetic(
    family: str,
    law: Law,
    draw: Callable[[Any, Any], Arms],
    setup: dict[str, Any],
    num_arms: int,
) -> Environment[Any, Any, Array]:
    name = f"{family}-{num_arms}"
    return random_environment(name, product(law, law), draw, setup, num_arms)


def _like(num_arms: int) -> np.ndarray:
    """Zeros [K] that give a draw its shape and precision."""
    return np.zeros(whole("num_arms", num_arms, 1, MOST))


def _uniform(key: Array, count: int, like: Array) -> Array:
    """``count`` arrays of uniforms on (0, 1], with the shape and dtype of `like`."""
    u = jax.random.uniform(key, (count, *like.shape), like.dtype)
    return 1 - u


def draw_bernoulli(key: Array, setup: dict[str, Array]) -> Arms:
    """Arms of S-Br, one per entry of `like`, with mean costs above `floor`."""
    like, floor = setup["like"], setup["floor"]
    reward, cost = _uniform(key, 2, like)
    laws = Product(Bernoulli(reward), Bernoulli(floor + (1 - floor) * cost))
    return Arms(laws, jnp.int32(like.shape[0]))


def _draw_discrete(key: Array, setup: dict[str, Array]) -> Arms:
    values = setup["values"]
    weights = _uniform(key, 2, values)
    reward, cost = weights / jnp.sum(weights, axis=-1, keepdims=True)
    laws = Product(Discrete(values, reward), Discrete(values, cost))
    return Arms(laws, jnp.int32(values.shape[0]))


def _draw_beta(key: Array, setup: dict[str, Array]) -> Arms:
    like = setup["like"]
    reward_a, reward_b, cost_a, cost_b = LARGEST_PARAMETER * _uniform(key, 4, like)
    laws = Product(Beta(reward_a, reward_b), Beta(cost_a, cost_b))
    return Arms(laws, jnp.int32(like.shape[0]))
