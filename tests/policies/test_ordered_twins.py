"""Policies that serve arms in turn plan as their float64 twins do.

As in `test_twins`: the twin follows the policy's plans on the same words. In each round
that is compared the two plans are the same, or the policy's is worth as much as the
best one for the twin, up to rounding.
"""

from functools import cache, partial
from typing import NamedTuple

import pytest
from scipy.special import ndtri

from jaxbandits import allocation
from jaxbandits.engine.tape import Stream, read
from jaxbandits.laws.thresholds import exponential, weibull
from jaxbandits.registry import POLICIES
from jaxbandits.testing import trace_run
from tests.games import given_arms
from tests.policies.followed import assert_sound, by_name
from tests.policies.test_allocation_twins import NAMES
from tests.reference import allocation_policies, words
from tests.reference import ordered_policies as twins
from tests.tables import for_all

ROUNDS = 400
P, RATE = [0.9, 0.6, 0.5], [0.3, 0.8, 1.5]
BUDGETS = (2, 3, 3, 6)


@cache
def game(family=exponential, shape=None, told=False, budgets=BUDGETS):
    arms = given_arms(
        "three", family, P, RATE, 6.0, shape=shape, lowest=0.1, highest=3.0
    )
    return allocation.ordered(arms, budgets, known_distribution=told)


class Case(NamedTuple):
    """An entry of the registry, its twin, parameters and games that are not default.

    `every` is how many rounds lie between two comparisons, `tolerance` how much less a
    plan may be worth. Thompson's rates are drawn by the signed root of the likelihood
    where that is narrow, which is off by the square of its width: 3e-3 measured, and
    some 1 % of a rate, more for sigmoids. `equal` is the share of equal plans.
    """

    twin: partial
    params: dict = {}
    game: dict = {}
    every: int = 3
    tolerance: float = 0.01
    equal: float = 0.98


CHANCES = [0, 0, 0.25, 0.5, 0, 0, 0.25]
SIGMOID = {"family": weibull, "shape": (0.8, 1.5, 2.0)}
CASES = {
    "thompson": Case(twins.Thompson, every=8),
    "thompson, told": Case(
        partial(twins.Thompson, chances=CHANCES), game={"told": True}
    ),
    "thompson, sigmoid": Case(twins.Thompson, game=SIGMOID, equal=0.94),
    "thompson-mean": Case(partial(twins.Thompson, plan="mean")),
    "thompson-greedy": Case(partial(twins.Thompson, plan="greedy")),
    "ucb": Case(twins.UcbByUnits, tolerance=2e-5),
    "ucb, alpha": Case(
        partial(twins.UcbByUnits, alpha=0.3), {"alpha": 0.3}, tolerance=2e-5
    ),
    "ucb, told": Case(
        partial(twins.UcbByUnits, chances=CHANCES), game={"told": True}, tolerance=2e-5
    ),
    "uniform": Case(twins.Uniform, every=1),
    "uniform, odd units": Case(twins.Uniform, game={"budgets": (2, 5)}, every=1),
}
# Budgets that are told (settings/test_ordered.py has what a policy sees of them),
# another family and other plans of the same draws; and these draws, which are those of
# allocation's Thompson sampling (test_allocation_twins.py), as they take longest.
LONG = {
    *(
        "thompson",
        "ucb, told",
        "thompson, told",
        "thompson, sigmoid",
        "thompson-mean",
        "thompson-greedy",
    ),
    "uniform, odd units",
}


def entry(name):
    return f"ordered/{name.split(',')[0]}"


def test_every_policy_of_the_setting_has_a_twin():
    entries = {name for name in POLICIES if name.startswith("ordered/")}
    assert {*map(entry, CASES)} == entries


def reference_problem(problem):
    return allocation_policies.Problem(
        NAMES[problem.family],
        problem.shape or (1.0,) * problem.num_arms,
        problem.lowest,
        problem.highest,
        float(problem.units),
    )


def assert_plans_as_its_twin(name):
    case = CASES[name]
    environment = game(**case.game)
    policy = POLICIES[entry(name)](environment.problem)
    params = policy.params._replace(**case.params) if case.params else None
    trace = trace_run(policy, environment, ROUNDS, params=params)
    assert_sound(trace.state)
    width = policy.words[0]
    drawn = words.grid(read(0, 0, Stream.ACT, ROUNDS, width))
    drawn = drawn if name == "uniform" else ndtri(drawn)
    twin = case.twin(reference_problem(environment.problem))
    equal, compared, played = 0, 0, set()
    rounds = zip(*trace.actions, *trace.feedback, strict=True)
    for t, (arms, amounts, threshold, given) in enumerate(rounds, start=1):
        pairs = zip(arms.tolist(), amounts.tolist(), strict=True)
        mine = [(arm, n) for arm, n in pairs if n]
        assert sum(amounts) == environment.problem.units
        played.add(str(mine))
        if t % case.every == 1 or case.every == 1:
            wanted, less = twin.act(t, drawn[t - 1] if width else None)
            compared += 1
            equal += mine == wanted
            if name != "thompson-greedy":  # of which a unit may go to one of two
                assert less(mine) < case.tolerance, f"round {t}: {mine}, not {wanted}"
        twin.update(t, amounts.tolist(), given.tolist(), threshold.tolist())
    assert equal >= case.equal * compared, equal / compared
    assert len(played) > 4  # or the twin's agreement would say nothing


ALL = [(label,) for label in CASES]
SHORT = [(label,) for label in CASES if label not in LONG]


@pytest.mark.parametrize("runs", by_name(entry, SHORT, ALL))
def test_policy_plans_as_its_twin(runs):
    for_all(assert_plans_as_its_twin, runs)


@pytest.mark.slow
def test_policies_plan_as_their_twins_in_other_games():
    for_all(assert_plans_as_its_twin, zip(LONG))
