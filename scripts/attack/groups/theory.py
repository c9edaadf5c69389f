"""Bounds and rates of the papers."""

import numpy as np

from attack.case import Case
from attack.values import INF, NAN, attack, of
from jaxbandits.theory import (
    allocation,
    budgeted,
    censored,
    farewell,
    graves_lai,
    hazards,
    lai_robbins,
    lost_runs,
    zooming,
)

GAPS = np.array([[0.0, 0.2], [0.1, 0.3]])
SINGLE = np.array([[0.0, 0.2]])
CURVES = 1 - np.abs(np.linspace(0, 1, 64)[None] - 0.4)
UNIT = (*of("not negative", 2**70), 1.5, -0.5)  # of a number in [0, 1]
TABLES = (None, "x", [["a", "b"]], 0.5, [0.5], GAPS * NAN, GAPS - 1, True)
HORIZON = of("at least one")
COUNT = of("count", 2**70)
CONSTANTS = allocation.lipschitz_constants(1.0, 8.0, 4.0)
ZOOMING = zooming.Zooming(2, np.zeros_like)
NEAR = zooming.near_optimality(CURVES, 1.0)
ARMS = {"probability": [0.5, 0.9], "rate": [1.0, 1.5], "budget": 4.0}
ENDS = {"m": 1.0, "M": 8.0}
WRONG_ARMS = {
    "probability": (*UNIT, [0.5], [0.5, NAN]),
    "rate": of("positive", plus=([1.0], [1.0, NAN])),
    "budget": "positive",
}
WRONG_ENDS = {"m": of("positive", plus=(9.0,)), "M": of("positive", plus=(0.5,))}


def cases() -> list[Case]:
    return [
        *_allocation(),
        *_budgeted(),
        *_censored(),
        *_farewell(),
        *_graves_lai(),
        *_hazards(),
        *_lai_robbins(),
        *_lost_runs(),
        *_zooming(),
    ]


def _allocation():
    module = allocation
    ends = {"m": 1.0, "M": 8.0, "budget": 4.0}
    wrong = WRONG_ENDS | {"budget": "positive"}
    for name in ("g", "g_slope"):
        yield from attack(getattr(module, name), {"v": 1.0}, {"v": "not negative"})
    yield from attack(module.lipschitz_constants, ends, wrong)
    yield from attack(module.best_allocation, ARMS, WRONG_ARMS)
    for name in ("lower_bound", "proved_lower_bound", "trivial_bound"):
        yield from attack(
            getattr(module, name),
            {"horizon": 1e4, "num_arms": 3},
            {"horizon": HORIZON, "num_arms": COUNT},
            f"allocation.{name}",
        )
    yield from attack(
        module.lower_bound_instance,
        {"horizon": 1e4, "num_arms": 3},
        {
            "horizon": HORIZON,
            "num_arms": (*COUNT, 1),
            "scale": of("positive", plus=(1e9,)),
        },
    )
    sums = {"probability": [0.5], "success": [0.4], "floor": [0.3], "budget": 4.0}
    wrong_sums = {
        "probability": (*UNIT, [NAN]),
        "success": of("positive", plus=([0.5, 0.5],)),
        "floor": "positive",
        "budget": "positive",
        "constants": "object",
    }
    yield from attack(module.sqrt_constant, sums | {"constants": CONSTANTS}, wrong_sums)
    yield from attack(
        module.log_constant,
        sums | {"constants": CONSTANTS, "p_min": 0.5, "num_arms": 2},
        wrong_sums | {"p_min": "positive", "num_arms": COUNT},
    )
    for name in ("sqrt_bound", "log_bound"):
        yield from attack(
            getattr(module, name),
            ARMS | ENDS | {"horizon": 1e4},
            WRONG_ARMS | WRONG_ENDS | {"horizon": HORIZON},
        )
    yield from attack(
        module.problem_independent_bound,
        {"horizon": 1e4, "num_arms": 3, "rho": 2.0},
        {"horizon": HORIZON, "num_arms": COUNT, "rho": "at least one"},
    )
    yield from attack(module.etc_rate, {"horizon": 1e4}, {"horizon": HORIZON})
    yield from attack(module.etc_rate, {"horizon": 1e4}, {"alpha": UNIT}, works=False)
    yield from attack(
        module.is_vacuous,
        {"bound": 1.0, "horizon": 1e4, "num_arms": 3},
        {"bound": (None, "x", NAN, True), "horizon": HORIZON, "num_arms": COUNT},
    )
    yield from attack(
        module.printed_radii,
        {"count": 3, "round": 9, "budget": 4.0, "p_hat": 0.5, "c_hat": 0.5} | ENDS,
        {
            "count": "not negative",
            "round": "at least one",
            "budget": "positive",
            "p_hat": UNIT,
            "c_hat": UNIT,
        }
        | WRONG_ENDS,
    )


def _budgeted():
    means = {"mean_reward": [0.5, 0.2], "mean_cost": [0.5, 0.9]}
    wrong = {
        "mean_reward": (*UNIT, [0.5], [0.5, NAN]),
        "mean_cost": of("positive", plus=([0.5], [0.5, NAN], [0.5, 1.5])),
    }
    etas = {"eta_reward": UNIT, "eta_cost": UNIT}
    rho = {"rho": "positive"}
    budgets = {"budgets": "positive"}
    for name, more, bad in (
        ("gaps", {}, {}),
        ("proportional_gap", {}, {}),
        ("sufficient_pulls", {"tau": 9, "rho": 1.0}, {"tau": HORIZON} | rho | etas),
        ("suboptimal_pulls_bound", {"tau": 9, "rho": 1.0}, {"tau": HORIZON} | rho),
        ("regret_bound", {"budgets": 9.0, "rho": 1.0}, budgets | rho | etas),
        ("trivial_bound", {"budgets": 9.0}, budgets),
    ):
        yield from attack(
            getattr(budgeted, name), means | more, wrong | bad, f"budgeted.{name}"
        )
    yield from attack(
        budgeted.xi,
        {"tau": 9, "rho": 1.0, "num_arms": 3},
        {"tau": (*HORIZON, 2.5, 10**12), "rho": "positive", "num_arms": COUNT},
    )
    yield from attack(
        budgeted.tau_of_budget,
        {"budgets": 9.0, "mean_cost": [0.5]},
        budgets | {"mean_cost": wrong["mean_cost"][:-3]},
    )
    yield from attack(
        budgeted.regret_rate, {"budgets": 9.0, "rho": 1.0}, {"budgets": HORIZON} | rho
    )


def _censored():
    pairs = {"gaps": GAPS, "penalties": [0.1, 0.2], "horizon": 1e4, "alpha": 2.0}
    above_one = (*HORIZON, 1.0)
    wrong = {
        "gaps": TABLES,
        "penalties": (*of("not negative"), [0.1], [0.1, NAN]),
        "horizon": HORIZON,
        "alpha": above_one,
    }
    yield from attack(
        censored.confidence_length,
        {
            "pulls_reaching": 3,
            "arm_pulls": 5,
            "round_": 9,
            "penalty": 0.5,
            "alpha": 2.0,
        },
        {
            "pulls_reaching": of("not negative", plus=(6,)),
            "arm_pulls": of("not negative", plus=(2,)),
            "round_": HORIZON,
            "penalty": "not negative",
            "alpha": "positive",
            "gain_radius": "not negative",
            "penalty_radius": "not negative",
        },
        named={"arm_pulls": ("pulls_reaching",)},
    )
    yield from attack(
        censored.coverage_bound,
        {"round_": 9, "alpha": 2.0},
        {"round_": HORIZON, "alpha": above_one},
    )
    yield from attack(
        censored.largest_delta,
        {"horizon": 1e4, "num_pairs": 6},
        {"horizon": HORIZON, "num_pairs": (*COUNT, 1)},
    )
    yield from attack(censored.rcucb_pull_bound, pairs, wrong)
    yield from attack(
        censored.rcucb_pull_lower,
        pairs | {"epsilon": 0.5, "delta": 0.1},
        wrong | {"epsilon": "share", "delta": (*of("share"), 0.99), "form": "choice"},
    )
    yield from attack(
        censored.rcucb_regret_bound,
        pairs,
        wrong | {"probability": UNIT, "form": "choice"},
    )
    ucb = {k: v for k, v in pairs.items() if k != "penalties"} | {"max_penalty": 1.0}
    bad = {k: v for k, v in wrong.items() if k != "penalties"}
    yield from attack(
        censored.ucb_regret_bound, ucb, bad | {"max_penalty": "not negative"}
    )
    yield from attack(
        censored.trivial_bound,
        {"horizon": 1e4, "gaps": GAPS},
        {"horizon": HORIZON, "gaps": (None, "x", "a", GAPS * NAN, GAPS - 1)},
        "censored.trivial_bound",
    )


def _farewell():
    yield from attack(
        farewell.radius,
        {"counts": 3, "delta": 0.1, "largest_cost": 2.0, "mean_cost": 1.5},
        {
            "counts": HORIZON,
            "delta": of("positive", plus=(1.5,)),
            "largest_cost": HORIZON,
            "mean_cost": (*HORIZON, 3.0),
        },
    )
    yield from attack(
        farewell.wait_ucb_radius,
        {"count": 3, "epochs": 9, "wait": 2},
        {"count": "not negative", "epochs": HORIZON, "wait": HORIZON},
    )
    good = {"T": 1e4, "gaps": GAPS, "waits": [1, 2], "mean_time": GAPS + 1}
    wrong = {
        "T": HORIZON,
        "gaps": (*TABLES, GAPS + 1),
        "waits": (*HORIZON, [1.0, NAN], [1, 2, 3]),
        "mean_time": (None, "x", 0.5, GAPS, [[1.0]], GAPS * NAN),
        "best_ratio": UNIT,
    }
    for name, arguments, gaps in (
        ("pulls_bound", ("T", "gaps", "waits"), GAPS),
        ("regret_bound", ("T", "gaps", "mean_time", "waits"), GAPS),
        ("trivial_bound", ("T", "gaps", "waits"), GAPS),
        ("wait_rate", ("T", "gaps", "mean_time"), SINGLE),
        ("dqzl_rate", ("T", "gaps", "best_ratio"), SINGLE),
        ("fj_rate", ("T", "gaps", "mean_time"), SINGLE),
    ):
        known = good | {"gaps": gaps, "mean_time": gaps + 1, "best_ratio": 0.5}
        yield from attack(
            getattr(farewell, name),
            {k: known[k] for k in arguments},
            {k: wrong[k] for k in arguments},
            f"farewell.{name}",
        )


def _graves_lai():
    yield from attack(
        graves_lai.lower_bound,
        {"below": [[0.5, 0.6]], "values": [[0.1, 0.2]], "penalties": [0.1, 0.2]},
        {
            "below": (*UNIT, [0.5, 0.6], [[0.6, 0.5]], [[0.5, NAN]], [[]]),
            "values": (*TABLES[:-3], GAPS, [[0.1, NAN]]),
            "penalties": (*of("not negative"), [0.1], [0.1, NAN], 0.1),
        },
    )


def _hazards():
    units = {"hazard": [0.5, 0.2], "value": [1.0, 0.5]}
    wrong = (*UNIT, 0.5, [0.5], [0.5, NAN], [])
    yield from attack(hazards.rates, units, dict.fromkeys(units, wrong))
    both = units | {f"other_{name}": x for name, x in units.items()}
    yield from attack(hazards.deviation, both, dict.fromkeys(both, wrong))
    yield from attack(
        hazards.chance_of_trial,
        {"rate": 0.3, "prior_passed": 2.0},
        {"rate": UNIT, "prior_passed": "at least one"},
    )


def _lai_robbins():
    values = (None, "x", 0.5, [0.5], [[0.5, NAN]], [[]], [[0.5, 2.0]], True)
    chances = (None, "x", 0.5, [0.5], [[0.5, NAN]], [[0.5, 0.4]], [[1.5, -0.5]])
    each = (None, "x", 0.5, [NAN], [0.5, 0.5], [], True)
    good = {"values": [[0.0, 1.0]], "chances": [[0.5, 0.5]], "level": [0.8]}
    yield from attack(
        lai_robbins.above,
        good,
        {"values": values, "chances": chances, "level": each},
        "lai_robbins.above",
    )
    coin = {"reward": [[0.0, 1.0]], "cost": [[0.0, 1.0]], "ratio": [1.6]}
    ends = {"highest_reward": (None, "x", NAN, 0.5), "lowest_cost": "not negative"}
    wrong = ends | {"reward": values, "cost": values[:-2], "ratio": (*each, [0.0])}
    yield from attack(
        lai_robbins.joint,
        coin | {"chances": [[0.5, 0.5]]},
        wrong | {"chances": chances},
        "lai_robbins.joint",
        named={"highest_reward": ("reward",)},
    )
    names = ("reward_chances", "cost_chances")
    yield from attack(
        lai_robbins.independent,
        coin | dict.fromkeys(names, [[0.5, 0.5]]),
        wrong | dict.fromkeys(names, chances),
        "lai_robbins.independent",
        named={"highest_reward": ("reward",)},
    )


def _lost_runs():
    inside = (*UNIT, 1.0)
    above = of("at least one", plus=([[1.0], [1.0, 2.0]],))
    for name in ("pulls_until_given_up", "chance_of_loss", "lost_regret", "exponent"):
        good = {"rounds": [1e3, 1e4], "rho": 0.5, "best": 0.95, "other": 0.9}
        wrong = {
            "rounds": above,
            "rho": "positive",
            "best": (*inside, 0.5) if name in ("lost_regret", "exponent") else inside,
            "other": inside,
        }
        if name == "pulls_until_given_up":
            del good["best"], wrong["best"]
        if name == "exponent":
            del good["rounds"], wrong["rounds"]
        yield from attack(
            getattr(lost_runs, name), good, wrong, named={"best": ("best_minus_other",)}
        )


def _zooming():
    values = {"values": CURVES, "max_limit": 1.0}
    wrong = {
        "values": (None, "x", 0.5, [0.5], CURVES * NAN, [[]], True),
        "max_limit": "positive",
        "eta": "positive",
    }
    epsilons = of("positive", None, plus=([0.1, NAN],))
    yield from attack(zooming.near_optimality, values, wrong | {"epsilons": epsilons})
    yield from attack(
        zooming.near_optimality,
        values,
        {"dimension": of("not negative", None)},
        works=False,
    )
    yield from attack(
        zooming.packing_numbers,
        values | {"epsilons": [0.1]},
        wrong | {"epsilons": epsilons},
    )
    yield from attack(
        zooming.zooming_rate, {"dimension": 1}, {"dimension": "not negative"}
    )
    setups = tuple(
        ZOOMING._replace(**change)
        for change in (
            {"num_arms": 0},
            {"num_arms": 2.5},
            {"max_limit": NAN},
            {"alpha": -1.0},
            {"delta": 1.5},
            {"splits": 1},
            {"penalty": 3},
        )
    )
    names = ("num_arms", "max_limit", "alpha", "delta", "splits", "penalty")
    for name in ("zooming_constant", "zooming_loss_bound", "stoo_loss_bound"):
        yield from attack(
            getattr(zooming, name),
            {"horizon": 1e4, "setup": ZOOMING, "near": NEAR},
            {
                "horizon": HORIZON,
                "setup": of("object", plus=setups),
                "near": of("object", plus=(NEAR._replace(constant=-1.0),)),
                "levels": COUNT,
            },
            named={"setup": names, "near": ("constant",)},
        )
    yield from attack(
        zooming.zooming_levels,
        {"horizon": 1e4, "setup": ZOOMING},
        {
            "horizon": HORIZON,
            "setup": of("object", plus=setups),
            "limit": "not negative",
            "gain_radius": "positive",
            "penalty_radius": "not negative",
            "smoothness": of("positive", INF),
        },
        named={"setup": names},
    )
