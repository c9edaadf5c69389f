"""Bounds for RA-UCB: hand values, quadrature, finite differences, where proofs slip."""

import warnings
from decimal import Decimal, localcontext

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad

from jaxbandits_studies.theory import allocation
from tests.tables import each_row

# The numbers of Appendix A.1.
SETTING = dict(budget=40.0, m=1.0, M=80.0)
PROBABILITY = np.array([0.9, 0.6, 0.4, 0.2])
RATE = np.array([0.05, 0.2, 1.0, 2.0])
INSTANCE = dict(probability=PROBABILITY, rate=RATE, **SETTING)
arms = st.lists(
    st.tuples(st.floats(0.01, 1), st.floats(0.05, 5)), min_size=2, max_size=8
).map(lambda pairs: np.array(pairs).T)


def quietly(bound, *args, **kwargs):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", allocation.VacuousBound)
        return bound(*args, **kwargs)


def worth(allocated, probability, rate):
    return np.sum(-probability * np.expm1(-rate * allocated), axis=-1)


@each_row("v", [1e-9, 1e-3, 0.5, 1.0, 1.999, 2.0, 2.001, 8, 80, 700, 1e4])
def test_g_and_its_slope_in_fifty_digits(v):
    with localcontext(prec=50):
        x = Decimal(v)
        survival = (-x).exp()
        g = 1 / x - survival / (1 - survival)
        slope = survival / (1 - survival) ** 2 - 1 / x**2
    np.testing.assert_allclose(allocation.g(v), float(g), rtol=4e-15)
    np.testing.assert_allclose(allocation.g_slope(v), float(slope), rtol=4e-15)


def test_g_at_the_ends_by_hand():
    assert allocation.g(0) == 0.5
    np.testing.assert_allclose(allocation.g_slope(0), -1 / 12)
    # exp(-v) is gone: 1 / v and -1 / v^2.
    assert allocation.g([800.0]) == 1 / 800
    assert allocation.g_slope([[800.0]]).shape == (1, 1)
    np.testing.assert_allclose(allocation.g_slope(80.0), -1.5625e-4)


def test_constants_by_hand():
    c = allocation.lipschitz_constants(2, 3, 10)
    D = 1 / 9 - np.exp(-3) / (1 - np.exp(-3)) ** 2
    expected = (10, 100 * D, 5, 22.5, 5, 0.04 * np.exp(-3), 0.09, 0.3, 3, 1)
    np.testing.assert_allclose(c, expected)


def test_oracle_by_hand():
    # Equal arms share; an arm worth less than the level 1/2 e^-1 gets nothing.
    np.testing.assert_allclose(
        allocation.best_allocation([0.5, 0.1, 0.5], [1.0, 1.0, 1.0], 2.0), [1, 0, 1]
    )
    # log(a / nu) / lambda with nu = 1/e: (log 2 + 1) / 2 and 1.
    shares = allocation.best_allocation([1.0, 1.0], [2.0, 1.0], (np.log(2) + 3) / 2)
    np.testing.assert_allclose(shares, [(np.log(2) + 1) / 2, 1])
    np.testing.assert_array_equal(
        allocation.best_allocation([0, 0], [1, 2], 6.0), [3, 3]
    )
    np.testing.assert_allclose(
        allocation.best_allocation([0.0, 1e-9], [9, 1], 6.0), [0, 6]
    )
    np.testing.assert_allclose(allocation.best_allocation([0.3], [2.0], 6.0), [6])


@given(arms, st.floats(0.01, 50), st.integers(0, 10**6))
def test_oracle_beats_other_allocations(arms, budget, seed):
    probability, rate = arms
    best = allocation.best_allocation(probability, rate, budget)
    np.testing.assert_allclose(best.sum(), budget)
    others = budget * np.random.default_rng(seed).dirichlet(np.ones(rate.size), 200)
    others = np.concatenate([others, 0.99 * best + 0.01 * others])
    value = worth(best, probability, rate)
    assert np.all(worth(others, probability, rate) <= value * (1 + 1e-12))
    # The conditions of optimality, which a local optimum meets too.
    marginal = probability * rate * np.exp(-rate * best)
    level = marginal[best > 0].min()
    np.testing.assert_allclose(marginal[best > 0], level, rtol=1e-9)
    assert np.all(marginal[best == 0] <= level * (1 + 1e-9))


def test_lower_bound_by_hand():
    # Appendix A.1: K = 8, T = 1000: 4 * 10 / 48.
    np.testing.assert_allclose(allocation.lower_bound([1000, 8], 8), [5 / 6, 1 / 6])
    small, large = allocation.lower_bound([10, 80], 10)
    np.testing.assert_allclose(large, 2 * small)


@each_row("K, T", [(2, 2), (2, 1e3), (10, 10), (10, 1e5)])
def test_the_instance_of_the_lower_bound_is_what_the_proof_asks(K, T):
    epsilon, rate = allocation.lower_bound_instance(T, K)
    np.testing.assert_allclose((rate + epsilon) ** 2, epsilon / 2)
    assert 0 < epsilon <= rate
    np.testing.assert_allclose(epsilon, (K / T) ** (2 / 3) / 12)
    rates = np.append(np.full(K - 1, rate), rate + epsilon)
    best = allocation.best_allocation(np.ones(K), rates, 1.0)
    np.testing.assert_allclose(best, np.eye(K)[-1])
    others = np.random.default_rng(0).dirichlet(np.full(K, 0.3), 500)
    loss = worth(best, 1.0, rates) - worth(others, 1.0, rates)
    assert np.all(loss >= epsilon / 2 * (1 - others[:, -1]) - 1e-15)


def test_epsilon_above_an_eighth_has_no_rate():
    """Appendix B prints epsilon >= 1/8: there lambda < epsilon."""
    edge = allocation.lower_bound_instance(2, 2, 1 / 8)
    np.testing.assert_allclose(edge, [1 / 8, 1 / 8])
    assert np.sqrt(0.13 / 2) - 0.13 < 0.13
    with pytest.raises(ValueError, match=r"scale must be at most .* / 8"):
        allocation.lower_bound_instance([2, 100], 2, 0.13)
    allocation.lower_bound_instance([3, 100], 2, 0.14)


@each_row("K", [2, 3, 4, 10, 1000])
def test_theorem_3_1_needs_more_than_its_proof(K):
    T = np.array([1, 1.5, 2, 10, 1e3, 1e6]) * K
    claim = allocation.lower_bound(T, K)
    printed = allocation.proved_lower_bound(T, K)
    # The last lines of the paper's proof, and what is behind them.
    assert np.all(claim / 2 <= printed)
    if K > 2:
        assert np.all(printed >= claim)
    else:
        assert np.all(printed < claim)
        assert np.all(allocation.proved_lower_bound(T[1:], K, 0.14) >= claim[1:])
        # T = 2 is left: the test below.
        assert claim[0] < 1 / 4


def appendix_e(T, K, D, m, M, p, q, C):
    """Eq. (55) as printed."""
    sums = 2 * np.sum((1 + p) / (C * np.sqrt(q)))
    sums += (3 + m + M * (m + 1)) / m * np.sum(1 / q)
    log = np.log(T)
    return 14 / D * sums * np.sqrt(K * T * log) + 3 * K**2 * log + 8 * K**2


def optimum(m):
    used = allocation.best_allocation(PROBABILITY, RATE, SETTING["budget"])
    q = -PROBABILITY * np.expm1(-RATE * used)
    return q, -np.expm1(-m * used / SETTING["budget"])


def test_sqrt_bound_is_eq_55():
    T, D = np.array([1e4, 1e5]), -allocation.g_slope(80.0)
    q, C = optimum(1.0)
    printed = appendix_e(T, 4, D, 1.0, 80.0, PROBABILITY, q, C)
    bound = quietly(allocation.sqrt_bound, T, **INSTANCE)
    np.testing.assert_allclose(printed / bound, 14 / np.sqrt(192))


def test_the_remainder_of_the_upper_bounds_by_hand():
    """``3 K^2 log T + 8 K^2``, on rates so alike that the leading terms are small."""
    T, K, B, m, M = np.exp([1.0, 9.0]), 2, 1.0, 0.5, 0.6
    p, rate = np.ones(K), np.full(K, 0.55)
    q, C = np.full(K, -np.expm1(-0.275)), np.full(K, -np.expm1(-0.25))
    constants = allocation.lipschitz_constants(m, M, B)
    root = allocation.sqrt_constant(p, q, C, B, constants)
    log = allocation.log_constant(p, q, C, B, constants, 1.0, K)
    for bound, leading in (
        (allocation.sqrt_bound, root * np.sqrt([2 * T[0], 18 * T[1]])),
        (allocation.log_bound, log * np.array([2, 90])),
    ):
        rest = quietly(bound, T, p, rate, B, m, M) - leading
        np.testing.assert_allclose(rest, [44, 140], rtol=1e-6)


def test_log_bound_is_eq_56():
    T, K, m, M, B, p = np.array([1.0, 1e4]), 4, 0.5, 3.0, 40.0, PROBABILITY
    rate = np.array([0.02, 0.05, 0.06, 0.07])
    used = allocation.best_allocation(p, rate, B)
    assert np.all(used > 0)
    q, C = -p * np.expm1(-rate * used), -np.expm1(-m * used / B)
    D = -allocation.g_slope(M)
    mu = 0.2 * m**2 * np.exp(-M) / B**2
    beta = M**2 * (1 + p) ** 2 / (B * C * D) ** 2 + (M + 1) ** 2 / (B * D) ** 2
    beta += 2 * M * (M + 1) * (1 + p) / (C * B**2 * D**2)
    factor = 15 * K * M**2 / (mu * B) ** 2 * np.sum(beta / q)
    log = np.log(T)
    printed = factor * log**2 + (factor + 3 * K**2) * log + 8 * K**2
    bound = quietly(allocation.log_bound, T, p, rate, B, m, M)
    np.testing.assert_allclose(bound, printed, rtol=1e-10)
    half = quietly(allocation.log_bound, T[1], p, rate, B, m, M, p_min=0.1)
    np.testing.assert_allclose(half / bound[1], 4, rtol=1e-6)


def test_log_bound_beyond_float64_is_infinite():
    with pytest.warns(allocation.VacuousBound):
        bound = allocation.log_bound([1.0, 1e4], PROBABILITY, RATE, 40.0, 1.0, 800.0)
    assert bound[0] == 8 * 16 and bound[1] == np.inf


def test_arms_without_budget_are_left_out():
    rate = np.append(RATE, 0.03)
    q, C = optimum(1.0)
    probability = np.append(PROBABILITY, 0.001)
    assert allocation.best_allocation(probability, rate, 40.0)[-1] == 0
    constants = allocation.lipschitz_constants(1.0, 80.0, 40.0)
    constant = allocation.sqrt_constant(PROBABILITY, q, C, 40.0, constants)
    T = 1e4
    bound = quietly(allocation.sqrt_bound, T, probability, rate, 40.0, 1.0, 80.0)
    log = np.log(T)
    expected = constant * np.sqrt(5 * T * log) + 75 * log + 200
    np.testing.assert_allclose(bound, expected)
    least = quietly(allocation.log_bound, T, probability, rate, **SETTING)
    without = quietly(allocation.log_bound, T, p_min=0.001, **INSTANCE)
    np.testing.assert_allclose(least, 5 / 4 * without, rtol=1e-6)


def test_vacuous_bounds_are_warned_of():
    for bound, theorem in (
        (allocation.sqrt_bound, "Theorem 4.8"),
        (allocation.log_bound, "Theorem 4.11"),
    ):
        with pytest.warns(allocation.VacuousBound, match=theorem) as record:
            bound([1e4, 1e6], **INSTANCE)
        assert record[0].filename == __file__
        # One informative horizon is enough. Warnings are errors here.
        bound([1e4, 1e120], **INSTANCE)
        bound(np.empty(0), **INSTANCE)
    with pytest.warns(allocation.VacuousBound, match="Theorem H.2"):
        allocation.problem_independent_bound(7.0, 3, 2.0)
    allocation.problem_independent_bound(9.0, 3, 2.0)


def test_bounds_above_the_trivial_one_are_vacuous():
    bound = [[29.0, 31.0, np.inf], [30.0, 30.0, 30.1]]
    vacuous = allocation.is_vacuous(bound, 10.0, 3)
    np.testing.assert_array_equal(vacuous, [[False, True, True], [False, False, True]])
    np.testing.assert_array_equal(allocation.trivial_bound([1, 10], 3), [3, 30])
    with pytest.raises(ValueError, match="bound must be numbers"):
        allocation.is_vacuous(np.nan, 10.0, 3)


def test_the_problem_independent_bound_has_the_order_of_its_balance():
    """Where T A = sqrt(T) K^(5/2) rho^(3/2) A^(-3/2)."""
    assert np.isclose(allocation.problem_independent_bound(32.0, 2, 1.0), 2 * 16)
    bound = allocation.problem_independent_bound(1e5, 5, 32.0)
    np.testing.assert_allclose(bound, 5 * 8 * 1e4)


def test_the_rate_of_exploring_first_is_best_at_two_thirds():
    rate = allocation.etc_rate(1e6, [0.0, 2 / 3, 1.0])
    np.testing.assert_allclose(rate.exploring, [1, 1e4, 1e6])
    np.testing.assert_allclose(rate.committed, [1e6, 1e4, 1e3])
    alpha = np.linspace(0, 1, 301)
    worst = np.max(allocation.etc_rate(1e9, alpha), axis=0)
    assert alpha[worst.argmin()] == alpha[200]


def test_printed_radii_by_hand():
    # B / L_mu = 160; 3 log t / 2n = 9 for t = exp(6 n).
    radii = allocation.printed_radii(1, np.exp(6), c_hat=0.5, p_hat=0.25, **SETTING)
    np.testing.assert_allclose(radii.rate, 480)
    np.testing.assert_allclose(radii.probability, 160 * 40 * 1.25 / 0.5 * 3)
    c = allocation.lipschitz_constants(SETTING["m"], SETTING["M"], SETTING["budget"])
    general = c.L_lambda / c.L_mu * 40 * 1.25 / 0.5 * 3
    np.testing.assert_allclose(radii.probability, general)


def test_printed_radii_at_the_edges_are_0_or_infinite():
    radii = allocation.printed_radii(
        [0, 4, 4], [1, 1, 10], p_hat=0.5, c_hat=[0.5, 0.5, 0.0], **SETTING
    )
    np.testing.assert_array_equal(radii.rate[:2], [np.inf, 0])
    np.testing.assert_array_equal(radii.probability, [np.inf, 0, np.inf])
    assert radii.rate.shape == (3,)


def divergence(rate, other, x):
    """Of min(X, x) for exponential X, by quadrature."""

    def integrand(t):
        return (np.log(rate / other) + (other - rate) * t) * rate * np.exp(-rate * t)

    return quad(integrand, 0, x)[0] + (other - rate) * x * np.exp(-rate * x)


@given(st.floats(0.05, 3), st.floats(0.01, 3), st.floats(0.05, 3))
def test_lemma_b1_needs_its_first_term_alone(rate, epsilon, x):
    kl = divergence(rate, rate + epsilon, x)
    u = epsilon / rate
    exact = -np.expm1(-rate * x) * (u - np.log1p(u))
    np.testing.assert_allclose(kl, exact, rtol=1e-6, atol=1e-12)
    # The first of the lemma's two terms is enough, and nearly reached for small u, x.
    assert kl <= epsilon**2 * x / (2 * rate) * (1 + 1e-9)


def test_eq_55_is_too_small_for_m_below_1():
    """Not only against the loose L_tilde of Appendix H: M B / m^2 is a supremum."""
    T, m = 1e4, 0.25
    q, C = optimum(m)
    D = -allocation.g_slope(80.0)
    printed = appendix_e(T, 4, D, m, 80.0, PROBABILITY, q, C)
    constants = allocation.lipschitz_constants(m, 80.0, 40.0)
    least = constants._replace(L_tilde=constants.L_tilde / (m + 1))
    constant = allocation.sqrt_constant(PROBABILITY, q, C, 40.0, least)
    assert printed < constant * np.sqrt(4 * T * np.log(T))
    bound = quietly(allocation.sqrt_bound, T, **(INSTANCE | dict(m=m)))
    assert printed < bound


def test_orders_of_magnitude_in_appendix_a1(rng):
    """Ten arms, T = 1e4: the median of (55) is 7e11, that of (56) 7e95; K T is 1e5."""
    bounds = []
    for _ in range(200):
        instance = (1 - rng.random(10), rng.uniform(1 / 40, 2, 10), 40.0, 1.0, 80.0)
        bounds.append(
            [
                quietly(bound, 1e4, *instance)
                for bound in (allocation.sqrt_bound, allocation.log_bound)
            ]
        )
    exponents = np.log10(np.median(bounds, axis=0))
    np.testing.assert_allclose(exponents, [11.8, 95.8], atol=0.6)
