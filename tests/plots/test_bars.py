"""Bars: lengths, error bars, words, reference."""

import numpy as np
import pytest
import xarray as xr

from jaxbandits.plots import plot_bars
from jaxbandits.stats import interval
from tests.plots.sweeps import sweep, unplayed
from tests.results.samples import dataset


def shares(**options):
    """Shares of 10 and 40 % at the horizon, and others before."""
    data = dataset(**options)
    data["censored"] = data["optimal"].fillna(0.5)
    noise = np.linspace(-0.01, 0.01, data.sizes["seed"])
    data["censored"][0, 0, :, -1] = 0.1 + noise
    data["censored"][1, 0, :, -1] = 0.4 + noise
    return data


def test_bars_are_the_means_at_the_horizon():
    data = shares()
    fig = plot_bars(data, labels={"ucb": "UCB1"}, title="two arms")
    (ax,) = fig.axes
    np.testing.assert_allclose([bar.get_width() for bar in ax.patches], [0.1, 0.4])
    assert [text.get_text() for text in ax.get_yticklabels()] == ["UCB1", "uniform"]
    assert ax.yaxis_inverted()
    assert [text.get_text() for text in ax.texts] == ["10.0 %", "40.0 %"]
    assert ax.get_xlabel() == (
        "share of censored rounds at round 10k\nmean of 5 seeds, 95 % interval"
    )
    assert ax.get_title() == "two arms"
    fig.draw_without_rendering()
    assert {"0 %", "20 %"} <= {text.get_text() for text in ax.get_xticklabels()}


def test_error_bars_are_the_interval():
    data = shares()
    (ax,) = plot_bars(data, policies=["uniform"], level=0.9).axes
    (bar,) = ax.containers[-1].errorbar.lines[2]
    (segment,) = bar.get_segments()
    found = interval(data, "censored", 0.9)
    at = {"policy": "uniform", "params": 0, "checkpoint": 10000}
    expected = [part.sel(at).item() for part in (found.lower, found.upper)]
    np.testing.assert_allclose(segment[:, 0], expected)


def test_there_are_no_error_bars_on_request():
    (ax,) = plot_bars(shares(), level=None).axes
    assert len(ax.patches) == 2
    assert all(container.errorbar is None for container in ax.containers)


def test_a_reference_is_a_line_with_its_name():
    (ax,) = plot_bars(shares(), reference=0.25, reference_label="oracle").axes
    assert [*ax.lines[-1].get_xdata()] == [0.25, 0.25]
    assert ax.texts[-1].get_text() == "oracle: 25.0 %"


def test_numbers_that_are_no_shares_are_written_shortly():
    (ax,) = plot_bars(shares(), "rounds", percent=False).axes
    assert [text.get_text() for text in ax.texts] == ["10k", "10k"]


def test_half_finished_bars_are_of_the_same_seeds():
    data = sweep({"a": [{"alpha": 1.0}, {"alpha": 2.0}], "b": [{}]})
    data = unplayed(data, policy=0, params=1, seed=slice(2))
    (ax,) = plot_bars(data, "regret", params={"a": 1}, percent=False).axes
    means = data["regret"].values[[0, 1], [1, 0], 2:, -1].mean(1)
    np.testing.assert_allclose([bar.get_width() for bar in ax.patches], means)
    assert ax.get_xlabel().endswith("\nmean of 4 of 6 seeds, 95 % interval")


def test_who_was_played_to_another_checkpoint_is_named():
    data = sweep({"a": [{"x": 1.0}], "b": [{"x": 1.0}]})
    other = sweep({"c": [{"x": 1.0}]}).assign_coords(checkpoint=[100, 500])
    joined = xr.concat([data, other], "policy", join="outer")
    with pytest.raises(ValueError, match="^dataset: c lacks the last checkpoint, 2000"):
        plot_bars(joined, "regret", percent=False)
    assert plot_bars(joined.sel(checkpoint=[100]), "regret", percent=False)
    # Not at all is another thing.
    bars = plot_bars(unplayed(data, policy=1), "regret", percent=False).axes[0].patches
    assert len(bars) == 1
