"""Policies that were built for another game."""

import numpy as np

from attack.case import Case
from attack.games import GAME, GREEDY, QUIET
from jaxbandits import laws, simulate
from jaxbandits.laws import thresholds
from jaxbandits.policies import allocation, budgeted, censored, doubling, farewell
from jaxbandits.settings import allocation as shares
from jaxbandits.settings import budgeted as money
from jaxbandits.settings import censored as limits
from jaxbandits.settings import farewell as waits
from jaxbandits.testing import check_policy

FIVE = limits.low_censoring(5)
TWENTY = limits.running_example(20, FIVE.problem.limits, 0.6)
TWO = limits.running_example(2, FIVE.problem.limits, 0.6)
OTHER_LIMITS = limits.running_example(5, [0.1, 0.2, 0.3], 0.6)
PENALTY = FIVE.problem._replace(penalty=limits.scaled(3.0))
ANY = limits.overtime(num_arms=3)
THREE = money.s_br(3)
PAIRS = waits.optimum_at_one()
FEWER_WAITS = waits.macro_arms_only()


def _share(num_arms, budget=3.0):
    ones = np.ones(num_arms)
    return shares.allocation(
        "x", thresholds.exponential, ones / 2, ones, budget, lowest=0.25, highest=4.0
    )


SHARES = _share(3)

CASES = {
    "UCB for 20 arms on 5": (lambda: censored.ucb_reduction(TWENTY), FIVE),
    "UCB for 2 arms on 5": (lambda: censored.ucb_reduction(TWO), FIVE),
    "RCUCB for 20 arms on 5": (lambda: censored.rcucb(TWENTY), FIVE),
    "Thompson for 20 arms on 5": (lambda: censored.thompson(TWENTY), FIVE),
    "RCUCB with other limits": (lambda: censored.rcucb(OTHER_LIMITS), FIVE),
    "RCUCB with another penalty": (lambda: censored.rcucb(PENALTY), FIVE),
    "arm 15 of 20 on 5": (lambda: censored.fixed_pair(TWENTY, 15, 0), FIVE),
    "uniform for 20 on 5": (lambda: censored.uniform(TWENTY), FIVE),
    "z-RCUCB on a grid": (lambda: censored.z_rcucb(ANY.problem), FIVE),
    "doubling on a grid": (lambda: doubling(censored.z_rcucb(ANY.problem)), FIVE),
    "RCUCB in the continuum": (lambda: censored.rcucb(FIVE.problem), ANY),
    "uniform of a grid in the continuum": (lambda: censored.uniform(TWO), ANY),
    "z-RCUCB for other arms": (
        lambda: censored.z_rcucb(limits.overtime(num_arms=7).problem),
        ANY,
    ),
    "budgeted on censored": (lambda: budgeted.bts(THREE.problem), FIVE),
    "censored on farewell": (lambda: censored.rcucb(FIVE.problem), PAIRS),
    "greedy of ours on farewell": (lambda: farewell.uniform(PAIRS.problem), GAME),
    "farewell for other waits": (
        lambda: farewell.fixed_pair(PAIRS.problem, 0, 9),
        FEWER_WAITS,
    ),
    "Wait-UCB for other waits": (lambda: farewell.wait_ucb(PAIRS.problem), FEWER_WAITS),
    "allocation for 5 arms on 3": (
        lambda: allocation.uniform_split(_share(5).problem),
        SHARES,
    ),
    "allocation for another budget": (
        lambda: allocation.uniform_split(_share(3, 9.0).problem),
        SHARES,
    ),
    "allocation on censored": (lambda: allocation.uniform_split(SHARES.problem), FIVE),
}
WITH_MONEY = {
    "arm 7 of 10 on 3": lambda: budgeted.fixed_arm(money.make_problem(10), 7),
    "BTS for 10 on 3": lambda: budgeted.bts(money.make_problem(10)),
    "omega-UCB for 10 on 3": lambda: budgeted.omega_ucb(money.make_problem(10)),
    "uniform for 10 on 3": lambda: budgeted.uniform(money.make_problem(10)),
    "UCB-SC+ for 2 on 3": lambda: budgeted.ucb_sc_plus(money.make_problem(2)),
    "UCB-BV1 with other costs": lambda: budgeted.c_ucb(
        money.make_problem(3, highest_cost=0.5)
    ),
}
# What a learner believes of costs is its own affair (`Problem.beliefs`).
BELIEFS = {"UCB-BV1 with other costs"}


def cases() -> list[Case]:
    found = []
    for name, (make, environment) in CASES.items():
        found.append(_case(name, make, environment, {"horizon": 5}))
    for name, make in WITH_MONEY.items():
        case = _case(name, make, THREE, {"budget": 5.0})
        found.append(case._replace(fine=name in BELIEFS))
    found.append(
        Case(
            "check_policy for 20 arms on 5",
            lambda: check_policy(censored.ucb_reduction(TWENTY), FIVE, rounds=3),
            ("policy", "problem"),
            heavy=True,
        )
    )
    rightly = _case("greedy on its game, rightly", lambda: GREEDY, GAME, {"horizon": 5})
    return [*found, rightly._replace(fine=True), _told()]


def _told():
    """Epsilon-first reckons with the budget that is played: it explores a tenth."""
    arms = laws.Product(
        laws.Bernoulli(np.array([0.9, 0.1, 0.1])), laws.Bernoulli(np.full(3, 0.5))
    )
    law = laws.product(laws.bernoulli, laws.bernoulli)
    game = money.fixed("three arms", law, arms)
    case = _case(
        "epsilon-first with a budget of 500",
        lambda: budgeted.epsilon_first(game.problem),
        game,
        {"budget": 500.0},
    )
    return case._replace(fine=lambda data: float(data["optimal"][..., -1].mean()) > 0.6)


def _case(name, make, environment, end):
    return Case(
        name,
        lambda: simulate(make(), environment, seeds=2, machine=QUIET, **end),
        ("policy", "policies", "problem", "horizon", "budget"),
        heavy=True,
    )
