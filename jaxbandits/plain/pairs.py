"""Reference points where an action is a pair: uniform play, and always the same pair.

A setting names its two coordinates and its `Action`.
"""

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp

from jaxbandits.arrays import position, split_index
from jaxbandits.checks import kinds, whole
from jaxbandits.protocol import Noise, Policy


@kinds
def uniform_pairs(shape: tuple[int, int], action: Callable[[Any, Any], Any]) -> Policy:
    """Every pair with the same probability in every round.

    Args:
      shape: how many values each coordinate has.
      action: makes an action of the two positions, i32[] each.
    """
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
    """The same pair in every round.

    Args:
      shape: how many values each coordinate has.
      action: makes an action of the two positions.
      names: of the two coordinates, for errors.
      pair: the positions.

    Raises:
      ValueError, TypeError: if a position is no integer or out of range.
    """
    for name, value, size in zip(names, pair, shape, strict=True):
        whole(name, value, 0, size - 1)

    def act(noise, view, state, params):
        return action(*(jnp.int32(position) for position in pair))

    return Policy(f"fixed ({pair[0]}, {pair[1]})", no_state, act, no_update)


def no_state(params: Any) -> tuple[()]:
    """`Policy.init` of one that remembers nothing."""
    return ()


def no_update(
    noise: Noise, view: Any, state: Any, action: Any, feedback: Any, params: Any
) -> Any:
    """`Policy.update` of one that learns nothing."""
    return state
