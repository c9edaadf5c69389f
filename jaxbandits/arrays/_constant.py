"""Host numbers inside a program."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

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
