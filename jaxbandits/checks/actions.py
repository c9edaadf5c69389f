"""Whether what a policy plays is an action of the game: kinds, shapes, ranges."""

from typing import Any

import jax.numpy as jnp
from jax import Array
from jaxtyping import Bool


def of_kind(action: Any, *kinds: type) -> Any:
    """Require an action of one of some types; return it.

    Raises:
      TypeError: naming them.
    """
    if not isinstance(action, kinds):
        wanted = " or ".join(kind.__name__ for kind in kinds)
        got = "an array" if hasattr(action, "dtype") else type(action).__name__
        raise TypeError(f"it must be of type {wanted}, got {got}")
    return action


def in_range(name: str, position: Any, size: Any) -> Any:
    """Whether a position, i32[], lies in [0, size): bool[].

    Raises:
      TypeError: if it is no single integer.
    """
    _check(name, position, (), jnp.integer, "an integer, int32[]")
    return (position >= 0) & (position < size)


def positions_in(name: str, values: Any, size: Any, count: int) -> Bool[Array, ""]:
    """Whether so many positions, i32[count], all lie in [0, size): bool[].

    Raises:
      TypeError: if they are no integers of that shape.
    """
    _check(name, values, (count,), jnp.integer, f"integers, int32[{count}]")
    return jnp.all((values >= 0) & (values < size))


def reals(name: str, value: Any, shape: tuple[int, ...]) -> Any:
    """Require real numbers of a shape; return them.

    Raises:
      TypeError: if they are none.
    """
    _check(name, value, shape, jnp.floating, f"real numbers, float32{[*shape]}")
    return value


def _check(
    name: str, value: Any, shape: tuple[int, ...], kind: Any, words: str
) -> None:
    dtype = getattr(value, "dtype", None)
    if dtype is None or jnp.shape(value) != shape or not jnp.issubdtype(dtype, kind):
        got = type(value).__name__ if dtype is None else f"{dtype}{[*jnp.shape(value)]}"
        raise TypeError(f"{name} must be {words}, got {got}")
