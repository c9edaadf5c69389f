"""Lanes: a batching transform that keeps the seed axis last.

``jax.vmap`` moves the batch axis to the front whenever shapes are mixed, so that on a
CPU the innermost loop runs over limits or arms and not over seeds. `lanes` is the same
map with the batch axis *last* throughout: every operation of a policy becomes a loop
over contiguous seeds, which is what a vector unit wants. It reads the jaxpr of a
function once and re-emits each operation:

* element-wise operations, broadcasts, reshapes, slices and the like have a rule here;
* reductions become balanced trees (`jaxbandits.engine.trees`), because XLA's CPU
  reductions over a leading axis cost several times as much;
* loops stay loops, their body mapped: those of fixed length (``lax.scan``,
  ``lax.fori_loop``), and ``lax.while_loop``, which goes on until the last lane is done;
* everything else falls back to ``jax.vmap(..., in_axes=-1, out_axes=-1)``: correct for
  any operation, only slower.

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
from jax.extend.core import ClosedJaxpr, Literal

from jaxbandits.engine import trees
from jaxbandits.engine.expression import ELEMENTWISE, Lane, align

# Primitives that carry a jaxpr to be inlined, and the parameter that holds it.
CALLS = {
    "jit": "jaxpr",
    "pjit": "jaxpr",
    "closed_call": "call_jaxpr",
    "custom_jvp_call": "call_jaxpr",
    "custom_vjp_call": "call_jaxpr",
    "checkpoint": "jaxpr",
}
# Kernels for which the engine has a form of its own, by the name of their ``jit``.
KERNELS = {
    "first_argmax": trees.first_argmax,
    "random_argmax": trees.random_argmax,
}
REDUCTIONS = {
    "reduce_max": jnp.maximum,
    "reduce_min": jnp.minimum,
    "reduce_sum": jnp.add,
    "reduce_prod": jnp.multiply,
    "reduce_and": jnp.bitwise_and,
    "reduce_or": jnp.bitwise_or,
}


def lanes(fn: Callable, in_lanes: tuple, num_lanes: int) -> Callable[..., tuple]:
    """Map `fn` over lanes that lie on the last axis.

    Args:
      fn: function of pytrees of arrays, written for one lane.
      in_lanes: per positional argument, a bool or a pytree of bools (a prefix): whether
        its leaves have the lane axis (last) or are shared by all lanes.
      num_lanes: length of the lane axis.

    Returns:
      A function of the batched arguments that returns ``(outputs, out_lanes)``, where
      `out_lanes` is a pytree of bools with the structure of `outputs`: outputs that do
      not depend on a lane come back without the lane axis.
    """

    def mapped(*args):
        flags = jax.tree.leaves(
            tuple(
                jax.tree.broadcast(flag, arg)
                for flag, arg in zip(in_lanes, args, strict=True)
            )
        )
        leaves, structure = jax.tree.flatten(args)
        leaves = [jnp.asarray(leaf) for leaf in leaves]
        one_lane = [
            jax.ShapeDtypeStruct(x.shape[:-1] if batched else x.shape, x.dtype)
            for x, batched in zip(leaves, flags, strict=True)
        ]
        closed, out_shape = jax.make_jaxpr(fn, return_shape=True)(
            *jax.tree.unflatten(structure, one_lane)
        )
        inputs = [Lane(x, b) for x, b in zip(leaves, flags, strict=True)]
        outputs = _evaluate(closed, inputs, num_lanes)
        structure = jax.tree.structure(out_shape)
        return (
            jax.tree.unflatten(structure, [lane.value for lane in outputs]),
            jax.tree.unflatten(structure, [lane.batched for lane in outputs]),
        )

    return mapped


def fill(tree: Any, out_lanes: Any, num_lanes: int):
    """Give every leaf of `tree` that lacks the lane axis one, last."""
    return jax.tree.map(
        lambda x, batched: x if batched else _spread(x, num_lanes), tree, out_lanes
    )


def _spread(x, num_lanes):
    x = jnp.asarray(x)
    return jnp.broadcast_to(x[..., None], (*x.shape, num_lanes))


def _evaluate(closed: ClosedJaxpr, inputs: list[Lane], num_lanes: int) -> list[Lane]:
    jaxpr = closed.jaxpr
    env = dict(zip(jaxpr.invars, inputs, strict=True))
    constants = [Lane(jnp.asarray(c), False) for c in closed.consts]
    env.update(zip(jaxpr.constvars, constants, strict=True))

    def read(atom) -> Lane:
        if isinstance(atom, Literal):
            return Lane(jnp.asarray(atom.val, atom.aval.dtype), False)
        return env[atom]

    for eqn in jaxpr.eqns:
        outputs = _emit(eqn, [read(v) for v in eqn.invars], num_lanes)
        env.update(zip(eqn.outvars, outputs, strict=True))
    return [read(v) for v in jaxpr.outvars]


def _emit(eqn, inputs: list[Lane], num_lanes: int) -> list[Lane]:
    """Emit one equation of the one-lane jaxpr for all lanes."""
    name, params = eqn.primitive.name, eqn.params
    batched = any(lane.batched for lane in inputs)
    if name in CALLS:
        kernel = KERNELS.get(params.get("name"))
        # Inside a `vmap` of the policy the same name stands for many rows.
        one_row = bool(inputs) and len(inputs[0].shape) == 1
        if kernel is not None and one_row and inputs[0].batched:
            return [kernel(*inputs)]
        inner = params[CALLS[name]]
        if not isinstance(inner, ClosedJaxpr):
            inner = ClosedJaxpr(inner, ())
        return _evaluate(inner, inputs, num_lanes)
    if name == "optimization_barrier":
        out = eqn.primitive.bind(*(lane.value for lane in inputs))
        return [Lane(x, lane.batched) for x, lane in zip(out, inputs, strict=True)]
    if not batched:
        out = eqn.primitive.bind(*(lane.value for lane in inputs), **params)
        out = out if eqn.primitive.multiple_results else [out]
        return [Lane(x, False) for x in out]
    if name in ELEMENTWISE or name == "broadcast_in_dim":
        shape = eqn.outvars[0].aval.shape
        return [Lane.deferred(eqn.primitive, params, inputs, shape, num_lanes)]
    # Reductions of nothing or over no axis are left to the fallback.
    if name in REDUCTIONS and params["axes"] and math.prod(inputs[0].shape):
        return [trees.reduce(REDUCTIONS[name], inputs[0], params["axes"])]
    if name in STRUCTURE:
        values = [align(x, x.shape, num_lanes) for x in inputs]
        return [Lane(STRUCTURE[name](values, eqn), True)]
    if name == "scan":
        return _scan(params, inputs, num_lanes)
    if name == "while":
        return _while(params, inputs, num_lanes)
    axes = [-1 if lane.batched else None for lane in inputs]
    out = jax.vmap(partial(eqn.primitive.bind, **params), axes, -1)(
        *(lane.value for lane in inputs)
    )
    return [Lane(x, True) for x in (out if eqn.primitive.multiple_results else [out])]


def _scan(params, inputs: list[Lane], num_lanes: int) -> list[Lane]:
    """A loop of fixed length: the same loop, its body mapped over lanes."""
    first, last = params["num_consts"], params["num_consts"] + params["num_carry"]
    # What the body reads is computed outside of it.
    constants = [Lane(lane.value, lane.batched) for lane in inputs[:first]]
    carry, columns = inputs[first:last], inputs[last:]
    rows = [lane.value for lane in columns]
    found_flags: list[bool] = []

    def body(flags, values, row):
        row = [Lane(x, lane.batched) for x, lane in zip(row, columns, strict=True)]
        inner = [*constants, *_marked(values, flags), *row]
        outputs = _evaluate(params["jaxpr"], inner, num_lanes)
        after, found = outputs[: len(flags)], outputs[len(flags) :]
        found_flags[:] = [lane.batched for lane in found]
        return after, [lane.value for lane in found]

    flags = _settled(
        lambda flags, values: body(flags, values, [x[0] for x in rows])[0],
        carry,
        num_lanes,
    )

    def step(values, row):
        after, found = body(flags, values, row)
        return _values(after, flags, num_lanes), found

    options = {key: params[key] for key in ("length", "reverse", "unroll")}
    after, found = lax.scan(step, _values(carry, flags, num_lanes), rows, **options)
    return _marked([*after, *found], flags + found_flags)


def _while(params, inputs: list[Lane], num_lanes: int) -> list[Lane]:
    """A loop until all lanes are done; those that are wait as they are."""
    first = params["cond_nconsts"]
    last = first + params["body_nconsts"]
    constants = [Lane(lane.value, lane.batched) for lane in inputs[:last]]
    carry = inputs[last:]

    def going(values):
        inner = [*constants[:first], *values]
        return _evaluate(params["cond_jaxpr"], inner, num_lanes)[0]

    def body(flags, values):
        values = _marked(values, flags)
        after = _evaluate(
            params["body_jaxpr"], [*constants[first:], *values], num_lanes
        )
        active = going(values)
        if not active.batched:
            return after
        old = _values(values, [True] * len(values), num_lanes)
        new = _values(after, [True] * len(values), num_lanes)
        kept = [jnp.where(active.value, n, o) for n, o in zip(new, old, strict=True)]
        return [Lane(x, True) for x in kept]

    flags = _settled(body, carry, num_lanes)
    after = lax.while_loop(
        lambda values: jnp.any(going(_marked(values, flags)).value),
        lambda values: _values(body(flags, values), flags, num_lanes),
        _values(carry, flags, num_lanes),
    )
    return _marked(after, flags)


def _marked(values, flags) -> list[Lane]:
    return [Lane(x, flag) for x, flag in zip(values, flags, strict=True)]


def _values(lanes_, flags, num_lanes):
    """The arrays of a loop's carry, with a lane axis where `flags` ask for one."""
    return [
        align(lane, lane.shape, num_lanes) if flag else lane.value
        for lane, flag in zip(lanes_, flags, strict=True)
    ]


def _settled(body, carry, num_lanes) -> list[bool]:
    """Which values of a loop's carry depend on the lane: grows until the body keeps it.

    `body` is called with the flags and the carry's values, and returns a carry.
    """
    flags = [lane.batched for lane in carry]
    while True:
        after = []

        def trace(values, flags=flags, after=after):
            after[:] = [lane.batched for lane in body(flags, values)]

        jax.eval_shape(trace, _values(carry, flags, num_lanes))
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
    "concatenate": _same_axes,
    "rev": _same_axes,
    "cumsum": _same_axes,
    "cumprod": _same_axes,
    "cummax": _same_axes,
    "cummin": _same_axes,
}
