"""Blocks cover exactly what is missing, each of one process."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jaxbandits import budgeted
from jaxbandits.checks.points import Points
from jaxbandits.engine.rollout import LANE_QUANTUM
from jaxbandits.engine.schedule import Schedule, Terms
from jaxbandits.sweeps import Entry, Spec
from jaxbandits.sweeps.blocks import (
    ACCELERATOR,
    BLOCKS,
    LIMITS,
    Share,
    block_shape,
    longest_run,
    outstanding,
    rectangle,
)
from jaxbandits.sweeps.plan import Match, Plan


def plan_of(points=(1,), environments=1, seeds=1, checkpoints=(1,)) -> Plan:
    """A plan of policies with so many points; nobody looks at the policies."""
    names = [f"environment {i}" for i in range(environments)]
    spec = Spec({str(p): Entry(None) for p in range(len(points))}, dict.fromkeys(names))
    matches = {
        (name, policy): Match(None, None, Points({"a": np.arange(float(count))}, count))
        for name in names
        for policy, count in zip(spec.policies, points, strict=True)
    }
    schedule = Schedule(np.array(checkpoints), checkpoints[-1])
    return Plan(spec, matches, Terms(schedule), np.arange(seeds, dtype=np.uint32))


def nothing_played(plan):
    points = max(match.points.count for match in plan.matches.values())
    policies, environments = len(plan.spec.policies), len(plan.spec.environments)
    return np.zeros((environments, policies, points, len(plan.seeds)), bool)


def lanes(block):
    params, seed = block.place.params, block.place.seed
    return (params.stop - params.start) * (seed.stop - seed.start)


@st.composite
def situations(draw):
    """A plan, what is played of it, and the size of a block."""
    plan = plan_of(
        draw(st.lists(st.integers(1, 6), min_size=1, max_size=3)),
        draw(st.integers(1, 3)),
        draw(st.integers(1, 12)),
    )
    shape = draw(st.integers(1, 5)), draw(st.integers(1, 7))
    complete = nothing_played(plan)
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    kind = draw(st.sampled_from(["nothing", "runs", "blocks", "a corner", "all"]))
    share = draw(st.sampled_from([0.1, 0.5, 0.9]))
    if kind == "runs":
        complete = rng.random(complete.shape) < share
    elif kind == "blocks":
        cells = [-(-n // s) for n, s in zip(complete.shape[2:], shape, strict=True)]
        some = rng.random((*complete.shape[:2], *cells)) < share
        grown = some.repeat(shape[0], axis=2).repeat(shape[1], axis=3)
        complete = grown[:, :, : complete.shape[2], : complete.shape[3]]
    elif kind == "a corner":  # As an extended store has it.
        corner = tuple(slice(math.ceil(share * n)) for n in complete.shape)
        complete[corner] = True
    elif kind == "all":
        complete[:] = True
    return plan, complete, shape


@given(situations(), st.integers(1, 4))
def test_every_missing_run_is_in_one_block(situation, hosts):
    plan, complete, shape = situation
    count = np.zeros(complete.shape, int)
    keys = list(plan.matches)
    for host in range(hosts):
        for block in outstanding(plan, complete, shape, Share(host, hosts)):
            key, place = block.key, block.place
            policies = len(plan.spec.policies)
            assert key == keys[place.environment * policies + place.policy]
            for piece, size in zip(place[2:], shape, strict=True):
                assert piece.start < piece.stop
                assert piece.start // size == (piece.stop - 1) // size
            assert place.params.stop <= plan.matches[key].points.count
            # No smaller rectangle would do.
            missing = ~complete[place]
            assert missing[[0, -1]].any(axis=1).all()
            assert missing[:, [0, -1]].any(axis=0).all()
            count[place] += 1
    assert count.max(initial=0) <= 1
    real = np.zeros(complete.shape, bool)
    for number, match in enumerate(plan.matches.values()):
        environment, policy = divmod(number, len(plan.spec.policies))
        real[environment, policy, : match.points.count] = True
    assert count[real & ~complete].all()
    assert not count[~real].any()


@given(situations(), st.integers(1, 4))
def test_programs_have_equally_much_to_do(situation, hosts):
    """Of every policy: policies differ in cost."""
    plan, complete, shape = situation
    for policy in range(len(plan.spec.policies)):
        numbers = [
            sum(block.place.policy == policy for block in blocks)
            for blocks in shares(plan, np.zeros_like(complete), shape, hosts)
        ]
        assert max(numbers) - min(numbers) <= 1


@given(situations(), st.integers(1, 4))
def test_whose_a_block_is_does_not_depend_on_what_is_played(situation, hosts):
    """Programs that come at different times agree."""
    plan, complete, shape = situation
    whole = shares(plan, np.zeros_like(complete), shape, hosts)
    for first, rest in zip(whole, shares(plan, complete, shape, hosts), strict=True):
        corners = {corner(block, shape) for block in first}
        assert {corner(block, shape) for block in rest} <= corners


def shares(plan, complete, shape, hosts):
    return [
        outstanding(plan, complete, shape, Share(host, hosts)) for host in range(hosts)
    ]


def corner(block, shape):
    """The number of a block among all, along every axis."""
    starts = (piece.start for piece in block.place[2:])
    return (*block.place[:2], *(a // b for a, b in zip(starts, shape, strict=True)))


def test_games_of_a_block_each_go_round():
    """Neither policy is all with one program, nor does one start with all."""
    plan = plan_of((1, 1), environments=4, seeds=5)
    for host, blocks in enumerate(shares(plan, nothing_played(plan), (1, 5), 2)):
        assert sorted(block.place.policy for block in blocks) == [0, 0, 1, 1]
        assert blocks[0].place.policy == host


def test_seeds_vary_slowest():
    """Then games, then points."""
    plan = plan_of((3, 1), environments=2, seeds=5)
    blocks = outstanding(plan, nothing_played(plan), (2, 3))
    wanted = [
        (seed, environment, policy, params)
        for seed in (slice(0, 3), slice(3, 5))
        for environment in (0, 1)
        for policy, pieces in ((0, (slice(0, 2), slice(2, 3))), (1, (slice(0, 1),)))
        for params in pieces
    ]
    found = [
        (b.place.seed, b.place.environment, b.place.policy, b.place.params)
        for b in blocks
    ]
    assert found == wanted


def test_of_a_block_that_grew_only_the_rest_is_played():
    plan = plan_of((4,), seeds=10)
    complete = nothing_played(plan)
    complete[..., :6] = True
    places = [b.place for b in outstanding(plan, complete, (4, 4))]
    assert places == [
        (0, 0, slice(0, 4), slice(6, 8)),
        (0, 0, slice(0, 4), slice(8, 10)),
    ]


@given(st.integers(1, 400), st.integers(1, 40), st.integers(1, 500))
def test_a_rectangle_has_the_most_runs_that_it_may(seeds, points, most):
    plan = plan_of((points, 1), seeds=seeds)
    height, width = rectangle(plan, most)
    assert 1 <= width <= seeds and 1 <= height <= points
    assert height * width <= most
    # Not much smaller than needed.
    assert width == seeds or 2 * width > most
    # Whole vectors of lanes, where a block has more than one.
    if LANE_QUANTUM <= width < seeds:
        assert width % LANE_QUANTUM == 0
    if height > 1:
        assert width == seeds


SHAPES_BY_HAND = [
    (100, 1, 1000, (1, 100)),
    (100, 30, 1000, (10, 100)),
    (100, 31, 1000, (8, 100)),  # Four of at most ten: equal parts.
    (1000, 5, 300, (1, 256)),  # Four of at least 250, in whole vectors.
    (1000, 5, 250, (1, 192)),  # 256 would be more than may be.
    (1000, 5, 63, (1, 63)),
    (130, 1, 129, (1, 128)),
    (3, 7, 1, (1, 1)),
]


def test_shapes_by_hand(subtests):
    for seeds, points, most, shape in SHAPES_BY_HAND:
        with subtests.test(seeds=seeds, points=points, most=most, shape=shape):
            assert rectangle(plan_of((points,), seeds=seeds), most) == shape


@pytest.mark.parametrize("platform", ["cpu", "gpu", "tpu"])
@pytest.mark.parametrize("checkpoints", [(10,), (10, 20), range(1, 101), (10**7,)])
@pytest.mark.parametrize("shapes", [{"a": ()}, {"a": (), "b": (30,), "c": (2, 5)}])
@pytest.mark.parametrize("seeds", [300, 100_000])
def test_a_block_costs_what_it_may(platform, checkpoints, shapes, seeds):
    plan = plan_of((10_000,), seeds=seeds, checkpoints=tuple(checkpoints))
    height, width = block_shape(plan, shapes, platform)
    limits = LIMITS.get(platform, ACCELERATOR)
    # Rounds count too: i64.
    numbers = 1 + {1: 1, 3: 41}[len(shapes)]
    cost = height * width * numbers * len(checkpoints) * 8
    rounds = height * width * checkpoints[-1]
    share = 10_000 * seeds / BLOCKS
    assert cost <= max(limits.bytes, limits.most_bytes)
    if height * width > share + 1:  # Not for the sake of their number.
        assert cost <= limits.bytes
        assert rounds <= limits.rounds or height * width <= limits.least
    # And not much less.
    assert (
        4 * cost > limits.bytes
        or 4 * rounds > limits.rounds
        or 4 * height * width > share
    )


def test_a_billion_runs_are_few_blocks(subtests):
    for seeds in [10**6, 3 * 10**6 + 1]:
        for points in [(1000,), (1, 1000), (7, 30, 300)]:
            with subtests.test(points=points, seeds=seeds):
                plan = plan_of(points, seeds=seeds, checkpoints=(10**4,))
                height, width = block_shape(plan, {name: () for name in "abcde"}, "cpu")
                rows = sum(
                    -(-match.points.count // height) for match in plan.matches.values()
                )
                assert rows * -(-seeds // width) <= 2 * BLOCKS + len(points)


def test_a_block_has_at_least_a_vector_of_lanes():
    plan = plan_of((2,), seeds=1000, checkpoints=range(1, 100_001))
    assert block_shape(plan, {"a": ()}, "cpu") == (1, LANE_QUANTUM)


def test_a_budget_is_turned_into_rounds():
    """By the cheapest arm on average; blocks are small where nobody says the costs."""
    from tests.engine import budget_game

    law_units = budgeted.s_br(3), budgeted.s_br(3)._replace(oracle=None)
    plan = plan_of((1,), seeds=10_000, checkpoints=(1000.0,))
    schedule = Schedule(np.array([1000.0]), 2**31 - 2, by_budget=True)
    plan = plan._replace(terms=Terms(schedule))
    for environment, rounds in zip(law_units, (1000, 2**31 - 2), strict=True):
        spec = plan.spec._replace(environments={"one": environment})
        assert longest_run(plan._replace(spec=spec)) == pytest.approx(rounds, rel=1e-5)
    spec = plan.spec._replace(environments={"one": budget_game.environment()})
    height, width = block_shape(plan._replace(spec=spec), {"a": ()}, "cpu")
    assert height * width <= LIMITS["cpu"].least
