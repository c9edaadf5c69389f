"""Reductions along some axes of an array, entry by entry."""

from functools import partial

import numpy as np

from jaxbandits.engine.gpu.moves import from_end
from jaxbandits.engine.gpu.values import literal


def first_of(function: str, dtype: str) -> str:
    """The neutral element: 0 of a sum, the least number of a maximum."""
    kind = np.dtype(dtype)
    if function in ("greater", "lesser"):
        if kind.kind == "f":
            return "(-INF_)" if function == "greater" else "INF_"
        limits = np.iinfo(kind)
        return literal(kind.type(limits.min if function == "greater" else limits.max))
    return literal(kind.type(function in ("product", "conjunction")))


def fold(function: str, writer, step, inputs):
    """A reduction along some axes, or a running one along an axis."""
    (x,), aval, params = inputs, step.eqn.outvars[0].aval, step.eqn.params
    each = step.name in RUNNING
    axes = (params["axis"],) if each else params["axes"]
    kept = [axis for axis in range(len(x.shape)) if axis not in axes]
    result = writer.array(aval.shape, x.dtype)

    def along(outer):
        name = writer.name("r")
        writer.line(f"{x.type} {name} = {first_of(function, x.dtype)};")

        def body(inner):
            if params.get("reverse"):
                inner = (from_end(*inner, x.shape[axes[0]]),)
            places = dict(zip((*kept, *axes), (*outer, *inner), strict=True))
            index = tuple(places[axis] for axis in range(len(x.shape)))
            writer.line(f"{name} = {function}({name}, {x.at(index)});")
            if each:
                writer.line(f"{result.at(index)} = {name};")

        writer.over([x.shape[axis] for axis in axes], body)
        if not each:
            writer.line(f"{result.at(outer)} = {name};")

    writer.over([x.shape[axis] for axis in kept], along)
    return [result]


FUNCTIONS = {
    "and": "conjunction",
    "max": "greater",
    "min": "lesser",
    "or": "disjunction",
    "prod": "product",
    "sum": "sum",
}
REDUCTIONS = {f"reduce_{name}": partial(fold, f) for name, f in FUNCTIONS.items()}
RUNNING = {f"cum{name}": name for name in ("max", "min", "prod", "sum")}
REDUCTIONS |= {name: partial(fold, FUNCTIONS[of]) for name, of in RUNNING.items()}
