"""The other engines against the scan engine, on the same tape; no GPU is needed.

The text of the GPU engine's kernel is built by g++ (``fused-interpret``).
"""

import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxbandits.engine import gpu
from jaxbandits.engine.choice import engine_for
from jaxbandits.engine.run import Clock, run
from jaxbandits.engine.schedule import Schedule, Terms
from jaxbandits.testing import altered
from tests.engine.gpu_cases import CASES, GAMES, GRIDS
from tests.engine.gpu_lowered import text_of
from tests.engine.near_ties import smallest_gaps
from tests.heavy import in_short
from tests.registered import POLICIES

pytestmark = [pytest.mark.oldest, pytest.mark.usefixtures("quickly")]

SEEDS = 64


def policy_and_game(name):
    """An entry of the registry in the game of its setting."""
    game = GAMES[name.split("/")[0]]()
    return POLICIES[name](game.problem), game


def marks_of(game, end, fine: bool):
    """Checkpoints: every round, or 255 amounts; or twelve, between which legs are long.

    More than ten either way, as the program is then the same.
    """
    if game.game.spent is not None:
        return np.linspace(0, end, 256 if fine else 13)[1:]
    every = np.arange(1, end + 1)
    return (
        every if fine or end < 13 else np.unique(np.geomspace(1, end, 15).astype(int))
    )


def played(engine, policy, game, end, fine=False):
    """The one chunk of a run over `SEEDS` lanes; its metrics are the whole record."""
    marks = marks_of(game, end, fine)
    game = altered(game, metrics=as_it_is)
    params = jax.tree.map(lambda x: np.full(SEEDS, x, np.float64), policy.params)
    schedule = Schedule(marks, 10**6, game.game.spent is not None)
    (chunk,) = run(
        policy,
        game,
        params,
        np.arange(SEEDS, dtype=np.uint32),
        Terms(schedule, engine=engine),
        chunk=SEEDS,
        devices=jax.devices()[:1],
        clock=Clock([], []),
        progress=lambda done: None,
    )
    return chunk


def as_it_is(tables, instance, record):
    """The record in two parts: its whole numbers, and the others."""
    leaves = [x.reshape(-1) for x in jax.tree.leaves(record)]
    counts = [x for x in leaves if jnp.issubdtype(x.dtype, jnp.integer)]
    sums = [x for x in leaves if jnp.issubdtype(x.dtype, jnp.floating)]
    parts = {"counts": counts, "sums": sums}
    return {name: jnp.concatenate(part) for name, part in parts.items() if part}


def differing_at(one, other):
    """Lanes, and checkpoints, at which some whole number differs, bool[S, C]."""
    whole = one.rounds, one.accounts.metrics["counts"], one.notes.report
    others = other.rounds, other.accounts.metrics["counts"], other.notes.report
    differs = np.zeros(one.rounds.shape, bool)
    for a, b in zip(*map(jax.tree.leaves, (whole, others)), strict=True):
        assert a.dtype == b.dtype and a.shape == b.shape
        differs |= (a != b).reshape(*differs.shape, -1).any(axis=-1)
    return differs


MOST_DIFFERING = 16
NEAR = 1e-5  # gap of two indices that may change places
# A tenth of all: tables, rows that are put, budgets, loops, lists of arms.
PLAYED = {
    "censored/ucb, log",
    "censored/rcucb, three by five",
    "censored/thompson",
    "budgeted/omega-star-ucb",
    "budgeted/uniform",
    "farewell/wait-ucb",
    "farewell/uniform",
    "combinatorial/cucb",
    "dueling/uniform",
    "continuum/zooming",
    "ordered/ucb",
}


# Of a setting each, by `engine.vmapped`.
MAPPED = ["farewell/omega-ucb", "censored/rcucb", "budgeted/bts", "allocation/ra-ucb"]
BOTH = [*(("fused-interpret", name) for name in CASES)]
BOTH += [("vmap", name) for name in MAPPED]
SHORT = [("fused-interpret", name) for name in PLAYED]


@pytest.mark.parametrize(
    "case", in_short(BOTH, [each for each in BOTH if each not in SHORT]), ids=" ".join
)
def test_it_plays_as_the_scan_engine(case):
    engine, name = case
    case = CASES[name]
    policy, game = case.policy_and_game()
    scan, found = (played(x, policy, game, case.end) for x in ("scan", engine))
    if name.partition("/")[2] in GRIDS:
        assert scan.notes.report["overflow"][:, -1].any()
    if case.rounded:
        assert apart_in_the_mean(scan, found) < 4
        return
    differs = differing_at(scan, found).any(axis=1)
    assert differs.sum() <= MOST_DIFFERING, np.flatnonzero(differs)
    if differs.any():
        lanes = np.flatnonzero(differs)
        where = parted(engine, policy, game, case.end, lanes)
        gaps = smallest_gaps(policy, game, lanes, max(last for _, last in where))
        for lane, (first, last), each in zip(lanes, where, gaps, strict=True):
            assert each[first - 1 : last].min() < NEAR, (lane, first, last, each)
    said = [(c.rounds, c.accounts, c.notes) for c in (scan, found)]
    for a, b in zip(*map(jax.tree.leaves, said), strict=True):
        np.testing.assert_allclose(a[~differs], b[~differs], rtol=1e-4, atol=1e-3)


def apart_in_the_mean(one, other) -> float:
    """Of all sums on record, the largest difference of means in standard errors."""
    difference = other.accounts.metrics["sums"] - one.accounts.metrics["sums"]
    error = difference.std(axis=0) / np.sqrt(SEEDS)
    return np.max(np.abs(difference.mean(axis=0)) / np.maximum(error, 1e-3))


def parted(engine, policy, game, end, lanes) -> list[tuple[int, int]]:
    """The first and the last round in which two engines may have parted, by lane."""
    scan, found = (played(x, policy, game, end, fine=True) for x in ("scan", engine))
    at = differing_at(scan, found).argmax(axis=1)
    before = np.pad(scan.rounds, ((0, 0), (1, 0)))
    # By the clock a round has begun at one amount, and what was chosen counts when it
    # has ended, at a later one.
    return [
        (
            max(before[lane, at[lane]] + 1 - game.game.by_the_clock, 1),
            max(scan.rounds[lane, at[lane]], found.rounds[lane, at[lane]]),
        )
        for lane in lanes
    ]


def sorting(policy):
    """The policy, which sorts something before it acts."""

    def act(noise, view, state, params):
        action = policy.act(noise, view, state, params)
        return action._replace(arm=action.arm + jnp.sort(noise)[0].astype(jnp.int32))

    return policy._replace(name="Sorting", act=act)


def test_what_is_missing_is_named():
    policy, game = policy_and_game("censored/uniform")
    policy = sorting(policy)
    (reason,) = gpu.unsupported(policy, game)
    assert re.fullmatch(r"sort \(test_gpu_engine.py:\d+\)", reason)
    with pytest.raises(gpu.UnsupportedError, match="sort .*; 'scan' and 'vmap' can"):
        engine_for("fused-interpret", policy, game, "cpu")


def test_arguments_are_checked(monkeypatch):
    policy, game = policy_and_game("censored/uniform")
    with pytest.raises(ValueError, match="engine must be one of"):
        engine_for("quick", policy, game, "cpu")
    with pytest.raises(ValueError, match="needs a GPU"):
        engine_for("fused", policy, game, "cpu")
    monkeypatch.setattr("jaxbandits.engine.gpu.rounds.MOST_NUMBERS", 9_599)
    with pytest.raises(ValueError, match="chunk must be at most 95 lanes, got 96"):
        text_of(policy, game)
    monkeypatch.setattr("jaxbandits.engine.gpu.build.COMPILER", "no-such-compiler")
    with pytest.raises(ValueError, match="'fused-interpret' needs no-such-compiler"):
        engine_for("fused-interpret", policy, game, "cpu")
