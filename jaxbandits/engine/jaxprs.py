"""What is read in JAX's programs, and what changed there between versions."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeVar

import jax
from jax import lax
from jax.extend.core import ClosedJaxpr, Literal

Value = TypeVar("Value")
Constant = Callable[[Any, Any], Value]
Emit = Callable[[Any, list[Value]], Sequence[Value]]

# Primitives that carry a jaxpr to be inlined, and the parameter that holds it.
CALLS = {
    "jit": "jaxpr",
    "closed_call": "call_jaxpr",  # before JAX 0.11
    "custom_jvp_call": "call_jaxpr",
    "custom_vjp_call": "call_jaxpr",
    "remat2": "jaxpr",
    "custom_vmap_call": "call",
}


# What leaves its input as it is.
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


# Primitives that came with JAX 0.11, in words of older ones.
EXPANDED = {"stack": _stack, "unstack": _unstack}


def expanded(eqn: Any, forms: dict[str, Any] = EXPANDED) -> ClosedJaxpr | None:
    """An equation as a program of other primitives, if there is a form for it."""
    return _traced(forms.get(called(eqn)), eqn)


def lower_level(eqn: Any) -> ClosedJaxpr | None:
    """The program of an operation with rules of its own, as ``jnp.searchsorted``."""
    if eqn.primitive.name == "eval_jaxpr":  # which such a program may hold
        return ClosedJaxpr(eqn.params["call_jaxpr"], ())
    whole = eqn.primitive.name == "call_hi_primitive"  # from JAX 0.12 on
    return _traced(_in_parts if whole else None, eqn)


def _in_parts(*arrays: Any, _prim: Any) -> list[Any]:
    arguments = jax.tree.unflatten(_prim.in_tree, arrays)
    return jax.tree.leaves(_prim.expand(*arguments))


def _traced(form: Callable[..., Any] | None, eqn: Any) -> ClosedJaxpr | None:
    if form is None:
        return None
    shapes = [jax.ShapeDtypeStruct(v.aval.shape, v.aval.dtype) for v in eqn.invars]
    return jax.make_jaxpr(partial(form, **eqn.params))(*shapes)


def walk(
    closed: ClosedJaxpr, inputs: Sequence[Value], constant: Constant, emit: Emit
) -> list[Value]:
    """The outputs of a program whose numbers are values of some other kind.

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


def inner_of(eqn: Any) -> ClosedJaxpr | None:
    """The program that a call stands for; None for what is no call."""
    name = eqn.primitive.name
    if name not in CALLS:
        return None
    inner = eqn.params[CALLS[name]]
    return inner if isinstance(inner, ClosedJaxpr) else ClosedJaxpr(inner, ())


def called(eqn: Any) -> str:
    """The name of a call, as of an array primitive; else that of the operation."""
    name: str = eqn.primitive.name
    return eqn.params.get("name", name) if name in CALLS else name
