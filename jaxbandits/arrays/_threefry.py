"""Threefry-2x32: a counter-based random number generator in element-wise operations.

JAX has the same cipher, but in ``random`` calls that hash a whole array per key. Here a
number is a function of (key, counter) alone, made of additions, rotations and
exclusive-ors. So every run can have its own counter, and the generator can be part of a
fused loop body.

Source: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3",
SC 2011, section 3 (20 rounds).
"""

from collections.abc import Iterator
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import UInt32

from jaxbandits.arrays.real import integer
from jaxbandits.checks import kinds

ROTATIONS = ((13, 15, 26, 6), (17, 29, 16, 24))
PARITY = 0x1BD11BDA


@kinds
def threefry(
    key: tuple[UInt32[Array, "..."], UInt32[Array, "..."]],
    counter: tuple[UInt32[Array, "..."], UInt32[Array, "..."]],
) -> tuple[UInt32[Array, "..."], UInt32[Array, "..."]]:
    """Encrypt two 32-bit words.

    Args:
      key: pair of u32 arrays.
      counter: pair of u32 arrays, broadcastable against `key`.

    Returns:
      Pair of u32 arrays of the broadcast shape, uniform bits.

    Raises:
      TypeError: if a word is not an integer.
    """
    words = *_pair("key", key), *_pair("counter", counter)
    first, second = _encrypted(*words)
    return first, second


# Traced once for all keys and counters of a shape, since tracing its 150 operations
# takes as long as tracing a typical policy.
@partial(jax.jit, inline=True)
def _encrypted(k0: Array, k1: Array, x0: Array, x1: Array) -> tuple[Array, Array]:
    schedule = (k0, k1, k0 ^ k1 ^ jnp.uint32(PARITY))
    x0, x1 = x0 + schedule[0], x1 + schedule[1]
    for group in range(5):
        for distance in ROTATIONS[group % 2]:
            x0 = x0 + x1
            x1 = _rotate_left(x1, distance) ^ x0
        x0 = x0 + schedule[(group + 1) % 3]
        x1 = x1 + schedule[(group + 2) % 3] + jnp.uint32(group + 1)
    return x0, x1


def _pair(name: str, words: Any) -> Iterator[Array]:
    if not isinstance(words, tuple | list) or len(words) != 2:
        raise TypeError(f"{name} must be a pair of u32 arrays, got {words!r}")
    return (jnp.asarray(integer(name, word), jnp.uint32) for word in words)


def _rotate_left(x: Array, distance: int) -> Array:
    return (x << jnp.uint32(distance)) | (x >> jnp.uint32(32 - distance))
