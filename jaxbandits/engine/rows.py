"""One row per lane: slices, gathers and scatters, where they beat selections.

A row that is the same in all lanes (that of the arm whose turn it is) is a slice of
memory. Where lanes differ, `kernels.select` picks and puts by selections among all
rows, which XLA's CPU compiler turns into vector code: about 0.1 ns per lane and entry
of the whole array. A gather or scatter along contiguous lanes becomes a loop that takes
2 to 4 ns per lane and entry *of the row*, however many rows there are. Hence from
`MANY_ROWS` rows on the forms below, on a CPU; other platforms keep the selections,
which fuse with what is around them.

A scatter leaves lanes alone that are frozen (`Scope.going`), so that games with a
budget need not merge a whole old array with a whole new one.
"""

import math

import jax.numpy as jnp
from jax import lax

from jaxbandits.engine.expression import Lane, Scope, align

MANY_ROWS = 32


def pick(inputs: list[Lane], scope: Scope, default) -> Lane | None:
    """`kernels.pick`, or None where selections are better."""
    x, index = inputs
    if index.uniform:
        row = _row(x.value, index.common())
        return Lane(lax.optimization_barrier(row), x.batched)
    if x.shape[0] < MANY_ROWS:
        return None

    def gather(x_, index_):
        lanes = (jnp.arange(scope.num_lanes),) if x.batched else ()
        rows = x_.at[index_, ..., *lanes].get(mode="promise_in_bounds", **_PLAIN)
        return lax.optimization_barrier(jnp.moveaxis(rows, 0, -1))

    return Lane(_by_platform(gather, default, [x, index]), True)


def put(inputs: list[Lane], scope: Scope, default) -> Lane | None:
    """`kernels.put`, or None where selections are better."""
    x, index, row = inputs
    if index.uniform and scope.going is None:
        return _put_slice(x, index.common(), row, scope)
    writes = scope.scatter and x.batched and index.batched
    if not writes or x.shape[0] < MANY_ROWS:
        return None

    def scatter(x_, index_, row_):
        row_ = align(Lane(row_, row.batched), x.shape[1:], scope.num_lanes)
        target = x_.at[index_, ..., jnp.arange(scope.num_lanes)]
        row_ = lax.optimization_barrier(row_)
        return target.set(jnp.moveaxis(row_, -1, 0), mode="drop", **_ONCE)

    guarded = _guarded(index, x.shape[0], scope)
    return Lane(_by_platform(scatter, default, [x, guarded, row]), True, x.origin)


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
    """`kernels.tally`, or None where selections are better."""
    counts, first, *rest = inputs
    writes = scope.scatter and counts.batched and first.batched
    if not writes or math.prod(counts.shape) < MANY_ROWS:
        return None

    def scatter(counts_, *position):
        target = counts_.at[*position, jnp.arange(scope.num_lanes)]
        return target.add(1, mode="drop", **_ONCE)

    guarded = _guarded(first, counts.shape[0], scope)
    found = _by_platform(scatter, default, [counts, guarded, *rest])
    return Lane(found, True, counts.origin)


_PLAIN = {"wrap_negative_indices": False}
_ONCE = _PLAIN | {"unique_indices": True}


def _by_platform(form, default, inputs: list[Lane]):
    """``form(*values)`` on a CPU, else the value of ``default(inputs)``."""

    def other(*values):
        lanes = [Lane(x, i.batched) for x, i in zip(values, inputs, strict=True)]
        return default(lanes)[0].value

    values = [lane.value for lane in inputs]
    return lax.platform_dependent(*values, cpu=form, default=other)


def _guarded(index: Lane, num_rows: int, scope: Scope) -> Lane:
    """Beyond the last row in frozen lanes, where nothing is written then."""
    if scope.going is None:
        return index
    return Lane(jnp.where(scope.going, index.value, num_rows), True)
