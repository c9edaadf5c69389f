"""Operations that compute nothing: entries of a value at other indices."""

import math
from functools import partial

import jax
import jax.numpy as jnp

from jaxbandits.engine.gpu.positions import in_a_row, number, plus, reshaped, times
from jaxbandits.engine.gpu.program import Missing
from jaxbandits.engine.gpu.settling import DEAR, number_or, settled, shaped
from jaxbandits.engine.gpu.values import (
    Entries,
    Joined,
    Known,
    Moved,
    Put,
    Stored,
    Value,
    clipped,
    shifted,
)

MANY_PARTS = 4  # are put side by side in memory before one is read


def reshape(space, step, inputs) -> Value:
    (x,), shape = inputs, step.eqn.outvars[0].aval.shape
    if not shape:
        return Entries(space, [x.entry((0,) * len(x.shape))], (), x.dtype)
    if isinstance(x, Known):
        return Known(space, x.array.reshape(shape))
    if isinstance(x, Stored | Entries):
        return shaped(x, shape)
    if isinstance(x, Moved) and x.in_order:
        x = x.operand
        return x if x.shape == shape else _in_order(x, shape)
    return _in_order(x, shape)


def _in_order(x: Value, shape) -> Value:
    source = partial(_back, x.shape, shape)
    return Moved(x, source, shape, None, in_order=True)


def _back(before, after, index):
    return reshaped(index, before, after)


def broadcast(space, step, inputs) -> Value:
    (x,), shape = inputs, step.eqn.outvars[0].aval.shape
    dims = step.eqn.params["broadcast_dimensions"]
    if not shape or math.prod(shape) == x.size:
        return reshape(space, step, inputs)
    return spread(x, dims, shape)


def spread(x: Value, dims, shape) -> Value:
    """A value whose axes are those at `dims` of a shape, or of length 1."""
    if x.shape == tuple(shape):
        return x
    if x.cost > DEAR:
        x = settled(x.space, x)  # or it would be computed anew for every entry

    def source(index):
        axes = zip(dims, x.shape, strict=True)
        return tuple(0 if n == 1 else index[d] for d, n in axes)

    return Moved(x, source, shape)


def transpose(space, step, inputs) -> Value:
    (x,), permutation = inputs, step.eqn.params["permutation"]

    def source(index):
        by_axis = dict(zip(permutation, index, strict=True))
        return tuple(by_axis[a] for a in range(len(index)))

    return Moved(x, source, step.eqn.outvars[0].aval.shape)


def reverse(space, step, inputs) -> Value:
    (x,), axes = inputs, step.eqn.params["dimensions"]

    def turned(position, length):
        if isinstance(position, int):
            return length - 1 - position
        return jnp.int32(length - 1) - number(position)

    def source(index):
        places = enumerate(zip(index, x.shape, strict=True))
        return tuple(turned(i, n) if a in axes else i for a, (i, n) in places)

    return Moved(x, source, x.shape)


def cut(space, step, inputs) -> Value:
    (x,), params, shape = inputs, step.eqn.params, step.eqn.outvars[0].aval.shape
    start, strides = params["start_indices"], params["strides"]
    if strides is None:
        return stretch(x, start, shape)

    def source(index):
        return shifted(start, map(times, index, strides))

    return Moved(x, source, shape)


def dynamic_cut(space, step, inputs) -> Value:
    x, *starts = inputs
    shape = step.eqn.outvars[0].aval.shape
    places = zip(starts, shape, x.shape, strict=True)
    starts = [clipped(position_of(s), n, size) for s, n, size in places]
    return stretch(x, starts, shape)


def position_of(value: Value):
    """A number as a position."""
    found = value.entry(())
    if not isinstance(found, jax.core.Tracer):
        return int(found)
    return found.astype(jnp.int32)


def stretch(x: Value, start, shape) -> Value:
    """The entries from a position on."""
    if tuple(shape) == x.shape:
        return x
    if isinstance(x, Known) and all(isinstance(s, int) for s in start):
        ends = zip(start, shape, strict=True)
        return Known(x.space, x.array[tuple(slice(s, s + n) for s, n in ends)])
    return Moved(x, partial(shifted, tuple(start)), shape)


def concatenate(space, step, inputs) -> Value:
    shape = step.eqn.outvars[0].aval.shape
    parts = [x for x in inputs if x.size]
    axis = step.eqn.params["dimension"]
    if len(parts) > MANY_PARTS and max(x.size for x in parts) > 1:
        return _side_by_side(space, parts, axis, shape)
    return Joined(parts, axis, shape)


def _side_by_side(space, parts: list[Value], axis: int, shape) -> Value:
    """Parts in memory: who asks for an entry would ask every part for one."""
    memory, start = space.scratch(math.prod(shape), parts[0].dtype), 0

    def keep(part, start, index, carry):
        place = (*index[:axis], plus(start, index[axis]), *index[axis + 1 :])
        space.store(memory, in_a_row(place, shape), part.entry(index))
        return carry

    for part in parts:
        space.over(part.shape, part.cost + 1, partial(keep, part, start))
        start += part.shape[axis]
    return Stored(space, memory, shape)


def pad(space, step, inputs) -> Value:
    x, fill = inputs
    shape = step.eqn.outvars[0].aval.shape
    config = [tuple(map(int, each)) for each in step.eqn.params["padding_config"]]
    if any(low < 0 or high < 0 or inner for low, high, inner in config):
        raise Missing("pad that cuts or spreads")
    for axis, (low, high, _) in enumerate(config):
        before, after = (
            (*x.shape[:axis], n, *x.shape[axis + 1 :]) for n in (low, high)
        )
        parts = [Moved(fill, lambda index: (), n) for n in (before, after)]
        parts = [part for part in (parts[0], x, parts[1]) if part.size]
        wide = (*x.shape[:axis], shape[axis], *x.shape[axis + 1 :])
        x = Joined(parts, axis, wide) if len(parts) > 1 else x
    return x


def update_slice(space, step, inputs) -> Value:
    x, part, *starts = inputs
    places = zip(starts, part.shape, x.shape, strict=True)
    starts = [clipped(position_of(s), n, size) for s, n, size in places]
    lengths = part.shape
    # Whole rows are a put.
    if lengths[1:] == x.shape[1:] and lengths[0] == 1:
        row = stretch(part, (0,) * len(lengths), lengths)
        row = Moved(row, lambda index: (0, *index), x.shape[1:])
        return Put(x, (starts[0],), number_or(space, row))
    raise Missing("dynamic_update_slice of something else than a row")


MOVES = {
    "broadcast_in_dim": broadcast,
    "reshape": reshape,
    "squeeze": reshape,
    "transpose": transpose,
    "rev": reverse,
    "slice": cut,
    "dynamic_slice": dynamic_cut,
    "dynamic_update_slice": update_slice,
    "concatenate": concatenate,
    "pad": pad,
}
