"""Figures 1 and 5 and Example 2: exact numbers, and Monte-Carlo ones within errors.

The numbers called "independent" come from a run of the published code: 10,000 pairs of
Bernoulli laws, as here. Two frequencies may differ by three pooled standard errors; of
ten such comparisons 2.7 % of the seeds would fail one, and ours is fixed.
"""

import json
import math

import numpy as np
import pytest
from scipy import stats

from jaxbandits_studies import REGISTRY, Options
from jaxbandits_studies.budgeted.intervals import _positive_binomial, ratio_bounds
from studies.tests.checks import entry, legend_texts
from tests.kernels.checks import assert_frequency
from tests.tables import each_row

PAIRS = 10_000
POLICIES = ["omega-UCB", "m-UCB", "c-UCB", "i-UCB", "Budget-UCB", "UCB-SC+"]
# Share of violations in % at 100 and 10,000 observations. Budget-UCB with the slip of
# the code repaired. UCB-SC is not reproduced: 5.3 and 1.2 % there, below 0.05 % here
# with the ball of radius log(1 / delta).
INDEPENDENT = {
    "omega-UCB": (0.16, 0.00),
    "m-UCB": (0.08, 0.12),
    "c-UCB": (5.0, 5.0),
    "i-UCB": (15.9, 16.8),
    "Budget-UCB": (0.00, 0.00),
}


@pytest.fixture(scope="module")
def study():
    experiment = REGISTRY["budgeted-fig1"]
    return experiment.run(experiment.full)


@pytest.fixture(scope="module")
def asymmetry():
    return REGISTRY["budgeted-fig5"].run(Options(1, 1))


@pytest.fixture(scope="module")
def example2():
    return REGISTRY["budgeted-example2"].run(Options(1, 1))


def test_violations_are_as_many_as_the_published_code_has(study):
    for policy, shares in INDEPENDENT.items():
        for count, share in zip((100, 10_000), shares, strict=True):
            expected = share / 100
            found = entry(study, f"n = {count}", policy, "violations")["mean"]
            assert found * PAIRS == pytest.approx(round(found * PAIRS))
            # One run of 20,000 where neither saw any.
            pooled = max((expected + found) / 2, 0.5 / PAIRS)
            error = np.sqrt(2 * pooled * (1 - pooled) / PAIRS)
            assert abs(found - expected) <= 3 * error, (policy, count)


def test_bounds_are_loose_with_few_observations_and_close_with_many(study):
    """Means of 10,000 ratios; at 100 observations some ten pairs make up a third."""
    for count, expected, error in ((100, 3.54, 1.2), (10_000, 1.10, 0.005)):
        found = entry(study, f"n = {count}", "omega-UCB", "looseness")["mean"]
        assert abs(found - expected) <= 3 * np.hypot(error, error)
    median = study.datasets["intervals"]["median_looseness"]
    assert (median.diff("count") < 0).all()
    assert (median > 1).all() and (median.isel(count=-1) < 1.1).all()


def test_figure_1_shows_violations_and_looseness(study):
    assert {r["seeds"] for r in study.records} == {PAIRS}
    left, right = study.figure.axes
    assert legend_texts(study.figure) == [*POLICIES, "nominal, 1 %"]
    data = study.datasets["intervals"]
    (promise,) = (x for x in left.lines if len(x.get_xdata()) == 2)
    assert list(promise.get_ydata()) == [0.01, 0.01]
    for ax, name in ((left, "violations"), (right, "median_looseness")):
        for line in ax.lines[: len(POLICIES)]:
            values = data[name].sel(policy=line.get_label()).values
            np.testing.assert_array_equal(line.get_ydata(), values)
    # What never happened lies on the axis and not below one case in all.
    assert (data["violations"] == 0).any()
    assert left.transData.transform((10, 0))[1] >= left.bbox.y0
    assert "0 %" in [text.get_text() for text in left.get_yticklabels()]


def test_a_few_pairs_give_a_valid_summary():
    """A bound may be infinite for most of them, or for all."""
    outcome = REGISTRY["budgeted-fig1"].run(Options(1, 1))
    json.dumps(outcome.records, allow_nan=False)


def literal(r, c, n, delta):
    """Upper bounds of r / c, one by one."""

    def wilson(mean, sign):
        z = stats.norm.ppf(1 - delta / 4)
        middle = mean + z**2 / (2 * n)
        root = z * math.sqrt(mean * (1 - mean) / n + z**2 / (4 * n**2))
        return (middle + sign * root) / (1 + z**2 / n)

    epsilon = math.sqrt(math.log(2 / delta) / (2 * n))
    m_ucb = min(r + epsilon, 1) / max(c - epsilon, 0.001)
    # The tangent from the origin to the ball around (c, r).
    radius = math.sqrt(math.log(1 / delta) / (2 * n))
    angle = math.atan2(r, c) + math.asin(min(radius / math.hypot(r, c), 1))
    return {
        "omega-UCB": wilson(r, 1) / wilson(c, -1),
        "m-UCB": m_ucb,
        "c-UCB": r / c + epsilon / c,
        "i-UCB": r / c + epsilon,
        "Budget-UCB": r / c + epsilon / c + epsilon / c * m_ucb,
        "UCB-SC+": math.tan(angle) if radius < c else math.inf,
    }


@each_row("n", [10, 200])
@each_row("delta", [0.01, 0.2])
def test_bounds_one_by_one(n, delta):
    reward = np.array([0.0, 0.1, 0.5, 0.9, 1.0, 0.3])
    cost = np.array([0.1, 0.6, 0.5, 1.0, 0.4, 0.9])
    found = ratio_bounds(reward, cost, n, delta)
    assert list(found) == POLICIES
    rows = [literal(*means, n, delta) for means in zip(reward, cost, strict=True)]
    for policy, bounds in found.items():
        assert bounds == pytest.approx([row[policy] for row in rows], rel=2e-6)


def test_positive_binomial_draws_follow_their_law(rng):
    for count, probability in ((3, 0.3), (10, 0.001), (100, 0.02)):
        draws = _positive_binomial(rng, count, np.full(20_000, probability))
        values = np.arange(1, count + 1)
        assert np.isin(draws, values).all()
        exact = stats.binom.pmf(values, count, probability)
        for value, share in zip(values, exact / exact.sum(), strict=True):
            assert_frequency((draws == value).sum(), share, draws.size)


def test_example_2_has_the_printed_indices(example2):
    # (index, what the paper prints) of the two arms; 2.95 is a slip of the paper.
    expected = {
        "omega-UCB, exact score": ((5.504, 5.5), (2.142, 2.1)),
        "omega-UCB, sqrt(2 log t)": ((5.607, None), (2.238, None)),
        "m-UCB, alpha = 1": ((8.61, 2.95), (48.63, 48.6)),
    }
    assert len(example2.records) == 6
    for policy, arms in expected.items():
        for arm, (index, printed) in enumerate(arms, start=1):
            found = entry(example2, f"arm {arm}", policy, "index")
            assert found["mean"] == pytest.approx(index, abs=0.005)
            assert found["published"] == printed
            data = example2.datasets["example2"]["index"]
            assert data.sel(policy=policy, arm=arm).item() == found["mean"]


def test_eq_23_is_the_square_of_the_ratio_of_the_text(asymmetry):
    data = asymmetry.datasets["asymmetry"]
    assert data["count"].values.tolist() == [1, 10, 100, 1_000]
    # Two ends in float32, and their difference near 1/2.
    np.testing.assert_allclose(data["ratio"] ** 2, data["asymmetry"], atol=2e-4)
    assert (abs(data["ratio"] - data["asymmetry"]).max("mean") > 0.2).all()


def test_figure_5_is_1_at_the_ends_and_0_in_the_middle(asymmetry):
    """The less the more observations; z = 3."""
    (ax,) = asymmetry.figure.axes
    values = asymmetry.datasets["asymmetry"]["asymmetry"]
    assert len(ax.lines) == 4
    for line, curve in zip(ax.lines, values.values, strict=True):
        np.testing.assert_array_equal(line.get_ydata(), curve)
        assert curve[0] == curve[-1] == pytest.approx(1)
        assert curve[100] == pytest.approx(0, abs=1e-12)
        np.testing.assert_allclose(curve, curve[::-1], atol=1e-12)
    assert (values.diff("count").isel(mean=slice(1, 100)) < 0).all()
    # (2 * 0.1 - 1)^2 * 9 / (4 * 10 * 0.1 * 0.9 + 9) = 16 / 35.
    found = entry(asymmetry, "n = 10", "Wilson", "at_0.1")
    assert found["mean"] == pytest.approx(16 / 35)
