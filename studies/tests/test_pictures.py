"""Figures without play: the laws of Example 1, their values, the limit grids."""

import numpy as np
import pytest

from jaxbandits_studies.censored.grids import GRIDS, INSTANCES
from jaxbandits_studies.censored.pictures import MODELS, SOFT, STRICT
from studies.tests.checks import entry, legend_texts, titles
from tests.tables import naming

PICTURES = ("censored-fig1", "censored-fig2", "censored-grids")


def test_pictures_have_notes_and_play_nothing(tiny):
    for name in PICTURES:
        with naming(name):
            outcome = tiny(name)
            assert outcome.notes and all(len(note) > 1 for note in outcome.notes)
            assert {r["horizon"] for r in outcome.records} == {0}  # Nothing is played.


def test_fig1_has_a_row_of_three_panels_per_model(tiny):
    axes = tiny("censored-fig1").figure.axes[:9]  # The scales of shades follow.
    labels = ["reward", "consumption", "consumption"]
    assert [ax.get_xlabel() for ax in axes] == 3 * labels
    assert [ax.get_ylabel() for ax in axes] == 3 * ["density", "density", "reward"]
    assert titles(axes) == [m for m in MODELS for _ in range(3)]
    for row in range(3):
        *histograms, joint = axes[3 * row : 3 * row + 3]
        for ax in histograms:
            areas = [bar.get_width() * bar.get_height() for bar in ax.patches]
            assert len(areas) == 40 and sum(areas) == pytest.approx(1)
        (hexagons,) = joint.collections
        assert hexagons.get_array().sum() == 20_000


def test_fig1_shows_what_example_1_says(tiny):
    """From complex to simple: less reward, less consumption; both correlated."""
    outcome = tiny("censored-fig1")
    laws = outcome.datasets["Example 1"]
    assert dict(laws.sizes) == {"arm": 3, "draw": 20_000}
    for metric in ("reward", "consumption"):
        assert ((laws[metric] >= 0) & (laws[metric] <= 1)).all()
        means = laws[metric].mean("draw").values
        assert (np.diff(means) < 0).all()
        for model, mean in zip(MODELS, means, strict=True):
            found = entry(outcome, "Example 1", model, metric)
            assert found["mean"] == pytest.approx(mean, rel=1e-5)
            assert found["sem"] is found["published"] is None
    for arm in range(3):
        pair = laws["reward"].values[arm], laws["consumption"].values[arm]
        assert np.corrcoef(pair)[0, 1] > 0.3


def test_fig2_has_a_curve_per_model(tiny):
    outcome = tiny("censored-fig2")
    axes = outcome.figure.axes
    assert titles(axes) == list(outcome.datasets) == [STRICT, SOFT]
    for ax, last in zip(axes, (0.5, 1.0), strict=True):
        assert [line.get_label() for line in ax.lines] == list(MODELS)
        data = outcome.datasets[titles([ax])[0]]["value"]
        for line, values in zip(ax.lines, data.values, strict=True):
            assert line.get_xdata()[-1] == pytest.approx(last)
            count = len(line.get_xdata())
            np.testing.assert_array_equal(line.get_ydata(), values[:count])
    assert legend_texts(outcome.figure) == list(MODELS)


def test_fig2_records_the_best_limit_of_every_model(tiny):
    for promise, last in [(STRICT, 0.5), (SOFT, 1.0)]:
        with naming((promise, last)):
            outcome = tiny("censored-fig2")
            values = outcome.datasets[promise]["value"]
            shown = values.where(values["limit"] <= last + 1e-9, drop=True)
            for model in MODELS:
                curve = shown.sel(arm=model)
                best = entry(outcome, promise, model, "best_value")["mean"]
                assert best == pytest.approx(curve.max().item())
                limit = entry(outcome, promise, model, "best_limit")["mean"]
                assert limit == pytest.approx(curve.idxmax().item())


def test_grids_has_a_panel_per_instance(tiny):
    outcome = tiny("censored-grids")
    axes = outcome.figure.axes
    assert titles(axes) == list(INSTANCES)
    assert all(len(ax.lines) == 4 for ax in axes)  # Two arms, two grids.
    assert len(legend_texts(outcome.figure)) == 4
    assert len(outcome.records) == len(GRIDS) * len(INSTANCES)
    published = {r["metrics"]["censoring"]["published"] for r in outcome.records}
    assert None not in published and {0.4404, 0.7631, 0.6116} <= published
