"""Environments that break the protocol."""

import jax.numpy as jnp
import numpy as np

from attack.case import Case
from attack.games import GAME, GREEDY, QUIET, Books
from jaxbandits import simulate
from jaxbandits.testing import altered, check_environment

WORDS = (
    *("two arms", "environment", "environments", "setup", "sample", "init", "view"),
    *("step", "record", "metric", "metrics", "spent", "words", "name", "feedback"),
    *("provenance", "setting", "instance.f", "tables", "actions", "oracle", "judge"),
)


def _step(change):
    def step(noise, instance, state, action):
        return change(*GAME.game.step(noise, instance, state, action))

    return {"step": step}


def _metrics(value):
    return {"metrics": lambda tables, instance, record: value}


def _spent(value):
    return {"spent": lambda instance, state: value(state)}


ROUNDS = {"horizon": 10}
MONEY = {"budget": 5.0, "horizon": 50}
BROKEN = {
    "setup is None": ({"setup": None}, ROUNDS),
    "setup of strings": ({"setup": "a"}, ROUNDS),
    "setup has NaN": ({"setup": np.array([np.nan, 0.5])}, ROUNDS),
    "sample is None": ({"sample": None}, ROUNDS),
    "sample takes one": ({"sample": lambda key: 0}, ROUNDS),
    "init is None": ({"init": None}, ROUNDS),
    "init gives None": ({"init": lambda instance: None}, ROUNDS),
    "view is None": ({"view": None}, ROUNDS),
    "view takes one": ({"view": lambda r: r}, ROUNDS),
    "step is None": ({"step": None}, ROUNDS),
    "step gives one": ({"step": lambda *a: a[2]}, ROUNDS),
    "step changes a dtype": (_step(lambda s, f: (Books(s.pulls * 1.0), f)), ROUNDS),
    "step changes a shape": (_step(lambda s, f: (Books(s.pulls[None]), f)), ROUNDS),
    "step gives NaN": (_step(lambda s, f: (s, f * jnp.nan)), ROUNDS),
    "step gives None": (_step(lambda s, f: (s, None)), ROUNDS),
    "record is None": ({"record": None}, ROUNDS),
    "metrics is None": ({"metrics": None}, ROUNDS),
    "metrics are NaN": (_metrics({"regret": np.full((2, 10), np.nan)}), ROUNDS),
    "metrics give nothing": (_metrics({}), ROUNDS),
    "metrics give None": (_metrics(None), ROUNDS),
    "metrics give strings": (_metrics({"regret": "a"}), ROUNDS),
    "metrics of another shape": (_metrics({"regret": np.ones(3)}), ROUNDS),
    "metrics named seed": (_metrics({"seed": np.ones((2, 10))}), ROUNDS),
    "metrics named 3": (_metrics({3: np.ones((2, 10))}), ROUNDS),
    "tables are a number": ({"tables": lambda instance: 3}, ROUNDS),
    "tables of text": ({"tables": lambda instance: ["a"]}, ROUNDS),
    "tables of two rows": ({"tables": lambda instance: np.ones(2)}, ROUNDS),
    "tables fail": ({"tables": lambda instance: instance.f}, ROUNDS),
    "actions are a number": ({"actions": 3}, ROUNDS),
    "oracle is a number": ({"oracle": 3}, ROUNDS),
    "judge is a number": ({"judge": 3}, ROUNDS),
    "sample by NumPy": ({"sample": lambda key, setup: np.random.rand(2)}, ROUNDS),
    "words = -1": ({"words": -1}, ROUNDS),
    "words = None": ({"words": None}, ROUNDS),
    "words = 1.5": ({"words": 1.5}, ROUNDS),
    "words = '1'": ({"words": "1"}, ROUNDS),
    "words = 0, step reads 1": ({"words": 0}, ROUNDS),
    "name is None": ({"name": None}, ROUNDS),
    "name is 3": ({"name": 3}, ROUNDS),
    "provenance is a function": ({"provenance": {"f": print}}, ROUNDS),
    "provenance is a string": ({"provenance": "a"}, ROUNDS),
    "spent is None": ({"spent": None}, MONEY),
    "spent is a number": ({"spent": 3}, MONEY),
    "spent is NaN": (_spent(lambda s: jnp.float32(np.nan)), MONEY),
    "spent falls": (_spent(lambda s: -jnp.sum(s.pulls) * 1.0), MONEY),
    "spent stands still": (_spent(lambda s: jnp.zeros(())), MONEY),
    "spent is a bool": (_spent(lambda s: jnp.sum(s.pulls) > 3), MONEY),
    "spent is a vector": (_spent(lambda s: s.pulls * 1.0), MONEY),
    "spent is a string": (_spent(lambda s: "a"), MONEY),
}
# What may come back: runs that the horizon has cut off are marked.
MARKED = {"spent stands still": lambda data: bool(data["cut"].all())}


def cases() -> list[Case]:
    found = []
    for name, (change, end) in BROKEN.items():
        case = _play(name, change, end)
        found.append(case._replace(fine=MARKED.get(name)))
        if end is ROUNDS and not name.startswith(("name", "provenance")):
            found.append(_check(name, change))
    return [*found, _check("two arms, rightly", {})._replace(fine=True)]


def _play(name, change, end):
    def call():
        game = altered(GAME, **change)
        return simulate(GREEDY, game, seeds=2, machine=QUIET, **end)

    return Case(f"simulate: {name}", call, WORDS, heavy=True)


def _check(name, change):
    def call():
        check_environment(altered(GAME, **change), GREEDY, rounds=3)

    return Case(f"check_environment: {name}", call, WORDS, heavy=True)
