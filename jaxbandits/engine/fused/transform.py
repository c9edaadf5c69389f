"""Padded lanes: the one-lane program in operations that a Triton kernel has.

Triton wants arrays whose axes are powers of two, and knows element-wise operations,
broadcasts, transpositions, sums and extremes over an axis, and loops, but no slice, no
concatenation, no gather. `padded_lanes` reads the jaxpr of a function, as
`jaxbandits.engine.lanes` does, and writes it anew with the lane axis last and every
other axis padded; cutting and joining become comparisons of positions and masked sums.
What it has no rule for is reported by name.
"""

from collections.abc import Callable
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.extend.core import ClosedJaxpr, Literal

from jaxbandits.engine.fused import reductions, special, windows
from jaxbandits.engine.fused.draws import at_columns
from jaxbandits.engine.fused.padded import (
    Constants,
    Padded,
    Spread,
    Table,
    known,
    pad,
    padded_shape,
    spread,
)
from jaxbandits.engine.jaxprs import CALLS, SAME, expanded, scan_counts
from jaxbandits.engine.tape import Key

# What both Triton's lowering and this transform do entry by entry.
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
TO_EVEN = lax.RoundingMethod.TO_NEAREST_EVEN
# Entries of an array times entries of its new shape, for a reshape that moves numbers.
LARGEST_RESHAPE = 4096


class Missing(Exception):  # noqa: N818  (what is missing, not what went wrong)
    """A part of the program has no rule; the argument names it."""


class Evaluator:
    """Writes a jaxpr anew, equation by equation.

    Attributes:
      num_lanes: length of the lane axis.
      constants: arrays of the program, which become inputs of a kernel.
      missing: names of what has no rule; None to raise `Missing` at the first.
    """

    def __init__(self, num_lanes: int, missing: set | None = None):
        self.num_lanes, self.constants = num_lanes, Constants()
        self.missing = missing

    def jaxpr(self, closed: ClosedJaxpr, inputs: list[Padded]) -> list[Padded]:
        """The outputs of a program."""
        jaxpr = closed.jaxpr
        env = dict(zip(jaxpr.invars, inputs, strict=True))
        consts = [self.known(c) for c in closed.consts]
        env.update(zip(jaxpr.constvars, consts, strict=True))

        def read(atom) -> Padded:
            if isinstance(atom, Literal):
                return self.known(np.asarray(atom.val, atom.aval.dtype))
            return env[atom]

        for eqn in jaxpr.eqns:
            outputs = self.equation(eqn, [read(v) for v in eqn.invars])
            env.update(zip(eqn.outvars, outputs, strict=True))
        return [read(v) for v in jaxpr.outvars]

    def equation(self, eqn, inputs: list[Padded]) -> list[Padded]:
        """The outputs of one equation."""
        name, params = eqn.primitive.name, eqn.params
        if name in CALLS:
            if params.get("name") == "tape_row":
                return [self.tape_row(eqn, inputs)]
            inner = params[CALLS[name]]
            if not isinstance(inner, ClosedJaxpr):
                inner = ClosedJaxpr(inner, ())
            return self.jaxpr(inner, inputs)
        if name in SAME or name == "optimization_barrier":
            return inputs
        if name in LOOPS:
            return LOOPS[name](self, eqn, inputs)
        if all(x.known for x in inputs):
            return self.folded(eqn, inputs)
        if (inner := expanded(eqn)) is not None:
            return self.jaxpr(inner, inputs)
        if eqn.outvars[0].aval.dtype.itemsize == 8:
            return self.unknown(eqn, "64-bit numbers")
        if name in MOVES and _still_drawn(inputs[0], eqn):
            return [self.moved(eqn, inputs[0])]
        try:
            if name == "round" and eqn.params["rounding_method"] != TO_EVEN:
                raise Missing("round away from zero")
            if name in ELEMENTWISE or name in REWRITTEN:
                return [self.elementwise(eqn, inputs)]
            if name in STRUCTURE:
                return [STRUCTURE[name](self, eqn, inputs)]
        except Missing as missing:
            return self.unknown(eqn, str(missing))
        return self.unknown(eqn, name)

    def unknown(self, eqn, name: str) -> list[Padded]:
        """Stand-ins for the outputs of an operation that has no rule."""
        if self.missing is None:
            raise Missing(name)
        self.missing.add(name)
        return [
            self.batched(
                jnp.zeros((*padded_shape(v.aval.shape), self.num_lanes), v.aval.dtype),
                v.aval.shape,
            )
            for v in eqn.outvars
        ]

    def known(self, array) -> Padded:
        """A value known on the host."""
        return known(array, self.constants)

    def batched(self, value, shape) -> Padded:
        """A value with a lane axis."""
        return Padded(value, shape, True)

    def lanes_of(self, inputs) -> int | None:
        """The length of the lane axis of what is computed from these; None for none."""
        return self.num_lanes if any(x.batched for x in inputs) else None

    def folded(self, eqn, inputs) -> list[Padded]:
        """Numbers known on the host stay there."""
        arrays = [x.origin.array for x in inputs]
        with jax.ensure_compile_time_eval():
            out = eqn.primitive.bind(*map(jnp.asarray, arrays), **eqn.params)
            out = out if eqn.primitive.multiple_results else [out]
            return [self.known(x) for x in out]

    def moved(self, eqn, x: Padded) -> Padded:
        """Uniforms that are not yet drawn change places by their columns."""
        (columns,) = self.folded(eqn, [self.known(x.origin.array)])
        table = x.origin._replace(array=columns.origin.array)
        return Padded(None, columns.shape, True, table)

    def elementwise(self, eqn, inputs) -> Padded:
        """An operation entry by entry; scalars go with arrays."""
        name, shape = eqn.primitive.name, eqn.outvars[0].aval.shape
        if name == "select_n":
            if len(inputs) != 3 or eqn.invars[0].aval.dtype != bool:
                raise Missing("select_n between more than two")
            window = windows.selected(*inputs, self.select)
            if window is not None:
                return window
        num_lanes = self.lanes_of(inputs)
        values = [spread(x, shape, num_lanes) for x in inputs]
        if name in ("max", "min") and eqn.invars[0].aval.dtype == bool:
            out = values[0] | values[1] if name == "max" else values[0] & values[1]
        elif name in REWRITTEN:
            out = REWRITTEN[name](*values)
        else:
            out = eqn.primitive.bind(*values, **eqn.params)
        return Padded(out, shape, num_lanes is not None)

    def select(self, condition: Padded, false: Padded, true: Padded) -> Padded:
        """`lax.select_n` for values of one shape, or scalars."""
        inputs = (condition, false, true)
        shape = max((x.shape for x in inputs), key=len)
        num_lanes = self.lanes_of(inputs)
        values = [spread(x, shape, num_lanes) for x in inputs]
        return Padded(lax.select_n(*values), shape, num_lanes is not None)

    def tape_row(self, eqn, inputs) -> Padded:
        """Words of a round, drawn when and in the shape in which they are needed."""
        (out,) = eqn.outvars
        (width,) = out.aval.shape

        def finish(columns):
            shape = (*columns.shape, self.num_lanes)
            high, low, round_ = (
                lax.broadcast_in_dim(x.value, shape, (columns.ndim,) * x.batched)
                for x in inputs
            )
            columns = lax.broadcast_in_dim(columns, shape, range(columns.ndim))
            return at_columns(Key(high, low), round_, columns, width)

        columns = np.arange(width, dtype=np.int32)
        return Padded(None, (width,), True, Table(columns, self.constants, finish))


def _still_drawn(x: Padded, eqn) -> bool:
    """Whether `x` is drawn from the tape, and more than one number of it is wanted.

    One number is taken out of the row: to draw it alone would cost as much.
    """
    drawn = isinstance(x.origin, Table) and not x.known
    return drawn and (np.prod(eqn.outvars[0].aval.shape) > 1 or len(x.shape) == 0)


def apply(evaluator: Evaluator, fn: Callable, *args):
    """Evaluate `fn`, written for one lane.

    Args:
      evaluator: says how many lanes there are.
      fn: function of pytrees of arrays.
      *args: pytrees of `Padded`.

    Returns:
      `fn`'s outputs, a pytree of `Padded`.

    Raises:
      Missing: if something in `fn` has no rule and `evaluator` does not collect names.
    """
    leaves, structure = jax.tree.flatten(args)
    one_lane = [jax.ShapeDtypeStruct(x.shape, x.dtype) for x in leaves]
    closed, out_shape = jax.make_jaxpr(fn, return_shape=True)(
        *jax.tree.unflatten(structure, one_lane)
    )
    outputs = evaluator.jaxpr(closed, leaves)
    return jax.tree.unflatten(jax.tree.structure(out_shape), outputs)


def full(evaluator: Evaluator, x: Padded, dtype):
    """The array of a value with the lane axis, of a given type."""
    value = spread(x, x.shape, evaluator.num_lanes)
    return lax.convert_element_type(value, dtype)


def padded_lanes(fn: Callable, in_lanes: tuple, num_lanes: int) -> Callable:
    """Map `fn` over lanes that lie on the last axis, outside of a kernel.

    Args:
      fn: function of pytrees of arrays, written for one lane.
      in_lanes: per positional argument, whether its leaves have the lane axis or are
        shared by all lanes.
      num_lanes: length of the lane axis.

    Returns:
      A function of the arguments that returns `fn`'s outputs with the lane axis.
    """

    def mapped(*args):
        evaluator = Evaluator(num_lanes)

        def value(x, batched):
            x = jnp.asarray(x)
            shape = x.shape[:-1] if batched else x.shape
            return Padded(pad(x, len(shape)), shape, batched)

        values = [
            jax.tree.map(partial(value, batched=flag), arg)
            for arg, flag in zip(args, in_lanes, strict=True)
        ]
        return jax.tree.map(
            partial(_unpadded, evaluator), apply(evaluator, fn, *values)
        )

    return mapped


def _unpadded(evaluator, x: Padded):
    value = spread(x, x.shape, evaluator.num_lanes)
    return value[tuple(slice(n) for n in x.shape)]


def _broadcast(evaluator, eqn, inputs) -> Padded:
    (x,), shape = inputs, eqn.outvars[0].aval.shape
    origin = Spread(x, tuple(eqn.params["broadcast_dimensions"]), shape)
    return Padded(None, shape, x.batched, origin)


def _reshape(evaluator, eqn, inputs) -> Padded:
    (x,), shape = inputs, eqn.outvars[0].aval.shape
    window = windows.squeezed(x, shape)
    if window is not None:
        return window
    wide = padded_shape(shape)
    if not (_long_axes(x.shape) == _long_axes(shape) or _packed(x.shape, shape)):
        return _reordered(evaluator, eqn, x, shape)
    lanes = x.value.shape[-1:] if x.batched else ()
    return Padded(x.value.reshape(*wide, *lanes), shape, x.batched)


def _long_axes(shape):
    return [n for n in shape if n != 1]


def _packed(*shapes) -> bool:
    """Whether the padding of all is at the end, in row-major order."""
    inner = [n for shape in shapes for n in _long_axes(shape)[1:]]
    return all(n & (n - 1) == 0 for n in inner)


def _reordered(evaluator, eqn, x: Padded, shape) -> Padded:
    """Every entry of the result is looked for among all entries of the operand."""
    wide, narrow = padded_shape(shape), padded_shape(x.shape)
    if np.prod(wide) * np.prod(narrow) > LARGEST_RESHAPE:
        before = eqn.invars[0].aval.str_short(short_dtypes=True)
        raise Missing(f"reshape of {before} to {list(shape)}")
    value, axes = x.value, range(len(x.shape))
    if value.dtype == bool:
        value = value.astype(jnp.int32)
    value = reductions.masked(value, x.shape, axes, 0)
    lanes = value.shape[-1:] if x.batched else ()
    size, out = int(np.prod(narrow)), int(np.prod(wide))
    value = value.reshape(size, *lanes)
    pairs = lax.broadcast_in_dim(
        value, (size, out, *lanes), (0, *range(2, 2 + len(lanes)))
    )
    source, target = (_row_major(s) for s in (x.shape, shape))
    here = [
        lax.broadcast_in_dim(index.reshape(-1), pairs.shape, (axis,))
        for axis, index in enumerate((source, target))
    ]
    moved = reductions.taken(here[0] == here[1], pairs, 0).reshape(*wide, *lanes)
    return Padded(
        lax.convert_element_type(moved, eqn.outvars[0].aval.dtype), shape, x.batched
    )


def _row_major(shape):
    """The row-major position of every entry of a padded array, as if it went on."""
    wide, position, stride = padded_shape(shape), 0, 1
    for axis in reversed(range(len(shape))):
        here = lax.broadcasted_iota(jnp.int32, wide, axis)
        position, stride = position + here * stride, stride * shape[axis]
    return position


def _transpose(evaluator, eqn, inputs) -> Padded:
    (x,), permutation = inputs, eqn.params["permutation"]
    axes = (*permutation, len(permutation)) if x.batched else permutation
    shape = eqn.outvars[0].aval.shape
    return Padded(lax.transpose(x.value, axes), shape, x.batched)


def _slice(evaluator, eqn, inputs) -> Padded:
    (x,), params = inputs, eqn.params
    if params["strides"] is not None and set(params["strides"]) != {1}:
        raise Missing("slice with strides")
    starts, shape = params["start_indices"], eqn.outvars[0].aval.shape
    return _cut(evaluator, x, [evaluator.known(np.int32(s)) for s in starts], shape)


def _dynamic_slice(evaluator, eqn, inputs) -> Padded:
    x, *starts = inputs
    shape = eqn.outvars[0].aval.shape

    def inside(start, n, length):
        """A start beyond the last possible one is moved there, as `lax` does."""
        if start.known:
            return evaluator.known(np.int32(np.clip(start.origin.array, 0, n - length)))
        index = start.value.astype(jnp.int32)
        value = jnp.minimum(jnp.maximum(index, 0), n - length)
        return Padded(value, (), start.batched)

    starts = [inside(*each) for each in zip(starts, x.shape, shape, strict=True)]
    return _cut(evaluator, x, starts, shape)


def _cut(evaluator, x: Padded, starts, shape) -> Padded:
    for axis, (start, length) in enumerate(zip(starts, shape, strict=True)):
        if length != x.shape[axis]:
            x = windows.cut(x, axis, start, length)
    return x


def _concatenate(evaluator, eqn, inputs) -> Padded:
    axis, (out,) = eqn.params["dimension"], eqn.outvars
    num_lanes, offset = evaluator.lanes_of(inputs), 0
    lanes = () if num_lanes is None else (num_lanes,)
    total = jnp.zeros((*padded_shape(out.aval.shape), *lanes), out.aval.dtype)
    for x in inputs:
        if x.shape[axis]:
            total = windows.placed(x, axis, offset, total, num_lanes)
            offset += x.shape[axis]
    return Padded(total, out.aval.shape, num_lanes is not None)


def _pad(evaluator, eqn, inputs) -> Padded:
    x, fill = inputs
    config = [tuple(map(int, each)) for each in eqn.params["padding_config"]]
    if any(low < 0 or high < 0 or inner for low, high, inner in config):
        raise Missing("pad that cuts or spreads")
    num_lanes, shape = evaluator.lanes_of(inputs), x.shape
    for axis, (low, high, _) in enumerate(config):
        if low or high:
            shape = (*shape[:axis], low + shape[axis] + high, *shape[axis + 1 :])
            base = spread(fill, shape, num_lanes)
            x = Padded(
                windows.placed(x, axis, low, base, num_lanes),
                shape,
                num_lanes is not None,
            )
    return x


def _reduce(kind: str, evaluator, eqn, inputs) -> Padded:
    (x,), axes = inputs, eqn.params["axes"]
    if kind in ("and", "or") and eqn.invars[0].aval.dtype != bool:
        raise Missing(f"reduce_{kind} of whole numbers")
    value = reductions.reduce(kind, x.value, x.shape, axes) if axes else x.value
    return Padded(value, eqn.outvars[0].aval.shape, x.batched)


def _running(kind: str, evaluator, eqn, inputs) -> Padded:
    (x,), params = inputs, eqn.params
    value = reductions.running(
        kind, x.value, x.shape, params["axis"], params["reverse"]
    )
    return Padded(value, x.shape, x.batched)


MOVES = frozenset("reshape squeeze slice transpose".split())
STRUCTURE = {
    "broadcast_in_dim": _broadcast,
    "reshape": _reshape,
    "squeeze": _reshape,
    "transpose": _transpose,
    "slice": _slice,
    "dynamic_slice": _dynamic_slice,
    "concatenate": _concatenate,
    "pad": _pad,
}
STRUCTURE |= {
    f"reduce_{kind}": partial(_reduce, kind)
    for kind in ("sum", "prod", "max", "min", "and", "or")
}
STRUCTURE |= {
    f"cum{kind}": partial(_running, kind) for kind in ("sum", "prod", "max", "min")
}


def _scan(evaluator: Evaluator, eqn, inputs) -> list[Padded]:
    """A loop of fixed length; rows are cut out and put in by position."""
    params, body = eqn.params, eqn.params["jaxpr"]
    first, num_carry = scan_counts(params)
    last = first + num_carry
    constants = [x.entered() for x in inputs[:first]]
    columns = [x.entered() for x in inputs[last:]]
    carried = [v.aval for v in eqn.outvars[: last - first]]
    found = [v.aval for v in eqn.outvars[last - first :]]

    def step(trip, values):
        trip = params["length"] - 1 - trip if params["reverse"] else trip
        at = Padded(trip, (), False)
        rows = [
            windows.Window(x.entered(), 0, at, 1, squeezed=True).padded()
            for x in columns
        ]
        values, books = values[: len(carried)], values[len(carried) :]
        state = _marked(evaluator, values, carried)
        inner = [*[x.entered() for x in constants], *state, *rows]
        outputs = evaluator.jaxpr(body, inner)
        after = _values(evaluator, outputs[: len(carried)], carried)
        rows = zip(outputs[len(carried) :], books, found, strict=True)
        books = [_with_row(evaluator, book, trip, x, a.dtype) for x, book, a in rows]
        return [*after, *books]

    start = _values(evaluator, inputs[first:last], carried)
    start += [
        jnp.zeros((*padded_shape(a.shape), evaluator.num_lanes), a.dtype) for a in found
    ]
    after = lax.fori_loop(0, params["length"], step, start)
    return _marked(evaluator, after, [*carried, *found])


def _with_row(evaluator, book, index, row: Padded, dtype):
    """The array `book` with another row."""
    row = jnp.broadcast_to(full(evaluator, row, dtype)[None], book.shape)
    here = lax.broadcasted_iota(jnp.int32, book.shape, 0) == index
    return lax.select(here, row, book)


def _while(evaluator: Evaluator, eqn, inputs) -> list[Padded]:
    """A loop until all lanes of the block are done; those that are wait as they are."""
    params = eqn.params
    first = params["cond_nconsts"]
    last = first + params["body_nconsts"]
    constants = [x.entered() for x in inputs[:last]]
    carried = [v.aval for v in eqn.outvars]

    def going(values):
        inner = [*constants[:first], *_marked(evaluator, values, carried)]
        (active,) = evaluator.jaxpr(params["cond_jaxpr"], [x.entered() for x in inner])
        return full(evaluator, active, bool)

    def body(values):
        inner = [*constants[first:], *_marked(evaluator, values, carried)]
        outputs = evaluator.jaxpr(params["body_jaxpr"], [x.entered() for x in inner])
        after = _values(evaluator, outputs, carried)
        active = going(values)
        return [where(active, new, old) for new, old in zip(after, values, strict=True)]

    start = _values(evaluator, inputs[last:], carried)
    after = lax.while_loop(lambda values: any_lane(going(values)), body, start)
    return _marked(evaluator, after, carried)


LOOPS = {"scan": _scan, "while": _while}


def where(active, new, old):
    """`new` in the lanes that are active, bool[lanes], else `old`."""
    lane = (old.ndim - 1,)
    return lax.select(lax.broadcast_in_dim(active, old.shape, lane), new, old)


def any_lane(active):
    """Whether one of the lanes is active: bool[]."""
    return lax.reduce_max(active.astype(jnp.int32), (0,)) > 0


def _values(evaluator, carry, avals) -> list:
    """The arrays of a loop's carry: all of them with a lane axis."""
    return [full(evaluator, x, a.dtype) for x, a in zip(carry, avals, strict=True)]


def _marked(evaluator, values, avals) -> list[Padded]:
    return [evaluator.batched(x, a.shape) for x, a in zip(values, avals, strict=True)]
