"""Remark 1: without consumption, cost and penalty a game is a standard bandit."""

import numpy as np
import pytest

from jaxbandits import censored, laws
from tests.rollout import run_of

MEAN = np.array([0.5, 0.9, 0.3])
COINS = censored.plain("coins", laws.bernoulli, laws.Bernoulli(MEAN))


def test_values_are_the_mean_rewards():
    oracle = COINS.oracle()
    np.testing.assert_allclose(oracle.values, MEAN[:, None], rtol=1e-15)
    np.testing.assert_allclose(oracle.gaps, 0.9 - MEAN[:, None], atol=1e-15)
    assert oracle.censoring.max() == 0
    assert (
        COINS.problem.max_penalty == COINS.problem.max_cost == COINS.problem.sigma == 0
    )


def test_rewards_may_have_noise():
    game = censored.plain(
        "noise", laws.normal, laws.Normal(MEAN, np.array([1, 2, 0.5]))
    )
    assert game.problem.sigma == 2
    np.testing.assert_allclose(game.oracle().values, MEAN[:, None])


def test_rcucb_is_then_ucb():
    """Half a gain radius is UCB's: the extension adds nothing to the old game."""
    params = censored.rcucb(COINS.problem).params._replace(gain_radius=0.5)
    trace = run_of(censored.rcucb(COINS.problem), COINS, 400, params=params)
    assert not np.any(trace.feedback.censored)
    arms, seen = trace.actions.arm, trace.feedback
    chosen, rewards = np.asarray(arms), np.asarray(seen.reward)
    pulls, total = np.zeros(3), np.zeros(3)
    for t, (arm, reward) in enumerate(zip(chosen, rewards, strict=True), start=1):
        with np.errstate(divide="ignore", invalid="ignore"):
            index = total / pulls + np.sqrt(np.log(t) / (2 * pulls))
        assert arm == (t - 1 if t <= 3 else np.argmax(index))
        pulls[arm] += 1
        total[arm] += reward
    assert pulls[1] > 300


def test_rewards_beyond_1_and_laws_of_pairs_are_refused():
    beyond = laws.Uniform(np.zeros(2), np.array([1.0, 1.5]))
    unlikely = laws.Bernoulli(np.array([0.5, 1.5]))
    with pytest.raises(ValueError, match="support"):
        censored.plain("wrong", laws.uniform, beyond)
    with pytest.raises(ValueError, match="probability"):
        censored.plain("wrong", laws.bernoulli, unlikely)
    with pytest.raises(TypeError, match="rewards must be"):
        censored.plain("wrong", laws.product(laws.uniform, laws.uniform), beyond)
