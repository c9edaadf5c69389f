"""Sums and the like, along some axes of an array, entry by entry."""

from functools import partial

import numpy as np

from jaxbandits.engine.gpu.moves import from_end
from jaxbandits.engine.gpu.values import Memory, literal, stored


def first_of(function: str, dtype: str) -> str:
    """What changes nothing: 0 of a sum, the least number of a maximum."""
    kind = np.dtype(dtype)
    if function in ("greater", "lesser"):
        if kind.kind == "f":
            return "(-INF_)" if function == "greater" else "INF_"
        limits = np.iinfo(kind)
        return literal(kind.type(limits.min if function == "greater" else limits.max))
    return literal(kind.type(function in ("product", "conjunction")))


def reduce(function: str, writer, step, inputs):
    """One number of all entries along some axes."""
    (x,), aval = inputs, step.eqn.outvars[0].aval
    axes = step.eqn.params["axes"]
    kept = [axis for axis in range(len(x.shape)) if axis not in axes]

    def total(outer) -> str:
        name = writer.name("r")
        writer.line(f"{x.type} {name} = {first_of(function, x.dtype)};")

        def body(inner):
            index = dict(zip(axes, inner, strict=True))
            index |= dict(zip(kept, outer, strict=True))
            entry = x.at(tuple(index[axis] for axis in range(len(x.shape))))
            writer.line(f"{name} = {function}({name}, {entry});")

        writer.over([x.shape[axis] for axis in axes], body)
        return name

    if not aval.shape:
        return [stored(Memory(total(()), "", 1), (), x.dtype)]
    result = writer.array(aval.shape, x.dtype)
    writer.over(
        aval.shape, lambda index: writer.line(f"{result.at(index)} = {total(index)};")
    )
    return [result]


def running(function: str, writer, step, inputs):
    """Of every entry, what `reduce` would give up to there."""
    (x,), axis = inputs, step.eqn.params["axis"]
    result, length = writer.array(x.shape, x.dtype), x.shape[axis]

    def along(outer):
        name = writer.name("r")
        writer.line(f"{x.type} {name} = {first_of(function, x.dtype)};")

        def body(inner):
            place = inner[0]
            if step.eqn.params["reverse"]:
                place = from_end(place, length)
            index = (*outer[:axis], place, *outer[axis:])
            writer.line(f"{name} = {function}({name}, {x.at(index)});")
            writer.line(f"{result.at(index)} = {name};")

        writer.over((length,), body)

    others = (*x.shape[:axis], *x.shape[axis + 1 :])
    writer.over(others, along)
    return [result]


FUNCTIONS = {
    "reduce_and": "conjunction",
    "reduce_max": "greater",
    "reduce_min": "lesser",
    "reduce_or": "disjunction",
    "reduce_prod": "product",
    "reduce_sum": "sum",
}
RUNNING = {
    "cummax": "greater",
    "cummin": "lesser",
    "cumprod": "product",
    "cumsum": "sum",
}
REDUCTIONS = {name: partial(reduce, each) for name, each in FUNCTIONS.items()} | {
    name: partial(running, each) for name, each in RUNNING.items()
}
