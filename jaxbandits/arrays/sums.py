"""Sums that do not stall.

A plain float32 sum of numbers near 1 stops growing at 2**24. A compensated sum carries
the rounding error along and stays exact to a few units in the last place.
"""

from typing import Any, NamedTuple

import jax.numpy as jnp
from jax import Array
from jaxtyping import Float


class CompensatedSum(NamedTuple):
    """A running sum and its accumulated rounding error.

    Attributes:
      total: float array, the best single number for the sum.
      lost: float array of the same shape; ``total + lost`` is the sum, up to half a
        unit in the last place of each term (not of the total) that was added.
    """

    total: Float[Array, "..."]
    lost: Float[Array, "..."]

    @classmethod
    def zeros(cls, shape: Any, dtype: Any = jnp.float32) -> "CompensatedSum":
        """An empty sum of the given shape."""
        return cls(jnp.zeros(shape, dtype), jnp.zeros(shape, dtype))

    def exact(self) -> Array:
        """The sum as one number, in float64 if that is enabled."""
        return self.total.astype(float) + self.lost.astype(float)

    def add(self, x: Any) -> "CompensatedSum":
        """Add `x` (broadcast against the sum).

        This is Kahan's algorithm. It needs finite terms that do not exceed the total by
        much, as in sums of bounded terms.
        """
        corrected = x + self.lost
        total = self.total + corrected
        return CompensatedSum(total, corrected - (total - self.total))
