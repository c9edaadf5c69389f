"""Primitives that move entries: another index, without arithmetic."""

import itertools
import math

from jax import lax

from jaxbandits.engine.gpu.values import (
    TYPES,
    Index,
    MissingError,
    Value,
    flat_place,
    index_of,
    plus,
    stored,
)


def _broadcast_in_dim(index: Index, x: Value, eqn) -> Index:
    places = zip(eqn.params["broadcast_dimensions"], x.shape, strict=True)
    return tuple("0" if n == 1 else index[axis] for axis, n in places)


def _reshape(index: Index, x: Value, eqn) -> Index:
    shape = eqn.outvars[0].aval.shape
    longer = [axis for axis, n in enumerate(shape) if n != 1]
    if [shape[axis] for axis in longer] != [n for n in x.shape if n != 1]:
        return index_of(flat_place(index, shape), x.shape)
    places = iter([index[axis] for axis in longer])
    return tuple("0" if n == 1 else next(places) for n in x.shape)


def _transpose(index: Index, x: Value, eqn) -> Index:
    axes = eqn.params["permutation"]
    return tuple(index[axes.index(axis)] for axis in range(len(axes)))


def _rev(index: Index, x: Value, eqn) -> Index:
    places = enumerate(zip(index, x.shape, strict=True))
    axes = eqn.params["dimensions"]
    return tuple(from_end(i, n) if k in axes else i for k, (i, n) in places)


def _slice(index: Index, x: Value, eqn) -> Index:
    starts, strides = eqn.params["start_indices"], eqn.params["strides"]
    each = zip(index, starts, strides or (1,) * len(starts), strict=True)
    return tuple(plus(i if by == 1 else f"{i} * {by}", k) for i, k, by in each)


# Where an entry comes from: ``(index, x, equation) -> index of x``.
SOURCES = {
    "broadcast_in_dim": _broadcast_in_dim,
    "reshape": _reshape,
    "rev": _rev,
    "slice": _slice,
    "squeeze": _reshape,
    "transpose": _transpose,
}


def move(writer, step, inputs):
    """The same entries at other places; an entry that is repeated is computed once."""
    x, *_ = inputs
    source, shape = SOURCES[step.name], step.eqn.outvars[0].aval.shape
    if source is _reshape and x.memory is not None:
        return [stored(x.memory, shape, x.dtype)]
    if math.prod(shape) > x.size:
        x = writer.once(x)
    moved = shape, x.dtype, lambda index: x.at(source(index, x, step.eqn))
    result = writer.lazy(*moved, x.cost, [x])
    if source is _reshape:
        result.moved = x.moved
    return [result]


def from_end(place: str, length: int) -> str:
    """A place counted from the end of an axis."""
    return f"({length - 1} - {place})"


def dynamic_slice(writer, step, inputs):
    """A slice that begins at a computed place, moved inside the array if it must be."""
    x, *starts = inputs
    sizes = step.eqn.params["slice_sizes"]
    first = [
        writer.clipped(start, n - size + 1)
        for start, n, size in zip(starts, x.shape, sizes, strict=True)
    ]
    part = sizes, x.dtype, lambda index: x.at(tuple(map(plus, index, first)))
    return [writer.lazy(*part, x.cost, [x])]


def iota(writer, step, inputs):
    """Numbers along an axis."""
    aval, axis = step.eqn.outvars[0].aval, step.eqn.params["dimension"]
    kind = TYPES[str(aval.dtype)]
    return [Value(aval.shape, aval.dtype, lambda index: f"to_{kind}({index[axis]})")]


def concatenate(writer, step, inputs):
    """Parts one after the other along an axis; reads stay within each part."""
    aval, axis = step.eqn.outvars[0].aval, step.eqn.params["dimension"]
    ends = itertools.accumulate(x.shape[axis] for x in inputs)
    parts = [(end, x) for end, x in zip(ends, inputs, strict=True) if x.shape[axis]]

    def at(index: Index) -> str:
        text = ""
        for end, x in reversed(parts):
            length = x.shape[axis]
            place = f"lesser(greater({index[axis]} - {end - length}, 0), {length - 1})"
            own = "0" if length == 1 else place
            entry = x.at((*index[:axis], own, *index[axis + 1 :]))
            text = f"({index[axis]} < {end} ? {entry} : {text})" if text else entry
        return text

    cost = max(x.cost for x in inputs) + 2 * len(inputs)
    return [writer.lazy(aval.shape, aval.dtype, at, cost, inputs)]


def pad(writer, step, inputs):
    """An array with entries around it."""
    (x, fill), config = inputs, step.eqn.params["padding_config"]
    if any(min(low, high) < 0 or inside for low, high, inside in config):
        raise MissingError("pad inside or with less than nothing")
    aval = step.eqn.outvars[0].aval
    result = writer.array(aval.shape, aval.dtype)
    writer.fill(result.shape, result.at, lambda index: fill.at(()))
    starts = [low for low, *_ in config]
    writer.fill(x.shape, lambda index: result.at(tuple(map(plus, index, starts))), x.at)
    return [result]


def gather(writer, step, inputs):
    """Slices that begin at the places in an array of indices."""
    (x, indices), params = inputs, step.eqn.params
    aval, how = step.eqn.outvars[0].aval, params["dimension_numbers"]
    sizes, fills = params["slice_sizes"], params["mode"] == FILL
    indices = writer.once(indices)
    batches = dict(
        zip(how.operand_batching_dims, how.start_indices_batching_dims, strict=True)
    )
    gone = {*how.collapsed_slice_dims, *batches}
    axes = [k for k in range(len(x.shape)) if k not in gone]

    def at(index: Index) -> str:
        batch = [i for k, i in enumerate(index) if k not in how.offset_dims]
        inner = dict(zip(axes, (index[k] for k in how.offset_dims), strict=True))
        inner |= {axis: batch[k] for axis, k in batches.items()}
        source = [inner.get(k, "0") for k in range(len(x.shape))]
        tests = []
        for number, axis in enumerate(how.start_index_map):
            start, last = indices.at((*batch, str(number))), x.shape[axis] - sizes[axis]
            inside = f"lesser(greater(to_I({start}), 0), {last})"
            source[axis] = plus(inside, source[axis])
            tests.append(f"(U)({start}) <= {last}u")
        text = x.at(tuple(source))
        if not fills:
            return text
        nothing = {"F": "NAN_", "B": "true", "I": "(-2147483647 - 1)"}
        other = nothing.get(x.type, "4294967295u")
        return f"({' && '.join(tests)} ? {text} : {other})"

    cost = x.cost + 3 * indices.cost + 3
    return [writer.lazy(aval.shape, aval.dtype, at, cost, [x, indices])]


FILL = lax.GatherScatterMode.FILL_OR_DROP
OTHERS = concatenate, dynamic_slice, gather, iota, pad
MOVES = dict.fromkeys(SOURCES, move) | {rule.__name__: rule for rule in OTHERS}
