"""What is read in JAX's programs, and what changed there between versions."""

from functools import partial

import jax
from jax import lax
from jax.extend.core import ClosedJaxpr

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


def expanded(eqn) -> ClosedJaxpr | None:
    """An equation as a program of other primitives, if there is a form for it."""
    form = EXPANDED.get(eqn.primitive.name)
    if form is None:
        return None
    shapes = [jax.ShapeDtypeStruct(v.aval.shape, v.aval.dtype) for v in eqn.invars]
    return jax.make_jaxpr(partial(form, **eqn.params))(*shapes)
