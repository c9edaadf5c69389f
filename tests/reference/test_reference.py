"""Self-checks of the reference twins: hand-computed cases."""

import numpy as np
import pytest
from scipy import stats

from tests.reference import censored_policies as policies
from tests.reference import exact, laws
from tests.reference.censored_environment import CensoredEnvironment
from tests.tables import each_row


def cost(x):
    return x / 10


def penalty(x):
    return cost(x) if x <= 0.5 else 10 * x


# laws, which those of the library are compared with


def covariance(x, sigma):
    """Eq. (33)."""
    off = 2 * x * np.sqrt(1 - x**2)
    return sigma * np.array([[1, off], [off, 1]])


def test_exponential_and_discrete_laws():
    assert laws.exponential(np.array([0.5]), 2.0) == pytest.approx(np.log(2) / 2)
    u = np.array([1e-12, 0.3, 0.999999])
    values = [laws.exponential(u[k:], 1.8) for k in range(3)]
    np.testing.assert_allclose(values, stats.expon.ppf(u, scale=1 / 1.8), rtol=1e-14)
    assert [laws.bernoulli(np.array([x]), 0.3) for x in (0.29, 0.3)] == [1.0, 0.0]
    drawn = [laws.discrete([x], [5, 6, 7], [0.25, 0.5, 0.25]) for x in (0.2, 0.25, 0.9)]
    assert drawn == [5, 6, 7]
    assert laws.discrete([1 - 1e-16], [1, 2], [0.1, 0.9 - 1e-12]) == 2
    pairs = np.array([[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]])
    assert laws.empirical([0.34], pairs) == (0.3, 0.4)
    assert laws.empirical([np.nextafter(1, 0)], pairs) == (0.5, 0.6)


@each_row("a, b", [(0.8, 0.2), (0.01, 0.01), (2.0, 3.5)])
def test_beta_law_against_scipy(a, b):
    u = np.random.default_rng(1).random((4, 4000))
    drawn = laws.beta(u, a, b)
    assert np.all((drawn >= 0) & (drawn <= 1))
    # scipy's cdf is flat at float64's ends for tiny parameters: compare the middle
    for x in (0.05, 0.3, 0.5, 0.9):
        p = stats.beta.cdf(x, a, b)
        assert abs(np.mean(drawn <= x) - p) < 4 * np.sqrt(p * (1 - p) / 4000)
    assert abs(drawn.mean() - a / (a + b)) < 4 * stats.beta.std(a, b) / np.sqrt(4000)


@each_row(
    "mean, x, sigma, upper",
    [
        ((0.6, 0.45), 0.2, 0.2, (1, 1)),
        ((0.9, 0.8), -0.2, 0.2, (1, 1)),
        ((0.18, 0.0), 0.6, 0.001, (1, 0.6)),
    ],
)
def test_truncated_gaussian_pair_against_scipy(mean, x, sigma, upper):
    sigma_matrix = covariance(x, sigma)
    arm = exact.TruncatedGaussianPair(mean, sigma_matrix, upper=upper)
    previous = 0.0
    for u in (1e-6, 0.01, 0.3, 0.5, 0.77, 0.999):
        reward, consumption = laws.truncated_gaussian_pair(
            np.array([u, u]), mean, sigma_matrix, upper=upper
        )
        assert previous < consumption < upper[1]
        previous = consumption
        assert arm.within(consumption) == pytest.approx(u, rel=1e-9)
        centre = mean[0] + sigma_matrix[0, 1] / sigma * (consumption - mean[1])
        sd = np.sqrt(sigma - sigma_matrix[0, 1] ** 2 / sigma)
        box = ((0 - centre) / sd, (upper[0] - centre) / sd)
        expected = stats.truncnorm.ppf(u, *box, centre, sd)
        assert reward == pytest.approx(expected, abs=1e-12)


# environment


def test_the_environment_censors_above_the_limit():
    environment = CensoredEnvironment([lambda u: (u[0], u[1])])
    assert environment.step([0.7, 0.5], 0, 0.5) == (0.7, 0.5, False)  # C <= tau
    assert environment.step([0.7, 0.5], 0, 0.4) == (None, np.inf, True)


# policies, on limits .2, .6, .8 with lambda(.2) = .02, lambda(.6) = 6, ...

LIMITS = [0.2, 0.6, 0.8]
FEEDBACK = [
    # arm, limit_index, reward, consumption, censored
    (0, 2, 0.9, 0.5, False),
    (1, 2, None, np.inf, True),
    (0, 1, None, np.inf, True),
    (0, 1, 0.6, 0.1, False),
    (0, 0, None, np.inf, True),
    (1, 0, 0.3, 0.2, False),
]


def played(policy, noise=None):
    for t, feedback in enumerate(FEEDBACK, start=1):
        policy.update(t, noise, *feedback)
    return policy


def test_rcucb_by_hand():
    policy = played(policies.RCUCB(2, LIMITS, cost, penalty, alpha=1.5))
    # arm 0: limits .8, .6, .6, .2; arm 1: limits .8, .2
    reach = np.array([[4, 3, 1], [2, 1, 1]])
    gain = np.array(
        [[0.59 / 4, (0.85 + 0.59) / 3, 0.85], [0.28 / 2, 0.0, 0.0]],
    )
    survival = np.array([[3 / 4, 2 / 4, 2 / 4], [1 / 2, 1 / 2, 1 / 2]])
    lam = np.array([0.02, 6.0, 8.0])
    pulls = np.array([[4], [2]])
    log_term = 3.0 * np.log(7)
    expected = (
        gain
        - lam * survival
        + np.sqrt(log_term / reach)
        + lam * np.sqrt(log_term / pulls)
    )
    np.testing.assert_allclose(policy.indices(7), expected, rtol=1e-13)
    assert policy.act(7, None) == (1, 2)
    ucb1 = policies.RCUCB(
        2, LIMITS, cost, penalty, alpha=1.5, penalty_radius=0, radius="ucb1"
    )
    expected = gain - lam * survival + np.sqrt(0.75 * np.log(7) / reach)
    np.testing.assert_allclose(played(ucb1).indices(7), expected, rtol=1e-13)


def test_kaplan_meier_by_hand():
    policy = played(policies.RCUCB(2, LIMITS, cost, penalty, estimator="kaplan_meier"))
    # arm 0: cell 1 has n = 4, d = 1; cell 2 has n = 2 (C = .5, censored at .6),
    # d = 1; cell 3 has n = 0. Arm 1: n = 2, d = 1; n = 1, d = 0; n = 1, d = 0.
    expected = [[3 / 4, 3 / 8, 3 / 8], [1 / 2, 1 / 2, 1 / 2]]
    np.testing.assert_allclose(policy.survival(), expected, rtol=1e-14)


def test_product_arms_by_hand():
    plain = policies.UCB(6, alpha=2.0)
    policy = policies.ProductArms(2, LIMITS, cost, penalty, plain, penalty_max=10)
    assert [policy.act(t, None) for t in (1, 3, 4)] == [(0, 0), (0, 2), (1, 0)]
    played(policy)
    sums = np.array([[-0.02, -6 + 0.59, 0.85], [0.28, 0.0, -8.0]])
    counts = np.array([[1, 2, 1], [1, 0, 1]])
    np.testing.assert_array_equal(plain.counts, counts.ravel())
    rescaled = (sums + 10 * counts) / 11
    np.testing.assert_allclose(plain.sums, rescaled.ravel(), rtol=1e-14)
    policy.update(7, None, 1, 1, None, np.inf, True)
    assert plain.upper_bounds(8, plain.sums / plain.counts)[4] == pytest.approx(
        4 / 11 + np.sqrt(np.log(8))
    )
    assert policy.act(8, None) == (0, 2)  # .85 is the best of the single plays


def test_moss_by_hand():
    plain = policies.MOSS(2, horizon=20)
    plain.counts, plain.sums = np.array([2.0, 12.0]), np.array([1.0, 6.0])
    expected = [0.5 + np.sqrt(np.log(5) / 2), 0.5]
    np.testing.assert_allclose(plain.indices(15), expected, rtol=1e-14)


def test_kl_ucb_by_hand():
    plain = policies.KLUCB(3)
    plain.counts, plain.sums = np.array([4.0, 5.0, 6.0]), np.array([0.0, 5.0, 3.0])
    index = plain.indices(16)
    # kl(0, q) = -log(1 - q); kl(1/2, q) = -log(4 q (1 - q)) / 2
    middle = 0.5 + 0.5 * np.sqrt(1 - np.exp(-2 * np.log(16) / 6))
    np.testing.assert_allclose(index, [0.5, 1.0, middle], rtol=1e-14)


@each_row(
    "update, successes, failures",
    [
        # (32) for the round: tau = .2: 9.98/11 = .907, tau = .6: 10.85/11 = .986
        ("independent", [1, 0, 0], [0, 1, 0]),
        ("shared", [1, 1, 0], [0, 0, 0]),
        ("copied", [1, 1, 0], [0, 0, 0]),
        ("strict", [0, 1, 0], [0, 0, 0]),
    ],
)
def test_thompson_updates_by_hand(update, successes, failures):
    policy = policies.Thompson(1, LIMITS, cost, penalty, penalty_max=10, update=update)
    policy.update(1, np.array([0.9, 0.99, 0.0]), 0, 1, 0.9, 0.5, False)
    np.testing.assert_array_equal(policy.successes[0], successes)
    np.testing.assert_array_equal(policy.failures[0], failures)


def test_thompson_indices_by_hand():
    policy = policies.Thompson(1, LIMITS, cost, penalty, penalty_max=10)
    assert [policy.act(t, None) for t in (1, 2, 3)] == [(0, 0), (0, 1), (0, 2)]
    policy.successes[0] = [0, 3, 0]
    noise = np.array([0.5, 0.2, 0.7, 0.5, 0.3, 0.1])
    g = stats.gamma.ppf(noise, [1, 4, 1, 1, 1, 1])
    expected = g[:3] / (g[:3] + g[3:])
    np.testing.assert_allclose(policy.indices(4, noise)[0], expected, rtol=1e-12)
