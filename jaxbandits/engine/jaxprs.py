"""Reading JAX's programs, and what of them differs between versions of JAX."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar

import jax
from jax import lax
from jax.extend.core import ClosedJaxpr, Literal, jaxpr_as_fun

Value = TypeVar("Value")
Constant = Callable[[Any, Any], Value]
Emit = Callable[[Any, list[Value]], Sequence[Value]]
Form = Callable[..., Any]

# Primitives that carry a jaxpr to be inlined, and the parameter that holds it.
CALLS = {
    "jit": "jaxpr",
    "closed_call": "call_jaxpr",  # before JAX 0.11
    "custom_jvp_call": "call_jaxpr",
    "custom_vjp_call": "call_jaxpr",
    "remat2": "jaxpr",
    "custom_vmap_call": "call",
}

# Primitives whose output is their input.
SAME = frozenset("copy reshard stop_gradient".split())


def scan_counts(params) -> tuple[int, int]:
    """How many constants and how many carried values a ``scan`` takes.

    Args:
      params: of the equation.
    """
    if "num_consts" in params:  # before JAX 0.11
        return params["num_consts"], params["num_carry"]
    constants, carry, _ = params["ft_in"].unpack()
    return len(constants), len(carry)


def _stack(*arrays, axis):
    return lax.concatenate([lax.expand_dims(x, [axis]) for x in arrays], axis)


def _unstack(x, *, axis):
    length = x.shape[axis]
    return [lax.index_in_dim(x, i, axis, keepdims=False) for i in range(length)]


def _hi_primitive(*arrays: Any, _prim: Any) -> list[Any]:
    arguments = jax.tree.unflatten(_prim.in_tree, arrays)
    return jax.tree.leaves(_prim.expand(*arguments))


def _eval_jaxpr(*arrays: Any, call_jaxpr: Any, **_: Any) -> list[Any]:
    return jaxpr_as_fun(ClosedJaxpr(call_jaxpr, ()))(*arrays)


# Functions of the operands and parameters of a primitive that give the same. Those of
# JAX 0.11, in primitives of older versions:
EXPANDED: dict[str, Form] = {"stack": _stack, "unstack": _unstack}
# Operations with rules of their own from JAX 0.12 on, such as ``jnp.searchsorted``:
LOWER_LEVEL = {"call_hi_primitive": _hi_primitive, "eval_jaxpr": _eval_jaxpr}


def walk(
    closed: ClosedJaxpr, inputs: Sequence[Value], constant: Constant, emit: Emit
) -> list[Value]:
    """The outputs of a program on values of some other kind than arrays.

    Args:
      closed: the program.
      inputs: values of its inputs.
      constant: ``(array, dtype or None) -> value`` of a number or array in the program.
      emit: ``(equation, values of its inputs) -> values of its outputs``.
    """
    jaxpr = closed.jaxpr
    values: dict[Any, Any] = dict(zip(jaxpr.invars, inputs, strict=True))
    constants = [constant(each, None) for each in closed.consts]
    values.update(zip(jaxpr.constvars, constants, strict=True))

    def read(atom: Any) -> Any:
        if isinstance(atom, Literal):
            return constant(atom.val, atom.aval.dtype)
        return values[atom]

    for eqn in jaxpr.eqns:
        given = [read(atom) for atom in eqn.invars]
        outputs = given if eqn.primitive.name in SAME else emit(eqn, given)
        values.update(zip(eqn.outvars, outputs, strict=True))
    return [read(atom) for atom in jaxpr.outvars]


def inner_of(eqn: Any, forms: Mapping[str, Form] = EXPANDED) -> ClosedJaxpr | None:
    """The program that an equation stands for; None for one that stands for itself.

    Args:
      eqn: the equation.
      forms: functions as in `EXPANDED`, by the name that `called` gives.
    """
    name = eqn.primitive.name
    if form := forms.get(called(eqn)):
        shapes = [jax.ShapeDtypeStruct(v.aval.shape, v.aval.dtype) for v in eqn.invars]
        return jax.make_jaxpr(partial(form, **eqn.params))(*shapes)
    if name not in CALLS:
        return None
    inner = eqn.params[CALLS[name]]
    return inner if isinstance(inner, ClosedJaxpr) else ClosedJaxpr(inner, ())


def called(eqn: Any) -> str:
    """The name of a call, as of an array primitive; else that of the operation."""
    name: str = eqn.primitive.name
    return eqn.params.get("name", name) if name in CALLS else name
