"""`pick` and `put` for pytrees: the row of an arm, out of a state and back into it."""

from typing import TypeVar

import jax

from jaxbandits.arrays.select import pick, put

Tree = TypeVar("Tree")


def row(tree: Tree, index: jax.Array) -> Tree:
    """``x[index]`` of every array of a pytree.

    Args:
      tree: arrays ``[n, ...]``.
      index: i32[] in [0, n); out of range is undefined.

    Returns:
      A pytree like it of arrays ``[...]``.
    """
    picked: Tree = jax.tree.map(lambda x: pick(x, index), tree)
    return picked


def with_row(tree: Tree, index: jax.Array, new: Tree) -> Tree:
    """A pytree with ``x[index]`` of every array replaced.

    Args:
      tree: arrays ``[n, ...]``.
      index: i32[]; out of range leaves them as they are.
      new: a pytree like it of arrays ``[...]``, as of `row`.

    Returns:
      Arrays of the shapes and dtypes of `tree`.
    """
    replaced: Tree = jax.tree.map(lambda x, own: put(x, index, own), tree, new)
    return replaced
