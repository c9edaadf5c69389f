"""Gaussian copulas: margins as they were, dependence as asked for."""

import itertools
from functools import cache

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats

from jaxbandits import laws
from jaxbandits.settings import censored
from tests.heavy import float64_in_long
from tests.kernels.checks import ALARM, assert_frequency, assert_law
from tests.reference.words import spell

DRAWS = 50_000
Z = stats.norm.isf(ALARM / 2)
RHO = (-1.0, -0.7, 0.0, 0.5, 1.0)
UNIFORM = laws.Uniform(np.zeros(5), np.ones(5))
COIN = laws.Bernoulli(np.array([0.3, 0.3, 0.6, 0.5, 0.3]))
RATE = laws.Exponential(np.array([0.5, 1.0, 2.0, 1.0, 1.8]))
PARETO = laws.Pareto(np.full(5, 0.1), np.full(5, 0.8))
STEPS = laws.Discrete(
    np.tile([0.0, 0.5, 1.0], (5, 1)), np.tile([0.2, 0.5, 0.3], (5, 1))
)
LAWS = {
    "uniform": (laws.uniform, UNIFORM),
    "Bernoulli": (laws.bernoulli, COIN),
    "exponential": (laws.exponential, RATE),
    "Pareto": (laws.clipped_pareto, PARETO),
    "discrete": (laws.discrete, STEPS),
}


@cache
def sampler(law):
    return jax.jit(jax.vmap(law.sample, (0, None, None)))


def draw(reward, cost, noise, arm, correlation=RHO, dtype=np.float32):
    """All draws of one arm; its normal scores have the arm's correlation.

    `DRAWS` are made of any noise, so that a pair of laws is compiled once.
    """
    (first, one), (second, other) = LAWS[reward], LAWS[cost]
    params = laws.Copula(one, other, np.asarray(correlation))
    law = laws.gaussian_copula(first, second)
    law.check(params)
    params = jax.tree.map(lambda x: jnp.asarray(x, dtype), params)
    words = np.resize(spell(noise, "nn"), (DRAWS, 4))
    pair = sampler(law)(words, params, jnp.int32(arm))
    return tuple(np.asarray(x)[: len(noise)] for x in pair)


@pytest.mark.parametrize("arm", range(5))
def test_uniform_margins_and_spearman(arm, tape):
    """Spearman's correlation is 6 / pi asin(rho / 2)."""
    x, y = draw("uniform", "uniform", tape(DRAWS, 2), arm)
    for margin in (x, y):
        assert_law(margin, lambda u: np.clip(u, 0, 1))
    rank = stats.spearmanr(x, y).statistic
    assert abs(rank - 6 / np.pi * np.arcsin(RHO[arm] / 2)) < Z / np.sqrt(DRAWS)


@pytest.mark.parametrize("arm", [1, 2, 3])
def test_normal_scores_are_bivariate_gaussian(arm, tape):
    x, y = (
        stats.norm.ppf(u.astype(float))
        for u in draw("uniform", "uniform", tape(DRAWS, 2), arm)
    )
    rho = RHO[arm]
    # The standard error of the correlation is (1 - rho**2) / sqrt(n).
    room = Z * (1 - rho**2) / np.sqrt(DRAWS)
    assert abs(np.corrcoef(x, y)[0, 1] - rho) < room
    # What the first leaves of the second is Gaussian and independent of it.
    rest = stats.norm.cdf((y - rho * x) / np.sqrt(1 - rho**2))
    assert stats.kstest(rest[x > 0], "uniform").pvalue > ALARM
    assert stats.kstest(rest[x <= 0], "uniform").pvalue > ALARM


@pytest.mark.parametrize("arm", [0, 1, 3, 4])
def test_other_margins(arm, tape):
    noise = tape(DRAWS, 2)
    coin, _ = draw("Bernoulli", "Pareto", noise, arm)
    _, time = draw("uniform", "exponential", noise, arm)
    assert_frequency(np.sum(coin), COIN.probability[arm], DRAWS)
    assert_law(time, stats.expon(scale=1 / RATE.rate[arm]).cdf)
    step, cost = draw("discrete", "Pareto", noise, arm)
    for value, mass in ((0.0, 0.2), (0.5, 0.5), (1.0, 0.3)):
        assert_frequency(np.sum(step == value), mass, DRAWS)
    tail = stats.pareto(0.8, scale=0.1)
    assert_frequency(np.sum(cost >= 1 - 1e-6), tail.sf(1 - 1e-6), DRAWS)
    assert_law(cost[cost < 1], lambda y: tail.cdf(y) / tail.cdf(1.0))


@float64_in_long
def test_full_correlation_makes_one_a_function_of_the_other(tape, dtype):
    """rho = 1: both rise together; rho = -1: one rises and the other falls."""
    noise = tape(5000, 2)
    for names in (("uniform", "exponential"), ("discrete", "Pareto")):
        for arm, sign in ((0, -1), (4, 1)):
            x, y = draw(*names, noise, arm, dtype=dtype)
            order = np.lexsort((sign * y, x))
            # Up to the rounding of uniforms that nearly equal each other.
            assert np.all(np.diff(sign * y[order]) >= -1e-5 * np.abs(y[order][1:]))
            assert np.ptp(y) > 0


@pytest.mark.parametrize("names", [("Bernoulli", "Bernoulli"), ("Bernoulli", "Pareto")])
def test_full_correlation_of_coins(names, tape):
    """A coin falls with its uniform, Pareto's law rises: the sign is still right."""
    noise = tape(DRAWS, 2)
    x, y = draw(*names, noise, 4)
    if names[1] == "Bernoulli":
        # Equal coins: comonotone is equal, up to the rounding of a uniform.
        assert np.mean(x != y) < 1e-4
        x, y = draw(*names, noise, 0)
        # P(both) = max(p + q - 1, 0) = 0, the least that is possible.
        assert np.mean((x == 1) & (y == 1)) < 1e-4
    else:
        assert np.min(y[x == 1]) >= np.max(y[x == 0]) * (1 - 1e-4)
        x, y = draw(*names, noise, 0)
        assert np.max(y[x == 1]) <= np.min(y[x == 0]) * (1 + 1e-4)


def test_coins_of_correlated_scores(tape):
    """P(both) is the bivariate normal probability of the two quantiles."""
    x, y = draw("Bernoulli", "Bernoulli", tape(DRAWS, 2), 1)
    quantile = stats.norm.ppf(0.3)
    law = stats.multivariate_normal([0, 0], [[1, -0.7], [-0.7, 1]])
    assert_frequency(np.sum((x == 1) & (y == 1)), law.cdf([quantile] * 2), DRAWS)


@float64_in_long
def test_no_correlation_is_the_product(tape, dtype):
    noise = tape(2000, 2)
    params = laws.Product(STEPS, PARETO)
    params = jax.tree.map(lambda x: jnp.asarray(x, dtype), params)
    independent = sampler(laws.product(laws.discrete, laws.clipped_pareto))
    expected = independent(spell(noise, "nn"), params, jnp.int32(2))
    found = draw("discrete", "Pareto", noise, 2, dtype=dtype)
    np.testing.assert_array_equal(found[0], expected[0])
    # The second uniform goes to a score and back.
    np.testing.assert_allclose(found[1], expected[1], rtol=1e-4)


@float64_in_long
def test_extreme_uniforms_stay_finite(dtype):
    ends = np.array([2.0**-24, 0.5, 1 - 2.0**-24])
    noise = np.stack(np.meshgrid(ends, ends), -1).reshape(-1, 2)
    pairs = ("uniform", "exponential"), ("discrete", "Pareto"), ("Bernoulli",) * 2
    for arm, names in itertools.product(range(5), pairs):
        x, y = draw(*names, noise, arm, dtype=dtype)
        assert x.dtype == y.dtype == dtype
        inside = (x > 0) & (x < 1) if names[0] == "uniform" else (x >= 0) & (x <= 1)
        assert np.all(inside) and np.all(np.isfinite(y) & (y >= 0))


def test_means_and_highest_are_the_margins():
    law = laws.gaussian_copula(laws.bernoulli, laws.clipped_pareto)
    assert law is laws.gaussian_copula(laws.bernoulli, laws.clipped_pareto)
    assert law.name == "Gaussian copula of Bernoulli and Pareto clipped to 1"
    params = laws.Copula(COIN, PARETO, np.asarray(RHO))
    reward, cost = law.means(params)
    np.testing.assert_array_equal(reward, COIN.probability)
    np.testing.assert_array_equal(cost, laws.clipped_pareto.mean(PARETO))
    np.testing.assert_array_equal(law.highest(params), 1.0)
    assert law.moments is None and law.words == 4


@pytest.mark.parametrize(
    ("pair", "named"),
    [
        ((laws.beta, laws.uniform), "reward: .*Beta"),
        ((laws.uniform, laws.beta), "consumption: .*Beta"),
    ],
)
def test_beta_is_refused(pair, named):
    with pytest.raises(ValueError, match=named):
        laws.gaussian_copula(*pair)


@pytest.mark.parametrize("correlation", [1.1, -1.0001, np.nan, np.inf])
def test_bad_correlations_are_refused(correlation):
    law = laws.gaussian_copula(laws.uniform, laws.uniform)
    two = laws.Uniform(np.zeros(2), np.ones(2))
    law.check(laws.Copula(two, two, np.array([1.0, -1.0])))
    with pytest.raises(ValueError, match="correlation must be in"):
        law.check(laws.Copula(two, two, np.array([0.0, correlation])))


def test_bad_margins_are_refused():
    law = laws.gaussian_copula(laws.uniform, laws.exponential)
    params = laws.Copula(UNIFORM, RATE, np.asarray(RHO))
    with pytest.raises(ValueError, match="rate"):
        law.check(params._replace(consumption=laws.Exponential(-RATE.rate)))
    with pytest.raises(ValueError, match="reward law"):
        wide = laws.Uniform(np.zeros(5), np.full(5, 2.0))
        law.check(params._replace(reward=wide))


def test_the_censored_setting_asks_for_moments():
    law = laws.gaussian_copula(laws.uniform, laws.exponential)
    arms = laws.Copula(UNIFORM, RATE, np.asarray(RHO))
    problem = censored.running_example(5, [0.5, 1.0])
    with pytest.raises(ValueError, match="law.*moments"):
        censored.censored("correlated", problem, law, arms)
