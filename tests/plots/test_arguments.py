"""Arguments of environments as axes of figures."""

import numpy as np
import pytest
import xarray as xr

from jaxbandits.plots import (
    Best,
    by_value,
    plot_bars,
    plot_curves,
    plot_heat_map,
    plot_sensitivity,
)
from jaxbandits.stats import final
from tests.plots.crowding import legend_texts
from tests.plots.sweeps import several, unplayed
from tests.tables import assert_refused

ARMS, FAMILIES = (3.0, 5.0, 10.0), ("indep", "poscorr", "indep")
GRIDS = {"ucb": [{"alpha": a} for a in (0.1, 0.3)], "uniform": [{"beta": 1.0}]}
PLAIN = several(("a", "b", "c"), grids=GRIDS)
DATA = PLAIN.assign_coords(environment_num_arms=("environment", list(ARMS)))
MIXED = DATA.assign_coords(
    environment_num_arms=("environment", [3.0, 3.0, 10.0]),
    environment_family=("environment", list(FAMILIES)),
)


def mean(data, **where):
    at_end = data["regret"].isel(checkpoint=-1, **where)
    return at_end.mean("seed").values


def test_a_heat_map_has_a_column_for_each_value_of_an_argument():
    fig = plot_heat_map(DATA, x="num_arms", y="alpha", best=Best())
    ax = fig.axes[0]
    (mesh,) = ax.collections
    shown = mesh.get_array().reshape(2, 3)
    ucb = DATA.sel(policy="ucb")
    for column in range(3):
        for row in range(2):
            wanted = mean(ucb, environment=column, params=row)
            assert shown[row, column] == pytest.approx(float(wanted))
    assert [x.get_text() for x in ax.get_xticklabels()] == ["3", "5", "10"]
    assert ax.get_xlabel().startswith("num arms\n") and ax.get_title() == "ucb"
    # Nobody chooses an environment: no cell is the best.
    assert not ax.lines and not fig.legends


def test_lines_against_an_argument_for_all_policies():
    fig = plot_sensitivity(DATA, x="num_arms", at={"alpha": 0.3})
    (ax,) = fig.axes
    ucb, uniform = ax.lines
    for line, policy, point in ((ucb, "ucb", 1), (uniform, "uniform", 0)):
        np.testing.assert_array_equal(line.get_xdata(), ARMS)
        wanted = mean(DATA.sel(policy=policy), params=point)
        np.testing.assert_allclose(line.get_ydata(), wanted)
    (legend,) = fig.legends
    assert legend.get_title().get_text().endswith("α = 0.3")


def test_a_line_for_each_value_of_an_argument_by_its_long_name():
    name = "environment_num_arms"
    fig = plot_sensitivity(DATA, x="alpha", by=name, labels={name: "arms"})
    for place, line in enumerate(fig.axes[0].lines):
        wanted = mean(DATA.sel(policy="ucb"), environment=place)
        np.testing.assert_allclose(line.get_ydata(), wanted)
    assert legend_texts(fig) == ["3", "5", "10"]
    assert fig.legends[0].get_title().get_text().endswith("\narms:")


def test_a_curve_for_each_value_of_an_argument_or_of_a_parameter():
    ucb = DATA.sel(policy="ucb")
    by_arms = by_value(DATA, "num_arms", policy="ucb", at={"alpha": 0.3})
    by_alpha = by_value(DATA, "alpha", at={"num_arms": 10})
    for made, names, place in (
        (by_arms, [f"num_arms = {n:g}" for n in ARMS], {"params": 1}),
        (by_alpha, ["α = 0.1", "α = 0.3"], {"environment": 2}),
    ):
        (ax,) = plot_curves(made).axes
        runs = ucb["regret"].isel(place).mean("seed")
        np.testing.assert_allclose([x.get_ydata()[1:] for x in ax.lines], runs.values)
        assert [line.get_label() for line in ax.lines] == names
        (ax,) = plot_bars(made, "regret", percent=False).axes
        assert [text.get_text() for text in ax.get_yticklabels()] == names
        policies = final(made, "regret").isel(params=0)["policy"].values.tolist()
        assert [name.replace("alpha", "α") for name in policies] == names


def test_a_text_selects_environments_and_those_without_the_argument_are_left_out():
    (ax,) = plot_sensitivity(
        MIXED, x="num_arms", policies=["uniform"], at={"family": "indep"}
    ).axes
    np.testing.assert_array_equal(ax.lines[0].get_xdata(), [3, 10])
    lacking = DATA.assign_coords(environment_num_arms=("environment", [3, np.nan, 10]))
    (ax,) = plot_sensitivity(lacking, x="num_arms", policies=["uniform"]).axes
    np.testing.assert_array_equal(ax.lines[0].get_xdata(), [3, 10])


def test_environments_that_are_half_played_are_of_their_own_seeds():
    half = unplayed(DATA, environment=1, seed=[0, 1])
    fig = plot_heat_map(half, x="num_arms", y="alpha")
    assert "4 to 6 seeds" in fig.axes[0].get_xlabel()


def test_mistakes_are_named():
    rows = {
        "x: the parameter 'arms' is unknown; known are alpha, beta; of "
        "environments num_arms": lambda: plot_heat_map(DATA, x="arms", y="alpha"),
        r"at: environments differ in num_arms \(3, 5, 10\), which no axis": lambda: (
            plot_sensitivity(DATA, x="alpha")
        ),
        r"at: environments differ in family \('indep', 'poscorr'\).*'indep'": lambda: (
            plot_sensitivity(MIXED, x="num_arms", policies=["uniform"])
        ),
        "x: 'family' must have numbers, it has 'indep', 'poscorr'": lambda: (
            plot_sensitivity(MIXED, x="family")
        ),
        "policy: name one; ucb, uniform has 'num_arms'": lambda: by_value(
            DATA, "num_arms"
        ),
        "at: points of 'ucb' differ also in alpha": lambda: by_value(
            DATA, "num_arms", policy="ucb"
        ),
        "name: 'ucb' has no parameter 'beta'": lambda: by_value(
            DATA, "beta", policy="ucb", at={"num_arms": 3}
        ),
        "at: num_arms has no value 4; it has 3, 5, 10": lambda: by_value(
            DATA, "alpha", at={"num_arms": 4}
        ),
        "at: alpha has no value 0.2": lambda: by_value(
            DATA, "num_arms", policy="ucb", at={"alpha": 0.2}
        ),
        "dataset: it has 3 environments, .*by_value has curves by num_arms": lambda: (
            plot_curves(DATA)
        ),
        "dataset: it has 6 environments": lambda: plot_heat_map(
            xr.concat([DATA, DATA], "environment"), x="num_arms", y="alpha"
        ),
        r"at\['num_arms'\] m": lambda: by_value(DATA, "alpha", at={"num_arms": None}),
        "name: the parameter 'num_arms' is unkno": lambda: by_value(PLAIN, "num_arms"),
        "name: the parameter 3 is unknown": lambda: by_value(DATA, 3),
        "at must be a mapping": lambda: by_value(DATA, "alpha", at=3),
    }
    assert_refused({f"^{words}": call for words, call in rows.items()})


def test_a_parameter_of_the_same_name_keeps_the_short_one():
    both = DATA.rename(environment_num_arms="environment_alpha")
    (ax,) = plot_sensitivity(
        both, x="environment_alpha", policies=["ucb"], at={"alpha": 0.1}
    ).axes
    np.testing.assert_array_equal(ax.lines[0].get_xdata(), ARMS)
    (ax,) = plot_sensitivity(
        both, x="alpha", policies=["ucb"], at={"environment_alpha": 5}
    ).axes
    np.testing.assert_allclose(ax.lines[0].get_xdata(), [0.1, 0.3])


def test_a_policy_without_parameters_has_one_point_in_every_environment():
    data = several(("a", "b", "c"), grids=GRIDS | {"uniform": [{}]})
    data = data.assign_coords(environment_num_arms=("environment", list(ARMS)))
    made = by_value(data, "num_arms", policy="uniform")
    runs = data["regret"].sel(policy="uniform").isel(params=0)
    np.testing.assert_array_equal(made["regret"].isel(params=0).values, runs.values)
