"""Sums, extremes and running totals: loops over entries."""

import operator
from functools import partial

import jax.numpy as jnp
import numpy as np

from jaxbandits.engine.gpu.operations import folded
from jaxbandits.engine.gpu.positions import in_a_row, number, plus
from jaxbandits.engine.gpu.program import Missing
from jaxbandits.engine.gpu.values import Entries, Known, Moved, Reduced, Stored, Value


def _lowest(dtype):
    return -np.inf if dtype.kind == "f" else np.iinfo(dtype).min


def _highest(dtype):
    return np.inf if dtype.kind == "f" else np.iinfo(dtype).max


# What a reduction begins with, and how it goes on.
JOINS = {
    "sum": (lambda dtype: 0, operator.add),
    "prod": (lambda dtype: 1, operator.mul),
    "max": (_lowest, jnp.maximum),
    "min": (_highest, jnp.minimum),
    "and": (lambda dtype: True, operator.and_),
    "or": (lambda dtype: False, operator.or_),
}


def first_of(kind: str, dtype):
    """What a reduction begins with."""
    begin, _ = JOINS[kind]
    return np.asarray(begin(np.dtype(dtype)), dtype)[()]


def reduce(kind: str, space, step, inputs) -> Value:
    (x,), axes = inputs, step.eqn.params["axes"]
    shape, dtype = step.eqn.outvars[0].aval.shape, step.eqn.outvars[0].aval.dtype
    if kind in ("and", "or") and x.dtype != bool:
        raise Missing(f"reduce_{kind} of whole numbers")
    if isinstance(x, Known):
        return Known(space, folded(step.eqn, [x.array]))
    if not axes:
        return x
    _, join = JOINS[kind]

    def total(operand, at, lengths):
        def body(inner, so_far):
            entry = at(inner)
            if so_far is None:
                return entry
            values = so_far, entry
            if any(jnp.ndim(x) for x in values):
                values = [space.spread(x) for x in values]
            return join(*map(jnp.asarray, values))

        if space.writes_out(lengths, operand.cost + 1):
            begin = None  # the first entry
        else:
            begin = space.spread(first_of(kind, dtype))
        found = space.over(lengths, operand.cost + 1, body, begin)
        return first_of(kind, dtype) if found is None else found

    if not shape:
        while isinstance(x, Moved) and x.in_order:
            x = x.operand
        value = Reduced(total, x, tuple(range(len(x.shape))), ())
        return Entries(space, [value.entry(())], (), dtype)
    return Reduced(total, x, tuple(axes), shape)


def running(kind: str, space, step, inputs) -> Value:
    """Running totals, in a loop that carries them."""
    (x,), axis = inputs, step.eqn.params["axis"]
    backwards, (out,) = step.eqn.params["reverse"], step.eqn.outvars
    length, others = x.shape[axis], (*x.shape[:axis], *x.shape[axis + 1 :])
    _, join = JOINS[kind]
    few = space.writes_out(x.shape, x.cost + 2)
    memory = None if few else space.scratch(x.size, out.aval.dtype)
    entries = {}

    def along(other, carry):
        def body(inner, so_far):
            (i,) = inner
            if backwards:
                i = plus(length - 1, -i if isinstance(i, int) else -number(i))
            index = (*other[:axis], i, *other[axis:])
            total = join(so_far, space.spread(jnp.asarray(x.entry(index))))
            if few:
                entries[index] = total
            else:
                space.store(memory, in_a_row(index, x.shape), total)
            return total

        begin = space.spread(first_of(kind, out.aval.dtype))
        if few:
            for i in range(length):
                begin = body((i,), begin)
        else:
            space.over((length,), x.cost + 2, body, begin)
        return carry

    if few:
        for other in np.ndindex(others):
            along(other, ())
    else:
        space.over(others, (x.cost + 2) * length, along)
    if few:
        entries = [entries[i] for i in np.ndindex(x.shape)]
        return Entries(space, entries, x.shape, out.aval.dtype)
    return Stored(space, memory, x.shape)


REDUCTIONS = {
    f"reduce_{kind}": partial(reduce, kind)
    for kind in ("sum", "prod", "max", "min", "and", "or")
}
REDUCTIONS |= {
    f"cum{kind}": partial(running, kind) for kind in ("sum", "prod", "max", "min")
}
