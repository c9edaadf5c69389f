"""Neighbouring entries of an array, from a traced position on."""

from collections.abc import Callable
from functools import cache

import jax.numpy as jnp
from jax import Array
from jaxtyping import Float, Int

from jaxbandits.arrays._values import stored
from jaxbandits.arrays.named import named


def window(
    values: Float[Array, " J"], start: Int[Array, ""], size: int
) -> Float[Array, " size"]:
    """``values[start : start + size]`` for a traced start, without a gather.

    Args:
      values: f[J].
      start: i32[] in [0, J - size].
      size: length of the window.
    """
    return _window_of(size)(values, start)


@cache
def _window_of(size: int) -> Callable[[Array, Array], Array]:
    """The kernel for one size: shapes are not traced."""

    def window(values: Array, start: Array) -> Array:
        # A barrel shifter: every bit of `start` halves the candidates that remain.
        bits = (values.shape[0] - size).bit_length()
        reach = (1 << bits) - 1
        x = jnp.pad(values, (0, max(0, reach + size - values.shape[0])))
        for bit in reversed(range(bits)):
            shift, length = 1 << bit, (1 << bit) - 1 + size
            odd = (start >> bit) & 1 == 1
            # Stored: else each reader would compute it, twice the work with every bit.
            x = stored(jnp.where(odd, x[shift : shift + length], x[:length]))
        return x

    return named(window)
