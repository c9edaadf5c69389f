"""Wrong arguments of the figures are named, types before ranges."""

from functools import partial

import numpy as np
import pytest
import xarray as xr

from jaxbandits import plots
from tests.plots.sweeps import sweep
from tests.results.samples import dataset
from tests.tables import assert_refused, each_row

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
CASES = [
    (lambda: plots.plot_curves({}), TypeError, "dataset must be an xarray.Dataset"),
    (lambda: plots.plot_curves(DATA, policies="ucb"), TypeError, "policies must be a"),
    (lambda: plots.plot_curves(DATA, styles={"ts": 0}), ValueError, "styles: 'ts' is"),
    (lambda: plots.plot_curves(DATA, styles={"ucb": 3}), TypeError, r"styles\['ucb'\]"),
    (lambda: plots.plot_curves(INFINITE), ValueError, "metric: 'regret' is infinite"),
    (lambda: plots.plot_curves(ZERO, y_scale="log"), ValueError, 'y_scale: "log" need'),
    (lambda: plots.plot_curves(DATA, level="x"), TypeError, "level must be a number"),
    (
        lambda: plots.plot_curves(DATA, seeds_quantiles=3),
        TypeError,
        "seeds_quantiles must",
    ),
    (lambda: plots.plot_curves(DATA.isel(seed=[])), ValueError, "dataset: has no seed"),
    (
        lambda: plots.plot_bars(DATA, "optimal", reference="x"),
        TypeError,
        "reference must",
    ),
    (lambda: plots.plot_bars({}), TypeError, "dataset must be an xarray.Dataset"),
    (lambda: plots.plot_panels(3), TypeError, "datasets must be a mapping"),
    (lambda: plots.plot_panels({"a": 3}), TypeError, r"datasets\['a'\] must be an x"),
    (lambda: plots.plot_panels({1: DATA}), TypeError, "datasets must have texts"),
    (lambda: plots.plot_panels({"a": DATA}, policies=3), TypeError, "policies must b"),
    (lambda: plots.plot_panels({"a": DATA}, tops={"b": 1.0}), ValueError, "tops: 'b'"),
    (lambda: plots.plot_panels({"a": DATA}, tops={"a": np.nan}), ValueError, "tops: "),
    (lambda: plots.plot_curves(DATA, policies=3), TypeError, "policies must be a lis"),
    (lambda: plots.plot_curves(DATA, policies=[]), ValueError, "policies must name"),
    (lambda: plots.plot_curves(DATA, styles=3), TypeError, "styles must be a mapping"),
    (lambda: plots.plot_curves(DATA.isel(seed=0)), ValueError, "dataset must have th"),
    (
        lambda: plots.plot_ranks(DATA, policies=["ucb", "ucb"]),
        ValueError,
        "policies must be different names",
    ),
    (lambda: plots.save_figure(plots.figure()[0], 3), TypeError, "path must be a pat"),
    (lambda: plots.plot_panels({"a": DATA}, columns=1.5), TypeError, "columns must be"),
    (lambda: plots.plot_ranks({}), TypeError, "dataset must be an xarray.Dataset"),
    (lambda: plots.plot_ranks(DATA, smaller_is_better=3), TypeError, "smaller_is_bett"),
    (lambda: plots.plot_heat_map({}, **XY), TypeError, "dataset must be an xarray"),
    (lambda: plots.plot_heat_map(SWEEP, **XY, at=[1]), TypeError, "at must be a mapp"),
    (lambda: plots.plot_heat_map(SWEEP, **XY, checkpoint="x"), TypeError, "checkpoint"),
    (lambda: plots.plot_heat_map(SWEEP, **XY, best=True), TypeError, "best must be a"),
    (
        lambda: plots.plot_heat_map(SWEEP, **XY, best=plots.Best(2)),
        TypeError,
        "best.smaller_is_better must be True or False",
    ),
    (lambda: plots.style("page"), ValueError, "width must be one of .'column', 'text'"),
    (lambda: plots.style(1), ValueError, r"width must be in \[1.5, 60\], got 1"),
    (lambda: plots.style(True), TypeError, "width must be a real number"),
    (lambda: plots.style(size=3), ValueError, r"size must be in \[4, 40\], got 3"),
    (lambda: plots.style(usetex=1), TypeError, "usetex must be True or False"),
    (lambda: plots.style(font=3), TypeError, "font must be a text, got 3"),
    (
        lambda: plots.style(font="Nobody's Sans"),
        ValueError,
        "font must be serif, sans-serif, monospace or a family that Matplotlib finds",
    ),
    *(
        (lambda p=plot: p(policies=iter(["ucb"])), TypeError, "policies must be a list")
        for plot in NAMED.values()
    ),
    *(
        (lambda p=plot, t=text: p(labels={"ucb": t}), ValueError, f"labels.* {wrong}")
        for plot in NAMED.values()
        for text, wrong in (
            ("", "text that is not empty"),
            ("uniform", "tell policies apart, got 'uniform' for 'ucb' and 'uniform'"),
            ("$\\frac{$", "formulas"),
            ("a\n$$", "formulas"),
        )
    ),
    *(
        (lambda p=plot: p(title="$$"), ValueError, r"title must have formulas")
        for name, plot in NAMED.items()
        if name in ("curves", "bars", "ranks")
    ),
    (lambda: plots.draw_legend([]), ValueError, "axes must be of one figure, got 0"),
    (lambda: plots.draw_bounds(None, [1], {}), TypeError, "ax must be Matplotlib axes"),
    (
        lambda: plots.draw_bounds(plots.figure()[1][0], [2, 1], {}),
        ValueError,
        "x must be a list of increasing numbers",
    ),
    (
        lambda: plots.draw_bounds(plots.figure()[1][0], [1, 2], {"Lemma 1": [1]}),
        ValueError,
        "curves: 'Lemma 1' must have 2 numbers",
    ),
    (lambda: plots.plot_sensitivity({}, x="alpha"), TypeError, "dataset must be an"),
    (
        lambda: plots.plot_bars(DATA, "regret", percent="no"),
        TypeError,
        "percent must be True or False, got 'no'",
    ),
    (lambda: plots.save_figure(None, "a.png"), TypeError, "fig must be a Matplotlib"),
    (
        lambda: plots.save_figure(plots.figure()[0], "nowhere/a.png"),
        ValueError,
        "path: there is no folder",
    ),
    (lambda: plots.save_figure(plots.figure()[0], "a.gif"), ValueError, "path must e"),
    (lambda: plots.save_figure(plots.figure()[0], "a"), ValueError, "path must end i"),
    (lambda: plots.line_style(-1), ValueError, "index must be at least 0, got -1"),
    (
        lambda: plots.line_style("x"),
        TypeError,
        "index must be an integer >= 0",
    ),
    (lambda: plots.figure(1.5), TypeError, "rows must be an integer >= 1"),
    *(
        (lambda plot=plot: plot(ax=3), TypeError, "ax must be Matplotlib axes, got 3")
        for plot in (
            lambda ax: plots.plot_curves(DATA, ax=ax),
            lambda ax: plots.plot_bars(DATA, "optimal", ax=ax),
            lambda ax: plots.plot_ranks(DATA, ax=ax),
            lambda ax: plots.plot_heat_map(SWEEP, **XY, ax=ax),
            lambda ax: plots.plot_sensitivity(SWEEP, x="alpha", by="radius", ax=ax),
        )
    ),
]


@each_row("call, error, message", CASES)
def test_mistakes_are_named(call, error, message):
    with pytest.raises(error, match=f"^{message}"):
        call()


@each_row("name", NAMED)
def test_labels_may_have_dollars_that_are_no_formula(name):
    """Dollars that are no formula, one label for a policy that is not shown."""
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
    assert (tmp_path / name).read_bytes().startswith(start)


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
    other = data.assign_attrs(checkpoint_kind="x")
    rows = [
        (lambda: plot(wide, "pulls", **options), "metric: 'pulls' must be .* run and"),
        (
            lambda: plot(data.drop_attrs(), "regret", **options),
            "dataset must have the attribute check",
        ),
        (
            lambda: plot(other, "regret", **options),
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


@each_row("data, plot, options", FIGURES.values())
def test_points_are_the_same_for_all_seeds(data, plot, options):
    other = data.assign_coords(
        seed=data["seed"] + 100, param_alpha=data["param_alpha"] + 1
    )
    both = {"coords": "different", "compat": "equals"}
    joined = xr.concat([data, other], "seed", **both)
    with pytest.raises(ValueError, match="^dataset: param_alpha differs between seeds"):
        plot(joined, "regret", **options)
    same = other.assign_coords(param_alpha=data["param_alpha"])
    assert plot(xr.concat([data, same], "seed", **both), "regret", **options)
