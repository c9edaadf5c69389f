"""Policies that break the protocol, in `simulate` and in `check_policy`."""

import jax
import jax.numpy as jnp
import numpy as np

from attack.case import Case
from attack.games import GAME, GREEDY, QUIET, Params
from jaxbandits import simulate
from jaxbandits.testing import check_policy


def _act(result):
    return {"act": lambda noise, view, state, params: result}


def _update(change):
    def update(noise, view, state, action, feedback, params):
        return change(GREEDY.update(noise, view, state, action, feedback, params))

    return {"update": update}


def _init(change):
    return {"init": lambda params: change(GREEDY.init(params))}


def _report(report):
    return {"report": lambda state, params: report}


FLOATS = np.zeros(2, np.float64)
BROKEN = {
    "act is None": {"act": None},
    "act gives 99": _act(jnp.int32(99)),
    "act gives 2 of 2": _act(jnp.int32(2)),
    "act gives -1": _act(jnp.int32(-1)),
    "act gives NaN": _act(jnp.float32(np.nan)),
    "act gives a float": _act(jnp.float32(1.0)),
    "act gives None": _act(None),
    "act gives a string": _act("0"),
    "act gives a pair": _act((jnp.int32(0), jnp.int32(0))),
    "act takes one argument": {"act": lambda noise: 0},
    "act branches on a value": {
        "act": lambda noise, view, state, params: 0 if noise[0] < 0.5 else 1
    },
    "act reads noise[5] of 1": {
        "act": lambda noise, view, state, params: (noise[5] < 0.5).astype(jnp.int32)
    },
    "act reads noise[5] of 1 in a jit": {
        "act": lambda noise, view, state, params: jax.jit(
            lambda noise: (noise[5] % 2).astype(jnp.int32)
        )(noise)
    },
    "act takes noise 5 of 1": {
        "act": lambda noise, view, state, params: (
            jnp.take(noise, jnp.arange(5)).sum() % 2
        ).astype(jnp.int32)
    },
    "init puts a key into the state": {
        "init": lambda params: {"key": jax.random.key(0)}
    },
    "update is None": {"update": None},
    "update changes a dtype": _update(lambda s: s._replace(pulls=s.pulls * 1.0)),
    "update changes a shape": _update(lambda s: s._replace(pulls=s.pulls[None])),
    "update changes the structure": _update(lambda s: (s.pulls, s.reward, s.pulls)),
    "update gives None": _update(lambda s: None),
    "update takes one argument": {"update": lambda state: state},
    "init is None": {"init": None},
    "init gives None": _init(lambda s: None),
    "init gives numbers": _init(lambda s: s._replace(pulls=0)),
    "init gives strings": _init(lambda s: s._replace(pulls="a")),
    "init gives float64": _init(lambda s: s._replace(reward=FLOATS)),
    "init takes nothing": {"init": lambda: None},
    "words = 3": {"words": 3},
    "words = None": {"words": None},
    "words = (-1, 0)": {"words": (-1, 0)},
    "words = ('2', 0)": {"words": ("2", 0)},
    "words = (1.5, 0)": {"words": (1.5, 0)},
    "words = (1,)": {"words": (1,)},
    "words = (1, 0, 0)": {"words": (1, 0, 0)},
    "name = None": {"name": None},
    "name = 3": {"name": 3},
    "params is a number": {"params": 0.1},
    "params is a dict": {"params": {"eps": 0.1}},
    "params leaf is a string": {"params": Params("a")},
    "params leaf is None": {"params": Params(None)},
    "params leaf is NaN": {"params": Params(np.nan)},
    "report gives an array": _report(np.ones(3)),
    "report gives None": _report(None),
    "report named regret": _report({"regret": jnp.ones(())}),
    "report named seed": _report({"seed": jnp.ones(())}),
    "report named 3": _report({3: jnp.ones(())}),
    "report of a string": _report({"x": "a"}),
    "report takes one argument": {"report": lambda state: {}},
    "check is a number": {"check": 3},
}
# What only a check of the contract can find: it runs.
ONLY_CHECKED = {
    "act draws from NumPy": {
        "act": lambda noise, view, state, params: jnp.int32(np.random.rand() < 0.5)
    },
    "state becomes NaN": _update(lambda s: s._replace(reward=s.reward * jnp.nan)),
    "a count falls": _update(lambda s: s._replace(pulls=s.pulls - 2)),
}
# A policy of which the right answer is plain: action 0, of shape [1] or as a bool.
RIGHT = {
    # The game says nothing of what an action is, and plays arm 0.
    "act gives a vector": _act(jnp.zeros(2, jnp.int32)),
    "act gives [0]": _act(jnp.zeros(1, jnp.int32)),
    "act gives False": _act(jnp.zeros((), bool)),
    "act gives a Python number": _act(0),
    "act gives int8": _act(jnp.int8(0)),
    "params leaf is an array": {"params": Params(np.array([0.1, 0.2]))},
}


def cases() -> list[Case]:
    found = []
    for name, change in BROKEN.items():
        found.append(_play(name, change))
        found.append(_check(name, change))
    found += [_check(name, change) for name, change in ONLY_CHECKED.items()]
    for name, change in RIGHT.items():
        found.append(_play(name, change)._replace(fine=_as_told))
    rightly = [_play("greedy, rightly", {}), _check("greedy, rightly", {})]
    return [*found, *(case._replace(fine=True) for case in rightly)]


WORDS = (
    *("greedy", "policy", "policies", "act", "action", "actions", "update", "init"),
    *("words", "name", "names", "params", "report", "reports", "check", "state"),
    *("metrics", "recommend", "noise"),
)


def _play(name, change):
    def call():
        policy = GREEDY._replace(**change)
        return simulate(policy, GAME, horizon=10, seeds=2, machine=QUIET)

    return Case(f"simulate: {name}", call, WORDS, heavy=True)


def _check(name, change):
    def call():
        check_policy(GREEDY._replace(**change), GAME, rounds=3)

    return Case(f"check_policy: {name}", call, WORDS, heavy=True)


def _as_told(data) -> bool:
    """Arm 0 in all rounds, or more than one point."""
    regret = data["regret"].values[..., -1]
    return bool(data.sizes["params"] > 1 or np.allclose(regret, 4.0))
