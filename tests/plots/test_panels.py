"""Panels: one legend, one look per policy, axes of their own."""

import numpy as np
import pytest

from jaxbandits.plots import plot_panels
from tests.plots.crowding import legend_texts
from tests.plots.sweeps import several, sweep, unplayed
from tests.results.samples import dataset
from tests.tables import each_row


def test_one_row_and_one_legend():
    datasets = {"easy": dataset(), "hard": dataset() * 3, "odd": dataset()}
    for data in datasets.values():
        data.attrs = dataset().attrs
    fig = plot_panels(datasets, labels={"ucb": "UCB1"})
    assert [ax.get_title() for ax in fig.axes] == ["(a) easy", "(b) hard", "(c) odd"]
    assert [len(ax.lines) for ax in fig.axes] == [2, 2, 2]
    assert all(ax.get_legend() is None for ax in fig.axes)
    assert legend_texts(fig) == ["UCB1", "uniform"]
    assert fig.legends[0].get_title().get_text().startswith("mean of 5 seeds")
    labels = [ax.get_ylabel() for ax in fig.axes]
    assert labels == ["cumulative regret", "", ""]
    tops = [ax.get_ylim()[1] for ax in fig.axes]
    assert tops[1] == pytest.approx(3 * tops[0])


def test_a_policy_looks_the_same_in_every_panel():
    datasets = {"both": dataset(), "one": dataset().sel(policy=["uniform"])}
    fig = plot_panels(datasets)
    both, one = (ax.lines[-1] for ax in fig.axes)
    assert both.get_label() == one.get_label() == "uniform"
    assert both.get_color() == one.get_color()
    assert legend_texts(fig) == ["ucb", "uniform"]


def test_different_numbers_of_seeds_are_told():
    fig = plot_panels({"a": dataset(), "b": dataset(num_seeds=3)})
    note = fig.legends[0].get_title().get_text()
    assert "a: mean of 5 seeds" in note and "b: mean of 3 seeds" in note


def test_panels_of_which_the_same_is_said_share_a_line():
    """Most of them need no names, and come first."""
    few, many = dataset(num_seeds=3), dataset()
    fig = plot_panels({"a": few, "b": few, "c": many, "d": many, "e": many})
    note = fig.legends[0].get_title().get_text()
    assert note.split("\n") == [
        "mean of 5 seeds, 95 % interval",
        "a, b: mean of 3 seeds, 95 % interval",
    ]


@each_row(
    "columns, rows, left, bottom",
    [(None, 1, [0], [0, 1, 2]), (np.uint64(2), 2, [0, 2], [1, 2])],
)
def test_panels_stand_in_so_many_columns(columns, rows, left, bottom):
    """Axes are named on the left, and below where no panel follows."""
    fig = plot_panels({f"panel {i}": dataset() for i in range(3)}, columns=columns)
    assert [ax.get_title() for ax in fig.axes] == [
        f"({letter}) panel {i}" for i, letter in enumerate("abc")
    ]
    fig.draw_without_rendering()
    corners = [ax.get_position() for ax in fig.axes]
    assert len({round(corner.y0, 3) for corner in corners}) == rows
    assert len({round(corner.x0, 3) for corner in corners}) == (columns or 3)
    named = [i for i, ax in enumerate(fig.axes) if ax.get_ylabel()]
    assert named == left
    assert [i for i, ax in enumerate(fig.axes) if ax.get_xlabel()] == bottom
    assert {ax.get_xlabel() for ax in fig.axes} == {"round $t$", ""} - (
        {""} if len(bottom) == 3 else set()
    )


def test_rows_of_the_legend_do_not_shrink_the_panels():
    def panel_height(count):
        names = {"ucb": "a policy " * count, "uniform": "another one " * count}
        fig = plot_panels({"a": dataset(), "b": dataset()}, labels=names)
        fig.draw_without_rendering()
        return fig.axes[0].get_position().height * fig.get_figheight()

    assert panel_height(5) == pytest.approx(panel_height(1), rel=0.05)


def test_a_panel_may_have_its_top():
    """Of the panels that are named, whatever grows out of them."""
    datasets = {"a": dataset(), "b": dataset()}
    plain = [ax.get_ylim() for ax in plot_panels(datasets).axes]
    fig = plot_panels(datasets, tops={"b": 50.0})
    assert fig.axes[0].get_ylim() == plain[0]
    assert fig.axes[1].get_ylim() == (plain[1][0], 50.0)
    assert plain[1][1] > 1_000


def test_a_panel_per_instance():
    data = unplayed(several(grids={"a": [{}], "b": [{}]}), environment=1, seed=[4])
    fig = plot_panels(data)
    assert [ax.get_title() for ax in fig.axes] == ["(a) easy", "(b) hard"]
    for ax, values in zip(fig.axes, data["regret"][:, 0, 0], strict=True):
        mean = values.mean("seed", skipna=True)
        assert ax.lines[0].get_ydata()[1:] == pytest.approx(mean.values)
    note = fig.legends[0].get_title().get_text().split("\n")
    assert note == [
        "easy: mean of 6 seeds, 95 % interval",
        "hard: mean of 5 of 6 seeds, 95 % interval",
    ]
    assert [
        ax.get_title() for ax in plot_panels(unplayed(data, environment=0)).axes
    ] == ["hard"]
    with pytest.raises(ValueError, match="datasets: there is nothing to plot"):
        plot_panels(unplayed(data, environment=slice(None)))
    with pytest.raises(ValueError, match="datasets: a mapping from titles"):
        plot_panels(sweep())


def test_points_may_be_chosen_by_policy():
    """Of the policies that a panel has."""
    data = sweep({"a": [{"alpha": 1.0}, {"alpha": 2.0}], "b": [{}]})
    datasets = {"both": data, "one": data.sel(policy=["b"])}
    fig = plot_panels(datasets, params={"a": 1})
    mean = data["regret"][0, 1].mean("seed").values
    assert fig.axes[0].lines[0].get_ydata()[1:] == pytest.approx(mean)
    assert [len(ax.lines) for ax in fig.axes] == [2, 1]
    with pytest.raises(ValueError, match="params: 'c' is unknown"):
        plot_panels(datasets, params={"c": 1})
