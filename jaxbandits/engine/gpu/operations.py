"""Operations entry by entry."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from jaxbandits.arrays.named import PREFIX
from jaxbandits.engine.gpu import special
from jaxbandits.engine.gpu.moves import spread
from jaxbandits.engine.gpu.program import Missing
from jaxbandits.engine.gpu.space import Space
from jaxbandits.engine.gpu.values import Computed, Entries, Known, Value

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
# Of kernels: those that are one instruction.
JOINED = {"multiply_add": special.multiply_add}
# Take several instructions.
DEAR_OPERATIONS = frozenset(
    "acos acosh asin asinh atan atan2 atanh cbrt cos cosh div erf erf_inv erfc exp "
    "exp2 expm1 log log1p logistic pow rem sin sinh sqrt tan tanh".split()
)
DEAR_COST = 6
LARGEST_FOLDED = 4096  # entries of a table that is computed while the kernel is written
TO_EVEN = lax.RoundingMethod.TO_NEAREST_EVEN


def is_elementwise(name: str) -> bool:
    """Whether an operation goes entry by entry."""
    return name in ELEMENTWISE or name in REWRITTEN or name in JOINED


def elementwise(space: Space, step, inputs) -> Value:
    """An operation entry by entry; numbers go with arrays."""
    name, eqn = step.name.removeprefix(PREFIX), step.eqn
    (out,) = eqn.outvars
    shape, dtype = out.aval.shape, out.aval.dtype
    if name == "select_n" and (len(inputs) != 3 or inputs[0].dtype != bool):
        raise Missing("select_n between more than two")
    if name == "round" and eqn.params["rounding_method"] != TO_EVEN:
        raise Missing("round away from zero")
    if all(isinstance(x, Known) for x in inputs) and out.aval.size <= LARGEST_FOLDED:
        return Known(space, folded(eqn, [x.array for x in inputs]))
    if name == "pow" and isinstance(inputs[1], Known) and np.all(inputs[1].array == 1):
        return spread(inputs[0], range(len(shape)), shape) if shape else inputs[0]
    # An axis of length 1 spreads; numbers go with arrays as they are.
    inputs = [spread(x, range(len(shape)), shape) if x.shape else x for x in inputs]
    compute = partial(_computed, space, name, eqn, inputs[0].dtype)
    cost = DEAR_COST if name in DEAR_OPERATIONS else 1
    value = Computed(space, compute, inputs, shape, dtype, cost)
    return value if shape else Entries(space, [value.entry(())], (), dtype)


def folded(eqn, arrays) -> np.ndarray:
    """The result of an operation on constants."""
    with jax.ensure_compile_time_eval():
        found = eqn.primitive.bind(*map(jnp.asarray, arrays), **eqn.params)
        return np.asarray(found[0] if eqn.primitive.multiple_results else found)


def _computed(space, name, eqn, dtype, *entries):
    if any(jnp.ndim(x) for x in entries):
        entries = [space.spread(x) for x in entries]
    elif not any(isinstance(x, jax.core.Tracer) for x in entries):
        return folded(eqn, entries)[()]
    if name in ("max", "min") and dtype.kind == "b":
        return entries[0] | entries[1] if name == "max" else entries[0] & entries[1]
    if name in JOINED:
        return JOINED[name](*entries, compiled=space.compiled)
    if name in REWRITTEN:
        return REWRITTEN[name](*entries)
    return eqn.primitive.bind(*entries, **eqn.params)


def iota(space, step, inputs) -> Value:
    (out,), params = step.eqn.outvars, step.eqn.params
    places = np.indices(out.aval.shape)[params["dimension"]]
    return Known(space, places.astype(out.aval.dtype))
