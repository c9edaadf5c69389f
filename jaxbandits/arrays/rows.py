"""`pick` and `put` for pytrees: the row of an arm, out of a state and back into it."""

import jax

from jaxbandits.arrays.select import pick, put


def row(tree, index):
    """``x[index]`` of every array of a pytree.

    Args:
      tree: arrays ``[n, ...]``.
      index: i32[] in [0, n); out of range is undefined.

    Returns:
      A pytree like it of arrays ``[...]``.
    """
    return jax.tree.map(lambda x: pick(x, index), tree)


def with_row(tree, index, new):
    """A pytree with ``x[index]`` of every array replaced.

    Args:
      tree: arrays ``[n, ...]``.
      index: i32[]; out of range leaves them as they are.
      new: a pytree like it of arrays ``[...]``, as of `row`.

    Returns:
      Arrays of the shapes and dtypes of `tree`.
    """
    return jax.tree.map(lambda x, own: put(x, index, own), tree, new)
