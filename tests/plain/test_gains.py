"""Draws of a mean gain against a Dirichlet process, which knows every gain."""

from functools import partial
from itertools import product

import jax
import numpy as np
import pytest
from scipy import stats

from jaxbandits.kernels.gamma import GAMMA_CDF_ERROR
from jaxbandits.plain.gains import WORDS, Gains
from tests.tables import each_row

DRAWS = 100_000
ENDS = 2.0**-24, 1 - 2.0**-24  # of the tape
# Kolmogorov's distance is exceeded once in 10^5: the draws, and two approximate gammas.
FAR = 2.47 / DRAWS**0.5 + 2 * GAMMA_CDF_ERROR
LEASTS = (0.0, -0.4)


@partial(jax.jit, static_argnums=(0, 1))
def _draw(how, least, sums, words):
    return getattr(Gains(*sums, least), how)(words)


def drawn(seen, least, uniforms, how="drawn"):
    seen = np.asarray(seen, np.float32)
    sums = [np.float32(x) for x in (len(seen), seen.sum(), (seen**2).sum())]
    return np.asarray(_draw(how, least, sums, np.float32(uniforms)))


def uniforms(rng):
    return rng.uniform(*ENDS, (WORDS, DRAWS))


def literal(rng, seen, least):
    """Weighted means of what was seen and the two observations before it."""
    points = np.array([least, 1.0, *seen])
    return rng.dirichlet(np.ones(len(points)), DRAWS) @ points


@each_row(
    "ones, zeros, least",
    [(0, 0, 0.0), (0, 20, -0.4), (1, 8, -0.4), (7, 0, 0.0), (30, 12, 0.0)],
)
def test_of_least_and_largest_gains_it_is_a_beta_law(rng, ones, zeros, least):
    found = drawn([1.0] * ones + [least] * zeros, least, uniforms(rng))
    law = stats.beta(1 + ones, 1 + zeros, loc=least, scale=1 - least)
    assert stats.kstest(found, law.cdf).statistic < FAR


@each_row("count, least", product([1, 5, 40], LEASTS))
def test_of_equal_gains_it_is_exact(rng, count, least):
    seen = [0.3] * count
    found, expected = drawn(seen, least, uniforms(rng)), literal(rng, seen, least)
    assert stats.ks_2samp(found, expected).statistic < 2**0.5 * FAR


@each_row("count, least", product([2, 3, 10], LEASTS))
def test_two_moments_of_all_gains_are_exact(rng, count, least):
    seen = rng.uniform(least, 1, count)
    found = drawn(seen, least, uniforms(rng)).astype(float)
    points = np.array([least, 1.0, *seen])
    mean, variance = points.mean(), points.var() / (len(points) + 1)
    deviation = np.sqrt(variance / DRAWS)
    assert abs(found.mean() - mean) < 4.5 * deviation
    assert Gains(count, seen.sum(), 0.0, least).expected() == pytest.approx(mean)
    squares = (found - mean) ** 2
    error = squares.std() / np.sqrt(DRAWS)
    assert abs(squares.mean() - variance) < 4.5 * error + 1e-3 * variance
    # Beyond two moments it leans to the largest gain, as little as there is to see.
    distance = stats.ks_2samp(found, literal(rng, seen, least)).statistic
    assert distance < 0.08


def drawn_cost(seen, uniforms):
    return drawn(seen, 0.0, uniforms, "drawn_cost")


@each_row(
    "seen",
    [[], [0.0] * 7, [1.0] * 9, [0.0, 1.0, 1.0], [0.25] * 5, [0.5, 0.125, 1.0, 0.75]],
)
def test_a_cost_is_what_is_not_saved(rng, seen):
    """Words of what is lost come first, where those of what is gained did."""
    words = uniforms(rng)
    found = drawn_cost(seen, words)
    saved = drawn(1 - np.array(seen), 0.0, words[[1, 0, 2]])
    np.testing.assert_allclose(found, 1 - saved, atol=3e-6)


@each_row("cost", [0.0, 1e-8, 1e-3])
def test_small_costs_lose_no_digits(rng, cost):
    """As by 64 bits, where some cost twice as much as others."""
    words = uniforms(rng).astype(np.float32)
    sums = 4000, 6000 * cost, 10_000 * cost**2
    found = _draw("drawn_cost", 0.0, [np.float32(x) for x in sums], words)
    with jax.enable_x64(True):
        seen, wide = [np.float64(x) for x in sums], words.astype(np.float64)
        exact = np.asarray(_draw("drawn_cost", 0.0, seen, wide))
    assert np.all(exact > 0)
    np.testing.assert_allclose(found, exact, rtol=2e-3)


@each_row(
    "seen, least",
    product(
        [[], [0.0], [1.0] * 9, [0.5, 0.5005], [0.3] * 10**6, [0.0, 1.0] * 10**5], LEASTS
    ),
)
def test_the_ends_of_the_tape_are_gains(seen, least):
    words = np.stack(np.meshgrid(*WORDS * [ENDS])).reshape(WORDS, -1)
    found = drawn(seen, least, words)
    assert np.all((found >= least) & (found <= 1))
    costs = drawn_cost(np.maximum(seen, 0), words)
    assert np.all((costs > 0) & (costs <= 1))
    # It rises with the words of the largest gain and of what was seen.
    order = np.array([1, -1, 1])[:, None] * (2 * words - 1)
    assert found[order.sum(axis=0).argmax()] == found.max()
