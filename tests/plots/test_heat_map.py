"""Heat maps: cells, numbers, marks, missing cells, words."""

import numpy as np
import pytest
from matplotlib.colors import LogNorm
from scipy import stats

from jaxbandits.plots import Best, figure, plot_heat_map
from jaxbandits.plots.labels import padded_number
from tests.plots.crowding import legend_texts
from tests.plots.sweeps import ALPHAS, GRID, RADII, sweep, unplayed
from tests.tables import each_row

XY = {"x": "alpha", "y": "radius"}
STATISTICS = {
    "mean": np.mean,
    "median": np.median,
    "std": lambda sample: np.std(sample, ddof=1),
    "sem": stats.sem,
}


def cells_of(ax):
    """The numbers behind the colours, ``[y, x]``; masked where missing."""
    return ax.collections[0].get_array()


def on_grid(values):
    """Values of the points of `GRID`, ``[y, x]``."""
    return np.reshape(np.asarray(values), (len(ALPHAS), len(RADII))).T


def marked(ax, marker):
    """Points as (column, row) of the marks of one kind."""
    return {
        (round(x), round(y))
        for line in ax.lines
        if line.get_marker() == marker
        for x, y in zip(*line.get_data(), strict=True)
    }


def test_cells_have_the_means_as_colours_and_numbers():
    data = sweep()
    fig = plot_heat_map(data, **XY)
    ax, bar = fig.axes
    means = on_grid(data["regret"][0, :, :, -1].mean("seed"))
    np.testing.assert_allclose(cells_of(ax), means)
    numbers = [padded_number(mean) for mean in means.flat]
    assert [text.get_text() for text in ax.texts] == numbers
    assert [text.get_text() for text in ax.get_xticklabels()] == ["0.1", "0.2", "0.3"]
    assert [text.get_text() for text in ax.get_yticklabels()] == ["0", "1"]
    assert ax.get_xlabel() == "α\nmean of 6 seeds"
    assert ax.get_ylabel() == "radius"
    assert ax.get_title() == "ucb"
    assert bar.get_ylabel() == "cumulative regret at round 2k"
    assert marked(ax, "*") == {(0, 0)}


@each_row("statistic", STATISTICS)
def test_cells_may_be_of_other_statistics_and_checkpoints(statistic):
    data = sweep()
    ax, bar = plot_heat_map(data, **XY, statistic=statistic, checkpoint=0).axes
    values = data["regret"][0, :, :, 0].values
    expected = on_grid([STATISTICS[statistic](row) for row in values])
    np.testing.assert_allclose(cells_of(ax), expected)
    assert bar.get_ylabel().endswith("cumulative regret at round 100")
    mean = statistic == "mean"
    assert ax.get_xlabel().endswith("mean of 6 seeds" if mean else "\n6 seeds")
    assert marked(ax, "*") == {(0, 0)}  # Of the mean, whatever is shown.


def test_the_best_and_what_may_be_as_good_are_marked():
    data = sweep(num_seeds=24)
    noise = np.tile([0.1, -0.1, 0.2, -0.2, 0.1, -0.1], 4)
    data["regret"][0, 3] = data["regret"][0, 0] + noise[:, None]
    (ax, _) = plot_heat_map(data, **XY).axes
    assert marked(ax, "*") | marked(ax, "o") == {(0, 0), (1, 1)}
    assert legend_texts(ax.figure) == ["lowest of 6 means", "may be the best (95 %)"]
    (ax, _) = plot_heat_map(
        data, **XY, best=Best(smaller_is_better=False, level=0.5)
    ).axes
    assert marked(ax, "*") == {(2, 1)}
    assert legend_texts(ax.figure)[0] == "highest of 6 means"
    fig = plot_heat_map(data, **XY, best=None)
    assert not fig.axes[0].lines and not fig.legends


def test_missing_cells_are_missing():
    data = unplayed(sweep(), params=3)
    ax, _ = plot_heat_map(data, **XY).axes
    shown = cells_of(ax)
    np.testing.assert_array_equal(shown.mask, [[False] * 3, [False, True, False]])
    np.testing.assert_allclose(shown.min(), data["regret"][0, 0, :, -1].mean())
    assert ax.patch.get_hatch() and len(ax.texts) == 5
    assert legend_texts(ax.figure) == [
        "lowest of 5 means",
        "may be the best (95 %)",
        "no complete run",
    ]
    diagonal = sweep({"ucb": [GRID[0], GRID[3]]})
    ax, _ = plot_heat_map(diagonal, **XY).axes
    np.testing.assert_array_equal(cells_of(ax).mask, [[False, True], [True, False]])


def test_half_finished_cells_are_of_their_own_seeds():
    data = unplayed(sweep(), params=0, seed=slice(2, None))
    data = unplayed(data, params=1, seed=5)
    ax, _ = plot_heat_map(data, **XY).axes
    expected = data["regret"][0, :, :, -1].mean("seed", skipna=True)
    np.testing.assert_allclose(cells_of(ax), on_grid(expected))
    assert ax.get_xlabel() == "α\nmean of 2 to 6 seeds"
    # Point 0 has too few seeds, point 1 has enough.
    assert marked(ax, "*") == {(0, 1)}
    assert legend_texts(ax.figure)[0] == "lowest of 6 means of 3 seeds or more"


def test_an_undefined_value_is_not_left_out_of_a_mean():
    data = sweep()
    data["other"] = data["regret"].copy()
    data["other"][0, 2, 0, -1] = np.nan
    ax, _ = plot_heat_map(data, "other", **XY).axes
    assert cells_of(ax).mask.sum() == 1 and ax.get_xlabel().endswith("mean of 6 seeds")


def test_one_policy_has_both_parameters():
    data = sweep({"ts": [{}], "ucb": GRID, "moss": [{"alpha": 1.0}]})
    ax, _ = plot_heat_map(data, **XY, labels={"ucb": "UCB1", "alpha": "A"}).axes
    assert ax.get_title() == "UCB1"
    assert ax.get_xlabel() == "A\nmean of 6 seeds"
    both = sweep({"ucb": GRID, "ucb2": GRID[:4]})
    with pytest.raises(ValueError, match="policy: name one; ucb, ucb2 has both"):
        plot_heat_map(both, **XY)
    ax, _ = plot_heat_map(both, **XY, policy="ucb2").axes
    assert cells_of(ax).shape == (2, 2)  # Not the points that the other one has.


def test_third_parameters_are_selected():
    cube = [point | {"c": c} for c in (1.0, 2.0) for point in GRID]
    data = sweep({"ucb": cube})
    with pytest.raises(ValueError, match=r"at: .* also in c \(1, 2\).*at=\{'c': 1.0\}"):
        plot_heat_map(data, **XY)
    ax, _ = plot_heat_map(data, **XY, at={"c": 2}).axes
    means = data["regret"][0, 6:, :, -1].mean("seed")
    np.testing.assert_allclose(cells_of(ax), on_grid(means))
    # The best of what is shown.
    assert marked(ax, "*") == {(0, 0)}
    assert ax.get_xlabel() == "α\nc = 2\nmean of 6 seeds"
    pairs = sweep({"ucb": [{"alpha": 1, "radius": 1, "c": c, "d": c} for c in (1, 2)]})
    with pytest.raises(ValueError, match="at: no point of 'ucb' has all of"):
        plot_heat_map(pairs, **XY, at={"c": 1, "d": 2})


def test_numbers_stand_where_there_is_room():
    fig, (left, _) = figure(1, 2)
    points = [{"alpha": a, "radius": r} for a in range(8) for r in range(8)]
    data = sweep({"ucb": points}, num_seeds=2)
    assert plot_heat_map(data, **XY, ax=left) is fig
    assert len(left.texts) == 0 and not fig.legends
    fig, (alone,) = figure()
    plot_heat_map(sweep(), **XY, ax=alone)
    assert len(alone.texts) == 6 and not fig.legends
    assert len(plot_heat_map(data, **XY).axes[0].texts) == 64
    # Labels neither: of every second cell or fewer.
    assert len(left.get_xticks()) <= 4
    assert len(plot_heat_map(data, **XY).axes[0].get_xticks()) == 8


def test_colours_may_be_logarithmic():
    ax, bar = plot_heat_map(sweep(), **XY, log=True).axes
    assert isinstance(ax.collections[0].norm, LogNorm)
    with pytest.raises(ValueError, match="log: needs positive values"):
        plot_heat_map(sweep(offset=-12), **XY, log=True)


def test_a_policy_without_the_parameter_or_runs_is_refused():
    data = sweep({"ucb": GRID, "moss": [{"alpha": 1.0}]})
    with pytest.raises(ValueError, match="y: 'moss' has no parameter 'radius'"):
        plot_heat_map(data, **XY, policy="moss")
    with pytest.raises(ValueError, match="metric: no run of 'ucb' has mean 'regret'"):
        plot_heat_map(unplayed(data, policy=0), **XY)
