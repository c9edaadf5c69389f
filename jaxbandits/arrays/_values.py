"""Values of a program: host numbers, what is stored, products that are added."""

from typing import Any, TypeVar

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax
from jaxtyping import Float

from jaxbandits.arrays.named import named

Tree = TypeVar("Tree")  # a pytree of arrays
KINDS = {"f": float, "i": int, "u": int}


def constant(tree: Any) -> Any:
    """NumPy numbers as constants of the program that is being traced.

    JAX remembers with which precision it first met a NumPy array, and keeps it: an
    array that a policy holds would be float64 in a float32 program for ever after one
    call under ``jax.enable_x64``, or the other way round. A constant is made anew.

    Args:
      tree: pytree of numbers and arrays; None stays None.

    Returns:
      The pytree with arrays in JAX's precision: float32 and int32, or float64 and int64
      under 64 bits. Arrays of other kinds (booleans) keep theirs.
    """
    return jax.tree.map(
        lambda x: jnp.asarray(x, KINDS.get(np.asarray(x).dtype.kind)), tree
    )


def stored(tree: Tree) -> Tree:
    """`tree` as it is, computed once and not anew for every reader.

    XLA fuses what computes a value with what reads it. Where every entry of a result
    reads the whole value, or a chain of them doubles the work at each link, that costs
    more than a store and its loads.

    Args:
      tree: pytree of arrays.
    """
    same: Tree = lax.optimization_barrier(tree)  # type: ignore[no-untyped-call]
    return same


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
