"""What `plot_curves` draws, read back from the axes."""

import numpy as np
import pytest
import xarray as xr
from matplotlib.colors import to_hex

from jaxbandits.plots import figure, line_style, plot_curves, plot_panels
from jaxbandits.stats import CoverageWarning, as_share, interval, quantiles
from tests.plots.crowding import legend_texts
from tests.plots.sweeps import sweep, unplayed
from tests.results.samples import dataset


def legend_of(ax):
    (legend,) = ax.figure.legends
    return legend


def test_lines_are_the_means_and_bands_the_intervals():
    data = dataset(points=2)
    (ax,) = plot_curves(data, params=1, level=0.8).axes
    found = interval(data, "regret", 0.8)
    assert [line.get_label() for line in ax.lines] == ["ucb", "uniform"]
    assert len(ax.collections) == 2
    for line, band in zip(ax.lines, ax.collections, strict=True):
        at = {"policy": line.get_label(), "params": 1}
        np.testing.assert_array_equal(line.get_xdata(), [0, 10, 100, 1000, 10000])
        assert line.get_ydata()[0] == 0  # before the first round
        np.testing.assert_array_equal(line.get_ydata()[1:], found.mean.sel(at))
        (path,) = band.get_paths()
        for bound in (found.lower, found.upper):
            assert np.isin(bound.sel(at).values, path.vertices[:, 1]).all()


def test_a_figure_of_curves_has_its_words():
    fig = plot_curves(dataset(), title="two arms", labels={"ucb": "UCB1"})
    (ax,) = fig.axes
    assert ax.get_xlabel() == "round $t$"
    assert ax.get_ylabel() == "cumulative regret"
    assert ax.get_title() == "two arms"
    assert legend_texts(fig) == ["UCB1", "uniform"]
    assert fig.legends[0].get_title().get_text() == "mean of 5 seeds, 95 % interval"
    spent = dataset(checkpoint_kind="spent", checkpoints=[0.5, 1, 2, 4])
    assert plot_curves(spent).axes[0].get_xlabel() == "budget spent"
    time = spent.assign_attrs(setting="farewell")
    assert plot_curves(time).axes[0].get_xlabel() == "time $t$"
    (ax,) = plot_curves(as_share(spent)).axes
    assert ax.get_xlabel() == "share of the budget spent"
    np.testing.assert_array_equal(ax.lines[0].get_xdata(), [0, 0.125, 0.25, 0.5, 1])


def test_ticks_are_readable_and_the_axis_starts_at_zero():
    data = dataset()
    data["regret"][0] = np.abs(data["regret"][0])
    fig = plot_curves(data.assign_coords(checkpoint=[1, 20_000, 50_000, 100_000]))
    fig.draw_without_rendering()
    (ax,) = fig.axes
    assert "100k" in [text.get_text() for text in ax.get_xticklabels()]
    assert ax.get_ylim()[0] == 0
    data["regret"][0, 0, :, 0] = -5.0
    assert plot_curves(data).axes[0].get_ylim()[0] < 0


def test_a_policy_keeps_its_look():
    (line,) = plot_curves(dataset(), policies=["uniform"]).axes[0].lines
    style = line_style(1)
    assert to_hex(line.get_color()).upper() == style.color
    assert line.get_zorder() == style.zorder
    mine = {"uniform": line_style(4)}
    (line,) = plot_curves(dataset(), policies=["uniform"], styles=mine).axes[0].lines
    assert to_hex(line.get_color()).upper() == line_style(4).color


def test_quantiles_are_thin_lines_on_request():
    data = dataset(points=2)
    options = {"policies": ["ucb"], "params": 1, "seeds_quantiles": (0.1, 0.9)}
    (ax,) = plot_curves(data, **options).axes
    mean, low, high = ax.lines
    expected = quantiles(data, "regret", [0.1, 0.9]).sel(policy="ucb", params=1)
    np.testing.assert_allclose([low.get_ydata(), high.get_ydata()], expected)
    assert low.get_linewidth() == high.get_linewidth() < mean.get_linewidth()
    legend = legend_of(ax)
    assert len(legend.get_texts()) == 1
    assert "10 % and 90 % quantiles" in legend.get_title().get_text()


def test_one_seed_has_no_band_and_one_checkpoint_a_marker():
    with pytest.warns(CoverageWarning, match="are NaN: a single replication"):
        (ax,) = plot_curves(dataset(num_seeds=1).isel(checkpoint=[-1])).axes
    assert len(ax.lines) == 2 and not ax.collections
    assert ax.lines[0].get_marker() == "o"
    assert legend_of(ax).get_title().get_text() == "one seed"


def test_there_is_no_band_on_request():
    (plain,) = plot_curves(dataset(), level=None).axes
    (with_bands,) = plot_curves(dataset()).axes
    assert not plain.collections and len(with_bands.collections) == 2
    for line, other in zip(plain.lines, with_bands.lines, strict=True):
        np.testing.assert_array_equal(line.get_ydata(), other.get_ydata())
    assert legend_of(plain).get_title().get_text() == "mean of 5 seeds"
    (ax,) = plot_curves(dataset(), level=None, seeds_quantiles=(0.1, 0.9)).axes
    title = legend_of(ax).get_title().get_text()
    assert title == "mean of 5 seeds\nthin: 10 % and 90 % quantiles"


def test_a_policy_without_the_metric_is_left_out():
    (ax,) = plot_curves(dataset(), "optimal").axes
    assert [line.get_label() for line in ax.lines] == ["ucb"]
    with pytest.raises(ValueError, match=r"metric: no policy of \['uniform'\]"):
        plot_curves(dataset(), "optimal", policies=["uniform"])


MIXED = {"a": [{"alpha": 1.0}, {"alpha": 2.0}], "b": [{}], "c": [{}]}


def test_points_may_be_chosen_by_policy():
    data = sweep(MIXED)
    (ax,) = plot_curves(data, params={"a": 1}).axes
    means = data["regret"].mean("seed")
    expected = [means[0, 1], means[1, 0], means[2, 0]]
    np.testing.assert_allclose([x.get_ydata()[1:] for x in ax.lines], expected)
    # The others have no such point.
    (ax,) = plot_curves(data, params=1).axes
    assert [line.get_label() for line in ax.lines] == ["a"]


def test_half_finished_curves_are_of_the_same_seeds():
    data = unplayed(sweep(MIXED), policy=0, params=0, seed=[0, 3])
    data = unplayed(data, policy=1)
    options = {"seeds_quantiles": (0.25, 0.75)}
    (ax,) = plot_curves(data, **options).axes
    means = data["regret"][[0, 2], 0][:, [1, 2, 4, 5]].mean("seed")
    lines = [line for line in ax.lines if not line.get_label().startswith("_")]
    assert [line.get_label() for line in lines] == ["a", "c"]
    np.testing.assert_allclose([line.get_ydata()[1:] for line in lines], means)
    title = legend_of(ax).get_title().get_text()
    assert title.startswith("mean of 4 of 6 seeds, 95 % interval\nthin: ")
    (ax,) = plot_curves(data, policies=["c"]).axes
    title = legend_of(ax).get_title().get_text()
    assert title == "mean of 6 seeds, 95 % interval"
    apart = unplayed(data, policy=2, seed=[1, 2, 4, 5])
    with pytest.raises(ValueError, match="policies: no seed .* all of a, c yet"):
        plot_curves(apart)


def test_an_undefined_value_is_a_gap():
    """Not a seed that was not played."""
    data = dataset()
    data["regret"][0, 0, 2, :2] = np.nan
    (ax,) = plot_curves(data).axes
    gaps = [True, True, True, False, False]
    assert np.isnan(ax.lines[0].get_ydata()).tolist() == gaps
    assert len(ax.collections) == 2
    assert legend_of(ax).get_title().get_text() == "mean of 5 seeds, 95 % interval"


def test_axes_and_scales_may_be_given():
    fig, (left, right) = figure(1, 2)
    scales = {"x_scale": "log", "y_scale": "log"}
    assert plot_curves(dataset(), ax=right, **scales) is fig
    assert not left.lines and not fig.legends
    assert right.get_xscale() == right.get_yscale() == "log"


def test_curves_that_were_joined_have_no_gaps():
    """Between gaps a checkpoint would not be drawn."""
    data = sweep({"a": [{"x": 1.0}], "b": [{"x": 1.0}]})
    other = sweep({"c": [{"x": 1.0}]}).assign_coords(checkpoint=[100, 500])
    joined = xr.concat([data, other], "policy", join="outer")
    with pytest.raises(ValueError, match="^dataset: a, b lack the checkpoint 500 am"):
        plot_curves(joined)
    # One that ends before another does is whole.
    assert len(plot_curves(joined, policies=["c"]).axes[0].lines) == 1
    early = joined.sel(checkpoint=[100, 2000])
    assert len(plot_curves(early).axes[0].lines) == 3


def test_equal_curves_are_named():
    data = dataset()
    data["regret"][1] = data["regret"][0].values
    title = legend_of(plot_curves(data).axes[0]).get_title().get_text()
    assert title.endswith("\nequal curves: ucb, uniform")
    fig = plot_panels({"same": data, "other": dataset()})
    title = fig.legends[0].get_title().get_text()
    assert "\nsame, equal curves: ucb, uniform" in title and "other, equal" not in title
