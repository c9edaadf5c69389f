"""How many entries hold at the two ends of an array."""

import jax.numpy as jnp
from jax import Array
from jaxtyping import Bool, Int32

from jaxbandits.arrays._values import stored
from jaxbandits.arrays.named import named

RIGHT = 16  # bits: those on the right are counted above these, those on the left below


def outermost(
    mask: Bool[Array, " n"], middle: Int32[Array, ""]
) -> tuple[Int32[Array, ""], Int32[Array, ""]]:
    """The number of true entries up to `middle`, and the number beyond it.

    Args:
      mask: bool[n], n < 2**15; true at both ends of the array and false in between.
      middle: i32[] in [0, n).

    Returns:
      ``(left i32[], right i32[])``.
    """
    count = stored(outer_count(mask, middle))
    return count & jnp.int32((1 << RIGHT) - 1), count >> RIGHT


@named
def outer_count(mask: Bool[Array, " n"], middle: Int32[Array, ""]) -> Int32[Array, ""]:
    """Both numbers of `outermost` in one integer, from one pass over the entries."""
    left = jnp.arange(mask.shape[0], dtype=jnp.int32) <= middle
    unit = jnp.where(left, jnp.int32(1), jnp.int32(1 << RIGHT))
    return jnp.sum(jnp.where(mask, unit, 0), dtype=jnp.int32)
