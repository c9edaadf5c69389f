"""The named kernels of `jaxbandits.arrays`, for one run."""

import math

from jax import lax

from jaxbandits.engine.gpu.reductions import first_of
from jaxbandits.engine.gpu.values import Index, Put, Value, flat_place, plus, stored


def first_argmax(writer, step, inputs):
    """One pass, with the largest entry so far and its place."""
    (x,) = inputs
    best, result = writer.name("b"), writer.name("b")
    writer.line(f"{x.type} {best} = {first_of('greater', x.dtype)};")
    writer.line(f"I {result} = 0;")

    def body(index):
        entry = writer.number(x.at(index), x.dtype).at(())
        place = flat_place(index, x.shape)
        writer.line(f"{result} = {entry} > {best} ? {place} : {result};")
        writer.line(f"{best} = greater({best}, {entry});")

    writer.over(x.shape, body)
    # The largest is NaN if an entry is.
    writer.line(f"{result} = {best} == {best} ? {result} : {math.prod(x.shape)};")
    return [Value((), "int32", lambda index: result)]


def pick(writer, step, inputs):
    """A row; the nearest one for an index out of range."""
    x, index = inputs
    shape = step.eqn.outvars[0].aval.shape
    place = writer.clipped(index, x.shape[0])
    return [writer.lazy(shape, x.dtype, lambda i: x.at((place, *i)), x.cost, [x])]


def _with_row(x: Value, index: Index, row: Value) -> list[Value]:
    def at(place: Index) -> str:
        pairs = zip(place, index, strict=False)
        here = " && ".join(f"{a} == {b}" for a, b in pairs)
        return f"({here} ? {row.spread_at(place[len(index) :])} : {x.at(place)})"

    put = Put(x, index, row)
    cost = x.cost + row.cost + 2
    return [Value(x.shape, x.dtype, at, cost, [x, row], aligned=True, put=put)]


def put(writer, step, inputs):
    """A row that replaces another: it is computed now and stored later."""
    x, index, row = inputs
    return _with_row(x, (index.at(()),), writer.store(row))


def tally(writer, step, inputs):
    """One more at a place."""
    counts, *index = inputs
    places = tuple(x.at(()) for x in index)
    pairs = zip(index, counts.shape, strict=True)
    inside = tuple(writer.clipped(x, n) for x, n in pairs)
    more = writer.number(f"({counts.at(inside)} + 1)", counts.dtype)
    return _with_row(counts, places, more)


def tape_row(writer, step, inputs):
    """Words of the tape: an encryption gives two, of columns j and j + half."""
    high, low, round_ = (x.at(()) for x in inputs)
    (width,) = step.eqn.outvars[0].aval.shape
    half = (width + 1) // 2
    words = writer.array((2 * half,), "uint32")

    def draw(index):
        pair = words.at(index), words.at((plus(*index, half),))
        key = f"{high}, {low}, to_U({round_}), to_U({index[0]})"
        writer.line(f"threefry({key}, {', '.join(pair)});")

    writer.over((half,), draw)
    return [stored(words.memory, (width,), words.dtype)]


FORMS = {form.__name__: form for form in (first_argmax, pick, put, tally, tape_row)}


def _window(x, start, *, jaxpr, **_):
    """A slice."""
    return lax.dynamic_slice(x, (start,), jaxpr.out_avals[0].shape)


def _row_of(index, starts, **_):
    """A division by the number of columns."""
    return lax.div(index, starts[0])


# Further kernels, as functions of arrays in JAX's primitives.
REWRITTEN = {"window": _window, "row_of": _row_of}
