"""Ask and tell: what is asked of a session, told to it, kept and taken up again."""

import copy
import pickle

import jax
import jax.numpy as jnp
import numpy as np

from attack.case import Case
from attack.games import GREEDY, Params
from attack.values import NAN, attack, of
from jaxbandits import View, live
from jaxbandits.policies import allocation, budgeted, censored, farewell
from jaxbandits.settings import allocation as splitting
from jaxbandits.settings import budgeted as money
from jaxbandits.settings import censored as limits
from jaxbandits.settings import farewell as waiting

FIVE = limits.low_censoring(5)
THREE = money.s_br(3)
SESSION = live.start(GREEDY)
FEEDBACK = (None, "x", "0.5", b"1", {}, [], print, 1j, NAN, [1.0, 2.0], (0.5, 0.5))
ACTIONS = (None, "x", "0", {}, [], print, 0.5, 1j, NAN, 2, 99, -1, [0, 1], True)


def cases() -> list[Case]:
    numbers = {
        "params": (
            *(3, "x", [0.1], Params, {"nothing": 1.0}, {"eps": "0.1"}, {"eps": None}),
            *({"eps": [0.1, 0.2]}, {"eps": NAN}, {"eps": 1e39}, {"eps": []}, {3: 1}),
        ),
        "seed": of("natural", plus=(2**64, np.array(3))),
        "seed_index": of("natural", plus=(2**32,)),
    }
    named = {"params": ("eps", "greedy"), "seed_index": ("seed_index",)}
    found = [
        *attack(live.start, {"policy": GREEDY}, numbers, named=named),
        *attack(
            live.start,
            {"policy": GREEDY},
            {"policy": of("object", plus=(FIVE, [GREEDY], censored.rcucb))},
            works=False,
        ),
        *attack(
            live.ask,
            {"session": SESSION},
            {"session": of("object", plus=(GREEDY, SESSION[:4], live)), "view": VIEWS},
            heavy=True,
        ),
        *attack(
            live.tell,
            {"session": SESSION, "action": 1, "feedback": 1.0},
            {
                "session": of("object", plus=(GREEDY,)),
                "action": ACTIONS,
                "feedback": FEEDBACK,
            },
            heavy=True,
            # The game's own arms are not known: it has no problem.
            fine={"action": lambda found: True},
        ),
        *attack(
            live.recommend,
            {"session": SESSION},
            {"session": of("object", plus=(SESSION,))},
            named={"session": ("policy",)},
            works=False,
        ),
    ]
    found += [_of_setting(what, *call) for what, call in SETTINGS.items()]
    found += [_kept(what, change) for what, change in KEPT.items()]
    return [*found, *_sessions()]


VIEWS = (3, "x", {}, [], print, View("1"), View(None), (1, 2))
GRID = live.start(censored.rcucb(FIVE.problem))
GOOD = (limits.Action(0, 0), limits.Feedback(0.3, 0.2, False))
MONEY = live.start(budgeted.omega_ucb(THREE.problem))
SHOWN = money.View(1, 2, 0.0, 1.0, money.OracleView(0.1, 0))  # two of three arms
PAID = money.Feedback(1, 0.5)
WAITING = live.start(farewell.wait_ucb(waiting.optimum_at_one().problem))
PAIR = waiting.Action(0, 3)
SPLITTING = live.start(allocation.no_ucb(splitting.simulation(num_arms=3).problem))
ONES = np.ones(3, np.float32)
SPLIT = splitting.Allocation(ONES)
ROUND = splitting.View(1, 3.0, splitting.OracleView(ONES, ONES, ONES))


def _got(arms):
    return splitting.Feedback(np.full(arms, np.inf), np.ones(arms))


SETTINGS = {
    "an arm for a pair": (GRID, 0, GOOD[1]),
    "a pair for an action": (GRID, (0, 0), GOOD[1]),
    "a number for feedback": (GRID, GOOD[0], 0.5),
    "a tuple for feedback": (GRID, GOOD[0], (0.3, 0.2, False)),
    "a dict for feedback": (GRID, GOOD[0], GOOD[1]._asdict()),
    "feedback of text": (GRID, GOOD[0], limits.Feedback("0.3", 0.2, False)),
    "feedback of NaN": (GRID, GOOD[0], limits.Feedback(NAN, 0.2, False)),
    "feedback of None": (GRID, GOOD[0], limits.Feedback(None, 0.2, False)),
    "feedback of two runs": (GRID, GOOD[0], limits.Feedback([0.3, 0.1], 0.2, False)),
    "arm 5 of 5": (GRID, limits.Action(5, 0), GOOD[1]),
    "arm -1": (GRID, limits.Action(-1, 0), GOOD[1]),
    "arm 0.5": (GRID, limits.Action(0.5, 0), GOOD[1]),
    "arm '0'": (GRID, limits.Action("0", 0), GOOD[1]),
    "arm True": (GRID, limits.Action(True, 0), GOOD[1]),
    "arm [0]": (GRID, limits.Action([0], 0), GOOD[1]),
    "limit 10 of 10": (GRID, limits.Action(0, 10), GOOD[1]),
    "reward of infinity": (GRID, GOOD[0], limits.Feedback(np.inf, 0.2, False)),
    "reward 17": (GRID, GOOD[0], limits.Feedback(17, 0.2, False)),
    "consumption -1": (GRID, GOOD[0], limits.Feedback(0.3, -1, False)),
    "consumption 9": (GRID, GOOD[0], limits.Feedback(0.3, 9, False)),
    "a reward of a censored round": (GRID, GOOD[0], limits.Feedback(1, np.inf, True)),
    "arm 2**40": (GRID, limits.Action(2**40, 0), GOOD[1]),
    "reward for feedback of a budgeted game": (MONEY, 0, 0.5, SHOWN),
    "cost -1": (MONEY, 0, money.Feedback(1, -1), SHOWN),
    "cost of infinity": (MONEY, 0, money.Feedback(1, np.inf), SHOWN),
    "arm 2 of 2": (MONEY, 2, PAID, SHOWN),
    "round 7": (MONEY, 0, PAID, SHOWN._replace(round=7)),
    "no arms": (MONEY, 0, PAID, SHOWN._replace(num_arms=0)),
    "less than nothing spent": (MONEY, 0, PAID, SHOWN._replace(spent=-1)),
    "a view of another setting": (MONEY, 0, PAID, waiting.View(1, 0)),
    "delay 10**6": (WAITING, PAIR, waiting.Feedback(1, 2, 10**6), waiting.View(1, 0)),
    "time 1.5": (WAITING, PAIR, waiting.Feedback(1, 1.5, 2), waiting.View(1, 0)),
    "clock -1": (WAITING, PAIR, waiting.Feedback(1, 2, 2), waiting.View(1, -1)),
    "feedback of two arms of three": (SPLITTING, SPLIT, _got(2), ROUND),
    "feedback of four arms of three": (SPLITTING, SPLIT, _got(4), ROUND),
    "an allocation of less than 0": (SPLITTING, splitting.Allocation(-ONES), _got(3)),
    "a budget of infinity": (SPLITTING, SPLIT, _got(3), ROUND._replace(budget=np.inf)),
}


def _of_setting(what, session, action, feedback, view=None):
    words = ("action", "feedback", "view", "arm", "limit")
    words += tuple(f"feedback.{x}" for x in ("reward", "consumption", "cost"))
    return Case(
        f"tell: {what}",
        lambda: live.tell(session, action, feedback, view).state,
        words,
        heavy=True,
    )


# A session that was changed by hand before it goes on.
KEPT = {
    "round 0": {"round": 0},
    "round 2.5": {"round": 2.5},
    "round '3'": {"round": "3"},
    "round 2**31": {"round": 2**31},
    "round None": {"round": None},
    "a seed for two": {"seed": 3},
    "a seed of three": {"seed": (1, 2, 3)},
    "seed -1": {"seed": (-1, 0)},
    "seed 'a'": {"seed": ("a", 0)},
    "no state": {"state": None},
    "the state of another policy": {"state": GRID.state},
    "a state of other shapes": {
        "state": SESSION.state._replace(pulls=jnp.zeros(5, jnp.int32))
    },
    "no policy": {"policy": None},
    "params of another policy": {"params": censored.rcucb(FIVE.problem).params},
    "params as a dict": {"params": {"eps": 0.1}},
}


def _kept(what, change):
    words = ("session", "round", "seed", "state", "policy", "params")
    session = SESSION._replace(**change)
    return Case(
        f"tell and ask with {what}",
        lambda: live.ask(live.tell(session, 1, 1.0)),
        words,
        heavy=True,
    )


def _sessions():
    """What must go on as it did."""

    def equal(taken_up):
        def call():
            session = live.tell(SESSION, 1, 1.0)
            again = taken_up(session)
            return int(live.ask(again)) == int(live.ask(session))

        return call

    def in_float64(session):
        with jax.enable_x64(True):
            live.ask(session)
        return session

    kept = {
        "round and state pickled": lambda s: s._replace(
            state=pickle.loads(pickle.dumps(s.state))
        ),
        "a copy": copy.copy,
        "NumPy in its state": lambda s: s._replace(
            state=jax.tree.map(np.asarray, s.state)
        ),
        "asked in float64 between": in_float64,
        "NumPy's round": lambda s: s._replace(round=np.int64(s.round)),
    }
    for what, taken_up in kept.items():
        yield Case(f"ask: {what}", equal(taken_up), ("session",), bool, True)
