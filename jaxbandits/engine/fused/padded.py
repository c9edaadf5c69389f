"""Values of the padded-lanes transform: arrays whose axes are powers of two.

A value of the one-lane program of shape ``(3, 10)`` is held as ``[4, 16, lanes]`` (or
``[4, 16]`` if it does not depend on the lane). What stands in the padding is arbitrary;
whoever reduces an axis masks it. Some values are kept as a description (their *origin*)
for as long as that is cheaper than the array: a table known on the host, a stretch cut
out of another value, a broadcast.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax


def padded_shape(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Every axis rounded up to a power of two; an empty axis becomes 1."""
    return tuple(1 << max(n - 1, 0).bit_length() for n in shape)


def pad(x, ndim: int):
    """`x` with its first `ndim` axes padded with zeros to powers of two."""
    wide = padded_shape(x.shape[:ndim])
    sides = [(0, w - n) for n, w in zip(x.shape, wide, strict=False)]
    return jnp.pad(x, [*sides, *[(0, 0)] * (x.ndim - ndim)]) if ndim else x


class Constants(dict):
    """Arrays of the program that no iota can make, padded, by their contents."""

    def get_padded(self, table: np.ndarray):
        """The table as an array padded to powers of two; equal tables share one."""
        key = (table.shape, table.dtype.str, table.tobytes())
        if key not in self:
            wide = padded_shape(table.shape)
            sides = [(0, w - n) for n, w in zip(table.shape, wide, strict=True)]
            with jax.ensure_compile_time_eval():
                self[key] = jnp.asarray(np.pad(table, sides))
        return self[key]


class Table(NamedTuple):
    """A value known on the host, or a function of one, element by element.

    Attributes:
      array: the numbers.
      constants: keeps the arrays that are not affine in the positions.
      finish: None, or what makes the value from the array ``[*padded shape]``.
    """

    array: np.ndarray
    constants: Constants
    finish: Callable[[Any], Any] | None = None

    def compute(self):
        """The array."""
        value = _emitted(self.array, self.constants)
        return self.finish(value) if self.finish else value


class Spread(NamedTuple):
    """A broadcast: `operand` has its axes at `dims` of the result."""

    operand: "Padded"
    dims: tuple[int, ...]
    shape: tuple[int, ...]

    def compute(self):
        """The array."""
        value = self.operand.value
        wide, dims = padded_shape(self.shape), self.dims
        if self.operand.batched:
            wide, dims = (*wide, value.shape[-1]), (*dims, len(wide))
        return lax.broadcast_in_dim(value, wide, dims)


class Padded:
    """One value of the one-lane program, for all lanes.

    Attributes:
      shape: of the value in one lane, without padding.
      batched: whether the value has the lane axis, last.
      origin: how it is made, or None: a `Table`, a `Spread` or a `Window`.
    """

    __slots__ = ("_value", "batched", "origin", "shape")

    def __init__(self, value, shape, batched: bool, origin=None):
        self._value, self.shape, self.batched = value, tuple(shape), batched
        self.origin = origin

    @property
    def value(self):
        """The array, ``[*padded_shape(shape), lanes]`` if batched."""
        if self._value is None:
            self._value = self.origin.compute()
        return self._value

    @property
    def known(self) -> bool:
        """Whether the numbers are known on the host."""
        return isinstance(self.origin, Table) and self.origin.finish is None

    @property
    def dtype(self):
        """Of the numbers."""
        return self.origin.array.dtype if self.known else self.value.dtype

    def entered(self) -> "Padded":
        """The same value for the body of a loop, which must not leave its own there."""
        if self.known:
            return Padded(None, self.shape, False, self.origin)
        return Padded(self.value, self.shape, self.batched)


def known(array, constants: Constants) -> Padded:
    """A value known on the host."""
    array = np.asarray(array)
    return Padded(None, array.shape, False, Table(array, constants))


def spread(x: Padded, shape: tuple[int, ...], num_lanes: int | None):
    """The array of a value of this shape, or of a scalar, ``[*padded, num_lanes]``.

    Without the lane axis if `num_lanes` is None.
    """
    value = x.value
    wide = padded_shape(shape) + (() if num_lanes is None else (num_lanes,))
    if value.shape == wide:
        return value
    lane = (len(shape),) if x.batched else ()
    return lax.broadcast_in_dim(value, wide, (*range(len(x.shape)), *lane))


def is_affine(array: np.ndarray) -> bool:
    """Whether whole numbers are ``base + sum stride * position``."""
    return array.dtype.kind in "iu" and np.array_equal(_affine(array), array)


def _affine(array):
    """The affine table with the base and the strides of `array`."""
    base, strides = _base_and_strides(array)
    grid = np.indices(array.shape, dtype=np.int64)
    return base + sum((s * g for s, g in zip(strides, grid, strict=True)), 0)


def _base_and_strides(array):
    if not array.size:
        return 0, [0] * array.ndim
    base = int(array.flat[0])
    ones = np.eye(array.ndim, dtype=int)
    return base, [
        int(array[tuple(one)]) - base if n > 1 else 0
        for one, n in zip(ones, array.shape, strict=True)
    ]


def _emitted(array: np.ndarray, constants: Constants):
    """The table as a value of the program."""
    wide = padded_shape(array.shape)
    if array.ndim == 0:
        return array[()]
    if not array.size or np.all(array == array.flat[0]):
        fill = array.flat[0] if array.size else array.dtype.type(0)
        return jnp.full(wide, fill, array.dtype)
    if not is_affine(array):
        return constants.get_padded(array)
    base, strides = _base_and_strides(array)
    total = jnp.full(wide, base, array.dtype)
    for axis, stride in enumerate(strides):
        if stride:
            position = lax.broadcasted_iota(array.dtype, wide, axis)
            total = total + position * array.dtype.type(stride)
    return total
