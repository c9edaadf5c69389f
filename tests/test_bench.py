"""The contestants of scripts/bench play the same games as the library.

Those that need nothing but NumPy; ``python scripts/bench.py agree`` compares all.
"""

import sys
from importlib import import_module
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jax.experimental import pallas as pl

SCRIPTS = Path(__file__).resolve().parents[1] / "scripts"
# Setting, rival, horizon (or budget).
RIVALS = [
    ("censored", "numpy_seeds", 300),
    ("censored", "numpy_plain", 300),
    ("farewell", "numpy_seeds", 1_000),
    pytest.param("budgeted", "numpy_seeds", 300, marks=pytest.mark.slow),
    pytest.param("allocation", "numpy_seeds", 400, marks=pytest.mark.slow),
]


@pytest.fixture(autouse=True)
def scripts(monkeypatch):
    monkeypatch.syspath_prepend(SCRIPTS)
    yield
    for name in [name for name in sys.modules if name.split(".")[0] == "bench"]:
        del sys.modules[name]


@pytest.mark.parametrize(("setting", "rival", "horizon"), RIVALS)
def test_scores_agree_with_the_library(setting, rival, horizon):
    contest = import_module("bench.contest")
    modules = [import_module(f"bench.{setting}.{m}") for m in ("library", rival)]
    game = import_module(f"bench.{setting}.game").Game()
    ours, theirs = (m.timed(game, 512, horizon, 3).played for m in modules)
    assert abs(contest.z_score(ours, theirs)) < 4
    assert (ours.rounds > 0).all() and len(theirs.rounds) == 512


def test_turns_find_horizons_and_keep_the_best():
    """Of a contestant that needs a millisecond for a thousand rounds."""
    contest = import_module("bench.contest")
    speeds = iter([1.0] * 20)

    def steady(game, seeds, horizon, seed):
        played = contest.Played(np.full(seeds, horizon), np.zeros(seeds))
        return contest.Timed(played, 1e-6 * horizon / next(speeds), 2, 0.5)

    def missing(game, seeds, horizon, seed):
        return None

    (turn,) = contest.turns({"a": steady, "b": missing}, None, 4, seconds=0.1)
    assert 5e4 <= turn.horizon <= 2e5
    assert turn.rate == pytest.approx(4e6) and turn.compile_seconds == 0.5
    faster = [1.0, 3.0, 2.0, 1.0]
    speeds = iter(faster)
    (turn,) = contest.turns({"a": steady}, None, 4, horizon=1_000)
    assert turn.rate == pytest.approx(4e6 * 3) and turn.horizon == 1_000


def test_kernels_of_a_round_are_those_of_the_innermost_loop():
    gpu = import_module("bench.gpu")
    compiled = """
%round (p: (s32[])) -> (s32[]) {
  %a = f32[4]{0} fusion(%p), kind=kLoop, calls=%fused
  %b = (f32[4]{0}, s32[]) fusion(%a), kind=kInput, calls=%fused_2
  %c = f32[4]{0} copy(%a)
  ROOT %t = (s32[]) tuple(%c)
}

%checkpoint (p: (s32[])) -> (s32[]) {
  %d = f32[4]{0} fusion(%p), kind=kLoop, calls=%fused
  ROOT %w = (s32[]) while(%p), condition=%going, body=%round
}

ENTRY %main (p: s32[]) -> (s32[]) {
  ROOT %w = (s32[]) while(%p), condition=%more, body=%checkpoint
}
"""
    assert gpu.kernels_per_round(compiled) == 3


def test_what_a_round_executes():
    machine = import_module("bench.machine_code")
    code = """
        /*0000*/                   MOV R1, c[0x0][0x28] ;
.L_x_1:
        /*0010*/                   LDL R2, [R1] ;
        /*0020*/              @!P0 FADD R2, R2, 1 ;
.L_x_2:
        /*0030*/                   FMUL R3, R2, R2 ;
        /*0040*/               @P1 BRA `(.L_x_2) ;
        /*0050*/               @P0 BRA `(.L_x_1) ;
        /*0060*/                   EXIT ;
.L_x_3:
        /*0070*/                   BRA `(.L_x_3);
"""
    found, loops = machine.loops_of(code)
    assert found[1:6] == ["LDL", "FADD", "FMUL", "BRA", "BRA"]
    assert loops == [(1, 6), (3, 5)]
    # Two of three loops were written out: the one with most operations is left.
    trips = [(2, 5), (10, 8), (3, 1)]
    assert machine.executed(loops, trips) == (3 + 2 * 10, True)
    assert machine.executed(loops, []) == (5, False)


def test_loops_and_traffic_of_a_kernel():
    """A round that loads a number, and adds 3 of 5 numbers in a loop of 3 trips."""
    gpu = import_module("bench.gpu")

    def kernel(x, out):
        def round_(t, carry):
            add = lambda i, total: total + x[i, :]  # noqa: E731
            total = lax.fori_loop(0, 3, add, x[4, :])
            out[0, :] = total
            return carry + 1

        lax.fori_loop(0, x[0, 0].astype(jnp.int32), round_, jnp.int32(0))

    out = jax.ShapeDtypeStruct((1, 8), jnp.float32)
    played = pl.pallas_call(kernel, out_shape=out, interpret=True)
    loops, moved = gpu.kernel_loops(jax.make_jaxpr(played)(jnp.zeros((5, 8))).jaxpr)
    assert [trips for trips, _ in loops] == [3]
    assert moved == 4 * (1 + 3 + 1)
