"""Footnote 1: rewards with sub-Gaussian noise, from the problem to the policies."""

import math
from functools import partial

import numpy as np
import pytest

from jaxbandits import censored, laws
from tests.tables import assert_refused

MEAN = np.array([0.75, 0.5])
COSTS = laws.Uniform(np.zeros(2), np.array([1.0, 0.5]))
NORMAL = laws.product(laws.normal, laws.uniform)
LIMITS = (0.25, 0.5)
PRICES = censored.scaled(0.1), censored.fast_track(10.0, 0.4)


def arms(sigma):
    return laws.Product(laws.Normal(MEAN, np.array([sigma, sigma / 2])), COSTS)


def problem(sigma, limits=LIMITS):
    if limits == censored.ANY:
        return censored.make_continuum(2, *PRICES, sigma=sigma)
    return censored.make_problem(2, limits, *PRICES, sigma=sigma)


@pytest.mark.parametrize("limits", [LIMITS, censored.ANY])
def test_values_are_those_of_the_means(limits):
    """Noise does not move eq. (2): the oracle is that of rewards which are certain."""
    certain = laws.product(laws.discrete, laws.uniform)
    rewards = laws.Discrete(MEAN[:, None], np.ones((2, 1)))
    expected = censored.make_environment(
        "certain", problem(0.0, limits), certain, laws.Product(rewards, COSTS)
    )
    noisy = censored.make_environment("noisy", problem(3.0, limits), NORMAL, arms(3.0))
    np.testing.assert_equal(noisy.oracle()._asdict(), expected.oracle()._asdict())


@pytest.mark.parametrize("limits", [LIMITS, censored.ANY])
def test_a_learner_must_be_told_of_all_the_noise(limits):
    for told in (0.0, 1.9):
        with pytest.raises(ValueError, match=f"sigma must .* 2, got {told:g}:"):
            censored.make_environment("noisy", problem(told, limits), NORMAL, arms(2.0))
    censored.make_environment("noisy", problem(2.5, limits), NORMAL, arms(2.0))


def test_sigma_is_checked():
    for sigma in (-1.0, math.inf, math.nan):
        for limits in (LIMITS, censored.ANY):
            with pytest.raises(ValueError, match="^sigma must"):
                problem(sigma, limits)


def test_the_radius_is_that_of_the_noise():
    wide = math.sqrt(1 + 2.0**2)
    assert censored.rcucb(problem(2.0)).params.gain_radius == wide
    on_any = problem(2.0, censored.ANY)
    assert censored.z_rcucb(on_any).params.gain_radius == wide
    told = censored.z_rcucb(on_any, 500).params
    assert (told.gain_radius, told.horizon) == (wide, 500.0)
    on_grid = censored.on_grid(on_any, LIMITS, censored.rcucb)
    assert on_grid.params.gain_radius == wide
    assert censored.rcucb(problem(0.0)).params.gain_radius == 1.0


NEED_BOUNDS = {
    "cell_thompson": LIMITS,
    "thompson": LIMITS,
    "ucb_reduction": LIMITS,
    "moss_reduction": LIMITS,
    "kl_ucb_reduction": LIMITS,
    "stoo": censored.ANY,
    "zooming": censored.ANY,
}


def test_who_supposes_bounded_rewards_refuses():
    rows = [
        (partial(getattr(censored, name), problem(0.5, limits)), "in .0, 1.")
        for name, limits in NEED_BOUNDS.items()
    ]
    assert_refused(rows)
