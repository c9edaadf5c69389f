"""Arguments of `sweep`, `run_sweep`, grids, `Store`, `HalfWidth`; hostile stores."""

from pathlib import Path

from attack.case import Case
from attack.games import GAME, GREEDY, MACHINES
from attack.values import INF, NAN, attack, of
from jaxbandits import HalfWidth, Machine, Range, Store, sampled, sweep, zipped
from jaxbandits.points import Points, points_from
from jaxbandits.settings.budgeted import s_br
from jaxbandits.sweeps import Entry, Spec, run_sweep, variants

GOOD = {
    "policies": GREEDY,
    "environments": GAME,
    "grid": {"eps": [0.1, 0.2]},
    "horizon": 10,
    "seeds": 2,
    "machine": Machine(progress=False),
}
GRIDS = (
    *("x", 3, [], {3: [0.1]}, {"nothing": [1]}, {"": [1]}, {"eps": []}),
    *({"eps": "x"}, {"eps": ["a"]}, {"eps": [None]}, {"eps": None}, {"eps": 1j}),
    *({"eps": [NAN]}, {"eps": [0.1, 0.1]}, {"eps": [[0.1]]}, {"eps": {}}),
    *({"eps": [1e39]}, {"eps": [1e-50]}, {"eps": [0.1, 0.1 + 1e-12]}, {"eps": True}),
)
ZIPPED = (
    *map(zipped, ({"eps": []}, {"eps": [NAN]}, {3: [1]}, [], "x", None)),
    *(zipped({"eps": [0.1]}, {"eps": [0.1]}), zipped({"eps": [0.1]}, 3)),
)
SPANS = [
    {"eps": Range(*ends)}
    for ends in (
        *((0.9, 0.1), (0.1, 0.1), (NAN, 0.9), (0.1, INF), ("a", 0.9), (0.1, None)),
        *((0.0, 0.9, "log"), (-1, 0.9, "log"), (0.1, 0.9, "x"), (0.1, 0.9, "log", 3)),
        (0.5, 2.5, "linear", True),
    )
]
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
        ("regret", 0.5, 0.95, 50, 1),
        ("regret", 0.5, 0.95, 50, "a"),
        ("regret", 0.5, 0.95, 50, [1, 1]),
        ("regret", 0.5, 0.95, 50, 10, "yes"),
    )
]
STORES = [
    Store("a.zarr", **change)
    for change in (
        *({"extend": value} for value in ("yes", 3, None)),
        *({"block": value} for value in (0, -1, 2.5, "a", True)),
        *({"verify": value} for value in (-1, 2.5, "a", None)),
        *(
            {"metrics": value}
            for value in (3, "regret", "", [], ["nothing"], [3], {}, True)
        ),
    )
]


def cases() -> list[Case]:
    named = {
        "grid": ("eps", "greedy", "points"),
        "policies": ("policy", "name", "names"),
        "environments": ("environment", "names"),
        "seeds": ("metric", "half_width", "level", "at_most", "pilot", "each"),
        "store": ("extend", "block", "verify", "metric", "metrics"),
        "machine": ("chunk", "memory", "devices", "engine", "progress"),
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
                "grid": (*GRIDS, *ZIPPED),
                "horizon": of("count", None, plus=(2**31,)),
                "seeds": (
                    *of("count", [3], plus=([1, 1], [-1], 2**40, 2**32 + 5)),
                    *UNTIL,
                ),
                "root_seed": of("natural"),
                "checkpoints": (0, -1, 2.5, "x", "", [], [0], [5, 2], [NAN], ["a"]),
                "runs_per_instance": of("count", plus=(2**40,)),
                "keep": (3, "pulls", "", ["nothing"], [3], True),
                "store": STORES,
                "machine": MACHINES,
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
                    *("hdfs://a/b", "memory://a"),
                )
            },
            "sweep to a store",
            works=False,
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
            {"grid": None},
            {"grid": (*GRIDS, *ZIPPED, zipped({"a": [1, 2, 3], "b": [1, 2]}))},
            named={"grid": ("eps", "grid", "columns", "nothing")},
            fine={"grid": _table},
        ),
        *attack(
            sampled,
            {"ranges": {"eps": Range(0.1, 0.9)}, "points": 4},
            {
                "ranges": (
                    None,
                    "x",
                    3,
                    [],
                    {},
                    {"eps": 3},
                    {"eps": (0.1, 0.9)},
                    *SPANS,
                ),
                "points": of("count", plus=(1, 3)),
                "method": "choice",
                "seed": of("natural", 2**70),  # a seed like any other
            },
        ),
        *attack(
            lambda **x: points_from(sampled({"eps": Range(0.1, 0.9)}, 4, **x)),
            {},
            {"crossed": (*GRIDS[:-2], "x", 3)},
            "sampled",
            named={"crossed": ("eps", "grid", "columns", "nothing")},
            fine={"crossed": _table},
        ),
        *attack(
            variants,
            {"name": "a", "make": s_br, "arguments": {"num_arms": [2, 3]}},
            {
                "name": "text",
                "make": (*of("function"), lambda num_arms: num_arms),
                "arguments": (
                    *(None, "x", 3, [], {}, {"num_arms": []}, {"num_arms": 3}),
                    *({"num_arms": [0]}, {"num_arms": [2.5]}, {"num_arms": [2, 2]}),
                    *({"num_arms": [None]}, {"nothing": [1]}),
                    *(zipped({"num_arms": [2, 3], "cost_floor": [0.1]}), zipped({})),
                    *(zipped({"num_arms": [2]}, {"num_arms": [3]}), zipped([], "x")),
                ),
            },
            named={
                "arguments": ("num_arms", "nothing", "cost_floor"),
                "make": ("num_arms",),
            },
        ),
    ]
    return [*found, *_stores()]


def _table(points) -> bool:
    """Any name may be a parameter's, before there is a policy; a number is a value."""
    return isinstance(points, Points) and all(
        isinstance(name, str) and (column == column).all()
        for name, column in points.columns.items()
    )


def _spec(policy):
    return Spec({"greedy": Entry(policy)}, {"two arms": GAME}, horizon=10)


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
        {"root_seed": 1},
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
