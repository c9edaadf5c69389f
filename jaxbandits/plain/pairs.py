"""Reference policies where an action is a pair: uniform play and one fixed pair.

Each setting passes the names of the two coordinates and its `Action`.
"""

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp

from jaxbandits.arrays import position, split_index
from jaxbandits.checks import MOST, kinds, whole
from jaxbandits.protocol import Policy, no_state, no_update


@kinds
def uniform_pairs(shape: tuple[int, int], action: Callable[[Any, Any], Any]) -> Policy:
    """Play every pair with the same probability in every round.

    Args:
      shape: number of values of each coordinate.
      action: makes an action from the two positions, i32[] each.
    """
    for length in shape:
        whole("shape", length, 1, MOST)
    size = shape[0] * shape[1]

    def act(noise, view, state, params):
        return action(*split_index(position(noise[0], size), *shape))

    return Policy("uniform", no_state, act, no_update, words=(1, 0))


@kinds
def same_pair(
    shape: tuple[int, int],
    action: Callable[[Any, Any], Any],
    names: tuple[str, str],
    pair: tuple[Any, Any],
) -> Policy:
    """Play the same pair in every round.

    Args:
      shape: number of values of each coordinate.
      action: makes an action from the two positions.
      names: names of the two coordinates, for errors.
      pair: the positions.

    Raises:
      ValueError, TypeError: if a position is not an integer or is out of range.
    """
    for length in shape:
        whole("shape", length, 1, MOST)
    for name, value, size in zip(names, pair, shape, strict=True):
        whole(name, value, 0, size - 1)

    def act(noise, view, state, params):
        return action(*(jnp.int32(position) for position in pair))

    return Policy(f"fixed ({pair[0]}, {pair[1]})", no_state, act, no_update)
