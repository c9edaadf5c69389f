"""Weibull fits: exact solutions, SciPy, simulated data, the table of fitted arms."""

from functools import partial

import numpy as np
import pandas as pd
import pytest
from scipy import optimize, stats

from jaxbandits_studies.datasets.ednet_users import load_ednet
from jaxbandits_studies.datasets.fitting import (
    DiscreteWeibullFit,
    WeibullFit,
    fit_arms,
    fit_discrete_weibull,
    fit_weibull,
    kolmogorov_smirnov,
    trim,
)
from tests.data import DATA, needs_data
from tests.tables import assert_refused


def weibull(shape, scale, size, seed=0):
    return scale * np.random.default_rng(seed).weibull(shape, size)


def exact_fit(sample):
    """Shape and scale of the plain fit by the root of the profile score."""
    top = sample.max()
    logs = np.log(sample / top)

    def score(k):
        return 1 / k + logs.mean() - np.average(logs, weights=(sample / top) ** k)

    k = optimize.brentq(score, 0.05, 100, xtol=1e-14)
    return k, top * np.mean((sample / top) ** k) ** (1 / k)


def assert_best(log_likelihood, fit, truth):
    """The maximum that a search without derivatives finds; near the true parameters."""
    best = optimize.minimize(
        lambda point: -log_likelihood(point), truth, method="Nelder-Mead", tol=1e-8
    )
    np.testing.assert_allclose(fit, best.x, rtol=1e-4)
    np.testing.assert_allclose(fit, truth, rtol=0.1)


@pytest.mark.parametrize(("shape", "scale", "size"), [(0.5, 1e-3, 50), (6.0, 1e5, 20)])
def test_plain_fit_is_the_exact_one(shape, scale, size):
    sample = weibull(shape, scale, size)
    fit = fit_weibull(sample)
    np.testing.assert_allclose([fit.shape, fit.scale], exact_fit(sample), rtol=2e-7)
    scipy_shape, _, scipy_scale = stats.weibull_min.fit(sample, floc=0)
    np.testing.assert_allclose(
        [fit.shape, fit.scale], [scipy_shape, scipy_scale], rtol=1e-3
    )
    law = stats.weibull_min(fit.shape, scale=fit.scale)
    assert fit.log_likelihood == pytest.approx(law.logpdf(sample).sum(), rel=1e-12)
    assert (fit.low, fit.high) == (0, np.inf)


def test_plain_fit_by_hand():
    """Of 1 and e^d: tanh(k d / 2) = 2 / (k d), whence k d = 2.399357 for every d."""
    product = 2 * optimize.brentq(lambda y: y * np.tanh(y) - 1, 1, 2, xtol=1e-14)
    for ratio in (1 + 1e-6, 2.0, 1e9):
        k = product / np.log(ratio)
        fit = fit_weibull([1.0, ratio])
        assert fit.shape == pytest.approx(k, rel=1e-6)
        assert fit.scale == pytest.approx(
            ((1 + np.exp(product)) / 2) ** (1 / k), rel=1e-6
        )


LAWS = [(0.8, (0.0, 3.5)), (2.0, (1.0, np.inf)), (3.5, (1.0, 4.5))]


@pytest.mark.parametrize(("shape", "ends"), LAWS)
def test_truncated_fit_recovers_the_law(shape, ends):
    low, high = ends
    sample = weibull(shape, 3.0, 30_000)
    sample = sample[(sample >= low) & (sample <= high)]
    fit = fit_weibull(sample, (low, high))

    def log_likelihood(point):
        law = stats.weibull_min(point[0], scale=point[1])
        mass = law.cdf(high) - law.cdf(low)
        return law.logpdf(sample).sum() - sample.size * np.log(mass)

    found = fit.shape, fit.scale
    assert_best(log_likelihood, found, (shape, 3.0))
    assert fit.log_likelihood == pytest.approx(log_likelihood(found), rel=1e-9)
    # Without the truncation the same sample misses the law by far.
    plain = fit_weibull(sample)
    assert abs(plain.shape / shape - 1) > 5 * abs(fit.shape / shape - 1)


def test_fits_know_no_units():
    sample = weibull(2.0, 3.0, 2000)
    sample = sample[(sample > 1) & (sample < 4.5)]
    first = fit_weibull(sample, (1.0, 4.5))
    for unit in (1e-9, 1000.0):
        fit = fit_weibull(unit * sample, (unit * 1.0, unit * 4.5))
        assert fit.shape == pytest.approx(first.shape, rel=1e-6)
        assert fit.scale == pytest.approx(unit * first.scale, rel=1e-6)


def test_a_distribution_function_is_that_between_the_ends():
    law = stats.weibull_min(1.4, scale=3.0)
    x = np.linspace(0, 9, 50)
    for low, high in ((0.0, np.inf), (1.0, np.inf), (1.0, 4.5)):
        mass = law.cdf(high) - law.cdf(low)
        expected = (law.cdf(np.clip(x, low, high)) - law.cdf(low)) / mass
        found = WeibullFit(1.4, 3.0, low, high, 0.0).cdf(x)
        np.testing.assert_allclose(
            found, expected, atol=1e-14, err_msg=f"{low}, {high}"
        )


def test_kolmogorov_smirnov_is_that_of_scipy():
    sample = weibull(2.0, 3.0, 400)
    sample = sample[(sample > 1) & (sample < 4.5)]
    fit = fit_weibull(sample, (1.0, 4.5))
    expected = stats.kstest(sample, fit.cdf).statistic
    assert kolmogorov_smirnov(sample, fit) == pytest.approx(expected, abs=1e-15)
    # Either side of the steps: one value below and one above the median.
    half = WeibullFit(1.0, 1.0, 0.0, np.inf, 0.0)
    assert kolmogorov_smirnov([np.log(10)], half) == pytest.approx(0.9)
    assert kolmogorov_smirnov([-np.log(0.9)], half) == pytest.approx(0.9)


def test_trim_by_hand():
    found = trim([5.0, 1.0, 2.0, 4.0, 3.0, 100.0], (0.2, 0.8))
    assert (found.low, found.high) == (2.0, 5.0)
    assert found.sample.tolist() == [5.0, 2.0, 4.0, 3.0]
    assert found.kept.tolist() == [True, False, True, True, True, False]
    assert trim(np.arange(1000.0)).sample.tolist() == list(range(25, 975))
    assert trim([3.0, 7.0], (0, 1)).sample.tolist() == [3.0, 7.0]


def test_arms_count_the_retained_answers_only():
    """Fast and slow answers of the second question are right, the others wrong."""
    seconds = np.stack([weibull(1.5, 40.0, 4000), weibull(2.2, 20.0, 4000, 1)], axis=1)
    low, high = np.quantile(seconds[:, 1], [0.025, 0.975])
    correct = np.ones(seconds.shape, bool)
    correct[:, 1] = (seconds[:, 1] < low) | (seconds[:, 1] > high)
    arms = fit_arms(seconds, correct)
    assert arms.probability.tolist() == [1.0, 0.0]
    np.testing.assert_allclose(arms.shape, [1.5, 2.2], rtol=0.1)
    np.testing.assert_allclose(arms.scale, [40, 20], rtol=0.05)
    assert np.all(arms.statistic < 0.03)
    np.testing.assert_allclose(
        fit_arms(seconds, correct, (0, 1), truncated=False).probability, [1, 0.05]
    )
    plain = fit_arms(seconds, correct, truncated=False)
    assert np.all(plain.shape > 1.1 * arms.shape)
    for question in range(2):
        kept = trim(seconds[:, question])
        fit = fit_weibull(kept.sample, (kept.low, kept.high))
        assert arms.statistic[question] == kolmogorov_smirnov(kept.sample, fit)
        assert (arms.shape[question], arms.scale[question]) == (fit.shape, fit.scale)


@needs_data
def test_the_table_of_fitted_arms_is_of_plain_fits():
    data = load_ednet(DATA / "ednet_pseudo_users.csv.gz")
    table = pd.read_csv(DATA / "ednet_fitted_arms.csv", index_col="question_id")
    table = table.loc[list(data.questions)]
    plain = fit_arms(data.seconds, data.correct, (0, 1), truncated=False)
    np.testing.assert_allclose(plain.probability, table["p"], atol=1e-12)
    # The table has the accuracy of SciPy's fit.
    np.testing.assert_allclose(plain.shape, table["weibull_shape_k"], atol=4e-6)
    np.testing.assert_allclose(plain.scale, table["weibull_scale_seconds"], atol=8e-5)
    exact = np.array([exact_fit(x) for x in data.seconds.T]).T
    np.testing.assert_allclose([plain.shape, plain.scale], exact, rtol=1e-7)

    appendix = fit_arms(data.seconds, data.correct)
    assert np.max(np.abs(appendix.probability - table["p"])) > 0.009
    assert np.min(appendix.shape - table["weibull_shape_k"]) > 0.15
    assert np.min(table["weibull_scale_seconds"] - appendix.scale) > 1.2
    # The truncated law describes every question better.
    assert np.max(appendix.statistic) < 0.033 < 0.045 < np.min(plain.statistic)


def discrete(shape, rate, size, seed=0):
    u = np.random.default_rng(seed).random(size)
    return DiscreteWeibullFit(shape, rate, np.inf, 0.0).quantile(u)


@pytest.mark.parametrize(
    ("shape", "rate", "largest"), [(1.6, 0.2, None), (0.6, 0.4, 12)]
)
def test_discrete_fit_recovers_the_law(shape, rate, largest):
    counts = discrete(shape, rate, 30_000)
    counts = counts if largest is None else counts[counts <= largest]
    fit = fit_discrete_weibull(counts, largest)

    def log_likelihood(point):
        k, lam = point
        above = np.exp(-((lam * np.arange(counts.max() + 1)) ** k))
        end = 0 if largest is None else np.exp(-((lam * largest) ** k))
        mass = (above[:-1] - above[1:]) / (1 - end)
        return np.log(mass[counts.astype(int) - 1]).sum()

    found = fit.shape, fit.rate
    assert_best(log_likelihood, found, (shape, rate))
    assert fit.log_likelihood == pytest.approx(log_likelihood(found), rel=1e-9)
    assert fit.largest == (np.inf if largest is None else largest)


def test_discrete_fit_by_hand():
    """P(X > 1) = 1/2 and P(X > 2) = 1/8: k = log2 3, a = log 2, if nothing is above 3.

    Conditional on X <= 3 two ratios determine two parameters: the fit has the shares.
    """
    above = np.exp(-((0.5 * np.arange(4)) ** 1.5))
    share = (above[:-1] - above[1:]) / (1 - above[-1])
    counts = np.repeat([1, 2, 3], np.round(share * 1e6).astype(int))
    fit = fit_discrete_weibull(counts, largest=3)
    assert (fit.shape, fit.rate) == pytest.approx((1.5, 0.5), rel=1e-4)
    np.testing.assert_allclose(fit.cdf([1, 2, 3]), np.cumsum(share), atol=1e-6)
    # Geometric: k = 1 and P(X > 1) = 1/2.
    geometric = np.repeat(np.arange(1, 21), 2 ** np.arange(19, -1, -1))
    fit = fit_discrete_weibull(geometric)
    assert (fit.shape, fit.rate) == pytest.approx((1, np.log(2)), rel=1e-4)


def test_discrete_fits_of_wide_and_narrow_samples():
    """Hazards that differ in the last digits, and almost all the mass at 1."""
    largest = 10**9
    wide = fit_discrete_weibull([1, largest])
    hazard = (wide.rate * largest) ** wide.shape
    # P(X = x) of so large an x is the density of the continuous law.
    density = np.log(hazard * wide.shape / largest) - hazard
    likelihood = density + np.log(-np.expm1(-(wide.rate**wide.shape)))
    assert wide.log_likelihood == pytest.approx(likelihood, rel=1e-10)
    narrow = fit_discrete_weibull([999, 1000, 1001])
    assert narrow.cdf(998) < 0.25 and narrow.cdf(1001) > 0.75
    ones = fit_discrete_weibull([1] * 9990 + [2] * 8 + [3] * 2)
    assert ones.cdf(1) == pytest.approx(0.999, abs=1e-5)


@pytest.mark.parametrize(
    ("shape", "rate", "largest"), [(0.6, 0.3, np.inf), (1.6, 0.2, 9.0)]
)
def test_discrete_distribution_function_and_quantiles(shape, rate, largest):
    law = DiscreteWeibullFit(shape, rate, largest, 0.0)
    x = np.arange(0.0, 10)
    end = 0 if largest == np.inf else np.exp(-((rate * largest) ** shape))
    expected = (1 - np.exp(-((rate * x) ** shape))) / (1 - end)
    np.testing.assert_allclose(law.cdf(x), np.minimum(expected, 1), atol=1e-14)
    np.testing.assert_array_equal(law.cdf(x + 0.9), law.cdf(x))
    assert law.cdf(-1) == 0
    # u in (cdf(x - 1), cdf(x)] goes to x, so that uniform u have exactly this cdf.
    inner = x[1:-1]
    np.testing.assert_array_equal(law.quantile(law.cdf(inner) * (1 - 1e-12)), inner)
    np.testing.assert_array_equal(law.quantile(law.cdf(inner) + 1e-12), inner + 1)
    assert law.quantile(0.0) == 1
    assert law.quantile(1 - 1e-16) <= largest


def test_bad_samples_counts_and_ends_are_refused():
    samples = [
        ([1.0, 1.0], " must have at least two different values"),
        ([], " must have at least two"),
        ([0.0, 1.0], " must be positive"),
        ([[1.0, 2.0]], " must have shape"),
    ]
    rows = [(partial(fit_weibull, x), "sample" + words) for x, words in samples]
    rows += [
        (partial(fit_discrete_weibull, x), "counts" + words) for x, words in samples
    ]
    rows += [
        (partial(fit_discrete_weibull, counts, largest), words)
        for counts, largest, words in (
            ([1, 2.5, 4], None, "counts must be integers"),
            ([1, 2, 2], None, "counts must not be two neighbours"),
            ([1, 2, 3], 2, "largest must be at least 3"),
        )
    ]
    rows += [
        (partial(fit_weibull, [1.0, 2.0, 3.0], ends), "truncation must")
        for ends in (
            (2.0, 1.0),
            (-1.0, 5.0),
            (1.5, 5.0),
            (0.0, 2.5),
            (1.0, 1.0),
            (np.nan, 5),
        )
    ]
    assert_refused(rows)
    with pytest.raises(TypeError, match="largest"):
        fit_discrete_weibull([1, 2, 3], 4.0)


def test_power_laws_have_no_truncated_fit():
    """Too much mass at the upper end, or at both ends, for any scale."""
    u = (np.arange(1000) + 0.5) / 1000
    for sample, ends in (
        (1 - (1 - u) ** 2, (0.0, 1.0)),
        (1 + np.sin(u * np.pi / 2) ** 2, (1.0, 2.0)),
        (np.exp(5 * np.sin(u**2 * np.pi / 2) ** 2), (1.0, np.exp(5))),
        (np.exp(5 * np.sin(u**0.5 * np.pi / 2) ** 2), (1.0, np.exp(5))),
    ):
        assert fit_weibull(sample).shape > 0
        with pytest.raises(ValueError, match=r"sample: .* no maximum"):
            fit_weibull(sample, ends)
    with pytest.raises(ValueError, match=r"counts: .* no maximum"):
        fit_discrete_weibull([1] + [2] * 8 + [3] * 20 + [4] * 60, 4)


def test_bad_arguments_are_refused():
    one, ones, half = WeibullFit(1, 1, 0, np.inf, 0), np.ones, (0.5, 0.5)
    rows = [
        (partial(trim, []), "sample must"),
        (partial(trim, [1.0, np.nan]), "sample must"),
        (partial(trim, [[1.0, 2.0]]), "sample must"),
        (partial(fit_arms, [1.0, 2.0], [1, 0]), "seconds must"),
        (partial(fit_arms, ones((3, 0)), ones((3, 0))), "seconds must"),
        (partial(fit_arms, ones((3, 2)), ones((3, 1))), "correct must"),
        (partial(fit_arms, ones((3, 1)), np.full((3, 1), 2)), "correct must be 0"),
        (partial(fit_arms, ones((3, 1)), ones((3, 1))), "seconds, question 0"),
        (partial(fit_arms, np.eye(3) + 1, np.eye(3), (0, 1)), "truncated must"),
        (partial(kolmogorov_smirnov, [], one), "sample must"),
        (partial(kolmogorov_smirnov, [-1.0], one), "sample must"),
    ]
    law = DiscreteWeibullFit(1.0, 1.0, np.inf, 0.0)
    rows += [(partial(law.quantile, u), "u must be") for u in (-0.1, 1.0, np.nan)]
    rows += [
        (partial(trim, [1.0, 2.0, 3.0], quantiles), "quantiles must")
        for quantiles in (half, (-0.1, 0.5), (0.5, 1.1), (0.9, 0.1), (np.nan, 1))
    ]
    assert_refused(rows)
