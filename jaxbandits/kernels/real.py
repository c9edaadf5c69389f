"""What a kernel of real numbers is given, as arrays of real numbers."""

import jax.numpy as jnp


def real(*values):
    """Every value as a real array.

    Args:
      *values: real arrays, NumPy or JAX, lists or numbers. Float arrays keep their
        dtype; integers and Python numbers follow them, and are in JAX's precision
        where there are none.

    Returns:
      A tuple of arrays, or the array if there is one value.
    """
    arrays = tuple(_real(value) for value in values)
    if all(array.weak_type for array in arrays):
        # A constant of a kernel in float32 would win over a weak float64.
        arrays = tuple(array.astype(array.dtype) for array in arrays)
    return arrays if len(arrays) > 1 else arrays[0]


def _real(value):
    array = jnp.asarray(value)
    # As a product with a Python number is: weakly typed, a float.
    return array if jnp.issubdtype(array.dtype, jnp.floating) else array * 1.0
