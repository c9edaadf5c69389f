"""Statistics and files of results, on a dataset of made-up numbers."""

import numpy as np
import xarray as xr

from attack.case import Case
from attack.values import INF, NAN, attack, of
from jaxbandits import results, stats

CHECKPOINTS = np.array([10, 100, 1000])


def made(seeds=8, points=2):
    """A dataset of two policies."""
    noise = np.random.default_rng(0).normal(size=(2, points, seeds, 3))
    values = {name: {"regret": noise[i] + 5} for i, name in enumerate(("a", "b"))}
    shape = (points, seeds, 3)
    return results.build_dataset(
        values,
        {name: np.broadcast_to(CHECKPOINTS, shape) for name in values},
        checkpoints=CHECKPOINTS,
        checkpoint_kind="round",
        seeds=np.arange(seeds),
        params={name: {"alpha": 0.5 + np.arange(points)} for name in values},
        compile_seconds=dict.fromkeys(values, 1.0),
        run_seconds=dict.fromkeys(values, 1.0),
        environment="x",
        setting="censored",
        provenance={},
    )


DATA = made()
ARRAY = DATA["regret"]
DATASETS = of("object", plus=(ARRAY, xr.Dataset(), [DATA]))
METRICS = of("choice", plus=("Regret", "rounds?"))
LEVELS = of("share", plus=([0.9],))
RESAMPLES = of("count", 2**70, plus=(1, 10))
GOOD = {"dataset": DATA, "metric": "regret"}
COMMON = {"dataset": DATASETS, "metric": METRICS}
# What is wrong with a dataset is said of it, or of its first metric.
NAMED = {"dataset": ("datasets", "metric", "data"), "values": ("value",)}


def cases() -> list[Case]:
    return [*_statistics(), *_comparisons(), *_shapes(), *_files()]


def _statistics():
    for name in ("mean", "sem", "final"):
        yield from attack(getattr(stats, name), GOOD, COMMON, named=NAMED)
    yield from attack(
        stats.interval,
        GOOD,
        COMMON | {"level": LEVELS, "method": "choice"},
        named=NAMED,
    )
    bootstrap = GOOD | {"method": "bootstrap"}
    wrong = {"resamples": RESAMPLES, "seed": of("natural", 2**70)}
    yield from attack(stats.interval, bootstrap, wrong, "interval by bootstrap")
    yield from attack(
        stats.interval_of,
        {"values": ARRAY},
        {"values": of("object"), "level": LEVELS, "method": "choice"},
        named=NAMED,
    )
    over = (3, "x", ["x"], [], [3], {}, True)
    yield from attack(
        stats.band,
        GOOD,
        COMMON | wrong | {"level": LEVELS, "over": over},
        named=NAMED,
    )
    one = made(seeds=1)
    for name in ("sem", "interval", "band"):
        function = getattr(stats, name)
        yield Case(
            f"{name} of one seed",
            lambda function=function: function(one, "regret"),
            ("seed", "seeds"),
            _all_nan,
        )
    quantiles = (*of("share", 0.0, 1.0), [], [NAN], ["a"], [0.5, 1.5], [[0.5]])
    for name in ("quantiles", "quantile_interval"):
        yield from attack(
            getattr(stats, name),
            GOOD | {"q": 0.5},
            COMMON | {"q": quantiles},
            named=NAMED | {"q": ("quantile", "quantiles")},
        )
    pilot = np.arange(8.0)
    yield from attack(
        stats.seeds_needed,
        {"pilot_values": ARRAY, "half_width": 0.5},
        {
            "pilot_values": of("object", plus=(pilot * NAN, [1.0])),
            "half_width": "positive",
            "level": LEVELS,
        },
        named={"pilot_values": ("pilot",)},
        # Three equal seeds: a warning says what they are worth (`CoverageWarning`).
        fine={"pilot_values": lambda found: int(found) == 3},
    )
    yield from attack(
        stats.fixed_width_interval,
        {"values": ARRAY, "pilot": 4},
        {
            "values": of("object"),
            "pilot": of("count", plus=(1, 9)),
            "level": LEVELS,
        },
        named=NAMED,
    )
    yield from attack(
        stats.two_level,
        GOOD,
        COMMON | {"group": "choice", "method": "choice", "level": LEVELS},
        named=NAMED
        | {k: ("instance", "runs_per_instance") for k in ("metric", "level")}
        | {
            "method": ("instance",),
            "group": ("instance",),
            "dataset": ("instance", "metric"),
        },
        works=False,
    )


def _all_nan(found) -> bool:
    """One seed has no spread: NaN says so."""
    arrays = found if isinstance(found, tuple) else (found,)
    return all(np.all(np.isnan(x)) for x in arrays[-1:])


def _comparisons():
    yield from attack(
        stats.dominance,
        GOOD,
        COMMON
        | {
            "level": LEVELS,
            "params": (None, "x", 0.5, -1, 7, {"c": 0}, {"a": 9}, {"a": "x"}, [0]),
            "checkpoint": (None, "x", 0.5, 7, -9, [0], {}),
            "correction": "choice",
            "test": "choice",
        },
        named=NAMED,
    )
    yield Case(
        "dominance of one policy",
        lambda: stats.dominance(DATA.isel(policy=[0]), "regret"),
        ("policy", "policies"),
    )
    yield from attack(
        stats.paired_difference,
        GOOD | {"policy": "a", "baseline": "b"},
        COMMON
        | {
            "policy": (None, "x", "", 3, ["a"], {}),
            "baseline": (None, "x", "", 3, ["a"], {}),
            "level": LEVELS,
        },
        named=NAMED,
    )
    points = (None, "x", 0.5, -1, 7, {"c": 0}, {"a": 9}, {"a": "x"}, [0])
    wrong = {"dataset": DATASETS, "params": points}
    yield from attack(
        results.at_points,
        {"dataset": DATA, "params": 0},
        wrong,
        named=NAMED,
        fine={"dataset": lambda found: found.dims == ("policy", "seed", "checkpoint")},
    )
    yield from attack(
        results.as_share, {"dataset": DATA}, {"dataset": DATASETS}, named=NAMED
    )


def _empty(found) -> bool:
    """What was written has no values, as it was given."""
    return found is None and not results.load("a.nc").variables


def _shapes():
    grids = (
        None,
        "x",
        {},
        [],
        [NAN],
        ["a"],
        [[10, 20]],
        [20, 10],
        [10, 10],
        [-5],
        [INF],
    )
    falling = np.array([9, 5, 2], np.uint64)
    yield from attack(
        results.resample,
        {"dataset": DATA, "along": "rounds", "grid": [10, 50]},
        {
            "dataset": DATASETS,
            "along": "choice",
            "grid": (*grids, falling),
            "kind": of("choice", None),
        },
        named=NAMED,
    )
    yield from attack(
        stats.summary_records,
        {"dataset": DATA, "experiment": "x"},
        {
            "dataset": DATASETS,
            "metrics": (["nothing"], [3], 3, "nothing"),
            "published": (3, "x", {"nobody": {}}, {"a": 3}),
        },
        named=NAMED | {"metrics": ("metric",)},
        works=False,
    )


def _files():
    yield from attack(
        results.save,
        {"dataset": DATA, "path": "a.nc"},
        {"dataset": DATASETS, "path": ("none/at/all.nc", *of("path"))},
        named=NAMED,
        fine={"dataset": _empty},  # A file of nothing is one.
    )
    missing = ("missing.nc", ".", "none/at/all.nc", *of("path"))
    yield from attack(results.load, {}, {"path": missing}, works=False)
    # It is a folder, and is called a store.
    named = {"path": ("store",)}
    yield from attack(
        results.open_store, {}, {"path": missing}, works=False, named=named
    )

    def of_bytes(function, name, data):
        def call():
            with open(name, "wb") as file:
                file.write(data)
            return function(name)

        words = ("path", "store", name)
        return Case(f"{function.__name__} of {data[:12]!r}", call, words)

    for data in (b"", b"hello", b"\x89HDF\r\n\x1a\n", bytes(range(256))):
        yield of_bytes(results.load, "a.nc", data)
        yield of_bytes(results.open_store, "a.zarr", data)
