"""Neighbours in an array, from a traced place on."""

from functools import cache

import jax.numpy as jnp

from jaxbandits.arrays._stored import stored
from jaxbandits.arrays.named import named


def window(values, start, size: int):
    """``values[start : start + size]`` for a traced start, without a gather.

    Args:
      values: f[J].
      start: i32[] in [0, J - size].
      size: length of the window.
    """
    return _window_of(size)(values, start)


@cache
def _window_of(size: int):
    """The kernel for one size: shapes are not traced."""

    def window(values, start):
        return _shifted(values, start, size)

    return named(window)


def _shifted(values, start, size: int):
    """A barrel shifter: half as many candidates remain after every bit of `start`."""
    bits = (values.shape[0] - size).bit_length()
    reach = (1 << bits) - 1
    x = jnp.pad(values, (0, max(0, reach + size - values.shape[0])))
    for bit in reversed(range(bits)):
        shift, length = 1 << bit, (1 << bit) - 1 + size
        odd = (start >> bit) & 1 == 1
        # Stored: computed anew for every reader, the work would double with every bit.
        x = stored(jnp.where(odd, x[shift : shift + length], x[:length]))
    return x
