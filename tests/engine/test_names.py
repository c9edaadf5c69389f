"""Names that the engine knows are those of this JAX and of our kernels."""

import re

import jax
import jax.numpy as jnp
import pytest
from jax._src.interpreters import mlir

from jaxbandits import arrays
from jaxbandits.arrays.named import PREFIX
from jaxbandits.arrays.select import row_of
from jaxbandits.engine import elementwise, jaxprs
from jaxbandits.engine.cpu import lanes
from jaxbandits.engine.gpu import forms, loops, moves, program, reductions
from tests.tables import each_row

pytestmark = pytest.mark.oldest

TABLES = {
    "calls": jaxprs.CALLS,
    "expanded": jaxprs.EXPANDED,
    "same": jaxprs.SAME,
    "elementwise": set(elementwise.ELEMENTWISE) - {"multiply_add"},
    "products": elementwise.PRODUCTS,
    "reductions": lanes.REDUCTIONS,
    "structure": lanes.STRUCTURE,
    "moves on a GPU": moves.MOVES,
    "reductions on a GPU": reductions.REDUCTIONS,
    "loops on a GPU": loops.LOOPS,
}
# Gone from newer versions of JAX.
OLDER = {"closed_call"} if jax.__version_info__ >= (0, 11) else set()


def primitives():
    """Of this JAX: whatever it can lower."""
    on_cpu = mlir._platform_specific_lowerings.get("cpu", {})
    return {primitive.name for primitive in [*mlir._lowerings, *on_cpu]}


@each_row("table", TABLES)
def test_primitives_exist(table):
    assert set(TABLES[table]) - OLDER <= primitives()


def test_kernels_exist():
    x, word = jnp.zeros((3, 2)), jnp.uint32(0)
    first = jnp.int32(0)
    programs = [
        (arrays.first_argmax, x),
        (arrays.random_argmax, x[:, 0], word),
        (arrays.pick, x, first),
        (arrays.put, x, first, x[0]),
        (arrays.tally, x.astype(jnp.int32), first, first),
        (row_of, first, jnp.arange(2)),
        (lambda x, start: arrays.window(x, start, 2), x[:, 0], first),
        (arrays.outermost, x[:, 0] > 0, first),
        (arrays.multiply_add, x, x, x),
    ]
    text = "".join(str(jax.make_jaxpr(fn)(*args)) for fn, *args in programs)
    found = {
        name.removeprefix("name=") for name in re.findall(rf"name={PREFIX}\w+", text)
    }
    assert set(lanes.KERNELS) <= found
    on_gpu = program.KEPT | {PREFIX + name for name in forms.REWRITTEN}
    # Short as they are, on a GPU.
    plain = {PREFIX + "outer_count", PREFIX + "random_argmax"}
    assert on_gpu - {PREFIX + "tape_row"} == found - plain
