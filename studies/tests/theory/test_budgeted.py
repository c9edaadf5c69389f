"""Bounds for omega-UCB: hand values, a loop for xi, limits, where the paper fails."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from jaxbandits_studies.theory import budgeted

FORMS = "printed", "proof"
REWARD = np.array([0.8, 0.1, 0.5])
COST = np.array([0.4, 0.1, 0.5])
shares = st.floats(0.01, 0.99)


def slow_xi(tau, rho, num_arms):
    """Theorem 4 as printed, in a loop."""
    total = math.fsum(math.sqrt(1 - t**-rho) for t in range(num_arms + 1, tau + 1))
    return (tau - num_arms) * (2 - math.sqrt(1 - tau**-rho)) - total


def test_ties_up_to_rounding_have_no_gap():
    reward, cost = np.array([0.3, 0.9, 0.6]), np.array([0.1, 0.3, 0.2])
    assert np.ptp(reward / cost) > 0
    assert np.all(budgeted.gaps(reward, cost) == 0)


@given(st.lists(st.tuples(shares, shares), min_size=2, max_size=6))
def test_proportional_gap_solves_equation_12(means):
    reward, cost = np.array(means).T
    delta = budgeted.proportional_gap(reward, cost)
    shifted = (reward + delta * (1 - reward)) / (cost - delta * cost)
    np.testing.assert_allclose(shifted, np.max(reward / cost), rtol=1e-9)
    assert np.all((delta >= 0) & (delta < 1))


def test_sufficient_pulls_at_the_edges_by_hand():
    reward, cost = [0.5, 1.0, 0.0], [0.1, 1.0, 1.0]
    pulls = budgeted.sufficient_pulls([1, 10], 1.0, reward, cost)
    np.testing.assert_array_equal(pulls, [[np.inf, np.inf, 0]] * 2)
    certain = budgeted.sufficient_pulls(10, 1.0, reward, cost, eta_reward=0.0)
    np.testing.assert_array_equal(certain, [np.inf, 0, 0])


def test_xi_keeps_its_digits():
    """The printed form subtracts numbers near tau; here xi is some 1e-11 of it."""
    tau, rho, K = 10**4, 4.0, 1000
    # f(t) = t^-rho / 2 up to a relative t^-rho.
    expected = math.fsum(t**-rho / 2 for t in range(K + 1, tau + 1))
    expected += (tau - K) * tau**-rho / 2
    assert abs(budgeted.xi(tau, rho, K) / expected - 1) < 1e-10
    assert abs(slow_xi(tau, rho, K) / expected - 1) > 1e-6
    # And for rho near 0: 1 - sqrt(1 - t^-rho) = 1 - sqrt(rho log t).
    assert abs(budgeted.xi(2, 1e-20, 1) - 2 * (1 - np.sqrt(1e-20 * np.log(2)))) < 1e-15


def test_xi_over_several_chunks_in_any_order():
    tau = np.array([[600_000, 20], [300_000, 600_000]])
    value = budgeted.xi(tau, 0.5, 10)
    t = np.arange(11.0, 600_001)
    failure = 1 - np.sqrt(1 - t**-0.5)
    expected = failure.cumsum() + (t - 10) * failure
    np.testing.assert_allclose(value, expected[tau - 11], rtol=1e-10)


def test_xi_in_the_start_up_is_zero():
    np.testing.assert_array_equal(budgeted.xi([1, 9, 10], 0.5, 10), 0)
    assert budgeted.xi(11, 0.5, 10) > 0


def test_the_rate_of_regret_by_hand():
    np.testing.assert_allclose(budgeted.regret_rate([1, 16, 81], 0.75), [1, 2, 3])
    np.testing.assert_allclose(budgeted.regret_rate([1, np.e], 1.0), [0, 1])
    np.testing.assert_allclose(budgeted.regret_rate([1, np.e], 3.0), [0, 1])


def test_tau_of_a_budget_by_hand():
    tau = budgeted.tau_of_budget([[1.0, 10.0]], COST)
    np.testing.assert_array_equal(tau, [[20, 200]])
    assert budgeted.tau_of_budget(1.0, [0.3, 0.9]) == 6


def test_regret_bound_by_hand():
    budgets = np.array([0.5, 50.0, 200.0])
    expected = []
    for B in budgets:
        tau = math.floor(2 * B / 0.1)
        log = 8 * math.log(tau)
        pulls = 2 * (1 + slow_xi(max(tau, 3), 1.0, 3)) + log * (121 * 9 + 9)
        expected.append(pulls + 2 * 2)
    bound = budgeted.regret_bound(budgets, 1.0, REWARD, COST)
    np.testing.assert_allclose(bound, expected)
    tail = budgeted.regret_bound(budgets, 1.0, REWARD, COST, tail_constant=3.0) - bound
    hand = 3 * 2 * budgets / 0.1 * np.exp(-0.05 * budgets)
    np.testing.assert_allclose(tail, hand, rtol=1e-9)


def test_optimal_arms_add_nothing_to_the_regret():
    one = budgeted.regret_bound(100.0, 2.0, [0.8, 0.5], [0.4, 0.5])
    two = budgeted.regret_bound(100.0, 2.0, [0.8, 0.5, 0.8], [0.4, 0.5, 0.4])
    # A second best arm only shortens the sum of xi by its first term, t = 3.
    assert 0 < one - two < 1 - np.sqrt(1 - 3.0**-2) + 1e-3
    assert budgeted.regret_bound(10.0, 1.0, [0.5], [0.5]) == 2
    assert budgeted.regret_bound(10.0, 1.0, [0.5, 1.0], [0.1, 1.0]) == np.inf


def test_trivial_bound_by_hand():
    """The worst arm, whose gap is 1.7, until the budget is gone and a pull more."""
    bound = budgeted.trivial_bound([50.0, 9.0], [0.9, 0.03], [0.5, 0.3])
    np.testing.assert_allclose(bound, [51 * 1.7, 10 * 1.7])


def test_theorem_2_gives_the_numbers_of_example_2():
    """5.5 and 2.1 are printed; the score is that of alpha(10,000), rho = 1."""
    alpha = budgeted.failure_bound(10_000, 1.0)
    assert stats.norm.isf(alpha / 2) == pytest.approx(4.056, abs=5e-4)
    bound = budgeted.ratio_bound([0.8, 0.1], [0.2, 0.1], 1000, alpha)
    np.testing.assert_allclose(bound, [5.504, 2.142], atol=5e-4)
    own = 2 * stats.norm.sf(budgeted.normal_score(10_000, 1.0))
    bound = budgeted.ratio_bound([0.8, 0.1], [0.2, 0.1], 1000, own)
    np.testing.assert_allclose(bound, [5.607, 2.238], atol=5e-4)


def test_theorem_2_at_the_edges_by_hand():
    """Nothing paid: +inf. No variance: the ratio itself. Both ends as SciPy's."""
    assert budgeted.ratio_bound(0.3, 0.0, 10, 0.05) == np.inf
    exact = budgeted.ratio_bound(0.3, 0.6, 10, 0.05, 0.0, 0.0)
    assert exact == pytest.approx(0.5)
    ends = stats.binomtest(7, 20).proportion_ci(0.99, "wilson")
    found = budgeted.ratio_bound(0.35, 0.35, 20, 0.01)
    assert found == pytest.approx(ends.high / ends.low)


@given(st.integers(2, 10**9), st.floats(0.1, 4))
def test_theorem_3_bounds_the_probability_of_the_score(t, rho):
    score = budgeted.normal_score(t, rho)
    assert score == pytest.approx(np.sqrt(2 * rho * np.log(t)))
    exact = 2 * stats.norm.sf(score)
    bound = budgeted.failure_bound(t, rho)
    assert exact <= bound <= exact + 0.056  # gamma, appendix A.2, step 2
    assert bound == pytest.approx(-np.expm1(0.5 * np.log1p(-(float(t) ** -rho))))


@given(st.lists(shares, min_size=4, max_size=4))
def test_at_the_shifted_means_the_corrected_interval_has_half_the_distance(means):
    """What eqs. (17) and (18) need, kappa = 1/2, with n* pulls and z of (14)."""
    reward, cost = np.array(means).reshape(2, 2)
    n = budgeted.sufficient_pulls(1000, 0.7, reward, cost, form="proof")
    delta = budgeted.proportional_gap(reward, cost)
    k = int(np.argmax(delta))
    if delta[k] < 1e-6:
        return
    z2 = budgeted.normal_score(1000, 0.7) ** 2
    r, c, d = reward[k], cost[k], delta[k]
    halves = []
    for shifted, distance in ((r + d * (1 - r), d * (1 - r)), (c * (1 - d), c * d)):
        width = np.sqrt(z2 * shifted * (1 - shifted) / n[k])
        halves.append(width / (distance / 2))
    assert max(halves) == pytest.approx(1)


def omega_ucb_pulls(tau, rho):
    """Pulls of an arm without reward beside a perfect one; both cost 1, no noise."""
    best, other = 1, 1
    for t in range(3, tau + 1):
        z2 = 2 * rho * np.log(t)
        # Wilson's interval at a mean of 1 ends at n / (n + z2), at 0 at z2 / (n + z2).
        if 1 + z2 / best >= z2 / other:
            best += 1
        else:
            other += 1
    return other


def test_the_corrected_theorem_4_holds_where_the_printed_one_fails():
    """For an arm without reward, of which omega-UCB makes some 2 rho log tau pulls."""
    tau, rho, means = 3000, 2.0, ([1.0, 0.0], [1.0, 1.0])
    printed = budgeted.suboptimal_pulls_bound(tau, rho, *means)
    assert printed[0] == np.inf and 1 < printed[1] < 1.3
    proved = budgeted.suboptimal_pulls_bound(tau, rho, *means, form="proof")
    pulls = omega_ucb_pulls(tau, rho)
    assert abs(pulls - 2 * rho * np.log(tau)) < 2 and pulls < proved[1] < 200
    more = [budgeted.regret_bound(tau / 2, rho, *means, form=x) for x in FORMS]
    np.testing.assert_allclose(np.diff(more), proved[1] - printed[1])
    with pytest.raises(ValueError, match="form must be one of"):
        budgeted.regret_bound(tau / 2, rho, *means, form="mended")
