"""Compensated sums stay error-free in what compilers make of them.

A compiler that joins a product and a sum, or takes ``(total + x) - total`` for x,
leaves nothing of what rounding has lost.
"""

import re

import jax.numpy as jnp
import numpy as np
import pytest

from jaxbandits import Machine, simulate
from jaxbandits.arrays import multiply_add
from jaxbandits.arrays.sums import CompensatedSum
from jaxbandits.arrays.words import unit_interval
from jaxbandits.engine.gpu import build
from jaxbandits.engine.tape import Stream, read
from jaxbandits.protocol import Policy
from tests.engine import budget_game
from tests.engine.legs import text_of

BEFORE = np.float32([10 / 3, 5.7, 1000.1]), np.float32([2**-30, -(2**-28), 2**-21])
GAME = budget_game.environment()
SEEDS, SUMS = 64, len(BEFORE[0])


def _add(noise, view, state, *args):
    first, second = unit_interval(noise)
    return state.add(first * (second * jnp.arange(1.0, 4.0)))


def _join(noise, view, state, *args):
    first, second = unit_interval(noise)
    return state.add(multiply_add(first, second * jnp.arange(1.0, 4.0), first))


# Adds a product of two random numbers in every round.
SUMMING = Policy(
    "summing",
    lambda params: CompensatedSum(*map(jnp.asarray, BEFORE)),
    lambda noise, view, state, params: view.round % 2,
    _add,
    (),
    words=(0, 2),
    report=lambda state, params: state._asdict(),
)
JOINING = SUMMING._replace(update=_join)


def products():
    """What is added in the first round, exactly: f64 ``[S, 3]``."""
    words = [read(0, s, Stream.UPDATE, 1, 2)[0] for s in range(SEEDS)]
    first, second = np.moveaxis(np.asarray(unit_interval(np.stack(words))), -1, 0)
    second = second[:, None] * np.arange(1, 4, dtype=np.float32)
    return first[:, None].astype(float) * second


@pytest.mark.slow
@pytest.mark.usefixtures("optimised")
@pytest.mark.parametrize("engine", ["scan", "vmap", "fused-interpret"])
def test_what_is_lost_is_kept(engine):
    """The new sum is the old one plus what was added, to the last bit."""
    options = {"budget": 1, "seeds": SEEDS, "checkpoints": [1]}
    found = simulate(SUMMING, GAME, machine=Machine(engine=engine), **options)
    total, lost = (
        np.asarray(found[name]).reshape(SEEDS, SUMS) for name in ("total", "lost")
    )
    exact = products()
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


def test_a_kernel_joins_what_it_is_asked_to():
    """A product that one sum alone reads; compilers join nothing by themselves."""
    for policy in SUMMING, JOINING:
        source = text_of(policy, GAME).source
        assert source.count("multiply_add(") == 2  # in two loops
        assert source.count(" - ") == 2
    assert "-fmad=false" in build.OPTIONS
    assert "-ffp-contract=off" in build.CPU_OPTIONS


@pytest.mark.skipif(
    build.lacking("gpu") is not None, reason="NVRTC is not here (jax[cuda] has it)"
)
def test_a_gpu_program_joins_what_it_is_asked_to():
    """What is rounded by its name (``.rn``) is joined to nothing by an assembler."""
    for policy in SUMMING, JOINING:
        text = build.ptx(text_of(policy, GAME).source).replace(".ftz", "")
        found = re.findall(r"\b((?:add|sub|mul|fma|mad)\S*f32)", text)
        assert found.count("sub.rn.f32") == 2 * SUMS
        assert found.count("fma.rn.f32") == SUMS
        assert {*found} <= {"add.rn.f32", "sub.rn.f32", "mul.rn.f32", "fma.rn.f32"}
