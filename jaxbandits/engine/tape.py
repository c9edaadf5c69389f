"""The tape: the random words of a seed in a round.

Every word is a function of (root seed, seed index, stream, round, column, number of
columns) and of nothing else: not of the chunk, the device, the other policies or the
checkpoints. So all policies play against the same noise of the environment (common
random numbers), and any program can replay a run (`read`).
"""

from enum import IntEnum
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxbandits.arrays import threefry

# The kind of instance keys, of two words, whatever JAX's default is.
KEYS = "threefry2x32"


class Stream(IntEnum):
    """Independent streams of one seed."""

    INSTANCE = 0
    ENVIRONMENT = 1
    ACT = 2
    UPDATE = 3


class Key(NamedTuple):
    """Two 32-bit words. u32[] each (or with a lane axis)."""

    high: jax.Array
    low: jax.Array


def root_key(root_seed: int) -> Key:
    """The key of a whole run. `root_seed` is an integer in [0, 2**64)."""
    seed = int(root_seed)  # a short one of NumPy has no upper half
    return Key(jnp.uint32(seed >> 32), jnp.uint32(seed & 0xFFFFFFFF))


def stream_key(root: Key, seed_index, stream: Stream) -> Key:
    """The key of one stream of one seed (`seed_index`: u32 array of any shape)."""
    return Key(*threefry(root, (seed_index, jnp.uint32(stream))))


def stream_keys(root: Key, seed_index) -> dict[Stream, Key]:
    """The keys of the streams from which rounds are played; see `stream_key`."""
    return {s: stream_key(root, seed_index, s) for s in Stream if s != Stream.INSTANCE}


def instance_key(root: Key, seed_index) -> jax.Array:
    """The key of `jax.random` from which `Game.sample` draws the instance of a seed.

    Args:
      root: of the whole run.
      seed_index: u32[].
    """
    words = jnp.stack(tuple(stream_key(root, seed_index, Stream.INSTANCE)))
    return jax.random.wrap_key_data(words, impl=KEYS)


def draw_words(key: Key, round_, width: int):
    """The `width` words of a stream in a round.

    Args:
      key: stream key of one lane, u32[] each.
      round_: i32[], 1 for the first round.
      width: number of words.

    Returns:
      u32[width], uniform bits.
    """
    if width == 0:
        return jnp.zeros((0,), jnp.uint32)
    # One encryption yields two words: columns j and j + ceil(width / 2).
    half = (width + 1) // 2
    counter = (jnp.asarray(round_, jnp.uint32), jnp.arange(half, dtype=jnp.uint32))
    first, second = threefry(key, counter)
    return jnp.concatenate([first, second[: width - half]])


def read(
    root_seed: int, seed_index: int, stream: Stream, rounds: int, width: int
) -> np.ndarray:
    """The words of a stream in its first rounds, on the host.

    Args:
      root_seed: the `seed` argument of `simulate`.
      seed_index: the seed's position, from 0.
      stream: which stream.
      rounds: how many rounds, from the first.
      width: words per round, as declared by the policy or environment.

    Returns:
      u32[rounds, width]; row t - 1 belongs to round t. What policies and environments
      make of them is in `jaxbandits.arrays.words`.
    """
    key = stream_key(root_key(root_seed), jnp.uint32(seed_index), stream)
    row = jax.vmap(lambda t: draw_words(key, t, width))
    return np.asarray(row(jnp.arange(1, rounds + 1)))
