"""theory/cell-thompson.md: two values for all gains, and draws from them."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats

from jaxbandits.plain.gains import WORDS, Gains
from jaxbandits_studies.theory import gains
from tests.tables import each_row

DRAWN = jax.jit(Gains.drawn)  # one program for all


def sample(rng):
    """Some gains: of a few values, all alike, near an end, or spread."""
    kind, size = rng.integers(4), rng.integers(1, 12)
    if kind == 0:
        return rng.choice([0.0, 0.25, 0.6, 1.0], size)
    if kind == 1:
        return np.full(size, rng.random())
    a, b = 10 ** rng.uniform(-1, 1, 2)
    return rng.beta(a, b, size) * (1.0 if kind == 2 else 0.5)


def test_two_values_by_hand():
    """Coins are themselves, what is alike has no 1; 0 or 1/2 are 1/6, or 1 in ten."""
    value, chance = gains.two_values([0.25, 0.25, 1.0], [0.1875, 0.0, 0.0])
    np.testing.assert_allclose(value, [0, 0.25, 1])
    np.testing.assert_allclose(chance, [0.25, 0, 0])
    value, chance = gains.two_values(0.25, 0.0625)  # of 0 and 1/2
    assert value == pytest.approx(1 / 6) and chance == pytest.approx(0.1)


def test_two_values_have_mean_and_variance():
    rng = np.random.default_rng(1)
    mean = rng.random(1000)
    variance = mean * (1 - mean) * rng.random(1000)
    value, chance = gains.two_values(mean, variance)
    found = value * (1 - chance) + chance
    np.testing.assert_allclose(found, mean, atol=1e-12)
    np.testing.assert_allclose(chance * (1 - chance) * (1 - value) ** 2, variance)
    assert np.all((value >= 0) & (value <= mean))


def test_information_by_hand():
    """Of a coin kl; of gains that are alike log((1 - m) / (1 - q)); above it none."""
    kl = 0.2 * np.log(0.2 / 0.5) + 0.8 * np.log(0.8 / 0.5)
    assert gains.information(0.2, 0.16, 0.5) == pytest.approx(kl)
    assert gains.information(0.2, 0.0, 0.5) == pytest.approx(np.log(0.8 / 0.5))
    assert gains.information(0.2, 0.1, 0.2) == gains.information(1.0, 0, 0.5) == 0
    assert gains.least_information([0, 0, 0, 0, 1], 0.5) == pytest.approx(kl)
    assert gains.least_information([0.2, 0.2], 0.5) == pytest.approx(np.log(1.6))
    assert gains.least_information([0.9, 0.4], 0.5) == 0


@each_row("count", [1, 3, 10, 40])
@each_row("mean, share", [(0.2, 1.0), (0.3, 0.0), (0.4, 0.3)])
def test_draws_are_above_a_level_that_often(count, mean, share):
    """20,000 draws of the policy, within 4.5 errors; and the bound is below."""
    draws, level = 20_000, 0.45
    variance = share * mean * (1 - mean)
    chance = gains.chance_above(count, mean, variance, level)
    words = np.random.default_rng(count).random((WORDS, draws))
    told = (count, count * mean, count * (variance + mean**2))
    seen = Gains(*(jnp.float32(x) for x in told), 0.0)
    found = np.mean(np.asarray(DRAWN(seen, jnp.asarray(words, float))) >= level)
    assert abs(found - chance) < 4.5 * np.sqrt(chance * (1 - chance) / draws) + 2e-4
    for more in (0.01, 0.1):
        bound = gains.least_chance_above(count, mean, variance, level, more)
        assert 0 < bound < chance


def test_of_coins_it_is_a_beta_law():
    found = gains.chance_above(20, 0.15, 0.15 * 0.85, 0.3)
    assert found == pytest.approx(stats.beta.sf(0.3, 4, 18), rel=1e-3)
    found = gains.chance_above(12, 0.0, 0.0, 0.3)
    assert found == pytest.approx(0.7**13)
    assert gains.chance_above(3, 1.0, 0.0, 0.3) == pytest.approx(1 - 0.3**4)
