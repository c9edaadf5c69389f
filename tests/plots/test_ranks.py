"""Average ranks: places, intervals, order, what is left out."""

import numpy as np
import pytest
from scipy.stats import rankdata

from jaxbandits.plots import figure, plot_curves, plot_ranks, plot_sensitivity
from jaxbandits.stats import CoverageWarning
from jaxbandits.stats.betting import betting_ends
from tests.plots.sweeps import several, sweep, unplayed
from tests.results.samples import dataset

THREE = {"a": [{}], "b": [{"beta": 1.0}, {"beta": 2.0}], "c": [{}]}


def noisy():
    """Three policies whose order changes from seed to seed."""
    rng, shape = np.random.default_rng(1), (1, 8, 2)
    ones = dict.fromkeys("abc", 1.0)
    return dataset(
        num_seeds=8,
        metrics={
            name: {"regret": rng.normal(size=shape) - place}
            for place, name in enumerate(ones)
        },
        rounds=dict.fromkeys(ones, np.ones(shape, int)),
        checkpoints=[1, 2],
        params=dict.fromkeys(ones, {}),
        compile_seconds=ones,
        run_seconds=ones,
    )


def dots(ax):
    """Policy -> (mean, lower, upper)."""
    found = {}
    texts = [text.get_text() for text in ax.get_yticklabels()]
    for text, container in zip(texts, ax.containers, strict=True):
        line, _, bars = container
        ends = bars[0].get_segments()[0][:, 0] if bars else (np.nan, np.nan)
        found[text] = (line.get_xdata()[0], *ends)
    return found


def test_dots_are_average_ranks():
    data = noisy()
    fig = plot_ranks(data, level=0.9, labels={"a": "policy A"}, title="two arms")
    (ax,) = fig.axes
    ranks = rankdata(data["regret"][:, 0, :, -1], axis=0)
    found = dots(ax)
    means = ranks.mean(1)
    assert list(found) == [["policy A", "b", "c"][i] for i in means.argsort()]
    np.testing.assert_allclose(
        [found[name][0] for name in ("policy A", "b", "c")], means
    )
    lower, upper = betting_ends((ranks - 1) / 2, 0.9)
    for i, name in enumerate(("policy A", "b", "c")):
        np.testing.assert_allclose(
            found[name][1:], 1 + 2 * np.array([lower[i], upper[i]])
        )
    assert [text.get_text() for text in ax.texts] == [
        f"{mean:.2f}" for mean in sorted(means)
    ]
    assert ax.get_xlabel() == (
        "average rank (1: lowest)\ncumulative regret at round 2\n8 seeds, 90 % interval"
    )
    assert ax.get_title() == "two arms" and ax.yaxis_inverted()


def test_ties_share_their_ranks():
    data = noisy()
    data["regret"][1] = data["regret"][0]
    data["regret"][2] = data["regret"][0] + 1
    found = dots(plot_ranks(data).axes[0])
    assert [mean for mean, *_ in found.values()] == [1.5, 1.5, 3]
    # Always last among 8 seeds is not always last.
    mean, lower, upper = found["c"]
    assert lower < 2.5 and upper == 3
    found = dots(plot_ranks(data, smaller_is_better=False).axes[0])
    assert {name: mean for name, (mean, *_) in found.items()} == {
        "c": 1,
        "a": 2.5,
        "b": 2.5,
    }


def test_seeds_are_the_replications_and_instances_averaged():
    data = several(grids=THREE)
    data["regret"][1, [0, 2]] = data["regret"][1, [2, 0]].values
    (ax,) = plot_ranks(data).axes
    found = dots(ax)
    assert {name: mean for name, (mean, *_) in found.items()} == {
        "a": 2,
        "b": 2,
        "c": 2,
    }
    assert found["a"][1] < 2 < found["a"][2]  # The same for every seed.
    assert ax.get_xlabel().endswith("\n6 seeds, 2 environments, 95 % interval")


def test_ranks_are_of_the_chosen_points():
    data = sweep(THREE)
    data["regret"][1, 1] = 0.0
    first = {name: mean for name, (mean, *_) in dots(plot_ranks(data).axes[0]).items()}
    assert first == {"a": 1, "b": 2, "c": 3}
    (ax,) = plot_ranks(data, params={"b": 1}).axes
    assert list(dots(ax)) == ["b", "a", "c"]
    with pytest.raises(ValueError, match="policies: at least two .* got b"):
        plot_ranks(data, params=1)


def test_ranks_are_of_seeds_that_all_have_played():
    """And of such instances."""
    data = unplayed(several(("x", "y", "z"), grids=THREE), environment=2, policy=1)
    data = unplayed(data, environment=1, policy=2, seed=[0, 5])
    data["regret"][0, 0, :, [0, 5]] = 1e6  # Not used.
    (ax,) = plot_ranks(data).axes
    assert {name: mean for name, (mean, *_) in dots(ax).items()} == {
        "a": 1,
        "b": 2,
        "c": 3,
    }
    note = "4 of 6 seeds, 2 of 3 environments, 95 % interval"
    assert ax.get_xlabel().split("\n")[-1] == note
    (ax,) = plot_ranks(unplayed(data, policy=1)).axes
    assert list(dots(ax)) == ["a", "c"]
    (ax,) = plot_ranks(data, policies=["c", "a"]).axes
    assert (
        ax.get_xlabel().split("\n")[-1] == "4 of 6 seeds, 3 environments, 95 % interval"
    )
    apart = unplayed(sweep(THREE), policy=0, seed=slice(3))
    apart = unplayed(apart, policy=1, seed=slice(3, None))
    with pytest.raises(ValueError, match="policies: no seed .* all of a, b, c yet"):
        plot_ranks(apart)


def test_one_seed_has_no_interval():
    (ax,) = plot_ranks(sweep(THREE, num_seeds=1)).axes
    assert np.isnan([ends for _, *ends in dots(ax).values()]).all()
    assert ax.get_xlabel().endswith("\none seed")


def test_one_drawn_instance_has_no_interval():
    """However many seeds share it, and no note says otherwise."""
    data = sweep(THREE, num_seeds=4).assign_coords(instance=("seed", [7] * 4))
    (ax,) = plot_ranks(data).axes
    assert np.isnan([ends for _, *ends in dots(ax).values()]).all()
    assert ax.get_xlabel().endswith("\n4 seeds on 1 drawn instance")
    says = "mean of 4 seeds on 1 drawn instance"
    data = data.isel(params=[0])
    with pytest.warns(CoverageWarning, match="are NaN: a single replication"):
        figures = plot_curves(data), plot_sensitivity(data, x="beta")
    for fig in figures:
        assert not fig.axes[0].collections
        assert fig.legends[0].get_title().get_text() == says


def test_a_policy_keeps_its_colour_in_given_axes():
    fig, (left, right) = figure(1, 2)
    assert plot_ranks(noisy(), ax=left) is fig
    plot_ranks(noisy(), ax=right, policies=["b", "c"])

    def colors(ax):
        texts = [text.get_text() for text in ax.get_yticklabels()]
        lines = (container[0] for container in ax.containers)
        return {text: line.get_color() for text, line in zip(texts, lines, strict=True)}

    assert colors(right).items() < colors(left).items()


def test_undefined_values_are_no_ranks():
    data = dataset()
    data["regret"][0, 0, 2, -1] = np.nan
    with pytest.raises(ValueError, match="metric: 'regret' is NaN in runs"):
        plot_ranks(data)
