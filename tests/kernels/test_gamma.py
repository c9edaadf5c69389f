"""Gamma and Beta variates: distribution functions against SciPy's."""

import itertools

import jax
import jax.numpy as jnp
import numpy as np
from scipy import special, stats

from jaxbandits.kernels.gamma import (
    BETA_LEAST,
    GAMMA_CDF_ERROR,
    SCORES,
    beta_from_uniforms,
    beta_from_uniforms_small,
    beta_logit_from_uniforms,
    gamma_quantile,
    log_gamma_quantile,
)
from jaxbandits.kernels.normal import normal_quantile
from tests.kernels.checks import ALARM, assert_frequency, assert_law, assert_mean
from tests.kernels.test_normal import tape_points
from tests.tables import each_row, in_both_precisions

SHAPES = np.concatenate([np.linspace(1, 3, 21), np.geomspace(3, 1e6, 60)])
DRAWS = 1_000_000
quantile, log_quantile = jax.jit(gamma_quantile), jax.jit(log_gamma_quantile)
score = jax.jit(normal_quantile)


def cdf_errors(dtype, shapes):
    """|F(G(u)) - u| f64[shapes, points], where G is the library's quantile function."""
    u = tape_points(2000)
    shape = np.asarray(shapes, dtype)[:, None]
    z = np.asarray(score(u.astype(dtype)))
    gamma = np.asarray(quantile(z[None, :], shape))
    assert gamma.dtype == dtype
    shape, gamma = shape.astype(float), gamma.astype(float)
    lower, upper = special.gammainc(shape, gamma), special.gammaincc(shape, gamma)
    return np.abs(np.where(u < 0.5, lower - u, upper - (1 - u)))


@in_both_precisions
def test_gamma_quantiles_are_as_exact_as_is_stated(dtype):
    errors = np.max(cdf_errors(dtype, SHAPES), axis=1)
    rounding = 1e-7 * np.sqrt(SHAPES) if dtype == np.float32 else np.zeros(SHAPES.size)
    assert np.all(errors <= GAMMA_CDF_ERROR + np.where(SHAPES > 1e5, rounding, 0))
    # The bound is not a wild overstatement either.
    assert np.max(errors) > GAMMA_CDF_ERROR / 2


def test_scores_beyond_the_fit_count_as_its_ends():
    for end in (-SCORES, SCORES):
        assert quantile(9.0 * end, 1.5) == quantile(end, 1.5)


def test_gamma_quantile_increases_and_stays_positive():
    z = np.linspace(-SCORES, SCORES, 1001, dtype=np.float32)
    for shape in (1.0, 1.01, 1.5, 3.0, 10.0, 1e3):
        gamma = np.asarray(quantile(z, np.float32(shape)))
        assert np.all(gamma > 0) and np.all(np.diff(gamma) > 0), shape
        logs = log_quantile(z, np.float32(shape))
        np.testing.assert_allclose(logs, np.log(gamma), rtol=1e-4, atol=1e-4)


small_betas = jax.jit(jax.vmap(beta_from_uniforms_small, (0, None, None)))


def test_beta_variates_of_shapes_from_1_on_follow_the_law(tape):
    a, b = np.float32(1e4), np.float32(1e5)
    noise = tape(100_000, 4)
    x = np.asarray(jax.jit(beta_from_uniforms)(noise[:, 0], noise[:, 1], a, b))
    law = stats.beta(float(a), float(b))
    assert np.all((x >= 0) & (x <= 1))
    assert_law(x, law.cdf)
    assert_mean((x - law.mean()) ** 2, law.var())


@each_row("case", [(0.01, 1e5), (1e5, 0.01), (0.3, 0.02), (1, 1)])
def test_beta_variates_of_any_shapes_follow_the_law(case, tape):
    a, b = np.float32(case)
    draws = 300_000
    x = np.asarray(small_betas(tape(draws, 4), a, b))
    law = stats.beta(float(a), float(b))
    least = np.float32(BETA_LEAST)
    assert np.all((x >= least) & (x <= 1))
    # Never 0: what lies below the least number is set to it.
    assert_law(x, lambda y: np.where(y < least, 0.0, law.cdf(y)))
    assert_frequency(np.sum(x == least), law.cdf(BETA_LEAST), draws)
    # Within half a unit of 1 a number becomes 1.
    one = special.betainc(float(b), float(a), [2.0**-25, 2.0**-24])
    chance = np.clip(np.mean(x == 1), *one)
    assert_frequency(np.sum(x == 1), chance, draws)


def beta_logit_cdf(logit, a, b):
    """P(log(X / (1 - X)) <= logit) for Beta(a, b), f64; nothing underflows."""

    def lower_tail(x, a, b):
        """At x <= 0: below exp(-600) the density is x**(a - 1) / B(a, b)."""
        far = np.exp(a * np.minimum(x, -600) - np.log(a) - special.betaln(a, b))
        return np.where(x < -600, far, special.betainc(a, b, special.expit(x)))

    below, above = np.minimum(logit, 0), np.minimum(-logit, 0)
    return np.where(logit < 0, lower_tail(below, a, b), 1 - lower_tail(above, b, a))


beta_logits = jax.jit(jax.vmap(beta_logit_from_uniforms, (0, None, None)))
EVERY = 20  # order statistics at which the distribution functions are compared


def logit_distance(noise, a, b, dtype=np.float32):
    """Kolmogorov-Smirnov distance of the logits, up to ``EVERY / draws`` above it."""
    logits = np.asarray(beta_logits(jnp.asarray(noise, dtype), dtype(a), dtype(b)))
    assert logits.dtype == dtype and np.all(np.isfinite(logits))
    logits = np.sort(logits.astype(float))[EVERY - 1 :: EVERY]
    exact = beta_logit_cdf(logits, float(np.float32(a)), float(np.float32(b)))
    rank = np.arange(1, logits.size + 1) * EVERY / len(noise)
    return np.max(np.abs(exact - rank)) + EVERY / len(noise)


CRITICAL = np.sqrt(np.log(2 / ALARM) / 2)  # of the distance times sqrt(draws)


def test_beta_logits_pass_kolmogorov_smirnov(tape):
    """A million draws; in float32 too, whose rounding of 1e5 stays invisible here."""
    noise = tape(DRAWS, 4)
    for a, b in ((0.01, 0.01), (1, 1e3), (1e5, 1e5)):
        assert logit_distance(noise, a, b) * np.sqrt(DRAWS) < CRITICAL, (a, b)


def test_exchanging_the_parameters_and_the_uniforms_turns_the_logit_round(tape):
    noise = tape(1000, 4)
    for a, b in ((0.01, 1e5), (1, 0.1), (1e3, 10)):
        a, b = np.float32(a), np.float32(b)
        turned = beta_logits(noise[:, [2, 3, 0, 1]], b, a)
        np.testing.assert_array_equal(beta_logits(noise, a, b), -turned)


@in_both_precisions
def test_variates_are_the_logistic_function_of_their_logits(tape, dtype):
    noise = tape(1000, 4).astype(dtype)
    for a, b in ((0.01, 0.3), (0.3, 0.01), (2, 3.5)):
        logits = beta_logits(noise, dtype(a), dtype(b))
        expected = np.maximum(special.expit(np.asarray(logits, float)), BETA_LEAST)
        found = small_betas(noise, dtype(a), dtype(b))
        rtol = 1e-5 if dtype == np.float32 else 1e-14
        np.testing.assert_allclose(found, expected, rtol=rtol)


def test_extreme_uniforms_stay_in_the_interval():
    ends = np.float32([2.0**-24, 0.5, 1 - 2.0**-24])
    noise = np.stack(np.meshgrid(ends, ends, ends, ends), axis=-1).reshape(-1, 4)
    for a, b in itertools.product((0.01, 0.5, 1, 1e5), repeat=2):
        x = np.asarray(small_betas(noise, np.float32(a), np.float32(b)))
        assert np.all((x >= np.float32(BETA_LEAST)) & (x <= 1)), (a, b)
