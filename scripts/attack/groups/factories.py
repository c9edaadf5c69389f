"""Policies' factories: what is no problem, and options out of range."""

from attack.case import Case
from attack.values import attack, of
from jaxbandits import policies
from jaxbandits.laws import thresholds
from jaxbandits.policies import allocation, budgeted, censored, farewell, plain
from jaxbandits.settings import allocation as shares
from jaxbandits.settings import budgeted as money
from jaxbandits.settings import censored as limits
from jaxbandits.settings import farewell as waits

GRID = limits.indep()
CONTINUUM = limits.indep(limits.ANY)
ARMS = money.s_br(3)
PAIRS = waits.optimum_at_one()
SUPER_ARMS = limits.combinatorial(GRID, 2)
DUELS = limits.duels(GRID)
TURNS = shares.ordered(shares.simulation(2, 6.0), [2, 6])
SPLIT = shares.make_problem(thresholds.exponential, 2, 3.0, lowest=0.1, highest=5.0)
PROBLEMS = {
    "censored": GRID.problem,
    "continuum": CONTINUUM.problem,
    "combinatorial": SUPER_ARMS.problem,
    "dueling": DUELS.problem,
    "budgeted": ARMS.problem,
    "farewell": PAIRS.problem,
    "allocation": SPLIT,
    "ordered": TURNS.problem,
}
# The environment in place of its problem is the likeliest slip of all.
ENVIRONMENTS = (GRID, CONTINUUM, SUPER_ARMS, DUELS, ARMS, PAIRS, TURNS)
OF_CONTINUUM = ("grid_capacity", "stoo", "z_rcucb", "zooming", "on_grid")
OF_SUPER_ARMS = (
    "combinatorial_cell_thompson",
    "combinatorial_rcucb",
    "cucb",
    "fixed_super_arm",
    "super_arms_as_arms",
    "uniform_super_arms",
)
OF_DUELS = (
    "cell_self_sparring",
    "duels_as_arms",
    "fixed_duel",
    "rucb_on_pairs",
    "self_sparring_on_pairs",
    "sparring",
    "sparring_ucb",
    "uniform_duels",
)
OF_TURNS = ("fixed_turns", "ordered_thompson", "ordered_ucb", "uniform_turns")
# What policies are made of: for those who write one, on arrays of a round.
PARTS = {
    "cells_of",
    "eq_12",
    "exceeded_share",
    "gain_of",
    "product_limit",
    "remark_3",
    "sub_gaussian_gain_radius",
}
MODULES = {
    "censored": censored,
    "budgeted": budgeted,
    "farewell": farewell,
    "allocation": allocation,
}
OPTIONS = {
    ("censored", "rcucb"): {"survival": "choice", "radius": of("choice", print)},
    ("censored", "combinatorial_rcucb"): {
        "survival": "choice",
        "radius": of("choice", print),
    },
    ("censored", "super_arms_as_arms"): {"plain": "function"},
    ("censored", "fixed_super_arm"): {
        "arms": of("object", plus=((), (1,), (1, 1), (0, 10), (0, 1.5), (0, 1, 2))),
        "limits": of("object", plus=((), (1,), (0, 10), (-1, 0), ("a", 0))),
    },
    ("censored", "cell_self_sparring"): {"limits": "choice"},
    ("censored", "duels_as_arms"): {"plain": "function", "told": "choice"},
    ("censored", "rucb_on_pairs"): {"told": "choice"},
    ("censored", "sparring"): {"plain": "function"},
    ("censored", "fixed_duel"): {
        "arms": of("object", plus=((), (1,), (0, 10), (0, 1.5), (0, 1, 2))),
        "limits": of("object", plus=((), (1,), (0, 10), (-1, 0), ("a", 0))),
    },
    ("censored", "thompson"): {"update": "choice"},
    ("censored", "stoo"): {"splits": of("count", plus=(1,)), "capacity": "count"},
    ("censored", "zooming"): {"capacity": "count"},
    ("censored", "z_rcucb"): {
        "horizon": of("count", None),
        "splits": of("count", plus=(1,)),
        "history": "choice",
        "answer": "choice",
        "capacity": of("count", None),
    },
    ("censored", "grid_capacity"): {
        "horizon": "count",
        "splits": of("count", plus=(1,)),
        "history": "choice",
    },
    ("censored", "fixed_pair"): {
        "arm": of("natural", plus=(10,)),
        "limit": of("natural", plus=(10,)),
    },
    ("censored", "product_arms"): {"plain": "function"},
    ("censored", "on_grid"): {"limits": of("object", 3), "make": "function"},
    ("budgeted", "omega_ucb"): {"star": "flag", "exploration": "choice"},
    ("budgeted", "omega_star_ucb"): {"exploration": "choice"},
    ("budgeted", "share_ucb"): {
        "clock": "choice",
        "pooled": "flag",
        "joint": "flag",
    },
    ("budgeted", "index_policy"): {"index": "function"},
    ("budgeted", "budget_ucb"): {"minimum_cost": "choice"},
    ("budgeted", "ucb_bv1"): {"minimum_cost": "choice"},
    ("budgeted", "fixed_arm"): {"arm": of("natural", plus=(3,))},
    ("farewell", "fixed_pair"): {
        "arm": of("natural", plus=(1,)),
        "wait": of("natural", plus=(10,)),
    },
    ("farewell", "on_pairs"): {
        "policy": of("object", plus=(GRID, budgeted.omega_ucb(ARMS.problem))),
        "scale": "positive",
    },
    ("farewell", "wait_ucb"): {"observe": "choice"},
    ("farewell", "omega_ucb"): {"exploration": "choice", "observe": "choice"},
    ("allocation", "mg_ucb_delta"): {"steps": "count", "greedy": "choice"},
    ("allocation", "ra_ucb"): dict.fromkeys(
        ("estimator", "radii", "update", "others", "start"), "choice"
    ),
    ("allocation", "no_ucb"): {"update": "choice", "start": "choice"},
    ("allocation", "ra_etc"): {"count": "choice"},
    ("allocation", "ordered_thompson"): {"plan": "choice"},
    ("allocation", "ordered_ucb"): {"plan": "choice"},
    ("allocation", "fixed_turns"): {
        "arms": of("object", plus=((), (1,), (1, 1), (0, 2), (0, 1.5), (0, 1, 2))),
        "amounts": of("object", plus=((), (1,), (4, 4), (-1, 0), ("a", 0))),
    },
}
GOOD = {
    ("censored", "grid_capacity"): {"horizon": 1000},
    ("censored", "fixed_pair"): {"arm": 0, "limit": 0},
    ("censored", "product_arms"): {"plain": plain.ucb},
    ("censored", "super_arms_as_arms"): {"plain": plain.ucb},
    ("censored", "fixed_super_arm"): {"arms": (3, 1), "limits": (0, 9)},
    ("censored", "duels_as_arms"): {"plain": plain.relative_ucb},
    ("censored", "sparring"): {"plain": plain.ucb},
    ("censored", "fixed_duel"): {"arms": (3, 3), "limits": (0, 9)},
    ("censored", "on_grid"): {"limits": [0.5], "make": censored.rcucb},
    ("budgeted", "fixed_arm"): {"arm": 0},
    ("budgeted", "index_policy"): {"name": "mine", "index": lambda *_: 0.0},
    ("farewell", "on_pairs"): {
        "policy": budgeted.omega_ucb(farewell.as_arms(PAIRS.problem))
    },
    ("farewell", "fixed_pair"): {"arm": 0, "wait": 0},
    ("allocation", "fixed_turns"): {"arms": (1, 0), "amounts": (2, 4)},
}


def cases() -> list[Case]:
    found = []
    for setting, module in MODULES.items():
        for name in module.__all__:
            function = getattr(module, name)
            is_type = isinstance(function, type)
            if callable(function) and not is_type and name not in PARTS:
                found += _of(setting, name, function)
    for name in ("ucb", "kl_ucb", "moss", "relative_ucb", "self_sparring"):
        wrong = {"num_arms": "count"}
        found += attack(getattr(plain, name), {"num_arms": 3}, wrong, f"plain.{name}")
    found += attack(
        censored.sub_gaussian_gain_radius, {"sigma": 1.0}, {"sigma": "not negative"}
    )
    wrong = {"policy": of("object", plus=(GRID,)), "first": "count"}
    good = {"policy": censored.z_rcucb(CONTINUUM.problem)}
    found += attack(policies.doubling, good, wrong)
    return found


def _of(setting, name, function):
    key = setting, name
    own = "continuum" if name in OF_CONTINUUM else setting
    own = "combinatorial" if name in OF_SUPER_ARMS else own
    own = "dueling" if name in OF_DUELS else own
    own = "ordered" if name in OF_TURNS else own
    others = [p for s, p in PROBLEMS.items() if s != own]
    wrong = {"problem": of("object", plus=(*others, *ENVIRONMENTS))}
    good = {"problem": PROBLEMS[own], **GOOD.get(key, {})}
    # A good call must have all that the setting's problem can be played with.
    return attack(
        function,
        good,
        wrong | OPTIONS.get(key, {}),
        f"{setting}.{name}",
        named={"problem": (name, "problem")},
        works=(setting, name) not in {("allocation", "mg_ucb")},
    )
