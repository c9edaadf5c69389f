"""Games and parameters that lead policies into every branch within a few rounds."""

from collections.abc import Callable
from functools import cache, partial
from typing import NamedTuple

import numpy as np

import tests.games
from jaxbandits import allocation, budgeted, censored
from jaxbandits.censored import stoo, z_rcucb, zooming
from jaxbandits.laws.thresholds import exponential
from jaxbandits.plain import doubling
from tests.games import given_arms, timed_coins, waits_with_gaps
from tests.registered import POLICIES

RATES = {"lowest": 1 / 40, "highest": 2}


@cache
def ten_arms():
    p = [0.95, 0.9, 0.5, 0.1, 0.1, 0.1, 0.05, 0.05, 0.05, 0.05]
    rate = [0.05, 0.06, 0.3, 0.05, 0.04, 0.08, 0.05, 1.0, 0.5, 0.1]
    return given_arms("ten arms", exponential, p, rate, 20.0, **RATES)


@cache
def three_that_pay_once():
    p, rate = [0.9, 0.5, 0.3], [0.05, 0.1, 0.4]
    return given_arms("three", exponential, p, rate, 10.0, cascade=True, **RATES)


def pairs(num_arms: int, num_limits: int):
    problem = censored.make_problem(
        num_arms,
        censored.equidistant(num_limits),
        censored.scaled(0.3),
        censored.scaled(0.5),
    )
    rate = np.array([0.4, 0.6, 0.8])[:num_arms]
    return timed_coins(problem, rate, 3 * rate)


def log():
    """Recorded runs, whose tables are read where they lie."""
    rng = np.random.default_rng(1)
    seconds = rng.exponential(5.0, 600)
    pairs = np.column_stack([rng.random(600), seconds])
    runs = censored.Runs(({},) * 3, pairs, np.full(3, 200), {})
    return censored.recorded("log", runs, [1.0, 4.0, 20.0])


@cache
def three_in_turn():
    p, rate = [0.9, 0.5, 0.3], [0.1, 0.2, 0.8]
    arms = given_arms("three", exponential, p, rate, 6.0, **RATES)
    return allocation.ordered(arms, [2, 6])


GAMES = tests.games.GAMES | {
    "censored": censored.indep,
    # Small tables, and a uniform draw of as many words as there are pairs.
    "combinatorial": cache(lambda: censored.combinatorial(pairs(3, 4), 2)),
    "dueling": cache(lambda: censored.duels(pairs(3, 4))),
    "budgeted": lambda: budgeted.s_br(10),
    "waits with gaps": waits_with_gaps,
    "allocation": ten_arms,
    "cascade": three_that_pay_once,
    "ordered": three_in_turn,
    "three by five": cache(lambda: pairs(3, 5)),
    # Leaves of the instance that all runs share are of length 1.
    "one arm": cache(lambda: pairs(1, 5)),
    "log": cache(log),
    # Few arms, so that each is played often.
    "three arms": lambda: censored.overtime(num_arms=3),
}
# The last round, or the budget.
ENDS = {
    "censored": 200,
    "continuum": 120,
    "combinatorial": 200,
    "dueling": 200,
    "budgeted": 100.0,
    "farewell": 400,
    "allocation": 60,
    "ordered": 60,
}


class Case(NamedTuple):
    """A policy in a game of `GAMES`.

    It is `rounded` if it tells plans apart that differ by roundings alone, as those of
    arms that are worth nothing; engines are then compared in the mean.
    """

    factory: Callable  # problem -> policy
    game: str
    end: float  # the last round, or the budget
    params: dict = {}  # in place of the policy's own
    rounded: bool = False

    def policy_and_game(self):
        """The policy, in its game."""
        game = GAMES[self.game]()
        policy = self.factory(game.problem)
        if self.params:
            policy = policy._replace(params=policy.params._replace(**self.params))
        return policy, game


# Short starts; as printed, radii are so wide that all arms look alike for thousands of
# rounds.
PARAMS = {
    "allocation/ra-etc": {"exploration": 20.0},
    "allocation/ra-etc-per-arm": {"exploration": 2.0},
    "allocation/ra-ucb-printed-radii": {"initial": 1.0, "scale": 1e-6},
    "budgeted/epsilon-first": {"budget": 100.0},
}
STARTED = "no-ucb mg-ucb mg-ucb-delta mg-ucb-delta-difference mg-ucb-delta-envelope "
STARTED += "ra-ucb ra-ucb-all ra-ucb-delta ra-ucb-printed ra-ucb-authors thompson "
STARTED += "thompson-mean thompson-mean-feasible"
PARAMS |= {f"allocation/{name}": {"initial": 1.0} for name in STARTED.split()}
ROUNDED = "ordered/thompson", "allocation/thompson-mean"


def _case(name: str) -> Case:
    setting, params = name.split("/")[0], PARAMS.get(name, {})
    factory = POLICIES[name]
    return Case(factory, setting, ENDS[setting], params, name.startswith(ROUNDED))


# Grids of which a row does not fit registers, with radii that fill them.
QUICK = {"gain_radius": 0.02, "penalty_radius": 0.02}
product_limit = partial(z_rcucb, history="whole", survival="kaplan_meier", capacity=32)


def doubled(problem):
    return doubling(z_rcucb(problem, capacity=20), first=40)


GRIDS = {
    "z-rcucb": (partial(z_rcucb, capacity=20), QUICK),
    "z-rcucb-inherit": (partial(z_rcucb, history="inherit", capacity=20), QUICK),
    "z-rcucb-kaplan-meier": (product_limit, QUICK),
    "z-rcucb-doubling": (doubled, QUICK),
    "stoo": (partial(stoo, capacity=20), {"radius": 0.002}),
    "zooming": (partial(zooming, capacity=20), {"radius": 0.005}),
}
# Every policy of the registry, and some in other games.
CASES = {name: _case(name) for name in POLICIES}
CASES |= {
    f"continuum/{name}": Case(factory, "three arms", 120, params)
    for name, (factory, params) in GRIDS.items()
}
CASES |= {
    f"{name}, {game}": CASES[name]._replace(game=game, end=end)
    for name, game, end in [
        ("censored/rcucb", "three by five", 300),
        ("censored/rcucb", "one arm", 100),
        ("censored/uniform", "one arm", 10),
        ("censored/ucb", "log", 60),
        ("farewell/hazard-thompson-joint", "waits with gaps", 400),
    ]
}
CASES["allocation/no-ucb, cascade"] = Case(
    POLICIES["allocation/no-ucb"], "cascade", 30, {"initial": 2.0}
)
del CASES["farewell/hazard-thompson-joint"]  # of delays and waits that are the same
