"""Primitives that move entries: a new index, and nothing is computed."""

import math

import numpy as np
from jax import lax

from jaxbandits.engine.gpu.program import MissingError
from jaxbandits.engine.gpu.values import (
    Index,
    Place,
    Value,
    flat_place,
    index_of,
    literal,
    plus,
    stored,
    times,
)

FEW_PARTS = 4  # of a concatenation that is not stored


def _moved(writer, step, x: Value, source) -> list[Value]:
    """Entries of `x` where ``source(index)`` says."""
    aval = step.eqn.outvars[0].aval
    return [writer.lazy(aval.shape, x.dtype, lambda i: x.at(source(i)), x.cost, [x])]


def broadcast_in_dim(writer, step, inputs):
    """Axes that are spread; what many entries are made of is computed once."""
    x, *_ = inputs
    axes = step.eqn.params["broadcast_dimensions"]
    if math.prod(step.eqn.outvars[0].aval.shape) > x.size:
        x = writer.once(x, dear=4)

    def source(index: Index) -> Index:
        return tuple(
            0 if n == 1 else index[axis] for axis, n in zip(axes, x.shape, strict=True)
        )

    return _moved(writer, step, x, source)


def reshape(writer, step, inputs):
    """The same entries in the same order."""
    x, *_ = inputs
    shape = step.eqn.outvars[0].aval.shape
    if x.memory is not None:
        return [stored(x.memory, shape, x.dtype)]
    longer = [axis for axis, n in enumerate(shape) if n != 1]
    own = [axis for axis, n in enumerate(x.shape) if n != 1]

    def source(index: Index) -> Index:
        if [shape[i] for i in longer] != [x.shape[i] for i in own]:
            return index_of(flat_place(index, shape), x.shape)
        places = iter([index[i] for i in longer])
        return tuple(0 if n == 1 else next(places) for n in x.shape)

    (result,) = _moved(writer, step, x, source)
    result.moved = x.moved
    return [result]


def transpose(writer, step, inputs):
    """Axes in another order."""
    axes = step.eqn.params["permutation"]

    def source(index: Index) -> Index:
        return tuple(index[axes.index(axis)] for axis in range(len(axes)))

    return _moved(writer, step, inputs[0], source)


def rev(writer, step, inputs):
    """Some axes from their end."""
    (x,) = inputs
    axes = step.eqn.params["dimensions"]

    def source(index: Index) -> Index:
        places = enumerate(zip(index, x.shape, strict=True))
        return tuple(from_end(i, n) if k in axes else i for k, (i, n) in places)

    return _moved(writer, step, x, source)


def from_end(place: Place, length: int) -> Place:
    """A place counted from the end of an axis."""
    return length - 1 - place if isinstance(place, int) else f"({length - 1} - {place})"


def slice_(writer, step, inputs):
    """Every so many entries of a stretch."""
    (x,), params = inputs, step.eqn.params
    starts = params["start_indices"]
    strides = params["strides"] or (1,) * len(starts)

    def source(index: Index) -> Index:
        each = zip(index, starts, strides, strict=True)
        return tuple(plus(times(i, by), start) for i, start, by in each)

    return _moved(writer, step, x, source)


def dynamic_slice(writer, step, inputs):
    """A stretch from a place of the program's on; moved inside if it does not fit."""
    x, *starts = inputs
    sizes = step.eqn.params["slice_sizes"]
    first = [
        writer.clipped(start, n - size + 1)
        for start, n, size in zip(starts, x.shape, sizes, strict=True)
    ]
    return _moved(
        writer,
        step,
        x,
        lambda index: tuple(plus(s, i) for s, i in zip(first, index, strict=True)),
    )


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
    """Parts one after the other along an axis; many of them are stored."""
    aval, axis = step.eqn.outvars[0].aval, step.eqn.params["dimension"]
    parts, start = [], 0
    for x in inputs:
        if x.shape[axis]:
            parts.append((start, x))
        start += x.shape[axis]

    def within(index: Index, place: Place) -> Index:
        return (*index[:axis], place, *index[axis + 1 :])

    if len(parts) > FEW_PARTS:
        result = writer.array(aval.shape, aval.dtype)
        for start, x in parts:

            def fill(index, start=start, x=x):
                to = result.at(within(index, plus(index[axis], start)))
                writer.line(f"{to} = {x.at(index)};")

            writer.over(x.shape, fill)
        return [result]

    def at(index: Index) -> str:
        place = index[axis]
        if isinstance(place, int):
            start, x = next(p for p in reversed(parts) if p[0] <= place)
            return x.at(within(index, place - start))
        text = ""
        for start, x in reversed(parts):
            own = 0 if x.shape[axis] == 1 else plus(place, -start)
            with writer.guarded():
                entry = x.at(within(index, own))
            stop = start + x.shape[axis]
            text = f"({place} < {stop} ? {entry} : {text})" if text else entry
        return text

    cost = max(x.cost for x in inputs) + 2 * len(inputs)
    return [writer.lazy(aval.shape, aval.dtype, at, cost, inputs)]


def pad(writer, step, inputs):
    """Entries with others around them."""
    (x, fill), aval = inputs, step.eqn.outvars[0].aval
    config = step.eqn.params["padding_config"]
    if any(min(low, high) < 0 or inside for low, high, inside in config):
        raise MissingError("pad inside or with less than nothing")

    def at(index: Index) -> str:
        source, tests = [], []
        for place, n, (low, _, _) in zip(index, x.shape, config, strict=True):
            source.append(plus(place, -low))
            if isinstance(place, int):
                if not 0 <= place - low < n:
                    return fill.at(())
            elif (low, n) != (0, aval.shape[len(source) - 1]):
                tests.append(f"(U){source[-1]} < {n}u")
        with writer.guarded():
            text = x.at(tuple(source))
        return f"({' && '.join(tests)} ? {text} : {fill.at(())})" if tests else text

    return [writer.lazy(aval.shape, aval.dtype, at, x.cost + 2, inputs)]


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
FOLDED = {
    "broadcast_in_dim": broadcast_in_dim,
    "concatenate": concatenate,
    "pad": pad,
    "reshape": reshape,
    "rev": rev,
    "slice": slice_,
    "squeeze": reshape,
    "transpose": transpose,
}
MOVES = FOLDED | {
    "dynamic_slice": dynamic_slice,
    "gather": gather,
    "iota": iota,
}
