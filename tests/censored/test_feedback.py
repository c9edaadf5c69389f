"""Feedback is eq. (1), boundary included; the books count what was played."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxbandits import censored, laws
from jaxbandits.arrays import constant
from jaxbandits.censored import Action

LIMITS = [0.25, 0.5, 0.75]


@pytest.fixture(scope="module")
def game():
    """Two arms whose consumption is certain: 0.5 and 1; rewards are always 1."""
    arms = laws.Product(
        laws.Bernoulli(np.ones(2)),
        laws.Discrete(np.array([[0.5], [1.0]]), np.ones((2, 1))),
    )
    problem = censored.running_example(2, LIMITS)
    return censored.make_environment(
        "certain", problem, laws.product(laws.bernoulli, laws.discrete), arms
    )


@pytest.mark.parametrize(
    ("arm", "limit", "exceeded"), [(0, 0, True), (0, 1, False), (1, 2, True)]
)
def test_censored_iff_the_limit_is_exceeded(game, arm, limit, exceeded):
    state = game.game.init(game.setup)
    setup = constant(game.setup)
    action = Action(jnp.int32(arm), jnp.int32(limit))
    noise = np.full(4, 2**30, np.uint32)
    state, feedback = jax.jit(game.game.step)(noise, setup, state, action)
    assert bool(feedback.censored) is exceeded
    # A consumption equal to the limit is observed: eq. (1) has C <= tau.
    assert float(feedback.consumption) == (np.inf if exceeded else 0.5)
    assert float(feedback.reward) == (0.0 if exceeded else 1.0)
    expected = np.zeros((2, 3), int)
    expected[arm, limit] = 1
    np.testing.assert_array_equal(state.pulls, expected)
    assert int(state.censored) == exceeded
    # Shares of a single round.
    tables = jax.tree.map(lambda leaf: leaf[0], game.tables(None))
    with jax.enable_x64(True):
        shares = game.game.metrics(tables, None, state)
    assert float(shares["censored"]) == exceeded
    assert float(shares["optimal"]) == (not exceeded)


def test_exact_values_of_certain_consumption(game):
    values = game.oracle().values
    # Arm 1: censored below 0.5, else reward 1 minus cost 0.05. Arm 2: always censored;
    # the penalty is tau / 10 up to 0.5 and 10 tau beyond.
    np.testing.assert_allclose(
        values, [[-0.025, 0.95, 0.95], [-0.025, -0.05, -7.5]], atol=1e-12
    )


def test_simple_regret_is_the_gap_of_the_very_pair(game):
    recommended = Action(np.array([[0, 0], [1, 1]]), np.array([[0, 1], [1, 2]]))
    found = game.judge(None, recommended)["simple_regret"]
    np.testing.assert_allclose(found, [[0.975, 0], [1.0, 8.45]], atol=1e-12)


def test_empirical_values_are_averages_of_the_records():
    reward = [[0.2, 0.8], [1.0, 0.0]]
    consumption = [[0.2, 0.6], [0.5, 0.5]]
    problem = censored.running_example(2, [0.25, 0.75])
    game = censored.make_environment(
        "records", problem, laws.empirical, laws.empirical_params(reward, consumption)
    )
    expected = [
        [(0.2 - 0.02) / 2 - 0.5 * 0.025, (0.2 - 0.02 + 0.8 - 0.06) / 2],
        [-0.025, (1.0 - 0.05 + 0.0 - 0.05) / 2],
    ]
    np.testing.assert_allclose(game.oracle().values, expected, atol=1e-12)
