"""Gaussian copulas: margins as they were, dependence as asked for."""

from functools import cache

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import integrate, special, stats

from jaxbandits import censored, laws
from jaxbandits.arrays import constant
from jaxbandits.laws.law import exact_params
from tests.kernels.checks import ALARM, assert_frequency, assert_law
from tests.reference.words import spell
from tests.tables import assert_refused, each_row

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


def draw(reward, cost, noise, arm):
    """All draws of one arm; its normal scores have the arm's correlation.

    `DRAWS` are made of any noise, so that a pair of laws is compiled once.
    """
    (first, one), (second, other) = LAWS[reward], LAWS[cost]
    params = laws.Copula(one, other, np.asarray(RHO))
    law = laws.gaussian_copula(first, second)
    law.check(params)
    params = jax.tree.map(jnp.float32, params)
    words = np.resize(spell(noise, "nn"), (DRAWS, 4))
    pair = sampler(law)(words, params, jnp.int32(arm))
    return tuple(np.asarray(x)[: len(noise)] for x in pair)


@each_row("arm", [1, 2, 3])
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


@each_row("arm", [0, 3])
def test_other_margins_are_as_they_were(arm, tape):
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


def test_full_correlation_makes_one_a_function_of_the_other(tape):
    noise = tape(5000, 2)
    for names in (("uniform", "exponential"), ("discrete", "Pareto")):
        for arm, sign in ((0, -1), (4, 1)):
            x, y = draw(*names, noise, arm)
            order = np.lexsort((sign * y, x))
            # Up to the rounding of uniforms that nearly equal each other.
            assert np.all(np.diff(sign * y[order]) >= -1e-5 * np.abs(y[order][1:]))
            assert np.ptp(y) > 0


def test_a_coin_that_falls_with_its_uniform_is_correlated_with_the_right_sign(tape):
    x, y = draw("Bernoulli", "Pareto", tape(DRAWS, 2), 4)
    assert np.min(y[x == 1]) >= np.max(y[x == 0]) * (1 - 1e-4)
    x, y = draw("Bernoulli", "Pareto", tape(DRAWS, 2), 0)
    assert np.max(y[x == 1]) <= np.min(y[x == 0]) * (1 + 1e-4)


def test_means_and_highest_are_the_margins():
    law = laws.gaussian_copula(laws.bernoulli, laws.clipped_pareto)
    assert law is laws.gaussian_copula(laws.bernoulli, laws.clipped_pareto)
    assert law.name == "Gaussian copula of Bernoulli and Pareto clipped to 1"
    params = laws.Copula(COIN, PARETO, np.asarray(RHO))
    reward, cost = law.means(params)
    np.testing.assert_array_equal(reward, COIN.probability)
    np.testing.assert_array_equal(cost, laws.clipped_pareto.mean(PARETO))
    np.testing.assert_array_equal(law.highest(params), 1.0)
    assert law.words == 4


ROWS = np.ones(5)
SMOOTH = {
    "Beta": (laws.beta, laws.Beta(2 * ROWS, 0.5 * ROWS)),
    "Gamma": (laws.gamma, laws.Gamma(0.7 * ROWS, 2 * ROWS)),
}
LIMITS = np.array([0.1, 0.4, 0.5, 1.0, 40.0])


def moments(reward, cost, correlation):
    (first, one), (second, other) = (LAWS | SMOOTH)[reward], (LAWS | SMOOTH)[cost]
    law = laws.gaussian_copula(first, second)
    params = laws.Copula(one, other, np.asarray(correlation))
    law.check(params)
    return law.moments(exact_params(law, params), LIMITS, lambda c: c / 2)


def test_moments_of_smooth_margins_are_those_of_two_integrals():
    """Over the consumption's score, and over the reward's, given it."""
    rho = np.array([-1, -0.95, 0.3, 0.999, 1])
    found = moments("Beta", "Gamma", rho)
    below = stats.gamma(0.7, scale=0.5).cdf(LIMITS)
    np.testing.assert_allclose(found.probability, np.tile(below, (5, 1)), rtol=1e-12)
    nodes, weights = np.polynomial.hermite_e.hermegauss(120)
    weights = weights / weights.sum()

    def inner(score, rho):
        scores = rho * score + np.sqrt(1 - rho**2) * nodes
        reward = special.betaincinv(2.0, 0.5, special.ndtr(scores))
        return weights @ reward * np.exp(-(score**2) / 2) / np.sqrt(2 * np.pi)

    for row, correlation in zip(found.reward, rho, strict=True):
        for value, limit in zip(row, special.ndtri(below), strict=True):
            exact = integrate.quad(
                inner, -9, min(limit, 9), correlation, epsabs=1e-10, limit=200
            )[0]
            assert value == pytest.approx(exact, abs=1e-7)


@each_row("cost", ["exponential", "discrete", "Beta"])
def test_moments_of_coins_are_bivariate_normal_probabilities(cost):
    """Rewards of 1 below a limit: one orthant, or an overlap where rho is 1 or -1."""
    found = moments("Bernoulli", cost, RHO)
    for arm, rho in enumerate(RHO):
        chance = COIN.probability[arm]
        for value, below in zip(found.reward[arm], found.probability[arm], strict=True):
            if rho == 1:
                exact = max(chance + below - 1, 0.0)
            elif rho == -1:
                exact = min(chance, below)
            else:
                scores = np.clip(special.ndtri([1 - chance, below]), -9, 9)
                both = stats.multivariate_normal(cov=[[1, rho], [rho, 1]]).cdf(scores)
                exact = below - both
            assert value == pytest.approx(exact, abs=1e-8)


def test_parameters_that_a_game_draws_are_refused_where_a_table_is_needed():
    law = laws.gaussian_copula(laws.beta, laws.uniform)
    params = laws.Copula(SMOOTH["Beta"][1], UNIFORM, np.asarray(RHO))
    words = jnp.zeros(4, jnp.uint32)
    with pytest.raises(TypeError, match="^params: draws of Beta by its quantiles"):
        law.sample(words, constant(params), jnp.int32(0))


def test_what_makes_no_copula_is_refused():
    law = laws.gaussian_copula(laws.uniform, laws.exponential)
    params = laws.Copula(UNIFORM, RATE, np.asarray(RHO))
    law.check(params)
    steps = laws.Copula(STEPS._replace(values=STEPS.values[:, ::-1]), UNIFORM, 0 * ROWS)
    bare, wide = laws.beta._replace(cdf=None), laws.Uniform(0 * ROWS, 2 * ROWS)

    def checked(**change):
        return lambda: law.check(params._replace(**change))

    rows = [
        (lambda: laws.gaussian_copula(bare, laws.uniform), "^reward: a copula needs a"),
        (lambda: laws.gaussian_copula(laws.uniform, bare), "^consumption: a .*; Beta"),
        (
            lambda: laws.gaussian_copula(laws.discrete, laws.uniform).check(steps),
            "^reward: a copula's values must increase",
        ),
        (checked(consumption=laws.Exponential(-RATE.rate)), "rate"),
        (checked(reward=wide), "reward law"),
    ]
    rows += [
        (checked(correlation=np.array([rho, 0, 0, 0, 0])), "correlation must be in")
        for rho in (1.1, -1.0001, np.nan, np.inf)
    ]
    assert_refused(rows, ValueError)


def test_the_censored_setting_asks_for_moments():
    law = laws.gaussian_copula(laws.uniform, laws.exponential._replace(quantile=None))
    assert law.moments is None
    arms = laws.Copula(UNIFORM, RATE, np.asarray(RHO))
    problem = censored.running_example(5, [0.5, 1.0])
    with pytest.raises(ValueError, match="law.*moments"):
        censored.make_environment("correlated", problem, law, arms)
