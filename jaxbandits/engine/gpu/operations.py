"""What a primitive becomes in a kernel: a value that knows how to compute an entry.

Element by element wherever it can; what gathers entries (sums, running totals) goes
through them in a loop.
"""

import math
import operator
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from jaxbandits.engine.gpu import special
from jaxbandits.engine.gpu.positions import (
    in_a_row,
    number,
    plus,
    reshaped,
    times,
)
from jaxbandits.engine.gpu.space import IN_REGISTERS, Space
from jaxbandits.engine.gpu.values import (
    Computed,
    Draws,
    Entries,
    Joined,
    Known,
    Moved,
    Put,
    Reduced,
    Stored,
    Value,
    clipped,
    shifted,
)

# What Triton does entry by entry.
ELEMENTWISE = frozenset(
    "abs acos acosh add and asin asinh atan atan2 atanh cbrt ceil clamp "
    "convert_element_type cos cosh div eq erf_inv exp exp2 expm1 floor ge gt "
    "integer_pow is_finite le log log1p logistic lt max min mul ne neg nextafter not "
    "or population_count pow rem rsqrt select_n shift_left shift_right_arithmetic "
    "shift_right_logical sign sin sinh sqrt square sub tan tanh xor".split()
)
# What it lacks, from operations that it has.
REWRITTEN = {
    "add_any": lax.add,
    "erf": special.erf,
    "erfc": special.erfc,
    "round": special.round_to_even,
}
# Take several instructions.
DEAR_OPERATIONS = frozenset(
    "acos acosh asin asinh atan atan2 atanh cbrt cos cosh div erf erf_inv erfc exp "
    "exp2 expm1 log log1p logistic pow rem sin sinh sqrt tan tanh".split()
)
DEAR_COST = 6
# Operations that cost more than to store their result and to load it.
DEAR = 12
LARGEST_FOLDED = 4096  # entries of a table that is computed while the kernel is written
TO_EVEN = lax.RoundingMethod.TO_NEAREST_EVEN


class Missing(Exception):  # noqa: N818  (what is missing, not what went wrong)
    """A part of the program has no rule; the argument names it."""


def is_elementwise(name: str) -> bool:
    """Whether an operation goes entry by entry."""
    return name in ELEMENTWISE or name in REWRITTEN


def elementwise(space: Space, step, inputs) -> Value:
    """An operation entry by entry; numbers go with arrays."""
    name, eqn = step.name, step.eqn
    (out,) = eqn.outvars
    shape, dtype = out.aval.shape, out.aval.dtype
    if name == "select_n" and (len(inputs) != 3 or inputs[0].dtype != bool):
        raise Missing("select_n between more than two")
    if name == "round" and eqn.params["rounding_method"] != TO_EVEN:
        raise Missing("round away from zero")
    if all(isinstance(x, Known) for x in inputs) and out.aval.size <= LARGEST_FOLDED:
        return Known(space, folded(eqn, [x.array for x in inputs]))
    # An axis of length 1 spreads; numbers go with arrays as they are.
    inputs = [_spread(x, range(len(shape)), shape) if x.shape else x for x in inputs]
    compute = partial(_computed, space, name, eqn, inputs[0].dtype)
    cost = DEAR_COST if name in DEAR_OPERATIONS else 1
    value = Computed(space, compute, inputs, shape, dtype, cost)
    return value if shape else Entries(space, [value.entry(())], (), dtype)


def folded(eqn, arrays) -> np.ndarray:
    """The result of an operation on constants."""
    with jax.ensure_compile_time_eval():
        return np.asarray(eqn.primitive.bind(*map(jnp.asarray, arrays), **eqn.params))


def _computed(space, name, eqn, dtype, *entries):
    if any(jnp.ndim(x) for x in entries):
        entries = [space.spread(x) for x in entries]
    elif not any(isinstance(x, jax.core.Tracer) for x in entries):
        return folded(eqn, entries)[()]
    if name in ("max", "min") and dtype.kind == "b":
        return entries[0] | entries[1] if name == "max" else entries[0] & entries[1]
    if name in REWRITTEN:
        return REWRITTEN[name](*entries)
    return eqn.primitive.bind(*entries, **eqn.params)


def settled(space: Space, value: Value) -> Value:
    """A value that is read more than once, computed once."""
    if isinstance(value, Entries | Known | Stored) or not value.size:
        return value
    # Words are drawn in pairs, and not in vain.
    few = isinstance(value, Draws) or value.size * value.cost <= space.style.settled
    if few and value.size <= IN_REGISTERS:
        entries = [value.entry(i) for i in np.ndindex(value.shape)]
        return Entries(space, entries, value.shape, value.dtype)
    memory = space.scratch(value.size, value.dtype)
    after = Stored(space, memory, value.shape)

    def keep(index, carry):
        space.store(memory, in_a_row(index, value.shape), value.entry(index))
        return carry

    space.over(value.shape, value.cost + 1, keep)
    return after


def reshape(space, step, inputs) -> Value:
    (x,), shape = inputs, step.eqn.outvars[0].aval.shape
    if not shape:
        return Entries(space, [x.entry((0,) * len(x.shape))], (), x.dtype)
    if isinstance(x, Known):
        return Known(space, x.array.reshape(shape))
    if isinstance(x, Stored):
        return Stored(space, x.memory, shape)
    if isinstance(x, Entries):
        return Entries(space, x.entries, shape, x.dtype)
    if isinstance(x, Moved) and x.in_order:
        x = x.operand
        return x if x.shape == shape else _in_order(x, shape)
    return _in_order(x, shape)


def _in_order(x: Value, shape) -> Value:
    source = partial(_back, x.shape, shape)
    return Moved(x, source, shape, None, in_order=True)


def _back(before, after, index):
    return reshaped(index, before, after)


def number_or(space, value: Value) -> Value:
    """A value of shape ``()`` as a number."""
    if value.shape or isinstance(value, Entries | Known):
        return value
    return Entries(space, [value.entry(())], (), value.dtype)


def broadcast(space, step, inputs) -> Value:
    (x,), shape = inputs, step.eqn.outvars[0].aval.shape
    dims = step.eqn.params["broadcast_dimensions"]
    if not shape or math.prod(shape) == x.size:
        return reshape(space, step, inputs)
    return _spread(x, dims, shape)


def _spread(x: Value, dims, shape) -> Value:
    """A value whose axes are those at `dims` of a shape, or of length 1."""
    if x.shape == tuple(shape):
        return x
    if x.cost > DEAR:
        x = settled(x.space, x)  # or it would be computed anew for every entry

    def source(index):
        spread = zip(dims, x.shape, strict=True)
        return tuple(0 if n == 1 else index[d] for d, n in spread)

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
    return Joined(parts, step.eqn.params["dimension"], shape)


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


def _lowest(dtype):
    return -np.inf if dtype.kind == "f" else np.iinfo(dtype).min


def _highest(dtype):
    return np.inf if dtype.kind == "f" else np.iinfo(dtype).max


# What a reduction begins with, and how it goes on.
REDUCTIONS = {
    "sum": (lambda dtype: 0, operator.add),
    "prod": (lambda dtype: 1, operator.mul),
    "max": (_lowest, jnp.maximum),
    "min": (_highest, jnp.minimum),
    "and": (lambda dtype: True, operator.and_),
    "or": (lambda dtype: False, operator.or_),
}


def first_of(kind: str, dtype):
    """What a reduction begins with."""
    begin, _ = REDUCTIONS[kind]
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
    _, join = REDUCTIONS[kind]

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
    _, join = REDUCTIONS[kind]
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


def iota(space, step, inputs) -> Value:
    (out,), params = step.eqn.outvars, step.eqn.params
    places = np.indices(out.aval.shape)[params["dimension"]]
    return Known(space, places.astype(out.aval.dtype))


# Read through: entries at other indices.
MOVES = {
    "broadcast_in_dim": broadcast,
    "reshape": reshape,
    "squeeze": reshape,
    "transpose": transpose,
    "rev": reverse,
    "slice": cut,
    "dynamic_slice": dynamic_cut,
    "concatenate": concatenate,
    "pad": pad,
}
STRUCTURE = MOVES | {"iota": iota, "dynamic_update_slice": update_slice}
STRUCTURE |= {
    f"reduce_{kind}": partial(reduce, kind)
    for kind in ("sum", "prod", "max", "min", "and", "or")
}
STRUCTURE |= {
    f"cum{kind}": partial(running, kind) for kind in ("sum", "prod", "max", "min")
}
