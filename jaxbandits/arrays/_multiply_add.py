"""A product and a sum in one rounding, where a machine has that."""

from jax import Array
from jaxtyping import Float

from jaxbandits.arrays.named import named


@named
def multiply_add(
    a: Float[Array, "..."] | float, b: Float[Array, "..."], c: Float[Array, "..."]
) -> Float[Array, "..."]:
    """``a b + c``, of which the product may be exact or rounded.

    The GPU engine, which joins nothing by itself, makes one instruction of it. Not for
    sums that count on what a rounding has lost.

    Args:
      a: array, or number.
      b: likewise; all three broadcast together.
      c: likewise.
    """
    return a * b + c
