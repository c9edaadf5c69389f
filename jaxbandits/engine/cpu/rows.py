"""One row per lane: slices, gathers and scatters, where they are faster.

A row at the same place in all lanes (as of arms that are played in turn) is a slice of
memory. Where places differ, `arrays.select` picks and puts by selections among all
rows, which XLA's CPU compiler turns into vector code: about 0.1 ns per lane and entry
of the whole array. A gather or scatter along contiguous lanes becomes a loop that takes
2 to 4 ns per lane and entry *of the row*, however many rows there are. So on a CPU the
forms below are used from `MANY_ROWS` rows on; other platforms keep the selections,
which fuse with the operations around them.

A scatter does not touch frozen lanes (`Scope.going`), so that games with a budget need
not merge a whole old array with a whole new one.
"""

import math

import jax.numpy as jnp
from jax import lax

from jaxbandits.engine.cpu.expression import Lane, Scope, align

MANY_ROWS = 32


def pick(inputs: list[Lane], scope: Scope, default) -> Lane | None:
    """`arrays.pick`, or None where selections are better."""
    del default
    x, index = inputs
    if index.uniform:
        row = _row(x.value, index.common())
        return Lane(lax.optimization_barrier(row), x.batched)
    if x.shape[0] < MANY_ROWS or scope.platform != "cpu":
        return None
    lanes = (jnp.arange(scope.num_lanes),) if x.batched else ()
    target = x.value.at[index.value, ..., *lanes]
    rows = target.get(mode="promise_in_bounds", **_PLAIN)
    return Lane(lax.optimization_barrier(jnp.moveaxis(rows, 0, -1)), True)


def put(inputs: list[Lane], scope: Scope, default) -> Lane | None:
    """`arrays.put`, or None where selections are better."""
    x, index, row = inputs
    if index.uniform and scope.going is None:
        return _put_slice(x, index.common(), row, scope)
    if not _scatters(x, index, scope) or x.shape[0] < MANY_ROWS:
        return _selected(inputs, scope, default)
    guarded = _guarded(index, x.shape[0], scope)
    target = x.value.at[guarded, ..., jnp.arange(scope.num_lanes)]
    row = lax.optimization_barrier(align(row, x.shape[1:], scope.num_lanes))
    return Lane(
        target.set(jnp.moveaxis(row, -1, 0), mode="drop", **_ONCE), True, x.origin
    )


def _row(x, index):
    options = {"keepdims": False, "allow_negative_indices": False}
    return lax.dynamic_index_in_dim(x, index, **options)


def _put_slice(x: Lane, index, row: Lane, scope: Scope) -> Lane:
    """The same row in all lanes."""
    value = align(x, x.shape, scope.num_lanes)
    new = align(row, x.shape[1:], scope.num_lanes)
    old = _row(value, index)
    inside = (index >= 0) & (index < x.shape[0])
    new = lax.optimization_barrier(jnp.where(inside, new, old))
    options = {"axis": 0, "allow_negative_indices": False}
    return Lane(lax.dynamic_update_index_in_dim(value, new, index, **options), True)


def tally(inputs: list[Lane], scope: Scope, default) -> Lane | None:
    """`arrays.tally`, or None where selections are better."""
    counts, first, *rest = inputs
    if not _scatters(counts, first, scope) or math.prod(counts.shape) < MANY_ROWS:
        return _selected(inputs, scope, default)
    guarded = _guarded(first, counts.shape[0], scope)
    position = (guarded, *(lane.value for lane in rest))
    target = counts.value.at[*position, jnp.arange(scope.num_lanes)]
    return Lane(target.add(1, mode="drop", **_ONCE), True, counts.origin)


def _selected(inputs: list[Lane], scope: Scope, default) -> Lane | None:
    """The selections, with an index that leaves frozen lanes as they are.

    Whether a lane is frozen is then computed once per lane and not for every entry.
    None where that is not needed or not possible.
    """
    x, index, *rest = inputs
    spares = scope.going is not None and scope.platform == "cpu"
    if not spares or not index.batched or x.origin is None:
        return None
    guarded = lax.optimization_barrier(_guarded(index, x.shape[0], scope))
    (written,) = default([x, Lane(guarded, True), *rest])
    written.origin = x.origin
    return written


_PLAIN = {"wrap_negative_indices": False}
_ONCE = _PLAIN | {"unique_indices": True}


def _scatters(x: Lane, index: Lane, scope: Scope) -> bool:
    """Whether entries that differ between lanes are written in place."""
    in_place = scope.scatter and scope.platform == "cpu"
    return in_place and x.batched and index.batched


def _guarded(index: Lane, num_rows: int, scope: Scope):
    """The index; in frozen lanes one beyond the last row, so that none is written."""
    if scope.going is None:
        return index.value
    return jnp.where(scope.going, index.value, num_rows)
