"""How large blocks are: by what they cost, and few enough."""

import math

import numpy as np
import pytest

from jaxbandits import budgeted
from jaxbandits.checks.points import Points
from jaxbandits.engine.rollout import LANE_QUANTUM
from jaxbandits.engine.schedule import Schedule, Terms
from jaxbandits.results.moments import SHAPE
from jaxbandits.results.parts import Part
from jaxbandits.simulation import Entry, Spec
from jaxbandits.simulation.estimate import (
    ACCELERATOR,
    BLOCKS,
    LIMITS,
    TABLE_BYTES,
    block_size,
    longest_run,
)
from jaxbandits.simulation.plan import Match, Plan
from jaxbandits.store.request import Request


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


@pytest.mark.parametrize("platform", ["cpu", "gpu", "tpu"])
@pytest.mark.parametrize("checkpoints", [(10,), (10, 20), range(1, 101), (10**7,)])
@pytest.mark.parametrize("shapes", [{"a": ()}, {"a": (), "b": (30,), "c": (2, 5)}])
@pytest.mark.parametrize("seeds", [300, 100_000])
def test_a_block_costs_what_it_may(platform, checkpoints, shapes, seeds):
    plan = plan_of((10_000,), seeds=seeds, checkpoints=tuple(checkpoints))
    size = block_size(plan, shapes, platform).runs
    limits = LIMITS.get(platform, ACCELERATOR)
    # Rounds count too: i64.
    numbers = 1 + {1: 1, 3: 41}[len(shapes)]
    cost = size * numbers * len(checkpoints) * 8
    rounds = size * checkpoints[-1]
    share = 10_000 * seeds / BLOCKS
    assert cost <= max(limits.bytes, limits.most_bytes)
    if size > share + 1:  # Not for the sake of their number.
        assert cost <= limits.bytes
        assert rounds <= limits.rounds or size <= limits.least
    # And not much less.
    assert 4 * cost > limits.bytes or 4 * rounds > limits.rounds or 4 * size > share


def test_a_billion_runs_are_few_blocks(subtests):
    for seeds in [10**6, 3 * 10**6 + 1]:
        for points in [(1000,), (1, 1000), (7, 30, 300)]:
            with subtests.test(points=points, seeds=seeds):
                plan = plan_of(points, seeds=seeds, checkpoints=(10**4,))
                size = block_size(plan, {name: () for name in "abcde"}, "cpu")
                parts = [
                    Part(key, match.points, ((0, seeds),))
                    for key, match in plan.matches.items()
                ]
                sweep = {"environments": {"environment 0": {}}}
                sweep["policies"] = {policy: {} for _, policy in plan.matches}
                blocks = Request(sweep, parts, size, "runs", {}).blocks()
                assert len(blocks) <= 2 * BLOCKS + len(points)


def test_a_block_has_at_least_a_vector_of_lanes():
    plan = plan_of((2,), seeds=1000, checkpoints=range(1, 100_001))
    assert block_size(plan, {"a": ()}, "cpu").runs == LANE_QUANTUM


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
    size = block_size(plan._replace(spec=spec), {"a": ()}, "cpu")
    assert size.runs <= LIMITS["cpu"].least


def test_moments_keep_few_points_in_a_block():
    """For the sake of their tables, and then of more seeds."""
    plan = plan_of((1000,), seeds=10**6, checkpoints=tuple(range(1, 101)))
    size = block_size(plan, {"a": ()}, "cpu", moments=True)
    tables = 8 * math.prod(SHAPE) * 2 * 100
    assert size.points * tables <= TABLE_BYTES < (size.points + 1) * tables
