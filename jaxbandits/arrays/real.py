"""Conversion of a kernel's arguments to arrays of real numbers or of integers."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.typing import ArrayLike
from jaxtyping import Float, Int, Real

from jaxbandits.checks import cast, shown, together

Reals = Real[ArrayLike, "*#shape"]  # of a kernel that works element by element
Floats = Float[Array, "*shape"]  # what it makes of them, in their broadcast shape


def real(**values: Any) -> Any:
    """Every value as a real array.

    Args:
      **values: arguments by name: real arrays (NumPy or JAX), lists or numbers. Float
        arrays keep their dtype. Integers and Python numbers get the dtype of the float
        arrays, or JAX's precision if there are none.

    Returns:
      A tuple of arrays, or the array if there is one value.

    Raises:
      TypeError: if an argument is not a real array.
      ValueError: if an integer is beyond int32 (a float may be larger), or the shapes
        do not broadcast together.
    """
    arrays = tuple(_real(name, value) for name, value in values.items())
    together(**dict(zip(values, arrays, strict=True)))
    if all(array.weak_type for array in arrays):
        # A constant of a kernel in float32 would win over a weak float64.
        arrays = tuple(array.astype(array.dtype) for array in arrays)
    return arrays if len(arrays) > 1 else arrays[0]


def alike(*arrays: Array) -> tuple[Array, ...]:
    """Float arrays in the widest dtype among them.

    Uniforms are float32 also where parameters are float64.
    """
    dtype = np.result_type(*(array.dtype for array in arrays))
    return tuple(array.astype(dtype) for array in arrays)


def integer(name: str, value: Any) -> Int[Array, "..."]:
    """An integer array, unchanged.

    Raises:
      TypeError: if the argument is not an integer array.
      ValueError: if an integer is beyond int32.
    """
    array = _array(name, value, "an integer array")
    if not jnp.issubdtype(array.dtype, jnp.integer):
        raise TypeError(f"{name} must be an integer array, got one of {array.dtype}")
    return array


def _real(name: str, value: Any) -> Array:
    array = _array(name, value, "a real array")
    if jnp.issubdtype(array.dtype, jnp.floating):
        return array
    if not jnp.issubdtype(array.dtype, jnp.integer):  # bool or complex
        raise TypeError(f"{name} must be a real array, got one of {array.dtype}")
    # As a product with a Python number is: weakly typed, a float.
    return array * 1.0


def _array(name: str, value: Any, what: str) -> Array:
    numpy_integers = getattr(value, "dtype", None) in (np.int64, np.uint64)
    if numpy_integers and not jax.config.jax_enable_x64:
        cast(name, value)  # they would wrap around in silence
    try:
        return jnp.asarray(value)
    except OverflowError:
        raise ValueError(
            f"{name} must hold integers of int32, or floats, got {shown(value)}"
        ) from None
    except (TypeError, ValueError):  # in words that name no argument
        raise TypeError(f"{name} must be {what}, got {value!r}") from None
