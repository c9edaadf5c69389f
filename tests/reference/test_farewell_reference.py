"""Self-checks of the farewell twins: hand-computed cases."""

import numpy as np
import pytest

from tests.reference import farewell_policies as policies
from tests.reference.farewell_environment import Environment, exact_table
from tests.tables import each_row

# exact values


def test_exact_table_by_hand():
    # tau = 1, 2, 3 or never with .5, .25, 0, .25; E[V | tau] = 1, .4, .7
    table = exact_table([[0.5, 0.25, 0.0, 0.25]], [[1.0, 0.4, 0.7]])
    np.testing.assert_allclose(table["reward"], [[0.5, 0.6, 0.6]], rtol=1e-15)
    np.testing.assert_allclose(table["time"], [[1.0, 1.5, 1.75]], rtol=1e-15)
    np.testing.assert_allclose(table["g"], [[1 / 2, 2 / 5, 12 / 35]], rtol=1e-15)
    np.testing.assert_allclose(table["gap"], [[0.0, 0.1, 11 / 70]], rtol=1e-14)


# environment and clock


@each_row(
    "noise, wait, feedback",
    [
        ((0.0, 0.99), 0, (1.0, 1, 1)),
        ((0.49, 0.99), 2, (1.0, 1, 1)),
        ((0.5, 0.39), 0, (0.0, 1, np.inf)),  # tau = 2 > 1: V is forfeited
        ((0.5, 0.39), 1, (1.0, 2, 2)),
        ((0.74, 0.4), 1, (0.0, 2, 2)),  # seen, with V = 0
        ((0.5, 0.39), 2, (1.0, 2, 2)),
        ((0.75, 0.0), 2, (0.0, 3, np.inf)),  # never: tau = 3 has probability 0
        ((0.75, 0.0), 1, (0.0, 2, np.inf)),
    ],
)
def test_environment_by_hand(noise, wait, feedback):
    arms = [[0.0, 0.0, 1.0, 0.0], [0.5, 0.25, 0.0, 0.25]]
    environment = Environment(arms, [[0.0, 0.0, 0.0], [1.0, 0.4, 0.7]])
    assert environment.step(noise, 1, wait) == feedback
    assert environment.step(noise, 0, 2) == (0.0, 3, 3)


# policies, on two arms and three waits, after

HISTORY = [
    # arm, wait position, reward, time, delay
    (0, 0, 0.0, 1, np.inf),
    (0, 1, 1.0, 2, 2),
    (0, 2, 1.0, 1, 1),
    (1, 0, 0.0, 1, 1),
    (1, 1, 0.0, 2, np.inf),
    (1, 2, 1.0, 3, 3),
    (0, 2, 0.0, 3, np.inf),
]
COUNT = np.array([[1, 1, 2], [1, 1, 1]])
REWARD = np.array([[0, 1, 1 / 2], [0, 0, 1]])
TIME = np.array([[1, 2, 2], [1, 2, 3]])
SHORTER = {
    "count": np.array([[4, 3, 2], [3, 2, 1]]),
    "reward": np.array([[1, 2, 1], [0, 0, 1]]),
    "time": np.array([[4, 5, 4], [3, 4, 3]]),
}
NAIVE = {
    "count": np.array([[4, 3, 3], [3, 3, 2]]),
    "reward": np.array([[1, 2, 2], [0, 0, 1]]),
    "time": np.array([[4, 5, 6], [3, 5, 4]]),
}


def played(policy):
    for t, feedback in enumerate(HISTORY, start=1):
        policy.update(t, None, *feedback)
    return policy


def wait_radius(n, s):
    """alpha_j = 0, 8/3, 16/3 and beta_j = sqrt 2, 2 sqrt 2, 2 + sqrt 2."""
    alpha = np.array([0, 8 / 3, 16 / 3])
    beta = np.array([np.sqrt(2), 2 * np.sqrt(2), 2 + np.sqrt(2)])
    return alpha * np.log(s) / n + beta * np.sqrt(np.log(s) / n)


def theorem_1(mean, n, z2, eta, m, M):
    """Both ends, as printed in the budgeted paper."""
    A = n + z2 * eta
    B = 2 * n * mean + z2 * eta * (M + m)
    C = n * mean**2 + z2 * eta * M * m
    root = np.sqrt(B**2 / (4 * A**2) - C / A)
    return B / (2 * A) - root, B / (2 * A) + root


def test_wait_ucb_by_hand():
    policy = played(policies.WaitUCB(2, 3))
    expected = REWARD / TIME + wait_radius(COUNT, 7)
    np.testing.assert_allclose(policy.indices(8), expected, rtol=1e-13)
    assert policy.act(8) == (1, 2)


@each_row("observe, sums", [("shorter", SHORTER), ("naive", NAIVE)])
def test_wait_ucb_that_credits_more_waits(observe, sums):
    policy = played(policies.WaitUCB(2, 3, observe))
    np.testing.assert_array_equal(policy.count, sums["count"])
    np.testing.assert_array_equal(policy.reward_sum, sums["reward"])
    np.testing.assert_array_equal(policy.time_sum, sums["time"])
    expected = sums["reward"] / sums["time"] + wait_radius(sums["count"], 7)
    np.testing.assert_allclose(policy.indices(8), expected, rtol=1e-13)


def test_product_limit_by_hand():
    policy = played(policies.WaitUCB(2, 3, "product_limit"))
    # arm 0: at risk 4, 2, 1 and events 1, 1, 0 with V = 1: S = 1, 3/4, 3/8
    # arm 1: at risk 3, 2, 1, events 1, 0, 1, V = 0 and 1: S = 1, 2/3, 2/3
    np.testing.assert_array_equal(policy.at_risk, [[4, 2, 1], [3, 2, 1]])
    np.testing.assert_array_equal(policy.events, [[1, 1, 0], [1, 0, 1]])
    estimate = np.array([[1 / 4, 5 / 14, 5 / 17], [0, 0, 2 / 7]])
    np.testing.assert_allclose(policy.product_limit(), estimate, rtol=1e-14)
    expected = estimate + wait_radius(SHORTER["count"], 7)
    np.testing.assert_allclose(policy.indices(8), expected, rtol=1e-13)


def test_ucb_simplex_by_hand():
    for kappa, factor in [(None, 4.0), (0.5, 1.5)]:
        policy = played(policies.UCBSimplex(2, 3, kappa))
        expected = (REWARD + factor * np.sqrt(2 * np.log(8) / COUNT)) / (TIME / 3)
        np.testing.assert_allclose(policy.indices(8), expected, rtol=1e-13)


def test_ucb1_by_hand():
    policy = played(policies.UCB1(2, 3))
    expected = REWARD + np.sqrt(2 * np.log(8) / COUNT)
    np.testing.assert_allclose(policy.indices(8), expected, rtol=1e-13)
    assert policy.act(8) == (0, 1)  # the first of two equal ones


@each_row("star", [False, True])
def test_omega_by_hand(star):
    policy = played(policies.OmegaUCB(2, 3, rho=0.5, star=star))  # eta = 1: n < 30
    z2 = np.log(8)
    expected = np.empty((2, 3))
    for pair in np.ndindex(2, 3):
        n, j = COUNT[pair], pair[1] + 1
        reward = theorem_1(REWARD[pair], n, z2, 1.0, 0.0, 1.0)[1]
        time = theorem_1(TIME[pair], n, z2, 1.0, 1.0, j)[0] if j > 1 else 1.0
        expected[pair] = reward / time
    np.testing.assert_allclose(policy.indices(8, None), expected, rtol=1e-12)
    # by hand: the reward 0 has z2 / (1 + z2), the reward 1 has 1
    assert policy.indices(8, None)[0, 0] == pytest.approx(z2 / (1 + z2))
    # time 2 of [1, 2]: x = 1, so 1 + 1 / (1 + z2)
    assert policy.indices(8, None)[0, 1] == pytest.approx(1 / (1 + 1 / (1 + z2)))


def star_policy(outcomes):
    policy = policies.OmegaUCB(1, 3, star=True)
    for t, (reward, time) in enumerate(outcomes, start=1):
        policy.update(t, None, 0, 2, reward, time, time)
    return policy


def test_omega_star_learns_eta_from_30_samples():
    # rewards 0, .5, 1 and times 1, 2, 3 in equal parts: variances 1/6 and 2/3, so
    # eta = (1/6) / (1/4) = 2/3 and (2/3) / (1 * 1) = 2/3
    outcomes = [(0.0, 3), (0.5, 2), (1.0, 1)] * 10
    assert star_policy(outcomes).eta(0, 2) == pytest.approx((2 / 3, 2 / 3), rel=1e-12)
    assert star_policy(outcomes[:-1]).eta(0, 2) == (1.0, 1.0)
    index = star_policy(outcomes).indices(31, None)[0, 2]
    z2 = 2 * np.log(31)
    reward = theorem_1(0.5, 30, z2, 2 / 3, 0.0, 1.0)[1]
    time = theorem_1(2.0, 30, z2, 2 / 3, 1.0, 3.0)[0]
    assert index == pytest.approx(reward / time, rel=1e-12)
