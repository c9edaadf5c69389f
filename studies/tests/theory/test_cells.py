"""theory/cell-thompson.md: values, the lemma, the bound and what it is of."""

import numpy as np
import pytest

from jaxbandits_studies.theory import cells as theory
from jaxbandits_studies.theory import products
from tests.tables import each_row

PENALTY = np.array([0.1, 0.2, 0.3])


def cells(seed, size=5, least=0.0):
    """Hazards and gains, some hazard at an end of its range."""
    rng = np.random.default_rng(seed)
    hazard = rng.random(size) ** 2
    hazard[rng.integers(size)] = seed % 2
    return hazard, least + (1 - least) * rng.random(size)


def test_values_by_the_walk():
    """0.5 * 1 - 0.1 * 0.5 and 0.5 * 1 + 0.5 * 0.2 * 0.4 - 0.3 * 0.4."""
    found = theory.values([0.5, 0.2], [1.0, 0.4], [0.1, 0.3])
    np.testing.assert_allclose(found, [0.45, 0.42])


@each_row("cost", [0.0, 0.7])
def test_values_stay_within_the_deviation(cost):
    penalty, share = np.linspace(0.1, 2.0, 5), []
    for seed in range(300):
        one, other = cells(seed, least=-cost), cells(seed + 1000, least=-cost)
        mixed = [0.9 * a + 0.1 * b for a, b in zip(one, other, strict=True)]
        for changed in (other, mixed):
            off = np.abs(
                theory.values(*changed, penalty) - theory.values(*one, penalty)
            )
            bound = theory.deviation(*one, penalty, *changed, cost)
            assert np.all(off <= bound + 1e-12)
            share.append(np.max(off / np.maximum(bound, 1e-12)))
    assert max(share) > 0.5


def test_an_error_counts_as_often_as_its_cell_is_entered():
    hazard, gain, penalty = [0.75, 0.5], [1.0, 1.0], [0.2, 0.4]
    found = theory.deviation(hazard, gain, penalty, [0.75, 0.6], [1.0, 0.5])
    np.testing.assert_allclose(found, [0.0, 0.25 * (1.4 * 0.1 + 0.5 * 0.5)])


def test_largest_products_by_hand_and_by_draws():
    """K / (K + 1), one product of two, and the draws of 200,000."""
    assert products.largest_products(0, 4, 3) == 3
    assert products.largest_products(1, 4) == pytest.approx(4 / 5)
    assert products.largest_products(2, 1) == pytest.approx(1 / 4)
    assert products.largest_products(3, 5, 5) == pytest.approx(5 / 8)
    drawn = np.sort(np.random.default_rng(3).random((200_000, 5, 3)).prod(axis=2))
    two = drawn[:, -2:].sum(axis=1)
    error = two.std() / np.sqrt(two.size)
    assert abs(two.mean() - products.largest_products(3, 5, 2)) < 4 * error


@each_row("num_arms, size", [(1, 1), (2, 1), (5, 1), (5, 2), (5, 5)])
def test_equal_chances_are_spread_out_most(num_arms, size):
    equal = min(size / num_arms, np.exp(-1))
    expected = num_arms * equal * np.log(1 / equal)
    assert products.spread_out(num_arms, size) == pytest.approx(expected)


def test_the_bound_by_hand():
    """One limit, known gains: L sqrt(log(K) K T log(1 + T / 2K) / 2)."""
    found = theory.bayes_regret_bound(1000.0, 4, [0.5], coins=False)
    expected = 1.5 * np.sqrt(np.log(4) * 4 * 1000 * np.log1p(125) / 2)
    np.testing.assert_allclose(found, expected)
    costly = theory.bayes_regret_bound(1000.0, 4, [0.5], coins=False, largest_cost=2.0)
    np.testing.assert_allclose(costly, expected * 3 / 1.5)
    # Coins: what is gained is seen by runs that end, a uniform share of all.
    coins = theory.bayes_regret_bound(1000.0, 4, [0.5])
    more = np.sqrt(np.log(4) * 4 * 800 * np.log1p(100) / 2)
    np.testing.assert_allclose(coins, expected + more)


def test_the_numbers_of_the_page():
    rounds = [1e3, 1e4]
    for size, told in ((1, [440, 1701]), (2, [464, 1765])):
        found = theory.bayes_regret_bound(rounds, 3, PENALTY, size=size)
        np.testing.assert_allclose(found, told, atol=0.6)
    lost = theory.lost_regret([1e3, 1e4, 1e5, 1e6], 0.35, 0.3)
    np.testing.assert_allclose(lost, [0.3, 1.2, 5.7, 28], rtol=0.05)
    chances = theory.chance_after_failures([4, 8, 12, 16, 20], 0.3)
    np.testing.assert_allclose(
        chances, [0.17, 0.014, 2.9e-4, 1.6e-6, 2.3e-9], rtol=0.04
    )
    trials = [theory.chance_of_trial(0.8, 0.1, 10, b) for b in (1.0, 10.0, 30.0)]
    np.testing.assert_allclose(trials, [1.0, 0.025, 5e-13], rtol=0.03)


def test_what_is_lost_by_waiting_is_no_power_below_1():
    """One n by hand, and a power of t that goes to 1."""
    n, p, q = 8, 0.35, 0.3
    again = theory.chance_after_failures(n, q)
    waiting = sum((1 - again) ** i for i in range(1, 1000 - n + 1))
    one = (p - q) * (1 - p) ** n * waiting
    assert theory.lost_regret(1000.0, p, q) >= one * (1 - 1e-9)
    rounds = 10.0 ** np.array([6, 12, 24, 48, 96, 192])
    lost = np.log(theory.lost_regret(rounds, p, q))
    slopes = np.diff(lost) / np.diff(np.log(rounds))
    assert np.all(np.diff(slopes) > 0) and slopes[-1] > 0.9
    # Of Beta posteriors the waits can be summed: the chance of a trial falls less.
    n = np.arange(30, 60)
    beta = (1 - p) ** n / (1 - q) ** (n + 1)
    normal = (1 - p) ** n / theory.chance_after_failures(n, q)
    assert np.all(np.diff(beta) < 0) and np.all(np.diff(normal) > 0)
