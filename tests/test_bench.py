"""The contestants of scripts/bench play the same games as the library.

Loops for Numba are played as plain Python; ``python scripts/bench.py rivals`` has them
compiled.
"""

import sys
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

SCRIPTS = Path(__file__).resolve().parents[1] / "scripts"
# Setting, horizon (or budget), runs of the library and of C, and of the loops.
GAMES = [
    ("censored", 1_000, 512, 96),
    ("farewell", 1_000, 512, 128),
    ("budgeted", 300, 512, 192),
    ("allocation", 400, 512, 64),
]


@pytest.fixture(autouse=True)
def scripts(monkeypatch):
    monkeypatch.syspath_prepend(SCRIPTS)
    yield
    for name in [name for name in sys.modules if name.split(".")[0] == "bench"]:
        del sys.modules[name]


@pytest.mark.slow
@pytest.mark.parametrize(("setting", "horizon", "many", "few"), GAMES)
def test_scores_agree_with_the_library(setting, horizon, many, few):
    contest = import_module("bench.contest")
    game = import_module(f"bench.{setting}")
    ours = contest.library(game)(many, horizon, 3)
    assert (ours.rounds > 0).all() and len(ours.rounds) == many
    with np.errstate(all="ignore"):
        loop = contest.play_block(game, range(5, 5 + few), horizon)
    others = {few: loop}
    if setting == "censored" and game.load():
        others[many] = game.c_seeds(many, horizon, 3)
    for runs, theirs in others.items():
        assert len(theirs.rounds) == runs
        assert abs(contest.z_score(ours, theirs)) < 4


def test_rates_of_an_arm_that_the_likelihood_allows():
    """Those that the rival of RA-UCB finds, by the likelihood at many rates."""
    game, rng = import_module("bench.allocation"), np.random.default_rng(0)
    places = np.linspace(game.MARGIN, game.LAST, 4_001)
    rates = game.LOWEST * np.exp(game.STEP * (places - game.MARGIN))
    for true in rng.uniform(game.LOWEST, game.HIGHEST, 8):
        score, exposure, scratch = np.zeros((3, game.RATES.size))
        likelihood = np.zeros(rates.size)
        for _ in range(50):
            amount, threshold = rng.uniform(0, 40), rng.exponential(1 / true)
            game.observe(amount, threshold, scratch, score, exposure)
            seen = np.log(rates / -np.expm1(-rates * amount)) - rates * threshold
            likelihood += (threshold < amount) * seen
        node = max(np.flatnonzero(score[: game.TOP] > 0), default=game.MARGIN)
        x = game.peak(game.cell(score, node), min(game.LAST - node, 1.0))
        for enough in (0.5, 4.0):
            allowed = places[likelihood >= likelihood.max() - enough]
            for side, place in enumerate((allowed[0], allowed[-1])):
                found = game.bound(score, node, x, enough, side)
                assert found == pytest.approx(place, abs=0.02)


def test_the_best_turn_of_each_counts():
    """With the seconds that the first one took to compile."""
    contest = import_module("bench.contest")
    speeds = iter([1.0, 3.0, 2.0])

    def timed(seeds, horizon, seed):
        assert (seeds, horizon) == (4, 300)
        played = np.full(seeds, horizon), np.zeros(seeds)
        seconds = 1e-6 * horizon / next(speeds)
        return contest.Timed(*played, seconds, 2, 0.0 if seed else 0.5)

    def missing(seeds, horizon, seed):
        return None

    best = contest.best_turns({"a": timed, "b": missing}, 4, 300, 3)
    assert [*best] == ["a"] and best["a"].rate == pytest.approx(4e6 * 3)
    assert (best["a"].cores, best["a"].compile_seconds) == (2, 0.5)


def test_a_contestant_of_another_game_is_wrong(monkeypatch):
    """By the distance of its mean score, at the horizon of the setting."""
    rivals, contest = map(import_module, ("bench.rivals", "bench.contest"))

    def who(mean):
        def timed(seeds, horizon, seed):
            score = np.random.default_rng(seed).normal(mean, 1, seeds)
            return contest.Timed(np.full(seeds, horizon), score, 1.0)

        return timed

    them = {"jaxbandits": who(0), "like": who(0.1), "other": who(1)}
    monkeypatch.setattr(rivals, "contestants", lambda setting: them)
    options = SimpleNamespace(settings=["farewell"], seeds=100, horizon=None, repeats=1)
    rows = [*rivals.measure(options)]
    assert [row["wrong"] for row in rows] == [False, False, True]
    assert {row["horizon"] for row in rows} == {600_000}


def test_what_a_round_executes():
    """Loops that are counted, written out, in one another, and one that nobody counts:
    the machine says how often they go round."""
    machine = import_module("bench.machine_code")
    code = """
        /*0000*/                   MOV R1, c[0x0][0x28] ;
.L_x_1:
        /*0010*/                   HFMA2.MMA R4, -RZ, RZ, 0, 1.1920928955078125e-07 ;
        /*0020*/              @!P0 FADD R2, R2, 1 ;
.L_x_2:
        /*0030*/                   CS2R R6, SRZ ;
.L_x_3:
        /*0040*/                   IADD3 R7, R7, 0x1, RZ ;
        /*0050*/                   ISETP.NE.U32.AND P1, PT, R7, 0x5, PT ;
        /*0060*/               @P1 BRA `(.L_x_3) ;
        /*0070*/                   IADD3 R4, P2, R4, 0xc, RZ ;
        /*0080*/                   ISETP.NE.U32.AND P1, PT, R4, 0x26, PT ;
        /*0090*/               @P1 BRA `(.L_x_2) ;
        /*00a0*/                   UMOV UR4, URZ ;
.L_x_4:
        /*00b0*/                   UIADD3 UR4, UP1, UR4, 0x4, URZ ;
        /*00c0*/                   UISETP.NE.U32.AND UP0, UPT, UR4, 0x28, UPT ;
        /*00d0*/                   PLOP3.LUT P0, PT, PT, PT, UP0, 0x80, 0x0 ;
        /*00e0*/               @P0 BRA `(.L_x_4) ;
.L_x_5:
        /*00f0*/                   REDUX.MAX.S32 UR5, R8 ;
        /*0100*/               @P1 BRA `(.L_x_5) ;
        /*0110*/               @P0 BRA `(.L_x_1) ;
        /*0120*/                   EXIT ;
.L_x_6:
        /*0130*/                   BRA `(.L_x_6);
"""
    loops = machine.loops_of(code)
    # (38 - 2) / 12, 5, 40 / 4.
    assert loops == [(1, 18, None), (3, 10, 3), (4, 7, 5), (11, 15, 10), (15, 17, None)]
    straight, nested, counted = 4, 3 * (4 + 5 * 3), 10 * 4
    assert machine.executed(loops) == (straight + nested + counted + 2, False)
    assert machine.executed(loops[:-1]) == (straight + nested + counted + 2, True)


def test_a_loop_that_counts_up_to_zero():
    """From a negative number, by another unit, with the register named last."""
    code = """
        /*0000*/                   UMOV UR9, 0xfffec000 ;
.L_x_1:
        /*0010*/                   UIADD3 UR9, UR9, 0xa000, URZ ;
        /*0020*/                   ISETP.NE.U32.AND P2, PT, RZ, UR9, PT ;
        /*0030*/               @P2 BRA `(.L_x_1) ;
        /*0040*/                   EXIT ;
"""
    assert import_module("bench.machine_code").loops_of(code) == [(1, 4, 2)]


def test_a_loop_that_ends_by_a_flag():
    """Of two turns; of one if the flag is not set before, or copied as its opposite."""
    code = """
        /*0000*/                   UPLOP3.LUT UP0, UPT, UPT, UPT, UPT, {before}, 0x0 ;
.L_x_1:
        /*0010*/                   FSETP.GEU.AND P2, PT, R49, 5, PT ;
        /*0020*/                   PLOP3.LUT P2, PT, PT, PT, UP0, {copied}, 0x0 ;
        /*0030*/                   UPLOP3.LUT UP0, UPT, UPT, UPT, UPT, {after}, 0x0 ;
        /*0040*/               @P2 BRA `(.L_x_1) ;
        /*0050*/                   EXIT ;
"""
    machine = import_module("bench.machine_code")
    flags = {"before": "0x80", "copied": "0x80", "after": "0x40"}
    assert machine.loops_of(code.format(**flags)) == [(1, 5, 2)]
    once, uncounted = [(1, 5, 1)], [(1, 5, None)]
    for other, loops in (
        ({"before": "0x8"}, once),
        ({"copied": "0x2a"}, once),
        ({"after": "0x80"}, uncounted),
    ):
        assert machine.loops_of(code.format(**flags | other)) == loops
    unless = code.format(**flags).replace("@P2", "@!P2")
    assert machine.loops_of(unless) == once
    unset = code.format(**flags).replace("UPLOP3.LUT UP0", "UPLOP3.LUT UP1", 1)
    assert machine.loops_of(unset) == uncounted


def test_a_loop_whose_counter_is_compared_in_a_sum():
    """Before it is counted up, or with the number that it does not reach."""
    code = """
        /*0000*/                   MOV R27, 0x9 ;
        /*0010*/                   MOV R0, RZ ;
.L_x_1:
        /*0020*/                   VIADD R26, R27.reuse, 0x1 ;
        /*0030*/                   ISETP.NE.AND P1, PT, R26, 0x64, PT ;
        /*0040*/                   IADD3 R27, R27, 0xa, RZ ;
        /*0050*/               @P1 BRA `(.L_x_1) ;
.L_x_2:
        /*0060*/                   IADD3 R0, R0, 0x1, RZ ;
        /*0070*/                   ISETP.GE.U32.AND P1, PT, R0, 0x5, PT ;
        /*0080*/              @!P1 BRA `(.L_x_2) ;
        /*0090*/                   EXIT ;
"""
    loops = import_module("bench.machine_code").loops_of(code)
    assert loops == [(2, 6, 10), (6, 9, 5)]
