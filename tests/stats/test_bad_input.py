"""Wrong arguments of the statistics are named, types before ranges."""

import numpy as np
import pytest
import xarray as xr

from jaxbandits import plots, results, stats
from tests.results.samples import dataset, repetitions
from tests.tables import assert_named, assert_refused, naming

DATA = dataset(num_seeds=6)
SEVERAL, NO_GAME = DATA.expand_dims("environment"), {"environment": []}
GOOD = dict(dataset=DATA, metric="regret")
TWICE = {dim: xr.concat([DATA, DATA], dim) for dim in ("seed", "policy")}
DRAWN = repetitions(np.zeros((1, 4))).assign_coords(instance=("seed", [0, 0, 1, 1]))
LOST = DRAWN.assign_coords(instance=("seed", [0, 0, np.nan, 1]))
TEXTS, OTHER = (
    xr.DataArray(x, dims=d) for x, d in ((["a", "b"], "seed"), ([1.0], "x"))
)
TWO = np.array(["ucb", "uniform"])
PAIR = GOOD | dict(policy="ucb", baseline="uniform")
BOOTSTRAP, BOUNDED = (GOOD | {"method": name} for name in ("bootstrap", "bounded"))
BOUNDED["bounds"] = -10, 20_000
WITHIN = GOOD | dict(test="bounded", bounds=(-10, 20_000))
PILOT = dict(pilot_values=[1.0, 2.0], half_width=1.0, level=0.95)
STEIN = dict(values=[1.0, 2.0, 3.0], pilot=2, level=0.95)
RESAMPLED = dict(dataset=DATA, along="rounds", grid=[1, 2])
RECORDS = dict(dataset=DATA, experiment="x")
GAIN = {"ucb": {"gain": 1}}
WIDE = DATA.assign(pulls=DATA["regret"].expand_dims(pulls_0=2, axis=-1))
BARE = DATA.drop_vars("checkpoint")
RECORD = stats.make_record("e", "x", "p", {"regret": 1.0}, seeds=2, horizon=10)
TABLE = dict(records=[RECORD], form="markdown", metrics=["regret"])
# A function, arguments with which it passes, what is wrong of one, and what is said.
# Of what kinds and ranges exclude see tests/test_attack.py.
WRONG = [
    (stats.interval, BOOTSTRAP, "{} must be at least 40, got", {"resamples": [39]}),
    (stats.interval, BOOTSTRAP, "{} must be at least 0", {"seed": [-1]}),
    (
        stats.interval,
        BOUNDED,
        "{}:? (are for|must be)",
        {"bounds": [None, 3, (0, "x"), (1, 0), (0, np.inf)]},
    ),
    (stats.interval, BOUNDED, r"{}: .* not in \[", {"bounds": [(0, 1), (-10, 9000)]}),
    (stats.band, GOOD, "{} must name different", {"over": [("checkpoint",) * 2]}),
    (
        stats.band,
        GOOD,
        "{} .*ons policy, params, checkpoint, got",
        {"over": [("seed",), ("checkpoint", "round")]},
    ),
    (stats.band, GOOD, "{}(: | must)", {"resamples": [10], "metric": ["gain"]}),
    (
        stats.quantile_interval,
        GOOD | dict(q=0.5, level=0.95),
        "{}( must|: )",
        {"q": [[]], "metric": ["gain"]},
    ),
    (
        stats.paired_difference,
        PAIR,
        "{}(: ('(ts|gain)'|array.*) is| must)",
        {"policy": ["ts", TWO], "baseline": ["ts"], "metric": ["gain"]},
    ),
    (
        stats.paired_difference,
        PAIR,
        "(policy: 'ucb' is unknown; known are 1, 2|.*dimension policy.*; there is no)",
        {"dataset": [DATA.assign_coords(policy=[1, 2]), DATA.isel(policy=0)]},
    ),
    (
        stats.dominance,
        GOOD,
        "{}(: | must)",
        {
            "dataset": [DATA.isel(policy=[0]), TWICE["policy"]],
            "metric": ["gain"],
            "params": [1],
            "checkpoint": [4, -5],
        },
    ),
    (
        stats.dominance,
        GOOD,
        "(metric: 'regret' is infinite|dataset must .*sion checkpoint.*; there is no)",
        {"dataset": [DATA.where(DATA < 9999, np.inf), DATA.isel(checkpoint=0)]},
    ),
    (
        stats.dominance,
        WITHIN,
        "{}:? (.* is not in|must be)",
        {"bounds": [(0, 1), (1, 0), 3]},
    ),
    (
        stats.two_level,
        dict(dataset=DRAWN, metric="regret", method="bootstrap"),
        "{}(: | must)",
        {
            "group": ["environment", "seed", "policy", "checkpoint"],
            "resamples": [3],
            "metric": ["gain"],
        },
    ),
    (
        stats.two_level,
        dict(dataset=DRAWN, metric="regret"),
        "group: 'instance' has missing numbers",
        {"dataset": [LOST]},
    ),
    (
        stats.seeds_needed,
        PILOT,
        "{}:? (must|needs at least 2|.* seeds)",
        {
            "pilot_values": [[1.0], TEXTS, TEXTS.to_dataset(name="regret"), OTHER],
            "half_width": [1e-20, 1e-200],
        },
    ),
    (
        stats.fixed_width_interval,
        STEIN,
        "{} must",
        {
            "values": [[], TEXTS, TEXTS.to_dataset(name="regret"), OTHER],
            "pilot": [1, 4],
        },
    ),
    (
        stats.interval_of,
        dict(values=DATA["regret"]),
        "{} must (be an? |be numbers|have)",
        {"values": [TEXTS, OTHER]},
    ),
    (
        stats.resample,
        RESAMPLED,
        "{}(: 'nothing'| must (hold i|have|))",
        {
            "dataset": [DATA[[]]],
            "along": ["nothing"],
            "grid": [np.array([9, 5, 2], np.uint64), [1.5, 2], [1, 1, 2], [-1, 2]],
        },
    ),
    (
        stats.summary_records,
        RECORDS,
        "{} must",
        {
            "dataset": [DATA.isel(seed=0), DATA.drop_vars("rounds"), BARE],
        },
    ),
    (
        stats.summary_records,
        RECORDS,
        "(published: 'ts' is unk|published..ucb..(: 'gain' is not|.'regret'. must be))",
        {"published": [{"ts": {}}, GAIN, {"ucb": {"regret": "x"}}]},
    ),
    (
        stats.summary_records,
        RECORDS | dict(dataset=WIDE),
        "metric: ('gain'|'pulls' must be a number per run)",
        {"metrics": [["gain"], ["pulls"]]},
    ),
    (
        stats.record_table,
        TABLE,
        "{}",
        {
            "metrics": [["gain"]],
            "best": [{"regret": "least"}],
            "labels": [{"regrett": "R"}, {3: "R"}],
        },
    ),
    (stats.mean, GOOD, "{}: .* is unknown", {"metric": [["regret"]]}),
]


def test_mistakes_are_named():
    for function, good, says, wrong in WRONG:
        with naming((function.__name__, says)):
            assert_named(function, good, wrong, f"^{says}")


def test_datasets_that_have_nothing_or_something_twice_are_named():
    reducing = stats.mean, stats.sem, stats.interval, stats.final
    rows = [
        (
            lambda f=f, d=dim: f(SEVERAL.isel({d: []}), "regret"),
            f"^dataset: has no {dim}",
        )
        for f in reducing
        for dim in ("environment", "policy", "params", "checkpoint")
    ]
    rows += [
        (lambda f=f: f(DATA.isel(seed=[]), "regret"), "^dataset: has no seed")
        for f in (stats.mean, stats.sem, stats.interval, stats.band)
    ]
    # What of them is last goes by their order.
    turned = DATA.isel(checkpoint=slice(None, None, -1))
    equal, lost = (
        DATA.assign_coords(checkpoint=x) for x in ([1, 2, 2, 3], [1.0, np.nan, 2, 3])
    )
    asked = *reducing, stats.dominance, plots.plot_ranks, plots.plot_curves
    asked = *(lambda d, f=f: f(d, "regret") for f in asked), stats.as_share
    rows += [
        (lambda f=f, d=d: f(d), "^checkpoint must increase")
        for f in (*asked, lambda d: stats.summary_records(d, "x"))
        for d in (turned, equal, lost)
    ]
    whose = DATA.assign(who=("seed", list("abcdef")))
    rows += [
        (lambda: stats.mean(TWICE["seed"], "regret"), "^dataset must have a seed only"),
        (lambda: stats.mean(DATA.isel(seed=0), "regret"), "^metric: 'regret' "),
        (lambda: stats.mean(whose, "who"), "^metric: 'who' must be numbers"),
        (lambda: stats.final(DATA.isel(checkpoint=0), "regret"), "no checkpoint"),
        (lambda: stats.dominance(WIDE, "pulls"), "^metric: 'pulls' has fur.*, pulls_0"),
        (lambda: stats.summary_records(SEVERAL[NO_GAME], "x"), "^dataset: has no envi"),
        (lambda: results.at_points(DATA.isel(params=[]), 1), "^dataset: has no params"),
        (lambda: results.at_points(DATA["policy"], 0), "^dataset must have th"),
        (lambda: stats.as_share(DATA.isel(checkpoint=0)), "^dataset must ha"),
        (lambda: results.load(__file__), "^path: .* must be a netCDF-4 file"),
    ]
    assert_refused(rows)


def test_types_come_before_ranges():
    for call in (
        lambda: stats.interval(DATA, "regret", "x"),
        lambda: stats.seeds_needed([1, 2.0], "x"),
        lambda: stats.interval(DATA, "regret", method="bootstrap", resamples=1e3),
        lambda: stats.band(DATA, "regret", seed="x"),
        lambda: stats.summary_records(DATA, "", metrics=3),
    ):
        with pytest.raises(TypeError):
            call()


def test_what_is_infinite_has_no_spread_and_is_warned_of():
    """It is no single replication; a policy's name is as its dataset has it."""
    wide = DATA.assign(
        regret=DATA["regret"].where(DATA["seed"] != DATA["seed"][0], np.inf)
    )
    names = DATA["policy"].values
    for call in (
        lambda: stats.sem(wide, "regret"),
        lambda: stats.interval(wide, "regret").upper,
        lambda: stats.paired_difference(wide, "regret", *names).upper,
    ):
        with pytest.warns(UserWarning) as told:
            assert call().isnull().all()
        assert {str(x.message) for x in told} == {
            "regret: some are infinite; their variance, and the errors and intervals "
            "made of it, are NaN"
        }
    with pytest.warns(stats.CoverageWarning, match="of 'ucb' minus 'uniform' is not"):
        stats.paired_difference(DATA, "regret", *names)


def test_a_pilot_without_spread_is_warned_of():
    with pytest.warns(stats.CoverageWarning, match="all replications are equal"):
        assert stats.seeds_needed([1.0, 1, 1], 1.0) == 3
