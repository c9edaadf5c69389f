"""The primitives of `jaxbandits.arrays` that policies call by name, for one run."""

import numpy as np

from jaxbandits.engine.gpu.reductions import first_of
from jaxbandits.engine.gpu.values import (
    Index,
    Memory,
    Put,
    Value,
    flat_place,
    place_of,
    plus,
    spread,
    stored,
)

COUNTED = 4  # operations by which an entry is compared and counted


def _variable(writer, dtype, text: str) -> str:
    """The name of a number that is counted or looked for."""
    name = writer.name("b")
    writer.line(f"{dtype} {name} = {text};")
    return name


def _number(name: str, dtype: str = "int32") -> list[Value]:
    return [stored(Memory(name, "", 1), (), dtype)]


def first_argmax(writer, step, inputs):
    """One pass: the largest entry so far, and where it stood."""
    (x,) = inputs
    best = _variable(writer, x.type, first_of("greater", x.dtype))
    result = _variable(writer, "I", "0")

    def body(index):
        entry = writer.number(x.at(index), x.dtype).at(())
        place = flat_place(index, x.shape)
        writer.line(f"{result} = {entry} > {best} ? {place} : {result};")
        writer.line(f"{best} = {entry} > {best} ? {entry} : {best};")

    writer.over(x.shape, body)
    return _number(result)


def random_argmax(writer, step, inputs):
    """Two passes: how many entries are largest, and then which of them it is."""
    x, word = inputs
    x = writer.once(x, COUNTED)
    best = _variable(writer, x.type, first_of("greater", x.dtype))
    ties = _variable(writer, "I", "0")

    def count(index):
        entry = writer.number(x.at(index), x.dtype).at(())
        more = f"{ties} + ({entry} == {best})"
        writer.line(f"{ties} = {entry} > {best} ? 1 : {more};")
        writer.line(f"{best} = {entry} > {best} ? {entry} : {best};")

    writer.over(x.shape, count)
    chosen = writer.number(f"high_word({word.at(())}, (U){ties})", "int32").at(())
    rank, result = (_variable(writer, "I", "0") for _ in range(2))

    def before(index):
        writer.line(f"{rank} += {x.at(index)} == {best};")
        writer.line(f"{result} += {rank} <= {chosen};")

    writer.over(x.shape, before)
    return _number(result)


def pick(writer, step, inputs):
    """A row; one that has just been put is at hand."""
    x, index = inputs
    aval = step.eqn.outvars[0].aval
    if x.put is not None and x.put.index == (place_of(index),):
        return [x.put.row]
    place = writer.clipped(index, x.shape[0])
    return [writer.lazy(aval.shape, x.dtype, lambda i: x.at((place, *i)), x.cost, [x])]


def _with_row(x: Value, index: Index, row: Value) -> list[Value]:
    def at(place: Index) -> str:
        pairs = zip(place, index, strict=False)
        here = " && ".join(f"{a} == {b}" for a, b in pairs)
        return f"({here} ? {row.at(place[len(index) :])} : {x.at(place)})"

    put = Put(x, index, row)
    cost = x.cost + row.cost + 2
    return [Value(x.shape, x.dtype, at, cost, [x, row], aligned=True, put=put)]


def put(writer, step, inputs):
    """Another row in the place of one, which is computed now and stored later."""
    x, index, row = inputs
    shape = x.shape[1:]
    row = writer.store(row)

    def at(inner: Index) -> str:
        # As numpy broadcasts: missing axes in front, those of length 1 spread.
        return row.at(spread(inner[len(inner) - len(row.shape) :], row.shape))

    wide = Value(shape, row.dtype, at, row.cost, [row])
    wide = row if row.shape == shape else wide
    return _with_row(x, (place_of(index),), wide)


def tally(writer, step, inputs):
    """One more at a place."""
    counts, *index = inputs
    places = tuple(place_of(x) for x in index)
    pairs = zip(index, counts.shape, strict=True)
    inside = tuple(writer.clipped(x, n) for x, n in pairs)
    more = writer.number(f"({counts.at(inside)} + 1)", counts.dtype)
    return _with_row(counts, places, more)


def window(writer, step, inputs):
    """Neighbours from a place on."""
    x, start = inputs
    (size,) = step.eqn.outvars[0].aval.shape
    first = writer.clipped(start, x.shape[0] - size + 1)
    return [
        writer.lazy((size,), x.dtype, lambda i: x.at((plus(first, i[0]),)), x.cost, [x])
    ]


def row_of(writer, step, inputs):
    """A division by the number of columns."""
    index, starts = inputs
    return [writer.number(f"({index.at(())} / {starts.at((0,))})", "int32")]


def multiply_add(writer, step, inputs):
    """A product and a sum in one rounding."""
    aval = step.eqn.outvars[0].aval

    def at(index: Index) -> str:
        texts = (x.at(spread(index, x.shape)) for x in inputs)
        return f"multiply_add({', '.join(texts)})"

    cost = 1 + sum(x.cost for x in inputs)
    return [writer.lazy(aval.shape, aval.dtype, at, cost, inputs)]


def tape_row(writer, step, inputs):
    """Words of the tape: one encryption yields two, columns j and j + half."""
    high, low, round_ = (x.at(()) for x in inputs)
    (width,) = step.eqn.outvars[0].aval.shape
    if not width:
        return [writer.constant(np.zeros(0, np.uint32))]
    half = (width + 1) // 2
    words = writer.array((2 * half,), "uint32")

    def draw(index):
        pair = words.at(index), words.at((plus(index[0], half),))
        key = f"{high}, {low}, to_U({round_}), to_U({index[0]})"
        writer.line(f"threefry({key}, {', '.join(pair)});")
        writer.operations += 60

    writer.over((half,), draw)
    return [stored(words.memory, (width,), words.dtype)]


FORMS = {
    "first_argmax": first_argmax,
    "multiply_add": multiply_add,
    "pick": pick,
    "put": put,
    "random_argmax": random_argmax,
    "row_of": row_of,
    "tally": tally,
    "tape_row": tape_row,
    "window": window,
}
