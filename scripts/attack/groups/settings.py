"""Factories of problems and environments of all four settings."""

import numpy as np

from attack.case import Case
from attack.values import INF, NAN, attack, of
from jaxbandits import laws
from jaxbandits.laws import thresholds
from jaxbandits.settings import allocation, budgeted, censored, farewell
from jaxbandits.settings.allocation.criteo_log import CriteoLog

ONE = np.ones(2)
LAW = laws.product(laws.bernoulli, laws.beta)
ARMS = laws.Product(laws.Bernoulli(ONE / 2), laws.Beta(ONE, ONE))
C = censored.scaled(0.1)
PROBLEM = censored.make_problem(2, [0.3, 0.5], C, C)
EXPONENTIAL = allocation.make_problem(
    thresholds.exponential, 2, 3.0, lowest=0.1, highest=5.0
)
LIMITS = (
    *(None, "x", 3, 0.5, {}, [], [None], ["a"], [NAN], [INF], [0.0], [-0.5]),
    *([1.5], [0.5, 0.3], [0.5, 0.5], [0.3, 0.3 + 1e-9], [1e-50], [[0.3, 0.5]]),
)
FUNCTIONS = (
    *of("function"),
    lambda: 1.0,
    lambda x: "a",
    lambda x: None,
    lambda x: x[:1],
    lambda x: 1.0 / 0,
    lambda x: x * NAN,
    lambda x: x + INF,
    lambda x: -x,
    lambda x: 1 - x,
    lambda x: x * 1e39,
    lambda x: x * 1j,
)
RATES = of("played", plus=([], [[1.0, 1.0]], [1.0], [1.0, NAN], [1.0, "a"]))


def cases() -> list[Case]:
    return [*_censored(), *_budgeted(), *_farewell(), *_allocation()]


def _censored():
    make = {"num_arms": 2, "limits": [0.3, 0.5], "cost": C, "penalty": C}
    fine = {"limits": lambda problem: problem.limits == (0.5,)}
    for function in (censored.make_problem, censored.make_continuum):
        good = {k: v for k, v in make.items() if k != "limits"}
        good |= {"limits": [0.3]} if function is censored.make_problem else {}
        wrong = {
            "num_arms": "count",
            "cost": FUNCTIONS,
            "penalty": FUNCTIONS,
            "max_limit": "played",
        }
        if function is censored.make_problem:
            wrong["limits"] = LIMITS
        yield from attack(function, good, wrong)
    yield from attack(
        censored.equidistant,
        {"size": 3},
        {"size": of("count", plus=(1,)), "max_limit": "played", "form": "choice"},
    )
    yield from attack(
        censored.running_example,
        {"num_arms": 2, "limits": [0.3]},
        {"num_arms": "count", "limits": LIMITS, "max_limit": "played", "soft": "flag"},
        fine=fine,
    )
    yield from attack(
        censored.scaled, {"factor": 1}, {"factor": of("not negative", plus=(1e39,))}
    )
    yield from attack(
        censored.fast_track,
        {"compensation": 10.0, "promise": 0.3},
        {
            "compensation": of("not negative", plus=(1e39, 0.05)),
            "promise": of("not negative", plus=(1e39, 1e-50)),
            "cost_factor": of("not negative", plus=(11.0,)),
        },
    )
    yield from attack(
        censored.late_fee,
        {"fee": 3.0, "promise": 0.3},
        dict.fromkeys(("fee", "promise", "cost_factor"), "not negative"),
    )
    yield from attack(
        censored.gaussian_covariance,
        {"x": [0.2], "scale": 0.1},
        {"x": (None, "a", NAN, [NAN], [2.0], [[0.1]]), "scale": "positive"},
    )
    for name in ("poscorr", "negcorr", "indep", "overtime", "example1"):
        function = getattr(censored, name)
        grid = LIMITS if name == "overtime" else of("object", None, plus=LIMITS[3:])
        yield from attack(function, {}, {"limits": grid}, fine=fine)
    for name in ("poscorr", "negcorr", "indep", "many_arms", "low_censoring"):
        function = getattr(censored, name)
        good = {"num_arms": 3} if name in ("many_arms", "low_censoring") else {}
        wrong = {"form": "choice"} | ({"num_arms": "count"} if good else {})
        yield from attack(function, good, wrong)
    wrong = {
        "environment": of("object", plus=(PROBLEM, censored.indep(censored.ANY))),
        "size": of("count", plus=(11,)),
    }
    good = {"environment": censored.indep(), "size": 2}
    yield from attack(censored.combinatorial, good, wrong)
    del wrong["size"], good["size"]
    yield from attack(censored.duels, good, wrong)
    wrong = {
        "num_arms": "count",
        "fee": "not negative",
        "promise": of("not negative", plus=(2,)),
    }
    yield from attack(censored.overtime, {}, wrong)
    yield from attack(
        censored.censored,
        {"name": "x", "problem": PROBLEM, "law": LAW, "arms": ARMS},
        {
            "name": "text",
            "problem": of("object", plus=(EXPONENTIAL, budgeted.make_problem(2))),
            "law": of("object", plus=(laws.beta, laws.product)),
            "arms": of("object", plus=(_arms(1), _arms(3), _arms(2, NAN), _arms(2, 2))),
        },
        named={"arms": ("params", "probability", "a")},
    )
    yield from attack(
        censored.forest,
        {},
        {
            "runs": of("object", None, plus=("x.csv",)),
            "num_limits": of("count", plus=(1,)),
            "unit": of("played", None),
        },
    )


def _arms(num_arms, probability=0.5):
    ones = np.ones(num_arms)
    return laws.Product(laws.Bernoulli(ones * probability), laws.Beta(ones, ones))


def _budgeted():
    yield from attack(
        budgeted.make_problem,
        {"num_arms": 2},
        {
            "num_arms": "count",
            "lowest_cost": of("not negative", plus=([0.1] * 3, [], 2.0)),
            "highest_cost": of("played", plus=([1, 2, 3], [])),
        },
    )
    for name in ("s_br", "s_gbr", "s_bt"):
        yield from attack(
            getattr(budgeted, name), {"num_arms": 2}, {"num_arms": "count"}
        )
    floors = of("not negative", plus=(1, 1.0, 2.0, 1e-50, [0.1]))
    yield from attack(budgeted.s_br, {"num_arms": 3}, {"cost_floor": floors})
    for name in ("fb_br", "fb_bt"):
        yield from attack(
            getattr(budgeted, name), {}, {"groups": "object"}, works=False
        )
    yield from attack(
        budgeted.budgeted,
        {"name": "x", "law": LAW, "draw": print, "setup": 0, "num_arms": 2},
        {
            "name": "text",
            "law": of("object", plus=(laws.beta,)),
            "draw": "function",
            "num_arms": "count",
            "unit": of("choice", 0.5, 3, plus=(0.0, -1.0, NAN)),
        },
    )
    params = tuple(
        laws.Product(laws.Bernoulli(ONE / 2), cost)
        for cost in (
            laws.Beta(ONE, -ONE),
            laws.Beta(ONE, NAN * ONE),
            laws.Beta(np.ones(3), np.ones(3)),
            laws.Beta(1.0, 1.0),
            laws.Beta(["a", "b"], ONE),
            laws.Beta(1e-9 * ONE, ONE),  # costs that the noise cannot draw
            laws.Bernoulli(ONE),
        )
    )
    yield from attack(
        budgeted.fixed,
        {"name": "x", "law": LAW, "params": ARMS},
        {
            "name": "text",
            "law": of("object", plus=(laws.beta,)),
            "params": of("object", plus=params),
            "unit": of("choice", 0.5, 3, plus=(0.0, -1.0, NAN)),
        },
        named={"params": ("a", "b")},
    )


def _farewell():
    delay, reward = [[0.5, 0.5], [0.25, 0.75]], [[1.0], [0.5]]
    tables = (*of("object"), [[0.5, 0.6]], [[1.5, -0.5]], [[NAN, 1.0]], [["a", 1.0]])
    yield from attack(
        farewell.farewell,
        {"name": "x", "delay": delay, "reward": reward},
        {
            "name": "text",
            "delay": (*tables, [0.5, 0.5], [[]], [[0.5, 0.5], [1.0]]),
            "reward": (*of("object"), [[2.0], [0.5]], [[NAN], [0.5]], [["a"], [0.5]]),
            "num_waits": of("count", None, plus=(3,)),
            "delays": (*of("object")[1:], 2, [2, 1], [1, 1.5], [1, NAN], [1], [[1, 2]]),
            "waits": (*of("object")[1:], 2, [2, 1], [0, 1], [1, NAN], [["a"]], [[1]]),
            "reward_law": of("object", plus=(LAW, laws.exponential)),
            "failure": "choice",
        },
        named={"reward": ("probability",), "reward_law": ("reward",)},
    )
    yield from attack(farewell.figure_1a, {}, {"reading": "choice"})
    cases = (None, "1", 0, 3, 1.0, True, [1], NAN)
    yield from attack(farewell.display_advertising, {}, {"case": cases})
    yield from attack(
        farewell.second_price_auction,
        {},
        {
            "highest_bid_of_others": ("x", 3, [], [0.5, 0.6], [NAN, 1.0], [[0.5, 0.5]]),
            "utility": ("x", 3, [], [0.5] * 3, [NAN] * 8, [2.0] * 8, [[0.5] * 8]),
            "name": "text",
        },
        named={
            "highest_bid_of_others": ("delay",),
            "utility": ("reward", "probability"),
        },
    )
    yield from attack(farewell.cross_validation, {}, {"num_configurations": "count"})


def _allocation():
    family = {"family": of("object", plus=(laws.exponential, "exponential"))}
    good = {"family": thresholds.exponential, "num_arms": 2, "budgets": 3.0}
    budgets = of("played", plus=([], [1.0, NAN], [-1.0], [[1.0]]))
    ends = {"lowest": of("played", plus=(9.0,)), "highest": of("played", plus=(0.01,))}
    yield from attack(
        allocation.make_problem,
        good | {"lowest": 0.1, "highest": 5.0},
        {"num_arms": "count", "budgets": budgets, "known": "flag"} | ends | family,
    )
    weibull = good | {"family": thresholds.weibull, "lowest": 0.1, "highest": 5.0}
    yield from attack(
        allocation.make_problem,
        weibull | {"shape": 2.0},
        {"shape": of("played", plus=([1.0] * 3, []))},
        name="make_problem of Weibull",
    )
    arms = {
        "name": "x",
        "family": thresholds.exponential,
        "probability": [0.5, 0.5],
        "rate": [1.0, 2.0],
        "budgets": 3.0,
        "lowest": 0.1,
        "highest": 5.0,
    }
    wrong = {
        "name": "text",
        "probability": of("object", plus=([0.5], [], [0.5, 1.5], [0.5, NAN], 0.5)),
        "rate": (*RATES, [1e-30, 1e-30]),
        "budgets": budgets,
        "known": "flag",
        "order": "choice",
        "users": of("object", None),
    }
    wrong |= ends | family
    named = {"rate": ("lowest", "highest")}
    stop = {"stop_on_success": "flag"}
    yield from attack(allocation.allocation, arms, wrong | stop, named=named)
    growing = {"family": (*family["family"], thresholds.half_normal)}
    yield from attack(allocation.cascade, arms, wrong | growing, named=named)
    yield from attack(
        allocation.simulation,
        {},
        {
            "num_arms": "count",
            "budget": "played",
            "m": of("played", plus=(80.0, 100.0)),
            "M": of("played", plus=(1.0, 0.5)),
            "known": "flag",
            "cascade": "flag",
        },
    )
    yield from attack(
        allocation.random_allocation,
        {"name": "x", "problem": EXPONENTIAL, "draw": print, "setup": None},
        {
            "name": "text",
            "problem": of("object", plus=(PROBLEM,)),
            "draw": "function",
            "stop_on_success": "flag",
        },
    )
    whole = allocation.simulation(3, 6.0)
    others = (allocation.simulation(9, 6.0), censored.indep(), EXPONENTIAL)
    yield from attack(
        allocation.ordered,
        {"environment": whole},
        {
            "environment": of("object", plus=(*others, allocation.simulation(3))),
            "budgets": of("played", None, plus=([], 2.5, [1, 33], [[1]])),
            "told": "flag",
        },
        named={"environment": ("budgets",)},
    )
    for name, count in (
        ("ednet_like", "num_questions"),
        ("criteo_like", "num_campaigns"),
    ):
        wrong = {count: "count", "seed": of("natural", 2**70)} | ends
        yield from attack(getattr(allocation, name), {}, wrong)
    yield from attack(allocation.ednet, {}, {"data": "object"}, works=False)
    times = np.array([[1.0], [2.0], [3.5]])
    answers = allocation.EdNet(("q",), ("u", "v", "w"), times, times > 1)
    wrong = {"budget": of("played"), "replay": "flag", "truncated": "flag"}
    yield from attack(allocation.ednet, {"data": answers}, wrong)
    wrong = {"log": "object"}
    yield from attack(allocation.fit_criteo, {"num_campaigns": 1}, wrong, works=False)
    clicks = np.array([1, 2, 3, 2])
    log = CriteoLog(tuple("uvwx"), ("c",), np.arange(4), 0 * clicks, clicks, clicks > 0)
    wrong = {
        "log": "object",
        "num_campaigns": of("count", plus=(2,)),
        "num_users": "count",
        "largest_budget": of("count", None),
        "seed": of("natural", 2**70),
    }
    yield from attack(allocation.criteo, {"log": log, "num_campaigns": 1}, wrong | ends)
