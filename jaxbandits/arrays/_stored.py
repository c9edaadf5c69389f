"""Values that XLA stores before they are read."""

from typing import TypeVar

from jax import lax

Tree = TypeVar("Tree")  # a pytree of arrays


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
