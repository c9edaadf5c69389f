"""Names that the engine knows are those of this JAX and of our kernels."""

import re
from importlib import import_module

import jax
import jax.numpy as jnp
import pytest
from jax._src.interpreters import mlir

from jaxbandits.engine import expression, jaxprs
from jaxbandits.engine.fused import transform
from jaxbandits.kernels.argmax import first_argmax, random_argmax
from jaxbandits.kernels.named import PREFIX
from jaxbandits.kernels.select import pick, put, tally

lanes = import_module("jaxbandits.engine.lanes")
TABLES = {
    "calls": jaxprs.CALLS,
    "expanded": jaxprs.EXPANDED,
    "same": jaxprs.SAME,
    "elementwise": expression.ELEMENTWISE,
    "cheap": expression.CHEAP,
    "products": expression.PRODUCTS,
    "reductions": lanes.REDUCTIONS,
    "structure": lanes.STRUCTURE,
    "fused elementwise": transform.ELEMENTWISE,
    "fused rewritten": transform.REWRITTEN,
    "fused structure": transform.STRUCTURE,
    "fused loops": transform.LOOPS,
    "fused moves": transform.MOVES,
}
# Gone from newer versions of JAX.
OLDER = {"closed_call"} if jax.__version_info__ >= (0, 11) else set()


def primitives():
    """Of this JAX: whatever it can lower."""
    on_cpu = mlir._platform_specific_lowerings.get("cpu", {})
    return {primitive.name for primitive in [*mlir._lowerings, *on_cpu]}


@pytest.mark.parametrize("table", TABLES)
def test_primitives_exist(table):
    assert set(TABLES[table]) - OLDER <= primitives()


def test_kernels_exist():
    x, word = jnp.zeros((3, 2)), jnp.uint32(0)
    first = jnp.int32(0)
    programs = [
        (first_argmax, x),
        (random_argmax, x[:, 0], word),
        (pick, x, first),
        (put, x, first, x[0]),
        (tally, x.astype(jnp.int32), first, first),
    ]
    text = "".join(str(jax.make_jaxpr(fn)(*args)) for fn, *args in programs)
    assert set(re.findall(rf"name={PREFIX}\w+", text)) == {
        f"name={name}" for name in lanes.KERNELS
    }
