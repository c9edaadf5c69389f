"""Hazards: rates by the game's table, the bound that the proof rests on, priors."""

import bounds
import numpy as np
import pytest

from jaxbandits import farewell, simulate
from jaxbandits.protocol import Environment
from jaxbandits_studies.theory import hazards as theory
from tests.reference.farewell_environment import exact_table
from tests.tables import each_row


def units(seed, size=6):
    """Hazards and rewards, some of them at the ends of their range."""
    rng = np.random.default_rng(seed)
    hazard, value = rng.random((2, size)) ** 2
    hazard[rng.integers(size)] = seed % 2
    return hazard, value


@each_row("seed", range(4))
def test_rates_are_those_of_the_game(seed):
    hazard, value = units(seed)
    survival = np.cumprod(1 - hazard)
    ends = np.append(1.0, survival[:-1]) * hazard
    table = exact_table([[*ends, survival[-1]]], [value])
    np.testing.assert_allclose(theory.rates(hazard, value), table["g"][0], rtol=1e-12)


def test_rates_stay_within_the_deviation():
    """And come near it: the bound is off by no more than a factor where D is 1."""
    share = []
    for seed in range(400):
        one, other = units(seed), units(seed + 1000)
        mixed = [0.9 * a + 0.1 * b for a, b in zip(one, other, strict=True)]
        for changed in (other, mixed):
            off = np.abs(theory.rates(*changed) - theory.rates(*one))
            bound = theory.deviation(*one, *changed)
            assert np.all(off <= bound + 1e-12)
            share.append(np.max(off / np.maximum(bound, 1e-12)))
    assert max(share) > 0.5


def test_an_error_counts_as_often_as_its_unit_is_entered():
    hazard, value = np.array([0.75, 0.5]), np.array([1.0, 1.0])
    later = np.array([0.75, 0.5 + 0.1])
    rate = (0.75 + 0.25 * 0.5) / 1.25
    found = theory.deviation(hazard, value, later, value)
    np.testing.assert_allclose(found, [0.0, 0.25 * (1 + 2 * rate) * 0.1])


def test_the_bayes_bound_by_hand():
    """One wait, two arms: q(0) + q(1), of 1 and of 2 / 3 of all epochs."""
    factor = (1 + np.sqrt(2 * np.log(4))) / 2
    seen = (np.sqrt(2 * n * np.log1p(n / 4)) for n in (1000.0, 2000 / 3))
    np.testing.assert_allclose(
        theory.bayes_regret_bound(1000.0, 2, 1), factor * sum(seen)
    )
    # With two waits units are entered by 2 / 3 of the better arm, and D is 2.
    one, two = (theory.bayes_regret_bound(1e5, 2, d) for d in (1, 2))
    assert 2 * one < two < 4 * one


def test_the_bayes_bounds_of_the_page():
    for num_waits, told in (
        (1, [250, 946, 3_414, 11_979]),
        (2, [875, 3_330, 12_053, 42_387]),
        (3, [1_702, 6_521, 23_686, 83_475]),
    ):
        found = theory.bayes_regret_bound([1e3, 1e4, 1e5, 1e6], 2, num_waits)
        np.testing.assert_allclose(found, told, atol=0.6)


@pytest.mark.slow
def test_runs_are_below_the_bayes_bound():
    """2 drawn games with one wait, beside pairs at random."""
    rng, regret, random = np.random.default_rng(7), [], []
    for i in range(2):
        delay, value = bounds.drawn_waits(rng, 2, 1)
        game = farewell.make_environment("drawn", delay, value, num_waits=1)
        policy = farewell.hazard_thompson(game.problem)
        data = simulate(policy, game, budget=2_000, seeds=1, root_seed=i)
        regret.append(float(data["regret"].values.reshape(-1)[-1]))
        random.append(bounds.at_random(delay, value, 2_000.0))
    bound = theory.bayes_regret_bound(2_000.0, 2, 1)
    assert 0 < np.mean(regret) < bound / 10
    assert np.mean(regret) < np.mean(random) / 5


def test_the_chance_of_a_trial_by_hand():
    # P(h v > g) of two uniform numbers.
    assert theory.chance_of_trial(0.3, 1) == pytest.approx(1 - 0.3 + 0.3 * np.log(0.3))
    assert theory.chance_of_trial(0.0, 5) == 1
    for passed in (1, 5, 20):
        assert 0 < theory.chance_of_trial(0.3, passed) <= 0.7**passed


def rare_prize() -> Environment:
    """Five macro-arms and 30 waits: an epoch pays at once or never."""
    first = np.array([0.2, 0.1, 0.1, 0.1, 0.5])
    delay = np.zeros((5, 31))
    delay[:, 0], delay[:, -1] = first, 1 - first
    return farewell.make_environment("rare prize", delay, np.ones((5, 1)), num_waits=30)


@pytest.mark.slow
def test_a_prior_that_expects_nothing_loses_runs():
    """The numbers of theory/hazard-thompson.md."""
    game = rare_prize()
    data = simulate(
        farewell.hazard_thompson(game.problem).over(prior_passed=[1.0, 30.0]),
        game,
        budget=10_000,
        seeds=64,
        checkpoints=[10_000],
    )
    regret = data["regret"].isel(policy=0, checkpoint=-1)
    uniform, empty = regret.transpose("params", "seed").values
    assert uniform.max() < 100
    assert empty.max() > 2_900
