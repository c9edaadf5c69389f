"""Objects of other libraries, numbers that look right, and names that are none."""

import decimal
import enum
import fractions
import pathlib
from collections.abc import Iterator

import jax.numpy as jnp
import numpy as np
import pandas as pd
import xarray as xr

from attack.case import Case
from attack.games import GAME, GREEDY, QUIET, Params
from attack.groups.results import DATA
from attack.values import attack, label
from jaxbandits import Policy, plots, results, simulate, stats, sweep
from jaxbandits.sweeps import Store

GOOD = {
    "policies": GREEDY,
    "environment": GAME,
    "horizon": 10,
    "seeds": 2,
    "machine": QUIET,
}
MASKED = np.ma.array([0.1, 0.2], mask=[False, True])
WHEN = pd.Timestamp("2026-01-01")


class Name(enum.Enum):
    """A name that is no text."""

    GREEDY = "greedy"


COUNTS = (
    *(np.array(10), np.array([10]), jnp.int32(10), jnp.ones(3), pd.Series([10])),
    *(pd.Index([10]), pd.DataFrame({"a": [10]}), xr.DataArray(10), WHEN, pd.NA),
    *(np.float64(10), np.timedelta64(10, "s"), fractions.Fraction(10), 1e4),
    *(decimal.Decimal(10), "1e4", "10", "ten", np.str_("10"), np.bool_(True), -0.0),
    *(range(10), (10,), {10}, iter([10]), Name.GREEDY, lambda: 10, np.ma.masked),
    *(np.datetime64("2026"), complex(10), bytearray(b"10"), memoryview(b"10"), int),
)
SEEDS = (
    *(pd.DataFrame([[5, 6], [7, 8]]), xr.Dataset({"a": 1}), xr.DataArray([0.5])),
    *(np.array([[0, 1]]), np.array([True, False]), np.array(["0", "1"]), MASKED),
    *(np.ma.array([0, 1], mask=[False, True]), pd.Series([0.0, 1.0]), pd.NaT),
    *(pd.Series([0, None]), np.array([0, 1], object) / 2, "01", {"a", "b"}, [[0], [1]]),
    *((x / 2 for x in range(3)), np.array([-1]), np.array([2**40]), [pd.NA], [WHEN]),
    *(
        [0, "1"],
        [0, True],
        [np.array([0])],
        [None],
        range(0),
        "all",
        Ellipsis,
        slice(3),
    ),
)
REALS = (
    *("0.1", np.str_("0.1"), b"0.1", decimal.Decimal("0.1"), WHEN, pd.NA, Name.GREEDY),
    *(np.array("0.1"), np.array(["0.1"]), np.array([0.1], object) * 1j, MASKED, {0.1}),
    *(np.datetime64("2026"), pd.DataFrame({"a": [0.1]}), xr.Dataset({"a": 0.1}), []),
    *((x for x in [0.1]), np.ma.masked, np.array([True]), np.zeros((0,)), [[0.1]]),
    *(np.array([(0.1,)], [("a", "f8")]), np.rec.array([(0.1,)]), ..., int, 10**400),
)
AMOUNTS = (
    *(pd.DataFrame({"a": [1.0]}), {1.0, 5.0}, (x for x in [1.0]), MASKED + 1, "log2"),
    *(np.array(["1", "5"]), [np.array([1.0]), 5.0], [WHEN], [1.0, 1.0], [-0.0, 5.0]),
    *([1.0, 9.0], [True, 5.0], np.array(["2026"], "M8"), "linear ", {"a": 1.0}, ...),
)
METRICS = ({"regret": 1.5, "x": 2}, b"regret", [b"regret"], [None], [[]], ...)
TAKEN = ("a\0", "a\nb", "\ud800", " ", "a" * 300, "params", "é", "名", "a/b", "..")


def cases() -> list[Case]:
    return [*_numbers(), *_named(), *_things(), *_statistics(), *_swept()]


def _numbers():
    for argument in ("horizon", "runs_per_instance"):
        wrong = {argument: COUNTS}
        yield from attack(simulate, GOOD, wrong, f"simulate {argument}", works=False)
    machines = [
        *(QUIET._replace(chunk=value) for value in COUNTS),
        *(QUIET._replace(memory=value) for value in (*COUNTS, 1e9)),
    ]
    named = {"machine": ("chunk", "memory")}
    yield from attack(simulate, GOOD, {"machine": machines}, works=False, named=named)
    yield from attack(
        simulate,
        GOOD,
        {"seeds": (*COUNTS, *SEEDS), "root_seed": COUNTS},
        heavy=True,
        works=False,
        fine={"seeds": _seeds},
    )
    money = {k: v for k, v in GOOD.items() if k != "horizon"} | {"budget": 5.0}
    yield from attack(
        simulate,
        money,
        {"budget": (*REALS, [5.0], np.array([5.0])), "checkpoints": AMOUNTS},
        "simulate for money",
        heavy=True,
        works=False,
    )
    for value in REALS:
        if isinstance(value, Iterator):  # values, read once
            continue
        call = {**GOOD, "grid": {"eps": value}}
        yield Case(
            f"simulate(grid={label(value)})",
            lambda call=call: simulate(**call),
            ("eps", "greedy"),
            heavy=True,
        )
    # A number is a number, whoever has made it.
    for value in (fractions.Fraction(1, 10), np.float16(0.1), jnp.float32(0.1)):
        call = {**GOOD, "grid": {"eps": value}}
        yield Case(
            f"simulate(grid={label(value)}), rightly",
            lambda call=call: simulate(**call),
            (),
            lambda data: abs(float(data["param_eps"].values.item()) - 0.1) < 1e-4,
            True,
        )


def _seeds(data) -> bool:
    """Ranges, lists and series of whole numbers are seeds."""
    return data["seed"].values.tolist() in ([10], list(range(10)))


def _named():
    """Names that mean something, or are lost on their way to a file."""
    other = GREEDY._replace(name="b", params=Params(1.0))

    def kept(names):
        call = dict(zip(names, (GREEDY, other), strict=False))
        data = simulate(**{**GOOD, "policies": call})
        results.save(data, "a.nc")
        again = results.load("a.nc")
        stored = sweep(call, GAME, horizon=10, seeds=2, store="a.zarr", machine=QUIET)
        for each in (data, again, stored.load()):
            if each["policy"].values.tolist() != list(call):
                return False
        return len(set(call)) == data.sizes["policy"]

    words = ("policies", "name", "names")
    for name in TAKEN:
        yield Case(f"a policy {name!r}", lambda n=name: kept([n]), words, bool, True)
        yield Case(
            f"policies 'a' and {name!r}",
            lambda n=name: kept(["a", n]),
            words,
            bool,
            True,
        )
        game = GAME._replace(name=name)
        yield Case(
            f"an environment {name!r}",
            lambda game=game, name=name: (
                results.save(simulate(GREEDY, game, horizon=5, seeds=1), "a.nc"),
                results.load("a.nc")["environment"].item() == name,
            )[1],
            ("environment", "name", "names"),
            bool,
            True,
        )
    for name in (Name.GREEDY, ("a", "b"), b"a", np.str_(""), 1.5, pathlib.Path("a")):
        yield Case(
            f"simulate(policies={{{label(name)}: ...}})",
            lambda n=name: simulate(**{**GOOD, "policies": {n: GREEDY}}),
            words,
        )


def _things():
    wrong = (
        *(Policy, Params, GREEDY.act, GREEDY._asdict(), tuple(GREEDY), DATA, "greedy"),
        *(pd.Series([GREEDY.name]), np.array(["greedy"]), {GREEDY.name}, GREEDY.name),
        *({"a": [GREEDY]}, {"a": {"b": GREEDY}}, [[GREEDY]], {"a": GREEDY.act}, ...),
    )
    named = {"policies": ("policy", "name", "names"), "environment": ("environment",)}
    yield from attack(simulate, GOOD, {"policies": wrong}, works=False, named=named)
    wrong = (tuple(GAME), GAME._asdict(), {"two arms": GAME}, [GAME], DATA, GAME.setup)
    yield from attack(simulate, GOOD, {"environment": wrong}, works=False, named=named)
    swapped = {"policies": GAME, "environment": GREEDY}
    yield Case(
        "simulate, the other way round",
        lambda: simulate(**{**GOOD, **swapped}),
        ("policies", "environment"),
    )
    for change in ({"params": Params}, {"params": {}}, {"params": [0.1]}, {"told": 3}):
        policy = GREEDY._replace(**change)
        yield Case(
            f"simulate a policy of {label(change)}",
            lambda policy=policy: simulate(**{**GOOD, "policies": policy}),
            ("params", "told", "greedy"),
        )
    for word in ("horzion", "n_seeds", "policy", "jobs"):
        yield Case(
            f"simulate({word}=3)",
            lambda word=word: simulate(**{**GOOD, word: 3}),
            (word,),
        )


TWICE = xr.concat([DATA, DATA], "seed")
SHOWN = {
    "the same seeds twice": TWICE,
    "the same policy twice": xr.concat([DATA, DATA], "policy"),
    "a frame": DATA.to_dataframe(),
    "a dict": DATA.to_dict(),
    "a path": "a.nc",
    "one seed of it": DATA.isel(seed=0),
    "renamed": DATA.rename(seed="run"),
    "no seed": DATA.isel(seed=[]),
    "complex": DATA.assign(regret=DATA["regret"] + 0j),
    "text": DATA.assign(regret=DATA["regret"].astype(str)),
    "times": DATA.assign(regret=DATA["regret"].astype("m8[s]")),
}


def _statistics():
    calls = {
        "mean": lambda data: stats.mean(data, "regret"),
        "sem": lambda data: stats.sem(data, "regret"),
        "interval": lambda data: stats.interval(data, "regret"),
        "band": lambda data: stats.band(data, "regret"),
        "quantile_interval": lambda data: stats.quantile_interval(data, "regret", 0.5),
        "dominance": lambda data: stats.dominance(data, "regret"),
        "paired_difference": lambda data: stats.paired_difference(
            data, "regret", "a", "b"
        ),
        "summary_records": lambda data: stats.summary_records(data, "x"),
        "resample": lambda data: results.resample(data, "rounds", [10, 50]),
        "plot_curves": plots.plot_curves,
        "plot_ranks": plots.plot_ranks,
        "plot_bars": lambda data: plots.plot_bars(data, "regret", percent=False),
    }
    words = ("dataset", "metric", "seed", "seeds", "policy", "policies", "regret")
    for name, call in calls.items():
        for what, data in SHOWN.items():
            # Curves of no run are no curves, but another axis does not hurt them.
            fine = True if (name, what) == ("resample", "no seed") else None
            yield Case(f"{name} of {what}", lambda c=call, d=data: c(d), words, fine)


def _swept():
    good = {"policies": GREEDY, "environments": GAME, "horizon": 10, "seeds": 2}
    good |= {"machine": QUIET, "grid": {"eps": [0.1]}}
    wrong = {
        "grid": (
            *({"eps": MASKED}, {"eps": pd.DataFrame({"a": [0.1]})}, {"eps": {"0.1"}}),
            *({"eps": {0.1: 0.2}}, {"eps": "0.1"}, {"eps": b"\1"}, pd.Series([0.1])),
            *(pd.DataFrame({"eps": ["a"]}), {"eps": [True, False]}),
        ),
        "horizon": COUNTS,
        "seeds": (("regret", 0.5), {"metric": "regret", "half_width": 0.5}, 0.5),
        "store": [
            *(Store("a.zarr", block=value) for value in COUNTS),
            *(Store("a.zarr", verify=value) for value in COUNTS),
            *(Store("a.zarr", extend=value) for value in (1, 0, "no", None, [])),
            *(Store("a.zarr", metrics=value) for value in METRICS),
        ],
    }
    named = {
        "grid": ("eps", "greedy"),
        "store": ("block", "verify", "extend", "metrics"),
    }
    yield from attack(sweep, good, wrong, works=False, heavy=True, named=named)
