"""Sensitivity: lines against a parameter, bands, gaps, words."""

import numpy as np
import pytest

from jaxbandits.plots import figure, plot_sensitivity
from jaxbandits.stats import CoverageWarning, interval
from tests.plots.crowding import legend_texts
from tests.plots.sweeps import ALPHAS, GRID, RADII, sweep, unplayed

LINE = [{"alpha": alpha} for alpha in (0.01, 0.1, 1.0, 10.0)]
MIXED = {"ucb": LINE, "ts": [{}], "kl": LINE[1:3], "moss": [{"beta": 2.0}]}


def lines_of(ax):
    return {line.get_label(): line for line in ax.lines}


def note_of(ax):
    return ax.figure.legends[0].get_title().get_text()


def test_lines_are_the_means_and_bands_the_intervals():
    data = sweep(MIXED)
    fig = plot_sensitivity(data, x="alpha", level=0.8, labels={"ts": "Thompson"})
    (ax,) = fig.axes
    found = interval(data, "regret", 0.8)
    lines = lines_of(ax)
    assert legend_texts(ax.figure) == ["ucb", "Thompson", "kl", "moss"]
    bands = dict(zip(lines, ax.collections, strict=True))
    for name, points, x in (
        ("ucb", [0, 1, 2, 3], [0.01, 0.1, 1, 10]),
        ("kl", [0, 1], [0.1, 1]),
        ("moss", [0, 0], [0.01, 10]),
    ):
        at = {"policy": name, "checkpoint": 2000}
        line = lines[name]
        np.testing.assert_allclose(line.get_xdata(), x)
        means = found.mean.sel(at).values[points]
        np.testing.assert_allclose(line.get_ydata(), means)
        corners = bands[name].get_paths()[0].vertices[:, 1]
        for bound in (found.lower, found.upper):
            for value in bound.sel(at).values[points]:
                assert np.isclose(corners, value).any()
    assert ax.get_xscale() == "log"
    assert ax.get_xlabel() == "α"
    assert ax.get_ylabel() == "cumulative regret at round 2k"
    assert note_of(ax) == "mean of 6 seeds, 80 % interval of each point"


def test_a_line_per_value_of_a_second_parameter():
    data = sweep({"ucb": GRID, "ts": [{}]})
    (ax,) = plot_sensitivity(data, x="alpha", by="radius", checkpoint=0).axes
    assert legend_texts(ax.figure) == ["0", "1"]
    note = note_of(ax)
    assert note == "mean of 6 seeds, 95 % interval of each point\nradius:"
    assert ax.get_title() == "ucb"
    means = data["regret"][0, :, :, 0].mean("seed").values.reshape(3, 2)
    for line, expected in zip(ax.lines, means.T, strict=True):
        np.testing.assert_allclose(line.get_xdata(), ALPHAS)
        np.testing.assert_allclose(line.get_ydata(), expected)
    first, second = ax.lines
    assert first.get_color() != second.get_color()
    assert first.get_marker() != second.get_marker()
    (ax,) = plot_sensitivity(data, x="radius", by="alpha", labels={"ucb": "UCB"}).axes
    assert legend_texts(ax.figure) == ["0.1", "0.2", "0.3"]
    assert ax.get_xscale() == "linear" and ax.get_title() == "UCB"


def test_half_finished_points_are_of_their_own_seeds():
    data = unplayed(sweep({"ucb": LINE, "ts": [{}]}), policy=0, params=1)
    data = unplayed(data, policy=0, params=3, seed=slice(2, None))
    data = unplayed(data, policy=1)
    (ax,) = plot_sensitivity(data, x="alpha").axes
    (line,) = ax.lines  # "ts" has not begun.
    expected = data["regret"][0, :, :, -1].mean("seed", skipna=True)
    np.testing.assert_allclose(line.get_ydata(), expected)
    assert np.isnan(line.get_ydata()).tolist() == [False, True, False, False]
    title = note_of(ax)
    assert title == "mean of 2 to 6 seeds, 95 % interval of each point"
    # The first point stands alone: its interval is a bar.
    bar = ax.collections[-1].get_segments()
    assert len(bar) == 1 and bar[0][0, 0] == 0.01


def test_a_policy_with_one_value_is_a_point_with_a_bar():
    data = sweep({"ucb": LINE, "kl": LINE[2:3]})
    (ax,) = plot_sensitivity(data, x="alpha").axes
    line = lines_of(ax)["kl"]
    assert line.get_xdata().tolist() == [1.0] and line.get_marker() != "None"
    (segment,) = ax.collections[-1].get_segments()
    found = interval(data, "regret")
    at = {"policy": "kl", "params": 0, "checkpoint": 2000}
    ends = [part.sel(at).item() for part in (found.lower, found.upper)]
    np.testing.assert_allclose(segment[:, 1], ends)


def test_there_is_no_band_on_request_nor_with_one_seed():
    (ax,) = plot_sensitivity(sweep(MIXED), x="alpha", level=None).axes
    assert len(ax.lines) == 4 and not ax.collections
    assert note_of(ax) == "mean of 6 seeds"
    with pytest.warns(CoverageWarning, match="are NaN: a single replication"):
        (ax,) = plot_sensitivity(sweep(MIXED, num_seeds=1), x="alpha").axes
    assert len(ax.lines) == 4 and not ax.collections
    assert note_of(ax) == "one seed"


def test_axes_and_policies_may_be_chosen():
    fig, (left, right) = figure(1, 2)
    options = {"ax": right, "x_scale": "linear", "y_scale": "log"}
    chosen = ["kl", "ucb"]
    assert plot_sensitivity(sweep(MIXED), x="alpha", policies=chosen, **options) is fig
    assert not left.lines and not fig.legends
    assert [line.get_label() for line in right.lines] == chosen
    assert (right.get_xscale(), right.get_yscale()) == ("linear", "log")


def test_by_wants_one_policy_and_log_positive_values():
    data = sweep({"ucb": GRID, "ucb2": GRID})
    with pytest.raises(ValueError, match="policies: .* ucb, ucb2 has both"):
        plot_sensitivity(data, x="alpha", by="radius")
    (ax,) = plot_sensitivity(data, x="alpha", by="radius", policies=["ucb2"]).axes
    assert len(ax.lines) == len(RADII)
    with pytest.raises(ValueError, match='x_scale: "log" needs positive values'):
        plot_sensitivity(sweep(), x="radius", by="alpha", x_scale="log")
    with pytest.raises(ValueError, match=r"metric: no run of \['ucb'\]"):
        plot_sensitivity(unplayed(sweep(), policy=0), x="alpha", by="radius")


def test_points_are_found_by_rounded_values_and_repeated_ones_are_one():
    (ax,) = plot_sensitivity(sweep(), x="radius", at={"alpha": 0.3}).axes
    assert ax.lines[0].get_xdata().tolist() == [*RADII]
    data = sweep({"ucb": [{"alpha": alpha} for alpha in (1.0, 1.5, 2.0)]})
    equal = data["param_alpha"].copy(data=[[1.0, 1.0, 2.0]])
    (ax,) = plot_sensitivity(data.assign_coords(param_alpha=equal), x="alpha").axes
    means = data["regret"][0, [0, 2], :, -1].mean("seed")
    np.testing.assert_allclose(ax.lines[0].get_xydata(), np.stack([[1, 2], means], 1))
