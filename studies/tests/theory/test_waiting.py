"""theory/cell-thompson.md: how long what has begun badly waits, by hand."""

from math import comb

import bounds
import numpy as np
import pytest
from scipy.stats import beta

from jaxbandits_studies.theory import waiting
from jaxbandits_studies.theory.gains import chance_above
from tests.tables import each_row


@each_row("count", [0, 1, 2, 9])
@each_row("hazard, within", [(0.35, 0.1), (0.95, 0.2), (0.0, 0.3)])
def test_a_hazard_waits_for_one_over_the_chance_of_a_draw_near_it(
    count, hazard, within
):
    waits = 0.0
    for ended in range(count + 1):
        law = beta(1 + ended, 1 + count - ended)
        chance = law.cdf(hazard + within) - law.cdf(hazard - within)
        likely = comb(count, ended) * hazard**ended * (1 - hazard) ** (count - ended)
        waits += likely * (1 / chance - 1)
    assert waiting.for_hazard(count, hazard, within) == pytest.approx(waits, rel=1e-9)


def test_gains_wait_for_one_over_the_chance_of_a_draw_above():
    """Two gains of 0, 1/2 or 1, nine ways."""
    values, chances = np.array([0.0, 0.5, 1.0]), np.array([0.5, 0.3, 0.2])
    level, waits = values @ chances - 0.1, 0.0
    for i in range(3):
        for j in range(3):
            seen = values[[i, j]]
            above = chance_above(2, seen.mean(), seen.var(), level)
            waits += chances[i] * chances[j] * (1 / above - 1)
    found = waiting.for_gains(2, values, chances, 0.1)
    assert found == pytest.approx(waits, rel=1e-9)
    # A draw after one gain, which nothing is known of but its size.
    once = [chances[i] / chance_above(1, values[i], 0, level) for i in range(3)]
    assert waiting.for_gains(1, values, chances, 0.1) == pytest.approx(sum(once) - 1)


def test_waits_fall_exponentially_with_the_rounds_that_have_been():
    """So that all of them can be summed; those for a normal law of gains cannot."""
    waits = [waiting.for_hazard(n, 0.35, 0.1) for n in (256, 512, 1024, 2048)]
    falls = np.diff(np.log(waits)) / 256 / np.array([1, 2, 4])
    assert np.all(falls < -(0.1**2)) and np.ptp(falls) < 0.2 * abs(falls[-1])
    game = [0.2, 1.0], [0.7, 0.3], 0.15
    waits = [waiting.for_gains(n, *game) for n in (20, 40, 80)]
    falls = np.diff(np.log(waits)) / [20, 40]
    assert np.all(falls < -2 * 0.05**2)
    normal = [waiting.for_gains(n, *game, drawn=bounds.normal_chance) for n in (40, 80)]
    assert normal[0] < 0.1 and normal[1] > 1e3


def test_the_numbers_of_the_page():
    hazard = [waiting.for_hazard(n, 0.35, 0.1) for n in (1, 16, 128, 1024)]
    np.testing.assert_allclose(hazard, [4.0, 2.4, 0.13, 2.2e-6], rtol=0.04)
    game = bounds.THREE, bounds.HOW_OFTEN, bounds.WITHIN
    two = [waiting.for_gains(n, *game) for n in (1, 16)]
    np.testing.assert_allclose(two, [0.59, 0.6], rtol=0.01)
    normal = waiting.for_gains(16, *game, drawn=bounds.normal_chance)
    assert normal == pytest.approx(1.2, rel=0.05)


def test_a_chance_that_is_no_float_makes_waits_without_end():
    never = waiting.for_gains(2, [0, 1], [0.5, 0.5], 0.2, drawn=lambda *_: 0.0)
    assert never == np.inf
