"""Reductions and running totals over padded axes: the padding counts as nothing."""

import jax.numpy as jnp
import numpy as np
from jax import lax


def _lowest(dtype):
    return -np.inf if dtype.kind == "f" else np.iinfo(dtype).min


def _highest(dtype):
    return np.inf if dtype.kind == "f" else np.iinfo(dtype).max


# What an entry of the padding must be to change nothing.
NEUTRAL = {
    "sum": lambda dtype: 0,
    "prod": lambda dtype: 1,
    "max": _lowest,
    "min": _highest,
}


def reduce(kind: str, value, shape: tuple[int, ...], axes: tuple[int, ...]):
    """Reduce `axes` of a padded array.

    Args:
      kind: ``sum``, ``prod``, ``max``, ``min``, ``and`` or ``or``.
      value: ``[*padded_shape(shape), ...]``; bool for the last two.
      shape: without padding.
      axes: which ones.
    """
    if kind in ("and", "or"):
        # The lowering knows sums, largest and smallest entries, of numbers.
        number = "min" if kind == "and" else "max"
        return reduce(number, value.astype(jnp.int32), shape, axes) != 0
    value = masked(value, shape, axes, NEUTRAL[kind](value.dtype))
    axes = sorted(axes)
    if len(axes) > 1 and axes[-1] - axes[0] == len(axes) - 1:
        # Neighbouring axes are reduced as one.
        first, last = axes[0], axes[-1] + 1
        value = value.reshape(*value.shape[:first], -1, *value.shape[last:])
        axes = axes[:1]
    for axis in reversed(axes):
        value = _ALONG[kind](value, axis)
    return value


def masked(value, shape, axes, neutral):
    """`value` with `neutral` in the padding of `axes`."""
    keep = None
    for axis in axes:
        if value.shape[axis] != shape[axis]:
            position = lax.broadcasted_iota(jnp.int32, value.shape, axis)
            inside = position < shape[axis]
            keep = inside if keep is None else keep & inside
    if keep is None:
        return value
    return lax.select(keep, value, jnp.full(value.shape, neutral, value.dtype))


def running(kind: str, value, shape, axis: int, reverse: bool):
    """Running totals along an axis, itself included.

    Every position with every other: an axis is short, and the lowering has running
    sums only.
    """
    if kind == "sum" and not reverse:
        return lax.cumsum(value, axis)
    neutral = NEUTRAL[kind](value.dtype)
    value = masked(value, shape, (axis,), neutral)
    size = value.shape[axis]
    wide = (*value.shape[:axis], size, size, *value.shape[axis + 1 :])
    dims = tuple(i if i <= axis else i + 1 for i in range(value.ndim))
    pairs = lax.broadcast_in_dim(value, wide, dims)
    source = lax.broadcasted_iota(jnp.int32, wide, axis)
    target = lax.broadcasted_iota(jnp.int32, wide, axis + 1)
    seen = source >= target if reverse else source <= target
    pairs = lax.select(seen, pairs, jnp.full(wide, neutral, value.dtype))
    return _ALONG[kind](pairs, axis)


def taken(hit, value, axis: int):
    """The entry that `hit`, bool like `value`, names along an axis; 0 where none is."""
    if value.dtype == bool:
        return taken(hit, value.astype(jnp.int32), axis) != 0
    return lax.reduce_sum(lax.select(hit, value, jnp.zeros_like(value)), (axis,))


def _product(value, axis: int):
    """The lowering has no product: halves are multiplied until one entry is left."""
    while value.shape[axis] > 1:
        half = value.shape[axis] // 2
        pairs = value.reshape(*value.shape[:axis], 2, half, *value.shape[axis + 1 :])
        side = lax.broadcasted_iota(jnp.int32, pairs.shape, axis)
        value = taken(side == 0, pairs, axis) * taken(side == 1, pairs, axis)
    return lax.squeeze(value, (axis,))


_ALONG = {
    "sum": lambda x, axis: lax.reduce_sum(x, (axis,)),
    "max": lambda x, axis: lax.reduce_max(x, (axis,)),
    "min": lambda x, axis: lax.reduce_min(x, (axis,)),
    "prod": _product,
}
