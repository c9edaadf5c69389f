"""The kernels that policies call by name, in the form that suits one thread per run."""

import jax.numpy as jnp
import numpy as np
from jax import lax

from jaxbandits.arrays import position
from jaxbandits.arrays._outermost import RIGHT
from jaxbandits.engine.gpu.moves import position_of, stretch
from jaxbandits.engine.gpu.positions import in_a_row, number
from jaxbandits.engine.gpu.reductions import first_of
from jaxbandits.engine.gpu.settling import number_or
from jaxbandits.engine.gpu.values import (
    ROW,
    Draws,
    Entries,
    Moved,
    Put,
    Stored,
    Value,
    clipped,
)
from jaxbandits.engine.tape import Key

COUNTED = 4  # operations by which an entry is compared and counted


def first_argmax(space, step, inputs) -> Value:
    """One loop: the largest entry so far, and where it stood."""
    (x,) = inputs
    while isinstance(x, Moved) and x.in_order:
        x = x.operand

    def body(index, best):
        entry = space.spread(jnp.asarray(x.entry(index)))
        higher = entry > best[0]
        here = space.spread(number(in_a_row(index, x.shape)))
        return jnp.where(higher, entry, best[0]), jnp.where(higher, here, best[1])

    begin = space.spread(first_of("max", x.dtype)), space.spread(jnp.int32(0))
    _, found = space.over(x.shape, x.cost + 3, body, begin)
    return Entries(space, [found], (), jnp.int32)


def random_argmax(space, step, inputs) -> Value:
    """Twice: how many are largest, and then which of them it is."""
    x, word = inputs
    # Entries that are computed while a loop runs are kept for the second one.
    loops = not space.writes_out(x.shape, x.cost + COUNTED)
    kept = space.scratch(x.size, x.dtype) if loops and x.cost > COUNTED else None

    def count(index, best):
        entry = space.spread(jnp.asarray(x.entry(index)))
        if kept is not None:
            space.store(kept, index[0], entry)
        largest, ties = best
        more = ties + (entry == largest).astype(jnp.int32)
        ties = jnp.where(entry > largest, 1, more)
        return jnp.maximum(entry, largest), ties

    begin = space.spread(first_of("max", x.dtype)), space.spread(jnp.int32(0))
    largest, ties = space.over(x.shape, x.cost + COUNTED, count, begin)
    again = x if kept is None else Stored(space, kept, x.shape)
    chosen = position(space.spread(jnp.asarray(word.entry(()))), ties)

    def before(index, state):
        rank, found = state
        entry = space.spread(jnp.asarray(again.entry(index)))
        rank = rank + (entry == largest).astype(jnp.int32)
        return rank, found + (rank <= chosen).astype(jnp.int32)

    begin = (space.spread(jnp.int32(0)),) * 2
    _, found = space.over(x.shape, again.cost + COUNTED, before, begin)
    return Entries(space, [found], (), jnp.int32)


def pick(space, step, inputs) -> Value:
    x, index = inputs
    at = clipped(position_of(index), 1, x.shape[0])
    row = Moved(x, lambda inner: (at, *inner), x.shape[1:], ROW)
    return number_or(space, row)


def put(space, step, inputs) -> Value:
    x, index, row = inputs
    wide, narrow = x.shape[1:], row.shape

    def source(inner):
        # As numpy broadcasts: missing axes in front, those of length 1 spread.
        own = inner[len(inner) - len(narrow) :]
        return tuple(0 if n == 1 else i for i, n in zip(own, narrow, strict=True))

    row = row if narrow == wide else Moved(row, source, wide)
    return Put(x, (position_of(index),), row)


def tally(space, step, inputs) -> Value:
    counts, *index = inputs
    at = tuple(map(position_of, index))
    inside = (clipped(i, 1, n) for i, n in zip(at, counts.shape, strict=True))
    entry = counts.entry(tuple(inside))
    more = Entries(space, [entry + jnp.asarray(1, counts.dtype)], (), counts.dtype)
    return Put(counts, at, more)


def window(space, step, inputs) -> Value:
    x, start = inputs
    shape = step.eqn.outvars[0].aval.shape
    return stretch(x, (clipped(position_of(start), *shape, *x.shape),), shape)


def outer_count(space, step, inputs) -> Value:
    """Both numbers are looked for in halves, and not counted."""
    mask, middle = inputs
    (size,), middle = mask.shape, space.spread(jnp.asarray(middle.entry(())))
    most = middle + 1, jnp.int32(size) - 1 - middle
    half = np.int32(1 << (size.bit_length() - 1))

    def body(i, found):
        more = [n + lax.shift_right_logical(half, i) for n in found]
        places = more[0] - 1, size - more[1]
        return [
            jnp.where((m <= end) & mask.entry((clipped(place, 1, size),)), m, n)
            for n, m, end, place in zip(found, more, most, places, strict=True)
        ]

    left, right = space.loop(size.bit_length(), body, (jnp.int32(0),) * 2)
    return Entries(space, [left + (right << RIGHT)], (), jnp.int32)


def row_of(space, step, inputs) -> Value:
    index, starts = (
        space.spread(jnp.asarray(x.entry(i)))
        for x, i in zip(inputs, ((), (0,)), strict=True)
    )
    return Entries(space, [lax.div(index, starts)], (), jnp.int32)


def tape_row(space, step, inputs) -> Value:
    high, low, round_ = (x.entry(()) for x in inputs)
    return Draws(space, Key(high, low), round_, step.eqn.outvars[0].aval.size)


FORMS = {
    "first_argmax": first_argmax,
    "random_argmax": random_argmax,
    "pick": pick,
    "put": put,
    "outer_count": outer_count,
    "tally": tally,
    "row_of": row_of,
    "window": window,
    "tape_row": tape_row,
}
