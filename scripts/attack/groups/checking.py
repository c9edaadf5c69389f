"""What `check_policy` and `check_law` are for: mistakes that no single call shows."""

import random
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from attack.case import Case
from attack.games import GAME, GREEDY, Greedy, Params
from attack.values import attack, of
from jaxbandits import laws, simulate
from jaxbandits.arrays import unit_interval
from jaxbandits.testing import check_environment, check_law, check_policy, trace_run

CALLS = {"n": 0}
SEEN = []


class Other(NamedTuple):
    """The fields of `Greedy`, and another type."""

    pulls: jnp.ndarray
    reward: jnp.ndarray


def _counting(noise, view, state, params):
    CALLS["n"] += 1
    return jnp.int32(CALLS["n"] % 2)


def _remembering(noise, view, state, params):
    SEEN.append(state.pulls)
    return jnp.where(SEEN[0][0] > 1, 1, 0)


def _update(change):
    def update(noise, view, state, action, feedback, params):
        return change(GREEDY.update(noise, view, state, action, feedback, params))

    return {"update": update}


def _mutating(noise, view, state, action, feedback, params):
    state.pulls[action] += 1
    return state


def _numpy(noise, view, state, action, feedback, params):
    return Greedy(np.asarray(state.pulls), np.asarray(state.reward))


def _act(function):
    return {"act": lambda noise, view, state, params: function(noise, view, state)}


BROKEN = {
    "state of another type": _update(lambda s: Other(*s)),
    "state as a tuple": _update(tuple),
    "state as a dict": _update(lambda s: s._asdict()),
    "state in another order": _update(lambda s: Greedy(s.reward, s.pulls)),
    "state of float16": _update(
        lambda s: s._replace(reward=s.reward.astype(jnp.float16))
    ),
    "state of uint32": _update(lambda s: s._replace(pulls=s.pulls.astype(jnp.uint32))),
    "state with an axis more": _update(lambda s: s._replace(reward=s.reward[:, None])),
    "state of one arm less": _update(lambda s: Greedy(s.pulls[:1], s.reward[:1])),
    "state changed in place": {"update": _mutating},
    "state by NumPy": {"update": _numpy},
    "act counts its calls": {"act": _counting},
    "act remembers a tracer": {"act": _remembering},
    "act by random": _act(lambda n, v, s: jnp.int32(random.random() < 0.5)),
    "act by a fresh key": _act(
        lambda n, v, s: jax.random.randint(
            jax.random.key(random.randrange(10)), (), 0, 2
        )
    ),
    "act by int()": _act(lambda n, v, s: int(s.reward[0])),
    "act by a loop": _act(lambda n, v, s: [k for k in range(2) if s.reward[k] > 0][0]),
    "act is a coroutine": {"act": print},
    "act prints and gives nothing": _act(lambda n, v, s: print(s)),
    "act gives a set": _act(lambda n, v, s: {0}),
    "act gives a complex": _act(lambda n, v, s: jnp.complex64(0)),
    "act beyond its noise": _act(lambda n, v, s: (n[1] > 5).astype(jnp.int32)),
    "act by all of no noise": {
        **_act(lambda n, v, s: (n[0] > 5).astype(jnp.int32)),
        "words": (0, 0),
    },
    "act takes words for uniforms": _act(lambda n, v, s: (n[0] * 2.0).astype(int)),
    "act of a view that has no such field": _act(lambda n, v, s: v.budget),
    "words too many": {"words": (2**40, 0)},
    "words of floats": {"words": (1.0, 0.0)},
    "words of True": {"words": (True, False)},
    "words of NaN": {"words": (np.nan, 0)},
    "params is its class": {"params": Params},
    "params of text": {"params": Params("0.1")},
    "params of an array": {"params": Params(np.ones(2))},
    "params of a bool": {"params": Params(True)},
    "params of a pair": {"params": Params((0.1, 0.2))},
    "params in a list": {"params": [0.1]},
    "told what it has not": {"told": ("horizon",)},
    "told a text": {"told": "eps"},
    "check that gives False": {"check": lambda: False},
    "check that raises": {"check": lambda params: 1 / 0},
    "init of a Python list": {"init": lambda params: Greedy([0, 0], [0.0, 0.0])},
    "init of the parameters' type": {"init": lambda params: params},
    "recommend of text": {"recommend": lambda state, params: "0"},
    "recommend of nothing": {"recommend": lambda state, params: None},
    "recommend is a number": {"recommend": 3},
    "report of a reserved name": {
        "report": lambda state, params: {"rounds": state.pulls}
    },
    "report of an object": {"report": lambda state, params: {"x": object()}},
    "report of a list": {"report": lambda state, params: [state.pulls]},
}
WORDS = (
    *("greedy", "policy", "policies", "act", "update", "init", "words", "params"),
    *("state", "told", "check", "recommend", "report", "noise", "name"),
)


def cases() -> list[Case]:
    found = []
    for what, change in BROKEN.items():
        policy = GREEDY._replace(**change)
        found.append(
            Case(
                f"check_policy: {what}",
                lambda policy=policy: check_policy(policy, GAME, rounds=3),
                WORDS,
                heavy=True,
            )
        )
        if what not in ONLY_CHECKED:
            found.append(
                Case(
                    f"simulate: {what}",
                    lambda policy=policy: simulate(policy, GAME, horizon=5, seeds=1),
                    WORDS,
                    fine=MORE_POINTS.get(what),
                    heavy=True,
                )
            )
    good = {"policy": GREEDY, "environment": GAME, "rounds": 3}
    wrong = {"policy": of("object"), "environment": of("object"), "rounds": "count"}
    for function in (check_policy, check_environment, trace_run):
        found += attack(function, good, wrong, works=False, heavy=True)
    return [*found, *_laws()]


# What plays as it is written, and is found by those who look twice.
ONLY_CHECKED = {"act counts its calls", "act by random", "act by a fresh key"}
MORE_POINTS = {"params of an array": lambda data: data.sizes["params"] == 2}


def _laws():
    params = laws.Beta(np.ones(2), np.ones(2))
    good = laws.beta
    broken = {
        "a mean of another law": good._replace(mean=lambda p: np.full(2, 0.3)),
        "a mean of one arm": good._replace(mean=lambda p: 0.5),
        "a support that is too small": good._replace(
            support=lambda p: (np.asarray(0.0), np.asarray(0.2))
        ),
        "a sampler of NaN": good._replace(sample=lambda n, p: p.a * jnp.nan),
        "a sampler of integers": good._replace(sample=lambda n, p: jnp.int32(1)),
        "a sampler of two": good._replace(sample=lambda n, p: jnp.ones(2)),
        "a sampler that is constant": good._replace(sample=lambda n, p: 0.5 * p.a),
        "a sampler that fails": good._replace(sample=lambda n, p: p.scale),
        "a sampler that reads beyond": good._replace(
            sample=lambda n, p: unit_interval(jnp.take(n, 9))
        ),
        "no sampler": good._replace(sample=None),
        "words of text": good._replace(words="2"),
        "a support of one end": good._replace(support=lambda p: 0.0),
        "a cdf of one number": good._replace(cdf=lambda p, x: 0.5),
        "a direction of 2": good._replace(monotone=2),
    }
    words = ("beta", "law", "mean", "support", "draw", "draws", "sampler", "cdf")
    words += ("sample", "words", "monotone")
    for what, law in broken.items():
        yield Case(
            f"check_law of {what}",
            lambda law=law: check_law(law, params, 1000),
            words,
            heavy=True,
        )
    wrong = {
        "law": of("object", plus=(params, laws.Beta)),
        "params": of("object", plus=(laws.Bernoulli(np.ones(2) / 2), laws.Beta, {})),
        "draws": of("count", 2**70, plus=(5,)),
        "seed": of("natural", 2**70),
    }
    call = {"law": good, "params": params, "draws": 200}
    named = {"params": ("a", "b", "beta", "Beta")}
    yield from attack(check_law, call, wrong, works=False, heavy=True, named=named)
