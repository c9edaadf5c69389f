"""The tape inside a kernel: a uniform as an element-wise function of its column.

The numbers are those of `jaxbandits.engine.tape`, bit by bit. There one encryption
serves two columns; here every column makes its own, which costs some additions and
spares a concatenation.
"""

from functools import partial

import jax
import jax.numpy as jnp
from jax import lax

from jaxbandits.engine.tape import Key, uniforms
from jaxbandits.kernels.threefry import threefry, unit_interval


@partial(jax.jit, static_argnums=2)
def tape_row(key: Key, round_, width: int):
    """`tape.uniforms` under a name by which the transform recognises it."""
    return uniforms(key, round_, width)


def at_columns(key: Key, round_, columns, width: int):
    """The uniforms in some columns of a round.

    Args:
      key: stream key, u32 arrays of the shape of `columns`.
      round_: i32, likewise.
      columns: i32 in [0, width).
      width: how many uniforms the round has.

    Returns:
      f32, of the shape of `columns`.
    """
    half = (width + 1) // 2
    second = columns >= half
    counter = lax.select(second, columns - half, columns).astype(jnp.uint32)
    words = threefry(key, (round_.astype(jnp.uint32), counter))
    return unit_interval(lax.select(second, words[1], words[0]))
