"""Compensated sums stay error-free in what compilers make of them.

A compiler that joins a product and a sum, or takes ``(total + x) - total`` for x,
leaves nothing of what rounding has lost.
"""

import re

import jax
import numpy as np
import pytest
from jax._src.interpreters import mlir
from jax._src.lib import triton
from jax._src.lib.mlir import ir

from jaxbandits import Machine, simulate
from jaxbandits.engine.legs import SCAN
from tests.engine.gpu_lowered import TRITON, WIDTH, here, lowered, traced
from tests.engine.summing import BEFORE, GAME, JOINING, SUMMING, factors
from tests.heavy import in_short

SEEDS = 64
SUMS = len(BEFORE[0])


@pytest.mark.parametrize(
    "engine",
    in_short(["scan", "vmap", "fused-interpret"], ["vmap", "fused-interpret"]),
)
def test_what_is_lost_is_kept(engine):
    """The new sum is the old one plus what was added, to the last bit."""
    options = {"budget": 1, "seeds": SEEDS, "checkpoints": [1]}
    found = simulate(SUMMING, GAME, machine=Machine(engine=engine), **options)
    total, lost = (
        np.asarray(found[name]).reshape(SEEDS, SUMS) for name in ("total", "lost")
    )
    first, second = factors(SEEDS)
    exact = first * second
    # Of two roundings one may be saved before the sum begins: the product is exact or
    # it is not. Whichever it is, it must be the same for both numbers.
    ways = []
    for product in (exact, np.float32(exact).astype(float)):
        added = np.float32(product + BEFORE[1])
        after = np.float32(BEFORE[0] + added)
        rest = BEFORE[0] + added.astype(float) - after
        ways.append((after == total) & (rest == lost))
    assert np.logical_or(*ways).all()
    assert np.mean(lost != 0) > 0.9


@pytest.mark.slow  # the numbers tell as much
def test_a_cpu_program_takes_what_was_lost():
    """Both differences are in the compiled program: nothing was simplified."""
    text = traced(SUMMING, GAME, SCAN, here()).lower().compile().as_text()
    assert len(re.findall(r" = f32\S* subtract\(", text)) == 2


def in_triton(lowering) -> str:
    """The kernel of a program lowered for a GPU, as text."""
    found = []

    def look(op):
        if (
            op.name == "stablehlo.custom_call"
            and "mhlo.backend_config" in op.attributes
        ):
            found.append(op.attributes["mhlo.backend_config"]["ir"].value_bytes)
        return ir.WalkResult.ADVANCE

    lowering.compiler_ir("stablehlo").operation.walk(look)
    (code,) = found
    context = mlir.make_ir_context()
    triton.dialect.register_dialect(context)
    with context, ir.Location.unknown():
        return str(ir.Module.parse(code))


@pytest.mark.filterwarnings(TRITON)
def test_a_kernel_takes_what_was_lost():
    """Two sums and two differences of every sum, none of them free to be joined."""
    text = in_triton(lowered(SUMMING, GAME))
    assert len(re.findall(r"arith\.subf .*f32>", text)) == 2 * SUMS
    assert "fastmath<" not in text and "math.fma" not in text


@pytest.mark.filterwarnings(TRITON)
def test_a_kernel_joins_what_it_is_asked_to():
    """One instruction for every product that is added so, and the sums as they were."""
    text = in_triton(lowered(JOINING, GAME))
    assert len(re.findall(r"fma\.rn\.f32", text)) == SUMS
    assert len(re.findall(r"arith\.subf .*f32>", text)) == 2 * SUMS
    assert "fastmath<" not in text and "math.fma" not in text


@pytest.mark.skipif(
    jax.__version_info__ >= (0, 11), reason="its XLA writes down no PTX"
)
def test_machine_code_joins_nothing(tmp_path):
    """What is rounded by its name (``.rn``) is joined to nothing by an assembler."""
    pytest.importorskip("jax_plugins.xla_cuda12", reason="needs the cuda extra")
    bench = pytest.importorskip("scripts.bench.gpu")
    engine = SCAN._replace(legs=bench.legs)
    program = bench.traced(bench.topology(), SUMMING, GAME, WIDTH, engine)
    lowering = program.lower(lowering_platforms=("cuda",))
    lowering.compile(compiler_options={"xla_dump_to": str(tmp_path)})
    texts = (path.read_text() for path in tmp_path.glob("*.ptx"))
    (text,) = (text for text in texts if ".entry _kernel" in text)
    found = re.findall(r"\b((?:add|sub|mul|fma|mad)\S*f32)", text)
    assert found.count("sub.rn.f32") == 2 * SUMS
    assert set(found) == {"add.rn.f32", "sub.rn.f32", "mul.rn.f32"}
