"""Lanes: a batching transform that keeps the seed axis last.

``jax.vmap`` moves the batch axis to the front whenever shapes are mixed, so that on a
CPU the innermost loop runs over limits or arms and not over seeds. `lanes` is the same
map with the batch axis *last* throughout: every operation of a policy becomes a loop
over contiguous seeds, as vector units need. It reads the jaxpr of a function once and
emits each operation anew:

* element-wise operations, broadcasts, reshapes, slices and the like have a rule here;
* reductions become balanced trees (`jaxbandits.engine.cpu.trees`), because XLA's CPU
  reductions over a leading axis cost several times as much;
* a row that is picked or put is gathered or scattered where that is faster
  (`jaxbandits.engine.cpu.rows`);
* loops stay loops, their body mapped: those of fixed length (``lax.scan``,
  ``lax.fori_loop``), and ``lax.while_loop``, which goes on until the last lane is done;
* everything else goes through ``jax.vmap(..., in_axes=-1, out_axes=-1)``: correct for
  any operation, but slower.

Values that do not depend on the lane (the round, ``log t``, the limits) stay unbatched
and are computed once for all lanes.
"""

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax
from jax.extend.core import ClosedJaxpr

from jaxbandits.arrays.named import PREFIX
from jaxbandits.engine.cpu import rows, trees
from jaxbandits.engine.cpu.expression import UNIFORM, Lane, Scope, align
from jaxbandits.engine.elementwise import ELEMENTWISE
from jaxbandits.engine.jaxprs import inner_of, scan_counts, walk

# Kernels for which the engine has a form of its own (`arrays.named`): functions
# ``(inputs, scope, default) -> Lane``, or None where the default is better.
KERNELS = {
    PREFIX + name: form
    for name, form in {
        "first_argmax": trees.first_argmax,
        "random_argmax": trees.random_argmax,
        "pick": rows.pick,
        "put": rows.put,
        "tally": rows.tally,
    }.items()
}
REDUCTIONS = {
    "reduce_max": jnp.maximum,
    "reduce_min": jnp.minimum,
    "reduce_sum": jnp.add,
    "reduce_prod": jnp.multiply,
    "reduce_and": jnp.bitwise_and,
    "reduce_or": jnp.bitwise_or,
}


def lanes(
    fn: Callable, in_lanes: tuple, num_lanes: int, platform: str = "cpu", going=None
) -> Callable[..., tuple]:
    """Map `fn` over lanes that lie on the last axis.

    Args:
      fn: function of pytrees of arrays, written for one lane.
      in_lanes: per positional argument, a bool or a pytree of bools (a prefix): whether
        its leaves have the lane axis (last) or are shared by all lanes; or `UNIFORM`,
        which is true and says that all lanes hold the same.
      num_lanes: length of the lane axis.
      platform: the platform of the program; rows are gathered and scattered on CPUs
        only.
      going: bool[L], false for lanes that are frozen: `fn` returns what its last
        argument becomes, of which all leaves have the lane axis; theirs stay.

    Returns:
      A function of the batched arguments that returns ``(outputs, out_lanes)``, where
      `out_lanes` is a pytree of bools with the structure of `outputs`: outputs that do
      not depend on a lane come back without the lane axis.
    """

    def mapped(*args):
        flags = [jax.tree.broadcast(*x) for x in zip(in_lanes, args, strict=True)]
        flags, (leaves, structure) = jax.tree.leaves(flags), jax.tree.flatten(args)
        inputs = [
            Lane(jnp.asarray(x), bool(flag), uniform=flag is UNIFORM)
            for x, flag in zip(leaves, flags, strict=True)
        ]
        state = jax.tree.leaves(args[-1]) if going is not None else []
        old = inputs[len(inputs) - len(state) :]
        for i, lane in enumerate(old):
            lane.origin = i
        one_lane = [jax.ShapeDtypeStruct(x.shape, x.value.dtype) for x in inputs]
        one_lane = jax.tree.unflatten(structure, one_lane)
        closed, out_shape = jax.make_jaxpr(fn, return_shape=True)(*one_lane)
        scope = Scope(num_lanes, going, platform=platform)
        outputs = _evaluate(closed, inputs, scope)
        for i, before in enumerate(old):
            new = align(outputs[i], before.shape, num_lanes)
            if outputs[i].origin != i:
                new = jnp.where(going, new, before.value)
            outputs[i] = Lane(new, True)
        structure = jax.tree.structure(out_shape)
        return (
            jax.tree.unflatten(structure, [lane.value for lane in outputs]),
            jax.tree.unflatten(structure, [lane.batched for lane in outputs]),
        )

    return mapped


def fill(tree: Any, out_lanes: Any, num_lanes: int):
    """Give every leaf of `tree` that lacks the lane axis one, last."""

    def spread(x, batched):
        return x if batched else align(Lane(jnp.asarray(x), False), x.shape, num_lanes)

    return jax.tree.map(spread, tree, out_lanes)


def _evaluate(closed: ClosedJaxpr, inputs: list[Lane], scope: Scope) -> list[Lane]:
    def constant(x, dtype):
        return Lane(jnp.asarray(x, dtype), False)

    return walk(closed, inputs, constant, partial(_emit, scope=scope))


def _emit(eqn, inputs: list[Lane], scope: Scope) -> list[Lane]:
    """Emit one equation of the one-lane jaxpr for all lanes."""
    name, params = eqn.primitive.name, eqn.params
    batched = any(lane.batched for lane in inputs)
    if (inner := inner_of(eqn)) is not None:

        def default(inputs):
            return _evaluate(inner, inputs, scope)

        form = KERNELS.get(params.get("name"))
        result = form(inputs, scope, default) if form and batched else None
        return default(inputs) if result is None else [result]
    if name == "optimization_barrier":
        out = eqn.primitive.bind(*(lane.value for lane in inputs))
        return [
            Lane(x, lane.batched, lane.origin, lane.uniform)
            for x, lane in zip(out, inputs, strict=True)
        ]
    if not batched:
        out = eqn.primitive.bind(*(lane.value for lane in inputs), **params)
        out = out if eqn.primitive.multiple_results else [out]
        return [Lane(x, False) for x in out]
    if name in ELEMENTWISE or name == "broadcast_in_dim":
        shape = eqn.outvars[0].aval.shape
        return [Lane.deferred(eqn.primitive, params, inputs, shape, scope.num_lanes)]
    # Reductions of nothing or over no axis are left to the fallback.
    if name in REDUCTIONS and params["axes"] and math.prod(inputs[0].shape):
        return [trees.reduce(REDUCTIONS[name], inputs[0], params["axes"])]
    if name in STRUCTURE:
        values = [align(x, x.shape, scope.num_lanes) for x in inputs]
        # Another shape of the same numbers in the same order is still that input.
        origin = inputs[0].origin if STRUCTURE[name] is _reshape else None
        return [Lane(STRUCTURE[name](values, eqn), True, origin)]
    if name == "scan":
        return _scan(params, inputs, scope._replace(going=None))
    if name == "while":
        return _while(params, inputs, scope._replace(going=None, scatter=False))
    if name == "pad" and not inputs[1].batched:
        config = (*params["padding_config"], (0, 0, 0))
        return [Lane(lax.pad(inputs[0].value, inputs[1].value, config), True)]
    return _fallback(eqn, inputs)


def _fallback(eqn, inputs: list[Lane]) -> list[Lane]:
    """Any operation: correct, but slower (`FALLS_BACK` in tests/policies)."""
    axes = [-1 if lane.batched else None for lane in inputs]
    out = jax.vmap(partial(eqn.primitive.bind, **eqn.params), axes, -1)(
        *(lane.value for lane in inputs)
    )
    return [Lane(x, True) for x in (out if eqn.primitive.multiple_results else [out])]


def _scan(params, inputs: list[Lane], scope: Scope) -> list[Lane]:
    """A loop of fixed length: the same loop, its body mapped over lanes."""
    first, num_carry = scan_counts(params)
    last = first + num_carry
    # Constants of the body are computed outside of it.
    constants = [Lane(lane.value, lane.batched) for lane in inputs[:first]]
    carry, columns = inputs[first:last], inputs[last:]
    rows = [lane.value for lane in columns]
    seen_flags: list[bool] = []

    def body(flags, values, row):
        row = [Lane(x, lane.batched) for x, lane in zip(row, columns, strict=True)]
        inner = [*constants, *_marked(values, flags), *row]
        outputs = _evaluate(params["jaxpr"], inner, scope)
        after, result = outputs[: len(flags)], outputs[len(flags) :]
        seen_flags[:] = [lane.batched for lane in result]
        return after, [lane.value for lane in result]

    flags = _flags_at_rest(
        lambda flags, values: body(flags, values, [x[0] for x in rows])[0],
        carry,
        scope,
    )

    def step(values, row):
        after, result = body(flags, values, row)
        return _values(after, flags, scope), result

    options = {key: params[key] for key in ("length", "reverse", "unroll")}
    after, result = lax.scan(step, _values(carry, flags, scope), rows, **options)
    return _marked([*after, *result], flags + seen_flags)


def _while(params, inputs: list[Lane], scope: Scope) -> list[Lane]:
    """A loop until all lanes are done; those that are done keep their values."""
    first = params["cond_nconsts"]
    last = first + params["body_nconsts"]
    constants = [Lane(lane.value, lane.batched) for lane in inputs[:last]]
    carry = inputs[last:]

    def going(values):
        inner = [*constants[:first], *values]
        return _evaluate(params["cond_jaxpr"], inner, scope)[0]

    def body(flags, values):
        values = _marked(values, flags)
        after = _evaluate(params["body_jaxpr"], [*constants[first:], *values], scope)
        active = going(values)
        if not active.batched:
            return after
        old = _values(values, [True] * len(values), scope)
        new = _values(after, [True] * len(values), scope)
        kept = [jnp.where(active.value, n, o) for n, o in zip(new, old, strict=True)]
        return [Lane(x, True) for x in kept]

    flags = _flags_at_rest(body, carry, scope)
    after = lax.while_loop(
        lambda values: jnp.any(going(_marked(values, flags)).value),
        lambda values: _values(body(flags, values), flags, scope),
        _values(carry, flags, scope),
    )
    return _marked(after, flags)


def _marked(values, flags) -> list[Lane]:
    return [Lane(x, flag) for x, flag in zip(values, flags, strict=True)]


def _values(lanes_, flags, scope: Scope):
    """The arrays of a loop's carry, with a lane axis where `flags` ask for one."""
    return [
        align(lane, lane.shape, scope.num_lanes) if flag else lane.value
        for lane, flag in zip(lanes_, flags, strict=True)
    ]


def _flags_at_rest(body, carry, scope) -> list[bool]:
    """Which values of a loop's carry depend on the lane.

    `body` is called with flags and the carry's values, and returns a carry. A value
    that depends on the lane after one turn is flagged, until a turn adds no flag.
    """
    flags = [lane.batched for lane in carry]
    while True:
        after = []

        def trace(values, flags=flags, after=after):
            after[:] = [lane.batched for lane in body(flags, values)]

        jax.eval_shape(trace, _values(carry, flags, scope))
        grown = [a or b for a, b in zip(flags, after, strict=True)]
        if grown == flags:
            return flags
        flags = grown


def _reshape(values, eqn):
    return values[0].reshape(*eqn.outvars[0].aval.shape, values[0].shape[-1])


def _transpose(values, eqn):
    permutation = eqn.params["permutation"]
    return lax.transpose(values[0], (*permutation, len(permutation)))


def _slice(values, eqn):
    starts, limits = eqn.params["start_indices"], eqn.params["limit_indices"]
    strides = eqn.params["strides"] or (1,) * len(starts)
    num_lanes = values[0].shape[-1]
    return lax.slice(values[0], (*starts, 0), (*limits, num_lanes), (*strides, 1))


def _same_axes(values, eqn):
    """Operations whose axis parameters stay valid with one more axis at the end."""
    return eqn.primitive.bind(*values, **eqn.params)


STRUCTURE = {
    "reshape": _reshape,
    "squeeze": _reshape,
    "transpose": _transpose,
    "slice": _slice,
}
STRUCTURE |= dict.fromkeys(
    ("concatenate", "rev", "cumsum", "cumprod", "cummax", "cummin"), _same_axes
)
