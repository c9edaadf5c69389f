"""The tape inside a kernel: a word as an element-wise function of its column.

The words are those of `jaxbandits.engine.tape`, bit by bit. There one encryption
serves two columns; here every column makes its own, which costs some additions and
spares a concatenation.
"""

from functools import partial

import jax
import jax.numpy as jnp
from jax import lax

from jaxbandits.engine.tape import Key, draw_words
from jaxbandits.kernels.threefry import threefry


@partial(jax.jit, static_argnums=2)
def tape_row(key: Key, round_, width: int):
    """`tape.draw_words` under a name by which the transform recognises it."""
    return draw_words(key, round_, width)


def at_columns(key: Key, round_, columns, width: int):
    """The words in some columns of a round.

    Args:
      key: stream key, u32 arrays of the shape of `columns`.
      round_: i32, likewise.
      columns: i32 in [0, width).
      width: how many words the round has.

    Returns:
      u32, of the shape of `columns`.
    """
    half = (width + 1) // 2
    second = columns >= half
    counter = lax.select(second, columns - half, columns).astype(jnp.uint32)
    pair = threefry(key, (round_.astype(jnp.uint32), counter))
    return lax.select(second, pair[1], pair[0])
