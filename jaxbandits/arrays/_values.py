"""Values of a program: constants from the host, stored values, sums of products."""

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

    JAX caches the precision in which it first saw a NumPy array. After one call under
    ``jax.enable_x64``, a policy's array would stay float64 in every float32 program (or
    the reverse). Hence a new constant is made for every program.

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
    """Return `tree` unchanged, but computed only once, not once per reader.

    XLA fuses the computation of a value with its readers. If every entry of a result
    reads the whole value, or each link of a chain doubles the work, this costs more
    than storing and loading the value.

    Args:
      tree: pytree of arrays.
    """
    same: Tree = lax.optimization_barrier(tree)  # type: ignore[no-untyped-call]
    return same


@named
def multiply_add(
    a: Float[Array, "..."] | float, b: Float[Array, "..."], c: Float[Array, "..."]
) -> Float[Array, "..."]:
    """``a b + c``, where the product may be exact or rounded.

    The GPU engine, which fuses no products by itself, makes it one instruction. Not for
    sums that rely on an exact rounding error.

    Args:
      a, b, c: arrays or numbers that broadcast together.
    """
    return a * b + c
