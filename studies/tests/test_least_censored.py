"""c of the censored setting among all laws: by hand, and what rivals may have."""

from math import log

import numpy as np
import pytest

from jaxbandits import censored
from jaxbandits.censored import make_problem
from jaxbandits.laws import empirical, empirical_params
from jaxbandits_studies.censored import constants
from jaxbandits_studies.censored.constants import of_any_law, of_known_gains


def coins(limits, consumptions, ones):
    """An arm per row of consumptions; rewards are 1 in so many of 8 rounds."""
    rewards = np.array([[1.0] * n + [0.0] * (8 - n) for n in ones])
    problem = make_problem(
        len(ones), limits, cost=lambda c: 0 * c, penalty=lambda tau: 0 * tau
    )
    times = np.broadcast_to(np.asarray(consumptions, float), rewards.shape)
    return censored.make_environment(
        "coins", problem, empirical, empirical_params(rewards, times)
    )


def kl(p, q):
    return p * log(p / q) + (1 - p) * log((1 - p) / (1 - q))


def test_nothing_is_censored():
    """Lai and Robbins: one limit, which no round exceeds."""
    game = coins([0.5], 0.25, [4, 2])
    expected = (1 / 2 - 1 / 4) / kl(1 / 4, 1 / 2)
    assert of_any_law(game).constant == pytest.approx(expected, rel=0.02)
    # If the mean of the only cell is known nothing is to be learnt.
    assert of_known_gains(game).constant == 0


def test_a_longer_limit_shows_what_nobody_has_seen():
    """One arm whose rounds pay in the first cell, or cost what ends in the second.

    Half of the rounds end soon, with 1. The others end in the second cell and pay
    nothing there, so that both limits are worth a half and c is 0; with a cost of
    consumption the first one is best, and a rival pays for the second cell.
    """
    rewards = np.array([[1.0] * 4 + [0.0] * 4])
    times = np.array([[0.2] * 4 + [0.8] * 4])
    found = []
    for price in (0.0, 0.5):
        problem = make_problem(
            1,
            [0.25, 1.0],
            cost=lambda c, price=price: price * c,
            penalty=lambda tau: 0 * tau,
        )
        arms = empirical_params(rewards, times)
        found.append(
            of_any_law(censored.make_environment("x", problem, empirical, arms))
        )
    assert found[0].constant == 0
    # The second limit loses 0.2: rivals change what the first does not show, half of
    # all, so that a reward of 1 at the start of the cell, worth 7/8, balances 0.4.
    q = 0.4 / (0.4 + 7 / 8)
    expected = 0.2 / (0.5 * log(1 / (1 - q)))
    assert found[1].constant == pytest.approx(expected, rel=2e-3)


def test_finer_parts_leave_more_rivals():
    rng = np.random.default_rng(0)
    problem = censored.running_example(2, censored.equidistant(2))
    arms = empirical_params(rng.beta(2, 2, (2, 64)), rng.uniform(0, 1.2, (2, 64)))
    game = censored.make_environment("x", problem, empirical, arms)
    known = of_known_gains(game).constant
    coarse, fine, finest = (of_any_law(game, parts).constant for parts in (1, 2, 8))
    assert known <= coarse * 1.001 and coarse < fine < finest


def test_parts_have_the_mean_of_their_cell_and_bring_no_more_than_it_can(monkeypatch):
    """However few rounds are drawn, and however far their mean is off."""
    rng = np.random.default_rng(1)
    problem = censored.running_example(3, censored.equidistant(3))
    rewards = np.where(rng.random((3, 64)) < 0.6, 1.0, 0.2)
    arms = empirical_params(rewards, rng.uniform(0, 1.2, (3, 64)))
    game = censored.make_environment("x", problem, empirical, arms)
    told = []
    monkeypatch.setattr(constants, "DRAWN", 48)
    monkeypatch.setattr(
        constants.graves_lai, "of_symbols", lambda *given: told.append(given)
    )
    of_any_law(game)
    ((chances, seen, gains, penalties),) = told
    oracle = game.oracle()
    for limit, penalty in enumerate(penalties):
        inside = seen <= limit
        ended = (chances * gains)[:, inside].sum(axis=1)
        np.testing.assert_allclose(
            ended - penalty * oracle.censoring[:, limit], oracle.values[:, limit]
        )
        best = 1 - np.asarray(problem.cost(np.append(0.0, problem.limits)[[limit]]))
        assert gains[:, seen == limit].max() <= best + 1e-12


@pytest.mark.slow
def test_where_rewards_decide():
    """The c of theory/least-regret.md by hand, 34.1175, of nine arms alike."""
    game = censored.negcorr(form="printed")
    found = of_any_law(game, 8).constant
    assert 0.97 * 34.1175 < found < 34.1175
    assert of_known_gains(game).constant < found / 10
