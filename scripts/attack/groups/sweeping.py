"""Arguments of `sweep`, `run_sweep`, `points_from`, `HalfWidth`; hostile stores."""

from pathlib import Path

from attack.case import Case
from attack.games import GAME, GREEDY
from attack.values import INF, NAN, attack, of
from jaxbandits import sweep
from jaxbandits.sweeps import Entry, HalfWidth, Spec, points_from, run_sweep

GOOD = {
    "policies": GREEDY,
    "environments": GAME,
    "grid": {"eps": [0.1, 0.2]},
    "horizon": 10,
    "seeds": 2,
    "progress": False,
}
GRIDS = (
    *(None, "x", 3, [], {3: [0.1]}, {"nothing": [1]}, {"": [1]}, {"eps": []}),
    *({"eps": "x"}, {"eps": ["a"]}, {"eps": [None]}, {"eps": None}, {"eps": 1j}),
    *({"eps": [NAN]}, {"eps": [0.1, 0.1]}, {"eps": [[0.1]]}, {"eps": {}}),
    *({"eps": [1e39]}, {"eps": [1e-50]}, {"eps": [0.1, 0.1 + 1e-12]}, {"eps": True}),
)
UNTIL = [
    HalfWidth(*arguments)
    for arguments in (
        ("nothing", 0.5),
        (3, 0.5),
        ("regret", "a"),
        ("regret", NAN),
        ("regret", -1.0),
        ("regret", 0.0),
        ("regret", INF),
        ("regret", None),
        ("regret", 0.5, 1.5),
        ("regret", 0.5, "a"),
        ("regret", 0.5, 0.95, 0),
        ("regret", 0.5, 0.95, 2.5),
        ("regret", 0.5, 0.95, "a"),
    )
]


def cases() -> list[Case]:
    named = {
        "grid": ("eps", "greedy", "points"),
        "policies": ("policy", "name", "names"),
        "environments": ("environment", "names"),
        "until": ("metric", "half_width", "level", "at_most"),
        "metrics": ("metric",),
        "checkpoints": ("checkpoint",),
    }
    things = of("object")
    found = [
        *attack(
            sweep,
            GOOD,
            {
                "policies": (*things, GAME, {1: GREEDY}, {"a": 3}, [GREEDY, GREEDY]),
                "environments": (*things, GREEDY, "indep", {1: GAME}, [GAME, GAME]),
                "grid": GRIDS,
                "mode": "choice",
                "horizon": of("count", None, plus=(2**31,)),
                "seeds": of("count", [3], plus=([1, 1], [-1], 2**40, 2**32 + 5)),
                "seed": of("natural"),
                "checkpoints": (0, -1, 2.5, "x", "", [], [0], [5, 2], [NAN], ["a"]),
                "runs_per_instance": of("count", plus=(2**40,)),
                "max_rounds": of("count", None),
                "metrics": (3, "regret", "", [], ["nothing"], [3], {}, True),
                "engine": "choice",
                "until": (*of("object", None), *UNTIL),
                "block": of("count", None, 2**70),
                "memory": of("count", 2**70),
                "devices": ([], "cpu", 0, [None], {}),
            },
            heavy=True,
            named=named,
        ),
        *attack(
            sweep,
            GOOD,
            {
                "store": (
                    *(3, 0.5, "", [], {}, True, "https://a.b/c.zarr", "s3://a/b.zarr"),
                    *("gs://a/b", "memory://a"),
                )
            },
            "sweep to a store",
            works=False,
            heavy=True,
        ),
        *attack(
            sweep,
            GOOD | {"store": "a.zarr"},
            {"extend": ("yes", 3, None)},
            heavy=True,
        ),
        *attack(
            run_sweep,
            {},
            {"spec": of("object", plus=("a.toml", Spec({}, {}), _spec(None)))},
            named={"spec": ("policies", "environments", "greedy")},
            works=False,
        ),
        *attack(
            points_from,
            {},
            {"cross": GRIDS[1:], "zipped": (*GRIDS[1:], {"a": [1], "b": [1, 2]})},
            named={
                k: ("eps", "grid", "columns", "nothing") for k in ("cross", "zipped")
            },
            fine={k: _one_point for k in ("cross", "zipped")},
        ),
    ]
    return [*found, *_stores()]


def _one_point(points) -> bool:
    """Any name may be a parameter's, before there is a policy; a number is a value."""
    return all(
        isinstance(name, str) and isinstance(value, float) and value == value
        for point in points
        for name, value in point.items()
    )


def _spec(policy):
    return Spec({"greedy": Entry(policy, ({},))}, {"two arms": GAME}, horizon=10)


def _stores():
    def into(name, make):
        def call():
            make(Path("a.zarr"))
            return sweep(**GOOD, store="a.zarr")

        return Case(f"sweep into {name}", call, ("store", "a.zarr"), heavy=True)

    yield into("a file", lambda path: path.write_text("x"))
    yield into("a folder of another's", _folder)
    yield into("a broken store", _broken)

    def twice(**change):
        sweep(**GOOD, store="a.zarr")
        return sweep(**{**GOOD, **change}, store="a.zarr")

    for change in (
        {"grid": {"eps": [0.1, 0.3]}},
        {"seeds": 3},
        {"seed": 1},
        {"horizon": 20},
        {"checkpoints": [5]},
        {"environments": GAME._replace(name="other")},
        {"policies": GREEDY._replace(name="other")},
    ):
        (key,) = change
        yield Case(
            f"sweep into a store of another {key}",
            lambda change=change: twice(**change),
            ("store", "a.zarr", key),
            heavy=True,
        )


def _folder(path):
    path.mkdir()
    (path / "mine.txt").write_text("mine")


def _broken(path):
    path.mkdir()
    (path / "zarr.json").write_text("{")
