"""Arguments of `simulate`."""

import itertools

import jax
import numpy as np

from attack.case import Case
from attack.games import GAME, GREEDY, MACHINES, Params
from attack.values import INF, NAN, attack, of
from jaxbandits import Machine, simulate
from jaxbandits.policies import censored as policies
from jaxbandits.settings import censored as settings

GRID = settings.example1((0.5, 0.9))
GOOD = {
    "policies": GREEDY,
    "environment": GAME,
    "horizon": 10,
    "seeds": 2,
    "machine": Machine(progress=False),
}
MONEY = {**{k: v for k, v in GOOD.items() if k != "horizon"}, "budget": 5.0}
POINTS = (
    *(0, -1, 2.5, NAN, INF, True, "x", "", {}, print, object(), [], [0], [-1], [NAN]),
    *([5, 2], [2, 2], [2.5], ["a"], [None], [11], [2**40], [True], [1j], [[1, 2]]),
    *(np.array([9, 5, 2], np.uint64), np.array([1, NAN, 3])),
)
SEEDS = (
    *of("count", [3]),
    *([NAN], [1.5], ["a"], [True], [-1], [1, 1], [2**32], {}, {0: "a", 1: "b"}),
    *(2**32 + 5, 2**40, b"\x01\x02", np.array([]), np.array([0.5])),
)


def cases() -> list[Case]:
    return [*_numbers(), *_params(), *_places(), *_things()]


def _numbers():
    # 10.0 rounds, or 3.0 seeds, would be harmless; whole numbers are asked for.
    yield from attack(
        simulate,
        GOOD,
        {
            "horizon": of("count", None, plus=(2**31, 10**12, "10")),
            "seeds": SEEDS,
            "root_seed": of("natural", plus=(2**64,)),
            "checkpoints": of("object", "", None, plus=POINTS),
            "runs_per_instance": of("count", plus=(2**40,)),
        },
        heavy=True,
        fine={"checkpoints": _all_points},
    )
    yield Case(
        "simulate(seeds=count())",
        lambda: simulate(**{**GOOD, "seeds": itertools.count()}),
        ("seeds",),
    )
    yield Case(
        "simulate without an end",
        lambda: simulate(GREEDY, GAME),
        ("horizon", "budget"),
    )
    yield from attack(
        simulate,
        MONEY,
        {
            "budget": of("played", None, plus=([5, 6], [5], 1e30, 3e9)),
            "horizon": of("count", None, plus=(2**31, 2**40)),
            "checkpoints": (*POINTS[:-8], [1j], [True], [1.0, NAN], [3.0, 2.0], [9.0]),
        },
        "simulate for money",
        heavy=True,
        fine={"checkpoints": _all_points},
    )
    yield Case(
        "simulate for money where none is spent",
        lambda: simulate(**{**MONEY, "environment": GRID}),
        ("budget",),
    )


def _all_points(data) -> bool:
    """A number of checkpoints, or those that are asked for, in rising order."""
    points = data["checkpoint"].values
    return bool(np.all(np.diff(points) > 0) and points[-1] in (5, 10))


def _params():
    wrong = (
        *(0, 1, "x", [], {"nobody": {"eps": 0.1}}, {"greedy": 3}, {"greedy": "x"}),
        *({"greedy": {"nothing": 1}}, {"greedy": {"eps": "a"}}),
        *({"greedy": {"eps": None}}, {"greedy": {"eps": []}}, {"greedy": {"eps": 1j}}),
        *({"greedy": {"eps": [[0.1]]}}, {"greedy": {"eps": {}}}, {3: {"eps": 0.1}}),
        *({"greedy": {"eps": True}}, {"greedy": [0.1]}, {"greedy": {3: 0.1}}),
        *({"greedy": {"eps": 1e39}}, {"greedy": {"eps": 1e-50}}),
    )
    named = {"grid": ("greedy", "eps")}
    good = GOOD | {"policies": [GREEDY]}
    yield from attack(simulate, good, {"grid": wrong}, heavy=True, named=named)
    # A policy without a check of its own may be told anything that can be played.
    for value in (NAN, INF):
        call = {**GOOD, "grid": {"eps": value}}
        yield Case(
            f"simulate(grid={call['grid']})",
            lambda call=call: simulate(**call),
            ("eps",),
            True,
            True,
        )
    rcucb = policies.rcucb(GRID.problem)
    for leaf in rcucb.params._fields:
        for value in (NAN, INF, -1.0, "a", 1e39, -1e39, None):
            call = {
                "policies": {"p": rcucb},
                "environment": GRID,
                "horizon": 5,
                "seeds": 1,
                "grid": {"p": {leaf: value}},
            }
            yield Case(
                f"simulate RCUCB with {leaf}={value}",
                lambda call=call: simulate(**call),
                (leaf,),
                heavy=True,
            )
    call = {**call, "grid": {"p": {"alpha": 1e-50}}}
    yield Case(
        "simulate RCUCB with alpha=1e-50",
        lambda: simulate(**call),
        ("alpha",),
        heavy=True,
    )


def _places():
    named = {"machine": ("chunk", "memory", "devices", "engine", "progress")}
    yield from attack(simulate, GOOD, {"machine": MACHINES}, heavy=True, named=named)
    twice = Machine(jax.devices("cpu")[:1] * 2)
    yield Case(
        "simulate on a device twice",
        lambda: simulate(**GOOD | {"machine": twice}),
        ("devices",),
        True,
        True,
    )


def _things():
    other = GREEDY._replace(name="other")
    named = {"policies": ("policy", "name", "names")}
    wrong = (
        *of("object"),
        *(GAME, [GREEDY, GREEDY], [GREEDY, None], {"a": None}, {"a": "x"}),
        *({1: GREEDY}, {1: GREEDY, "1": other}, {None: GREEDY}, {"": GREEDY}),
        *([GAME], policies.rcucb, {"a": GAME}, iter([]), Params(0.1)),
    )
    yield from attack(simulate, GOOD, {"policies": wrong}, heavy=True, named=named)
    wrong = of("object", plus=("indep", GREEDY, [GAME], settings.indep, GAME.game.step))
    yield from attack(simulate, GOOD, {"environment": wrong}, heavy=True)
