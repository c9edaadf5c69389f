"""Selecting and replacing one row of an array by a traced index.

Here these operations select among all rows, element by element, which is the best form
for few rows and on a GPU. The engine recognises them by name and may gather and scatter
instead (`jaxbandits.engine.cpu.rows`). Barriers tell XLA to store a row that is used
many times, instead of recomputing it for every element of the result.
"""

from collections.abc import Callable
from functools import partial
from typing import TypeVar

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax
from jaxtyping import Bool, Int, Shaped

from jaxbandits.arrays._values import stored
from jaxbandits.arrays.named import named
from jaxbandits.arrays.real import integer
from jaxbandits.checks import kinds, shaped, whole

Tree = TypeVar("Tree")  # a pytree of arrays
BINARY_ROWS = 64  # up to here `pick` is unrolled into a binary tree of selections


def one_hot(index: Int[Array, ""], length: int) -> Bool[Array, " length"]:
    """Indicator of `index`.

    Args:
      index: i32[].
      length: number of positions.

    Returns:
      bool[length], true at `index` only; all false if `index` is out of range.

    Raises:
      TypeError: if `index` is not an integer.
    """
    shaped("", index=integer("index", index))
    whole("length", length, 0, 2**31 - 1)
    return jnp.arange(length, dtype=jnp.int32) == index


def pick(x: Shaped[Array, "n ..."], index: Int[Array, ""]) -> Shaped[Array, "..."]:
    """``x[index]`` along the first axis.

    Args:
      x: array ``[n, ...]``; entries that are not picked may be infinite or NaN.
      index: i32[] in [0, n); out of range is undefined.

    Returns:
      Array ``[...]``. Differentiable by `x`.

    Raises:
      TypeError: if `index` is not an integer.
      ValueError: if `index` is a Python or NumPy integer out of range.
    """
    if isinstance(index, int | np.integer) and not 0 <= index < _rows(x):
        raise ValueError(f"index must be in [0, {_rows(x)}), got {index}")
    return _pick(x, index)


@partial(named, name="pick")
def _pick(x: Shaped[Array, "n ..."], index: Int[Array, ""]) -> Shaped[Array, "..."]:
    index = integer("index", index)
    if _rows(x) > BINARY_ROWS:
        return jnp.sum(jnp.where(_mask(x, index), x, 0), axis=0, dtype=x.dtype)
    rows = [x[i] for i in range(x.shape[0])]
    bit = 0
    while len(rows) > 1:
        odd = (index >> bit) & 1 == 1
        pairs = [rows[i : i + 2] for i in range(0, len(rows), 2)]
        rows = [jnp.where(odd, p[1], p[0]) if len(p) == 2 else p[0] for p in pairs]
        bit += 1
    return stored(rows[0])


@named
def put(
    x: Shaped[Array, "n ..."], index: Int[Array, ""], row: Shaped[Array, "..."]
) -> Shaped[Array, "n ..."]:
    """``x`` with ``x[index]`` replaced by `row`.

    Args:
      x: array ``[n, ...]``.
      index: i32[]; if out of range, `x` is unchanged.
      row: array ``[...]``, broadcast against ``x[0]``.

    Returns:
      Array of the shape and dtype of `x`. Differentiable by `x` and `row`.

    Raises:
      TypeError: if `index` is not an integer.
    """
    row = stored(jnp.broadcast_to(row, x.shape[1:]))
    return jnp.where(_mask(x, index), row[None], x)


def row(tree: Tree, index: Int[Array, ""]) -> Tree:
    """``x[index]`` of every array of a pytree.

    Args:
      tree: arrays ``[n, ...]``.
      index: i32[] in [0, n); out of range is undefined.

    Returns:
      A pytree of the same structure with arrays ``[...]``.
    """
    picked: Tree = jax.tree.map(lambda x: pick(x, index), tree)
    return picked


def with_row(tree: Tree, index: Int[Array, ""], new: Tree) -> Tree:
    """A pytree with ``x[index]`` of every array replaced.

    Args:
      tree: arrays ``[n, ...]``.
      index: i32[]; if out of range, `tree` is unchanged.
      new: a pytree of the same structure with arrays ``[...]``, as from `row`.

    Returns:
      Arrays of the shapes and dtypes of `tree`.
    """
    replaced: Tree = jax.tree.map(lambda x, own: put(x, index, own), tree, new)
    return replaced


@named
def tally(counts: Int[Array, "..."], *position: Int[Array, ""]) -> Int[Array, "..."]:
    """``counts`` with one more at a position.

    Args:
      counts: integers ``[n, m, ...]``.
      *position: i32[] per axis, each within it.

    Returns:
      Array of the shape and dtype of `counts`.
    """
    hit = jnp.ones((1,) * counts.ndim, bool)
    for axis, index in enumerate(position):
        along = [1] * counts.ndim
        along[axis] = length = counts.shape[axis]
        hit = hit & one_hot(index, length).reshape(along)
    return counts + hit.astype(counts.dtype)


def _mask(x: Array, index: Array) -> Array:
    return one_hot(index, _rows(x)).reshape(-1, *(1,) * (x.ndim - 1))


def _rows(x: Array) -> int:
    if not np.ndim(x):
        raise ValueError("x must have one axis or more, got a number")
    return len(x)


def when(condition: Bool[Array, ""], fn: Callable[[Tree], Tree], value: Tree) -> Tree:
    """``fn(value)`` where a condition holds, else `value`.

    This is a loop of at most one step. In a batch it runs only if some entry needs it,
    while ``lax.cond`` would compute `fn` every time.

    Args:
      condition: bool[].
      fn: function of a pytree that keeps its structure, shapes and dtypes.
      value: pytree of arrays.

    Returns:
      Pytree like `value`.
    """
    if jnp.shape(condition) != () or jnp.result_type(condition) != jnp.bool_:
        raise TypeError(
            f"condition must be bool[], got {jnp.result_type(condition)}"
            f"{list(jnp.shape(condition))}"
        )
    start = (condition, value)
    done = lax.while_loop(lambda c: c[0], lambda c: (c[0] & False, fn(c[1])), start)
    return done[1]


@kinds
def split_index(
    flat_index: Int[Array, ""], num_rows: int, num_columns: int
) -> tuple[Int[Array, ""], Int[Array, ""]]:
    """Row and column of an index into a row-major flattened matrix.

    Comparisons replace an integer division, which vector units lack.

    Args:
      flat_index: i32[] in [0, num_rows * num_columns).
      num_rows: rows of the matrix.
      num_columns: columns of the matrix.

    Returns:
      ``(row, column)``, i32[] each.
    """
    starts = jnp.arange(1, num_rows, dtype=jnp.int32) * num_columns
    row = row_of(flat_index, starts) if num_rows > 1 else jnp.zeros((), jnp.int32)
    return row, flat_index - row * num_columns


@named
def row_of(flat_index: Int[Array, ""], starts: Int[Array, " rows"]) -> Int[Array, ""]:
    """Row of an index into a row-major flattened matrix.

    Args:
      flat_index: i32[], within the matrix.
      starts: i32[num_rows - 1], where all rows except the first begin: multiples of the
        number of columns.

    Returns:
      i32[].
    """
    return jnp.sum(flat_index >= starts, dtype=jnp.int32)
