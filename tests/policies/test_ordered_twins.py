"""Policies that serve arms in turn plan as their float64 twins do.

In each round that is compared the two plans are the same, or the policy's is worth as
much as the best one for the twin, up to rounding.
"""

from functools import cache, partial

from scipy.special import ndtri

from jaxbandits import allocation
from jaxbandits.laws.thresholds import exponential, weibull
from tests.games import given_arms
from tests.policies.followed import Case, played, twin_tests
from tests.policies.test_allocation_twins import twins_problem
from tests.reference import ordered_policies as twins

ROUNDS = 400
P, RATE = [0.9, 0.6, 0.5], [0.3, 0.8, 1.5]
BUDGETS = (2, 3, 3, 6)


@cache
def game(family=exponential, shape=None, told=False, budgets=BUDGETS):
    arms = given_arms(
        "three", family, P, RATE, 6.0, shape=shape, lowest=0.1, highest=3.0
    )
    return allocation.ordered(arms, budgets, known_distribution=told)


def _case(entry, twin, every=3, params=None, **options):
    made = partial(twin, **options)
    return Case(f"ordered/{entry}", made, params or {}, every)


CHANCES = [0, 0, 0.25, 0.5, 0, 0, 0.25]
SIGMOID = {"family": weibull, "shape": (0.8, 1.5, 2.0)}
CASES = {
    "thompson": _case("thompson", twins.Thompson, every=8),
    "thompson, told": _case("thompson", twins.Thompson, chances=CHANCES),
    "thompson, sigmoid": _case("thompson", twins.Thompson),
    "thompson-mean": _case("thompson-mean", twins.Thompson, plan="mean"),
    "thompson-greedy": _case("thompson-greedy", twins.Thompson, plan="greedy"),
    "ucb": _case("ucb", twins.UcbByUnits),
    "ucb, alpha": _case("ucb", twins.UcbByUnits, params={"alpha": 0.3}, alpha=0.3),
    "ucb, told": _case("ucb", twins.UcbByUnits, chances=CHANCES),
    "uniform": _case("uniform", twins.Uniform, every=1),
    "uniform, odd units": _case("uniform", twins.Uniform, every=1),
}
# Games that are not default, by label.
GAMES = {
    "thompson, told": {"told": True},
    "thompson, sigmoid": SIGMOID,
    "ucb, told": {"told": True},
    "uniform, odd units": {"budgets": (2, 5)},
}
# How much less a plan may be worth. Thompson's rates are drawn by the signed root of
# the likelihood where that is narrow, which is off by the square of its width: 3e-3
# measured, and some 1 % of a rate, more for sigmoids.
TOLERANCE, OF_UCB = 0.01, 2e-5
# Budgets that are told (settings/test_ordered.py has what a policy sees of them),
# another family and other plans of the same draws.
LONG = {
    *(
        "ucb, told",
        "thompson, told",
        "thompson, sigmoid",
        "thompson-mean",
        "thompson-greedy",
    ),
    "uniform, odd units",
}


def assert_plans_as_its_twin(name):
    case, environment = CASES[name], game(**GAMES.get(name, {}))
    problem = environment.problem
    twin = case.twin(twins_problem(problem.arms))
    tolerance = OF_UCB if name.startswith("ucb") else TOLERANCE
    equal, plans = [], set()
    for t, words, _, (arms, amounts), (threshold, given) in played(
        case, environment, ROUNDS
    )[1]:
        mine = [(arm, n) for arm, n in zip(arms, amounts, strict=True) if n]
        assert sum(amounts) == problem.units
        plans.add(str(mine))
        if t % case.every == 1 or case.every == 1:
            drawn = words if name.startswith("uniform") else ndtri(words)
            wanted, less = twin.act(t, drawn)
            equal.append(mine == wanted)
            if name != "thompson-greedy":  # of which a unit may go to one of two
                assert less(mine) < tolerance, f"round {t}: {mine}, not {wanted}"
        twin.update(t, amounts, given, threshold)
    share = 0.94 if name == "thompson, sigmoid" else 0.98
    assert sum(equal) >= share * len(equal), sum(equal) / len(equal)
    assert len(plans) > 4  # or the twin's agreement would say nothing


ALL = [(label,) for label in CASES]
SHORT = [(label,) for label in CASES if label not in LONG]
TestTwins = twin_tests("ordered", CASES, assert_plans_as_its_twin, SHORT, ALL)
