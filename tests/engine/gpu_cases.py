"""What the GPU engine is compared with the scan engine on: games, and policies whose
parameters lead through every branch within a few rounds.
"""

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxbandits import allocation, budgeted, censored, farewell, laws
from jaxbandits.censored import stoo, z_rcucb, zooming
from jaxbandits.laws.thresholds import exponential
from jaxbandits.plain import doubling
from jaxbandits.protocol import Policy
from tests.games import given_arms, waits_with_gaps
from tests.registered import POLICIES


@cache
def ten_arms():
    p = [0.95, 0.9, 0.5, 0.1, 0.1, 0.1, 0.05, 0.05, 0.05, 0.05]
    rate = [0.05, 0.06, 0.3, 0.05, 0.04, 0.08, 0.05, 1.0, 0.5, 0.1]
    return given_arms("ten arms", exponential, p, rate, 20.0, lowest=1 / 40, highest=2)


@cache
def three_that_pay_once():
    p, rate = [0.9, 0.5, 0.3], [0.05, 0.1, 0.4]
    return given_arms(
        "three arms",
        exponential,
        p,
        rate,
        10.0,
        lowest=1 / 40,
        highest=2,
        cascade=True,
    )


def pairs(num_arms: int, num_limits: int):
    problem = censored.make_problem(
        num_arms,
        censored.equidistant(num_limits),
        censored.scaled(0.3),
        censored.scaled(0.5),
    )
    law = laws.product(laws.bernoulli, laws.exponential)
    rate = np.array([0.4, 0.6, 0.8])[:num_arms]
    arms = laws.Product(laws.Bernoulli(rate), laws.Exponential(3 * rate))
    return censored.make_environment(f"{num_arms} x {num_limits}", problem, law, arms)


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
    arms = given_arms("three arms", exponential, p, rate, 6.0, lowest=1 / 40, highest=2)
    return allocation.ordered(arms, [2, 6])


GAMES = {
    "censored": censored.indep,
    "continuum": lambda: censored.indep(censored.ANY),
    # Small tables, and a uniform draw of as many words as there are pairs.
    "combinatorial": cache(lambda: censored.combinatorial(pairs(3, 4), 2)),
    "dueling": cache(lambda: censored.duels(pairs(3, 4))),
    "budgeted": lambda: budgeted.s_br(10),
    "farewell": farewell.figure_1a,
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
# The rounds after which states are compared, or the budget.
TARGETS = {
    "censored": [1, 10, 200],
    "continuum": [120],
    "combinatorial": [1, 10, 200],
    "dueling": [1, 10, 200],
    "budgeted": [10.0, 100.0],
    "farewell": [50, 400],
    "allocation": [10, 60],
    "ordered": [10, 60],
}


class Case(NamedTuple):
    """A policy in a game.

    Attributes:
      factory: ``problem -> policy``.
      game: a name of `GAMES`.
      targets: checkpoints.
      params: in place of the policy's own.
      forced: what must have happened in some run by the end, by name: functions
        ``(state, action) -> bool[]``, looked at after every round.
      rounded: whether the policy tells plans apart that differ by roundings alone, as
        those of arms that are worth nothing; engines are then compared in the mean.
    """

    factory: Callable
    game: str
    targets: list
    params: dict = {}
    forced: dict = {}
    rounded: bool = False

    def policy_and_game(self):
        """The policy, watched, and its game."""
        game = GAMES[self.game]()
        policy = self.factory(game.problem)
        if self.params:
            policy = policy._replace(params=policy.params._replace(**self.params))
        return watched(policy, tuple(self.forced.values())), game


class Watched(NamedTuple):
    """A policy's state, and what has happened so far."""

    inner: Any
    seen: jax.Array  # bool[n]


@cache
def watched(policy: Policy, forced: tuple) -> Policy:
    """The policy, which reports as ``seen`` what has happened."""
    if not forced:
        return policy

    def init(params):
        return Watched(policy.init(params), jnp.zeros(len(forced), bool))

    def act(noise, view, state, params):
        return policy.act(noise, view, state.inner, params)

    def update(noise, view, state, action, feedback, params):
        inner = policy.update(noise, view, state.inner, action, feedback, params)
        now = jnp.stack([happens(inner, action) for happens in forced])
        return Watched(inner, state.seen | now)

    return policy._replace(
        init=init,
        act=act,
        update=update,
        recommend=None,
        report=lambda state, params: {"seen": state.seen.astype(jnp.int32)},
    )


def _grows(count):
    return lambda state, action: jnp.any(count(state) > 1)


def _shares(state, action):
    """The start, in which one arm gets all, is over."""
    return jnp.sum(action.amounts > 0) > 1


def _uneven(state, action):
    """The start, in which all arms get the same, is over."""
    return jnp.max(action.amounts) > 1.01 * jnp.min(action.amounts)


def _plans(state, action):
    """As `_shares`, of a policy that does not know the budget."""
    return jnp.sum(action.weight > 0) > 1


def _orders(state, action):
    """As `_shares`, of one that hands out units."""
    return jnp.any(action.arms != action.arms[0])


def _full(state, action):
    return state.overflow


SPLITS = {
    "split": lambda state, action: jnp.any(
        jnp.sum(state.grid.playable, axis=-1, dtype=jnp.int32) > 1
    ),
    "overflow": _full,
}
QUICK = {"gain_radius": 0.02, "penalty_radius": 0.02}
SPECIAL = {
    "censored/rcucb, 3 x 5": Case(
        POLICIES["censored/rcucb"], "three by five", [1, 10, 300]
    ),
    "censored/rcucb, 1 x 5": Case(POLICIES["censored/rcucb"], "one arm", [1, 10, 100]),
    "censored/uniform, 1 x 5": Case(POLICIES["censored/uniform"], "one arm", [1, 10]),
    "censored/ucb, recorded": Case(POLICIES["censored/ucb"], "log", [60]),
    "censored/thompson": Case(POLICIES["censored/thompson"], "censored", [200]),
    "farewell/wait-ucb": Case(POLICIES["farewell/wait-ucb"], "farewell", [50, 400]),
    "farewell/hazard-thompson-joint": Case(
        POLICIES["farewell/hazard-thompson-joint"], "waits with gaps", [50, 400]
    ),
    # Grids of which a row does not fit registers.
    "continuum/z-rcucb": Case(
        lambda problem: z_rcucb(problem, capacity=20),
        "three arms",
        [120],
        QUICK,
        SPLITS,
    ),
    "continuum/z-rcucb-inherit": Case(
        lambda problem: z_rcucb(problem, history="inherit", capacity=20),
        "three arms",
        [120],
        QUICK,
        SPLITS,
    ),
    "continuum/z-rcucb-kaplan-meier": Case(
        lambda problem: z_rcucb(
            problem, history="whole", survival="kaplan_meier", capacity=32
        ),
        "three arms",
        [120],
        QUICK,
        SPLITS,
    ),
    "continuum/z-rcucb-doubling": Case(
        lambda problem: doubling(z_rcucb(problem, capacity=20), first=40),
        "three arms",
        [110],
        QUICK,
        {
            "second epoch": lambda state, action: state.before == 40,
            "split": lambda state, action: SPLITS["split"](state.inner, action),
            "overflow": lambda state, action: state.inner.overflow,
        },
    ),
    "continuum/stoo": Case(
        lambda problem: stoo(problem, capacity=20),
        "three arms",
        [120],
        {"radius": 0.002},
        {"cut": _grows(lambda state: state.count), "overflow": _full},
    ),
    "continuum/zooming": Case(
        lambda problem: zooming(problem, capacity=20),
        "three arms",
        [120],
        {"radius": 0.005},
        {"activated": _grows(lambda state: state.count), "overflow": _full},
    ),
    "budgeted/epsilon-first": Case(
        POLICIES["budgeted/epsilon-first"],
        "budgeted",
        [10.0, 100.0],
        {"budget": 100.0},
        {
            "exploration ends": lambda state, action: (
                jnp.max(state.pulls) > jnp.min(state.pulls) + 1
            )
        },
    ),
}
STARTS = {"initial": 1.0}
LEARNERS = {
    "ra-ucb": (STARTS, _shares),
    "ra-ucb-all": (STARTS, _uneven),
    "ra-ucb-delta": (STARTS, _shares),
    "ra-ucb-printed": (STARTS, _shares),
    # As printed, radii are so wide that all arms look alike for thousands of rounds.
    "ra-ucb-printed-radii": (STARTS | {"scale": 1e-6}, _shares),
    "ra-ucb-authors": (STARTS, _shares),
    "no-ucb": (STARTS, _shares),
    "thompson": (STARTS, _uneven),
    "thompson-mean": (STARTS, _uneven),
    "thompson-mean-feasible": (STARTS, _uneven),
    "ra-etc": ({"exploration": 20.0}, _shares),
    "ra-etc-per-arm": ({"exploration": 2.0}, _shares),
    "mg-ucb": (STARTS, _plans),
    "mg-ucb-delta": (STARTS, _orders),
    "mg-ucb-delta-difference": (STARTS, _orders),
    "mg-ucb-delta-envelope": (STARTS, _orders),
}
SPECIAL |= {
    f"allocation/{name}": Case(
        POLICIES[f"allocation/{name}"],
        "allocation",
        TARGETS["allocation"],
        params,
        {"start ends": ends},
    )
    for name, (params, ends) in LEARNERS.items()
}

SPECIAL["allocation/no-ucb, cascade"] = Case(
    POLICIES["allocation/no-ucb"], "cascade", [5, 30], {"initial": 2.0}
)


def _plain(name: str) -> Case:
    setting = name.split("/")[0]
    return Case(POLICIES[name], setting, TARGETS[setting])


# Every policy of the registry, and some more.
CASES = {name: _plain(name) for name in POLICIES} | SPECIAL
ROUNDED = [name for name in CASES if name.startswith("ordered/thompson")]
ROUNDED += [name for name in CASES if name.startswith("allocation/thompson-mean")]
CASES |= {name: CASES[name]._replace(rounded=True) for name in ROUNDED}
