"""Wrong arguments of the figures are named, types before ranges."""

import math
from functools import partial

import numpy as np
import xarray as xr

from jaxbandits import plots
from tests.plots.sweeps import sweep
from tests.results.samples import dataset
from tests.tables import assert_named, assert_refused, each_row

DATA, SWEEP = dataset(), sweep()
INFINITE = DATA.assign(regret=DATA["regret"].where(DATA["seed"] > 3, np.inf))
ZERO = DATA.assign(regret=0 * DATA["regret"])
XY = {"x": "alpha", "y": "radius"}
NAMED = {
    "curves": partial(plots.plot_curves, DATA),
    "bars": partial(plots.plot_bars, DATA, "regret", percent=False),
    "ranks": partial(plots.plot_ranks, DATA),
    "sensitivity": partial(plots.plot_sensitivity, DATA, x="alpha"),
    "panels": lambda **options: plots.plot_panels({"a": DATA}, **options),
}


FIGURE, (AX,) = plots.figure()
AX.plot([1, 2], [1, 2], label="ucb")
# Of what kinds and ranges exclude see tests/test_attack.py.
CASES = [
    (
        plots.plot_curves,
        {"dataset": DATA},
        {
            "dataset": [DATA.isel(seed=[]), DATA.isel(seed=0)],
            "metric": ["gain"],
            "params": [1, {"ts": 0}],
            "policies": [[], ["ts"]],
            "labels": [{"ts": "TS"}, {"ucb": "\ud800"}],
            "styles": [{"ts": 0}, {"ucb": 3}],
            "seeds_quantiles": [(0.9, 0.1)],
            "title": ["\ud800"],
        },
    ),
    (
        plots.plot_bars,
        {"dataset": DATA, "metric": "optimal"},
        {"metric": ["gain"], "params": [-1], "policies": [["ts"]]},
    ),
    (
        plots.plot_panels,
        {"datasets": {"a": DATA}},
        {
            "datasets": [{"a": 3}, {1: DATA}, {}],
            "policies": [["ts"]],
            "labels": [{"ts": "TS"}],
            "tops": [{"b": 1.0}, {"a": np.nan}, {"a": -1.0}],
        },
    ),
    (
        plots.plot_ranks,
        {"dataset": DATA},
        {
            "metric": ["gain"],
            "params": [1, {"ts": 0}],
            "policies": [["ucb", "ucb"], ["ts"], ["ucb"]],
            "labels": [{"ts": "TS"}],
            "checkpoint": [4],
        },
    ),
    (
        plots.plot_heat_map,
        {"dataset": SWEEP} | XY,
        {
            "metric": ["gain"],
            "x": ["beta"],
            "y": ["alpha"],
            "policy": ["ts"],
            "at": [{"alpha": 7}],
            "labels": [{"beta": "B"}],
            "checkpoint": [2],
            "best": [plots.Best(level=1)],
        },
    ),
    (
        plots.plot_sensitivity,
        {"dataset": SWEEP, "x": "alpha", "by": "radius"},
        {
            "metric": ["gain"],
            "x": ["gamma"],
            "by": ["alpha", "gamma"],
            "policies": [["tss"]],
            "checkpoint": [-3],
            "at": [{"alpha": 7}],
            "labels": [{"gamma": "B"}],
        },
    ),
    (
        plots.style,
        {},
        {"width": [1], "size": [3], "font": ["Nobody's Sans"]},
    ),
    (plots.line_style, {"index": 0}, {"index": [-1]}),
    (
        plots.draw_bounds,
        {"ax": AX, "x": [1, 2], "curves": {}},
        {
            "ax": [plots.figure()[1][0]],
            "x": [[2, 1]],
            "curves": [
                {"Lemma 1": [1]},
                {"Lemma 1": [1, math.nan]},
                {"Lemma 1": [math.inf, math.inf]},
                {"ucb": [1, 2]},
                {3: [1, 2]},
            ],
        },
    ),
]


@each_row("function, good, wrong", CASES)
def test_mistakes_are_named(function, good, wrong):
    assert_named(function, good, wrong, "^{}")


@each_row("name", NAMED)
def test_texts_that_cannot_be_told_apart_or_set_are_named(name):
    texts = ["", "uniform", "$\\frac{$", "a\n$$"]
    assert_named(NAMED[name], {}, {"labels": [{"ucb": text} for text in texts]}, "^{}")
    if name in ("curves", "bars", "ranks"):
        assert_named(NAMED[name], {}, {"title": ["$$"]}, "^{} must have formulas")


def test_what_cannot_be_drawn_or_saved_is_named(tmp_path):
    good = {"fig": FIGURE, "path": tmp_path / "a.png"}
    wrong = {"path": ["a.gif", "a", "nowhere/a.png"]}
    assert_named(plots.save_figure, good, wrong, "^{}")
    assert_refused(
        {
            "^metric: 'regret' is infinite": partial(plots.plot_curves, INFINITE),
            '^y_scale: "log" need': partial(plots.plot_curves, ZERO, y_scale="log"),
            "^axes must be of one figure, got 0": partial(plots.draw_legend, []),
            "^order: 'x' is no label": partial(plots.draw_legend, AX, order=["x"]),
            r"^percent must be False .* 'rounds' is 10000$": partial(
                plots.plot_bars, DATA, "rounds"
            ),
            "^policies: at .* got ucb": partial(plots.plot_ranks, DATA, "optimal"),
            "^x: none of uniform has the parameter": partial(
                plots.plot_sensitivity, DATA, x="alpha", policies=["uniform"]
            ),
        }
    )


@each_row("name", NAMED)
def test_labels_may_have_dollars_that_are_no_formula(name):
    text = "$1, $2, $3\n$\\frac{1}{2}$"
    NAMED[name](labels={"ucb": text}, policies=["uniform", "ucb"])
    if name in ("curves", "bars"):
        NAMED[name](labels={"ucb": "uniform"}, policies=("ucb",))


@each_row("name", ["curves", "sensitivity", "panels"])
def test_a_name_that_begins_with_an_underscore_is_in_the_legend(name):
    fig = NAMED[name](labels={"ucb": "_ucb"})
    (legend,) = fig.legends
    assert [x.get_text().strip() for x in legend.get_texts()] == ["_ucb", "uniform"]
    legend = plots.draw_legend(fig.axes, order=["uniform", "_ucb"])
    assert [x.get_text().strip() for x in legend.get_texts()] == ["uniform", "_ucb"]


@each_row(
    "name, start", [("a.png", b"\x89PNG"), ("a.pdf", b"%PDF-"), ("a.SVG", b"<?xml")]
)
def test_the_suffix_says_what_is_written(tmp_path, name, start):
    plots.save_figure(plots.figure()[0], tmp_path / name)
    (file,) = tmp_path.iterdir()
    content = file.read_bytes()
    assert file.name == name and content.startswith(start) and len(content) > 1000
    file.unlink()


FIGURES = {
    "curves": (DATA, plots.plot_curves, {}),
    "bars": (DATA, plots.plot_bars, {"percent": False}),
    "ranks": (DATA, plots.plot_ranks, {}),
    "heat map": (SWEEP, plots.plot_heat_map, XY),
    "sensitivity": (SWEEP, plots.plot_sensitivity, {"x": "alpha", "by": "radius"}),
}


@each_row("data, plot, options", FIGURES.values())
def test_a_dataset_that_is_not_of_runs_is_refused(data, plot, options):
    """0, 1, 2 are no rounds, and xarray drops attributes in arithmetic."""
    wide = data.assign(pulls=data["regret"].expand_dims(pulls_0=2, axis=-1))
    rows = [
        (lambda: plot(wide, "pulls", **options), "metric: 'pulls' must be .* run and"),
        (
            lambda: plot(data.drop_attrs(), "regret", **options),
            "dataset must have the attribute check",
        ),
        (
            lambda: plot(data.drop_vars("checkpoint"), "regret", **options),
            "dataset must have the coordinate checkpo",
        ),
    ]
    if plot is not plots.plot_ranks:
        two = xr.concat([data] * 2, "environment").assign_coords(
            environment=["easy", "hard"]
        )
        says = "dataset: it has 2 environments, easy, hard"
        rows.append((lambda: plot(two, "regret", **options), says))
    assert_refused(((call, f"^{says}") for call, says in rows), ValueError)
