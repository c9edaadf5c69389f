"""Panels: one legend, one look per policy, axes of their own."""

import pytest

from jaxbandits.plots import plot_panels, save_figure
from tests.results.samples import dataset


def legend_texts(fig):
    (legend,) = fig.legends
    return [text.get_text() for text in legend.get_texts()]


def test_one_row_and_one_legend(tmp_path):
    datasets = {"easy": dataset(), "hard": dataset() * 3, "odd": dataset()}
    for data in datasets.values():
        data.attrs = dataset().attrs
    fig = plot_panels(datasets, labels={"ucb": "UCB1"})
    assert [ax.get_title() for ax in fig.axes] == ["easy", "hard", "odd"]
    assert [len(ax.lines) for ax in fig.axes] == [2, 2, 2]
    assert all(ax.get_legend() is None for ax in fig.axes)
    assert legend_texts(fig) == ["UCB1", "uniform"]
    assert fig.legends[0].get_title().get_text().startswith("mean of 5 seeds")
    labels = [ax.get_ylabel() for ax in fig.axes]
    assert labels == ["cumulative regret", "", ""]
    tops = [ax.get_ylim()[1] for ax in fig.axes]
    assert tops[1] == pytest.approx(3 * tops[0])
    save_figure(fig, tmp_path / "a.png")
    assert (tmp_path / "a.png").stat().st_size > 1000


def test_a_policy_looks_the_same_in_every_panel():
    datasets = {"both": dataset(), "one": dataset().sel(policy=["uniform"])}
    fig = plot_panels(datasets)
    both, one = (ax.lines[-1] for ax in fig.axes)
    assert both.get_label() == one.get_label() == "uniform"
    assert both.get_color() == one.get_color()
    assert legend_texts(fig) == ["ucb", "uniform"]


def test_chosen_policies_and_their_order():
    fig = plot_panels({"a": dataset()}, policies=["uniform", "ucb"])
    assert legend_texts(fig) == ["uniform", "ucb"]
    assert [line.get_label() for line in fig.axes[0].lines] == ["uniform", "ucb"]


def test_different_numbers_of_seeds_are_told():
    fig = plot_panels({"a": dataset(), "b": dataset(num_seeds=3)})
    note = fig.legends[0].get_title().get_text()
    assert "a: mean of 5 seeds" in note and "b: mean of 3 seeds" in note


def test_mistakes_are_named():
    with pytest.raises(ValueError, match="datasets: "):
        plot_panels({})
    with pytest.raises(ValueError, match="policies: 'ts' is unknown"):
        plot_panels({"a": dataset()}, policies=["ts"])
    with pytest.raises(ValueError, match="labels: 'ts' is unknown"):
        plot_panels({"a": dataset()}, labels={"ts": "TS"})
