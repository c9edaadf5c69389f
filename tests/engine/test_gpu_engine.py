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
from jaxbandits.engine.legs import SCAN
from jaxbandits.engine.rollout import drawn, first_carry, to_device
from jaxbandits.engine.rules import Carry
from jaxbandits.engine.run import in_units_of_spend
from jaxbandits.engine.tape import stream_keys
from jaxbandits.engine.vmapped import VMAP
from tests.engine import legs
from tests.engine.gpu_cases import CASES, GRIDS
from tests.engine.near_ties import smallest_gaps
from tests.heavy import in_short

pytestmark = [pytest.mark.oldest, pytest.mark.usefixtures("quickly")]

SEEDS = 64
ENGINES = {"scan": SCAN, "vmap": VMAP, "fused-interpret": gpu.INTERPRETED}


def marks_of(game, end, fine: bool):
    """Every round, or 255 amounts; or twelve targets, between which legs are long."""
    if game.game.spent is not None:
        amounts = np.linspace(0, end, 256 if fine else 13)[1:]
        return in_units_of_spend(amounts, game)
    every = np.arange(1, end + 1)
    return (
        every if fine or end < 13 else np.unique(np.geomspace(1, end, 15).astype(int))
    )


def played(engine, policy, game, end, fine=False) -> Carry:
    """Rounds and states of `SEEDS` lanes when they are at each target, [S, C, ...]."""
    rules = legs.rules_of(policy, game, ENGINES[engine])
    params, setup = legs.numbers_of(policy, game, SEEDS)
    # What all policies, or all of a game, begin with is compiled once.
    instance = legs.compiled(drawn, game.game.sample, "cpu")(
        *legs.lanes_of(SEEDS), setup
    )
    given = legs.compiled(stream_keys)(*legs.lanes_of(SEEDS)), params, instance
    start = legs.compiled(first_carry, rules._replace(engine=SCAN), SEEDS)
    carry = start(params, instance)
    found = []
    for mark in marks_of(game, end, fine):
        target, before = to_device(np.full(SEEDS, mark)), 0
        while np.any(carry.round != before):
            before, carry = (
                carry.round,
                legs.compiled(legs.play, rules)(given, carry, target),
            )
        found.append(carry)
    return jax.tree.map(lambda *x: np.moveaxis(np.stack(x), -1, 0), *found)


def differing_at(one, other):
    """Lanes, and targets, at which some whole number differs, bool[S, C]."""
    differs = np.zeros(one.round.shape, bool)
    for a, b in zip(*map(jax.tree.leaves, (one, other)), strict=True):
        assert a.dtype == b.dtype and a.shape == b.shape
        if a.dtype.kind != "f":
            differs |= (a != b).reshape(*differs.shape, -1).any(axis=-1)
    return differs


MOST_DIFFERING = 16
NEAR = 1e-5  # gap of two indices that may change places
# Tables, rows that are put, budgets, clocks, lists of arms.
PLAYED = {
    "censored/ucb, log",
    "censored/rcucb, three by five",
    "budgeted/uniform",
    "farewell/wait-ucb",
    "ordered/ucb",
}


# Of a setting each, by `engine.vmapped`.
MAPPED = ["farewell/omega-ucb", "censored/rcucb", "budgeted/bts", "allocation/ra-ucb"]
BOTH = [*(("fused-interpret", name) for name in CASES if name not in PLAYED)]
BOTH += [("vmap", name) for name in MAPPED]
SHORT = [("fused-interpret", name) for name in CASES if name in PLAYED]


@pytest.mark.parametrize("case", in_short(SHORT + BOTH, BOTH), ids=" ".join)
def test_it_plays_as_the_scan_engine(case):
    engine, name = case
    case = CASES[name]
    policy, game = case.policy_and_game()
    scan, found = (played(x, policy, game, case.end) for x in ("scan", engine))
    if name.partition("/")[2] in GRIDS:
        end = jax.tree.map(lambda x: x[:, -1], scan.policy)
        report = jax.vmap(policy.report, (0, None))(end, policy.params)
        assert report["overflow"].any()
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
    # Where a likelihood is flat, what a policy takes for its top is rounded otherwise.
    for part, most in (("environment", 0.0), ("policy", 0.01)):
        states = (jax.tree.leaves(getattr(each, part)) for each in (scan, found))
        for a, b in zip(*states, strict=True):
            apart = ~np.isclose(a[~differs], b[~differs], rtol=1e-4, atol=1e-3)
            assert apart.sum() <= most * apart.size, (part, a.shape, apart.sum())


def apart_in_the_mean(one, other) -> float:
    """Of all sums of the game, the largest difference of means in standard errors."""
    found = [0.0]
    states = map(jax.tree.leaves, (one.environment, other.environment))
    for a, b in zip(*states, strict=True):
        if a.dtype.kind == "f":
            error = (b - a).std(axis=0) / np.sqrt(SEEDS)
            apart = np.abs((b - a).mean(axis=0)) / np.maximum(error, 1e-3)
            found.append(apart.max())
    return max(found)


def parted(engine, policy, game, end, lanes) -> list[tuple[int, int]]:
    """The first and the last round in which two engines may have parted, by lane."""
    scan, found = (played(x, policy, game, end, fine=True) for x in ("scan", engine))
    at = differing_at(scan, found).argmax(axis=1)
    # Rounds that are still to be played: by all lanes, the first.
    before = np.pad(scan.round, ((0, 0), (1, 0)), constant_values=1)
    # By the clock a round has begun at one amount, and what was chosen counts when it
    # has ended, at a later one.
    return [
        (
            max(before[lane, at[lane]] - game.game.by_the_clock, 1),
            max(scan.round[lane, at[lane]], found.round[lane, at[lane]]) - 1,
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
    policy, game = CASES["censored/uniform"].policy_and_game()
    policy = sorting(policy)
    (reason,) = gpu.unsupported(policy, game)
    assert re.fullmatch(r"sort \(test_gpu_engine.py:\d+\)", reason)
    with pytest.raises(gpu.UnsupportedError, match="sort .*; 'scan' and 'vmap' can"):
        engine_for("fused-interpret", policy, game, "cpu")


def test_more_runs_than_places_of_32_bits_are_refused(monkeypatch):
    monkeypatch.setattr("jaxbandits.engine.gpu.rounds.MOST_NUMBERS", 9_599)
    with pytest.raises(ValueError, match="chunk must be at most 95 lanes, got 96"):
        legs.text_of(*CASES["censored/uniform"].policy_and_game())
