"""Primitives that move entries: a new index, and nothing is computed."""

import math

import numpy as np
from jax import lax

from jaxbandits.engine.gpu.values import (
    Index,
    MissingError,
    Place,
    Value,
    flat_place,
    index_of,
    literal,
    plus,
    stored,
    times,
)


def _broadcast_in_dim(index: Index, x: Value, eqn) -> Index:
    places = zip(eqn.params["broadcast_dimensions"], x.shape, strict=True)
    return tuple(0 if n == 1 else index[axis] for axis, n in places)


def _reshape(index: Index, x: Value, eqn) -> Index:
    shape = eqn.outvars[0].aval.shape
    longer = [axis for axis, n in enumerate(shape) if n != 1]
    if [shape[axis] for axis in longer] != [n for n in x.shape if n != 1]:
        return index_of(flat_place(index, shape), x.shape)
    places = iter([index[axis] for axis in longer])
    return tuple(0 if n == 1 else next(places) for n in x.shape)


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
    return tuple(plus(times(i, by), start) for i, start, by in each)


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
    """The same entries at other places; what many are made of is computed once."""
    x, *_ = inputs
    source, shape = SOURCES[step.name], step.eqn.outvars[0].aval.shape
    if source is _reshape and x.memory is not None:
        return [stored(x.memory, shape, x.dtype)]
    if math.prod(shape) > x.size:
        x = writer.once(x)

    def at(index: Index) -> str:
        return x.at(source(index, x, step.eqn))

    result = writer.lazy(shape, x.dtype, at, x.cost, [x])
    if source is _reshape:
        result.moved = x.moved
    return [result]


def from_end(place: Place, length: int) -> Place:
    """A place counted from the end of an axis."""
    return length - 1 - place if isinstance(place, int) else f"({length - 1} - {place})"


def dynamic_slice(writer, step, inputs):
    """A stretch from a place of the program's on; moved inside if it does not fit."""
    x, *starts = inputs
    sizes = step.eqn.params["slice_sizes"]
    first = [
        writer.clipped(start, n - size + 1)
        for start, n, size in zip(starts, x.shape, sizes, strict=True)
    ]

    def at(index: Index) -> str:
        return x.at(tuple(map(plus, first, index)))

    return [writer.lazy(sizes, x.dtype, at, x.cost, [x])]


def iota(writer, step, inputs):
    """Counted along an axis."""
    aval = step.eqn.outvars[0].aval
    counted = np.indices(aval.shape)[step.eqn.params["dimension"]]
    if len(aval.shape) == 1:  # the place itself

        def at(index):
            place = index[0]
            number = aval.dtype.type(place) if isinstance(place, int) else None
            convert = {"f": "to_F", "u": "to_U"}.get(aval.dtype.kind, "")
            return f"{convert}({place})" if number is None else literal(number)

        table = counted.astype(aval.dtype)
        return [Value(aval.shape, aval.dtype, at, 0, constant=table)]
    return [writer.constant(counted.astype(aval.dtype))]


def concatenate(writer, step, inputs):
    """Parts one after the other along an axis."""
    return [_joined(writer, inputs, step.eqn.params["dimension"])]


def _joined(writer, values, axis: int) -> Value:
    parts, length = [], 0
    for x in values:
        if x.shape[axis]:
            parts.append((length, x))
        length += x.shape[axis]

    def at(index: Index) -> str:
        place, text = index[axis], ""
        for start, x in reversed(parts):
            if isinstance(place, int) and place < start:
                continue
            own = 0 if x.shape[axis] == 1 else plus(place, -start)
            with writer.guarded():
                entry = x.at((*index[:axis], own, *index[axis + 1 :]))
            if isinstance(place, int):
                return entry
            stop = start + x.shape[axis]
            text = f"({place} < {stop} ? {entry} : {text})" if text else entry
        return text

    x = values[0]
    shape = (*x.shape[:axis], length, *x.shape[axis + 1 :])
    cost = max(x.cost for x in values) + 2 * len(values)
    return writer.lazy(shape, x.dtype, at, cost, values)


def pad(writer, step, inputs):
    """Entries with others around them."""
    x, fill = inputs
    for axis, (low, high, inside) in enumerate(step.eqn.params["padding_config"]):
        if min(low, high) < 0 or inside:
            raise MissingError("pad inside or with less than nothing")
        before, after = (
            Value(
                (*x.shape[:axis], int(length), *x.shape[axis + 1 :]),
                x.dtype,
                lambda index: fill.at(()),
                sources=[fill],
            )
            for length in (low, high)
        )
        x = _joined(writer, [before, x, after], axis)
    return [x]


def gather(writer, step, inputs):
    """Stretches that begin where an array of indices says."""
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
        source: list[Place] = [inner.get(k, 0) for k in range(len(x.shape))]
        tests = []
        for number, axis in enumerate(how.start_index_map):
            start, last = indices.at((*batch, number)), x.shape[axis] - sizes[axis]
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
MOVES = dict.fromkeys(SOURCES, move) | {
    "concatenate": concatenate,
    "dynamic_slice": dynamic_slice,
    "gather": gather,
    "iota": iota,
    "pad": pad,
}
