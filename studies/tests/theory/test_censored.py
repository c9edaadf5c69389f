"""Bounds for RCUCB and z-RCUCB: hand values, brute force, what Proposition 1 needs."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jaxbandits_studies.theory import censored, zooming
from jaxbandits_studies.theory.vacuous import VacuousBound
from tests.tables import each_row

GAPS = np.array([[0.0, 0.5, 0.25], [0.1, 0.2, 1.0]])
PENALTIES = np.array([0.0, 1.0, 3.0])
LOWER = dict(epsilon=0.5, delta=0.2)


def linear(limits):
    return limits / 2


SETUP = zooming.Zooming(3, linear, max_limit=2.0, alpha=1.5, delta=0.1, splits=2)
NEAR = zooming.NearOptimality(1.0, 6.0, None, None)


def test_confidence_length_by_hand():
    # 2 alpha log(t) = 4: 2 / sqrt(4) + 3 * 2 / sqrt(16).
    args = (4, 16, np.exp(2), 3.0, 1.0)
    np.testing.assert_allclose(censored.confidence_length(*args), 2.5)
    scaled = censored.confidence_length(*args, gain_radius=0.5, penalty_radius=0)
    np.testing.assert_allclose(scaled, 0.5)
    table = censored.confidence_length([[0], [1]], 9, 5, [0.0, 1.0, 2.0], 1.01)
    assert np.all(table[0] == np.inf) and np.all(np.diff(table[1]) > 0)


def test_coverage_bound_by_hand():
    # alpha = 3: log 2 below, exponent 3/2.
    value = censored.coverage_bound([1, 4], 3)
    np.testing.assert_allclose(value, [2, 2 * 3 / 8])
    assert censored.coverage_bound(1, 3, cap=True) == 1


@each_row("alpha, first", [(1.01, 3100), (1.5, 16), (2, 6), (4, 3)])
def test_coverage_bound_informs_from_the_documented_round(alpha, first):
    bound = censored.coverage_bound(np.arange(1, 10_000), alpha)
    assert np.flatnonzero(bound >= 1).max() + 2 == first


def estimates(reward, consumption, limits, tau, penalty):
    """Eqs. (8) to (10) of ``tau`` by rows of rounds, and the pulls reaching it."""
    reaching = limits >= tau
    gain = np.where((consumption <= tau) & reaching, reward, 0).sum(axis=-1)
    exceeded = (consumption > tau) | (consumption > limits)
    pulls = reaching.sum(axis=-1)
    return gain / pulls - penalty * exceeded.mean(axis=-1), pulls


def test_proposition_1_holds_for_the_largest_limit_and_not_for_small_ones(rng):
    t, runs, penalty, alpha = 1000, 500, 9.0, 2
    consumption = rng.random((runs, t - 1))
    largest = np.ones((1, t - 1))
    small = largest.copy()
    small[:, 1:] = 0.1
    bound = censored.coverage_bound(t, alpha)
    assert bound < 0.004
    wrong = {}
    for name, limits in dict(largest=largest, small=small).items():
        # C <= 1 always: nu = 1 at tau = 1, and nothing is ever exceeded.
        args = (1.0, consumption, np.broadcast_to(limits, consumption.shape))
        value, pulls = estimates(*args, 1.0, penalty)
        length = censored.confidence_length(pulls, t - 1, t, penalty, alpha)
        wrong[name] = np.mean(value - 1 < -length)
        # Upwards the error keeps to it.
        assert np.mean(value - 1 > length) <= bound
    assert wrong["largest"] <= bound
    assert wrong["small"] == 1


def test_rcucb_pull_bound_by_hand():
    # alpha = 3: 8 * 3 (1 + lambda)^2 / Delta^2 log(T) + 1 + 8 / log(2) * 4.
    constant = 1 + 32 / np.log(2)
    pulls = censored.rcucb_pull_bound(GAPS, PENALTIES, [1, np.e], 3)
    leading = 24 * np.array([1, 4, 16]) / np.where(GAPS == 0, 1, GAPS) ** 2
    expected = np.where(GAPS == 0, np.inf, leading + constant)
    np.testing.assert_allclose(pulls[1], expected)
    np.testing.assert_allclose(pulls[0][GAPS > 0], constant)


def brute_lower(gaps, square, alpha, weight):
    gaps, square = gaps.ravel(), np.resize(square, gaps.size)
    H = [
        max(
            (8 * square[j] + gaps[i] - gaps[j]) ** 2 for j in range(len(gaps)) if j != i
        )
        for i in range(len(gaps))
    ]
    return weight * alpha / np.array(H)


@given(st.lists(st.floats(0, 4), min_size=6, max_size=6), st.floats(1.01, 4))
def test_rcucb_pull_lower_is_the_maximum_over_other_pairs(gaps, alpha):
    gaps = np.reshape(gaps, (2, 3))
    for form, square, epsilon in (
        ("printed", 1 + PENALTIES**2 * alpha, 0.5),
        ("proof", (1 + PENALTIES) ** 2 * alpha, 0.25),
    ):
        lower = censored.rcucb_pull_lower(
            gaps, PENALTIES, 1e5, alpha, form=form, **LOWER
        )
        weight = epsilon * 0.2 * np.log(1e5)
        expected = brute_lower(gaps, square, alpha, weight).reshape(2, 3)
        np.testing.assert_allclose(lower, expected, rtol=1e-9)


def test_equal_gaps_leave_H_finite():
    lower = censored.rcucb_pull_lower(
        np.full((2, 2), 0.3), [0.0, 0.0], np.exp(3), 2.0, epsilon=0.5, delta=0.1
    )
    np.testing.assert_allclose(lower, 2 * 0.5 * 0.1 * 3 / 64)


@given(st.floats(2, 1e7), st.integers(3, 50))
def test_largest_delta_is_the_edge_of_the_condition(T, pairs):
    delta = censored.largest_delta(T, pairs)
    if delta > 0:
        assert delta < 0.5
        left = (1 - delta) * np.log(pairs - 1) + 2 * delta * np.log(T)
        np.testing.assert_allclose(left, np.log(T), atol=1e-9)
    else:
        assert pairs - 1 >= T


def test_rcucb_regret_bound_by_hand():
    T = np.array([1e6, 1e8])
    pulls = censored.rcucb_pull_bound(GAPS, PENALTIES, T, 2)
    plain = np.sum(GAPS[GAPS > 0] * pulls[:, GAPS > 0], axis=1)
    bound = censored.rcucb_regret_bound(GAPS, PENALTIES, T, 2)
    np.testing.assert_allclose(bound, plain)
    lower = censored.rcucb_pull_lower(GAPS, PENALTIES, T, 2, **LOWER)
    # Each limit but the largest is credited with its upper neighbour's pulls.
    saved = np.sum(GAPS[:, :2] * lower[..., 1:], axis=(1, 2))
    reduced = censored.rcucb_regret_bound(
        GAPS, PENALTIES, T, 2, probability=0.5, **LOWER
    )
    np.testing.assert_allclose(reduced, plain - 0.5 * saved)
    assert np.all(saved > 0) and np.all(saved < plain / 1000)
    assert censored.rcucb_regret_bound([[0.0, 0.0]], [1.0, 2.0], 1, 2) == 0


def test_gaps_of_rounding_size_are_ties():
    rounded = np.where(GAPS == 0, 1e-16, GAPS)
    for bound in (censored.rcucb_regret_bound, censored.ucb_regret_bound):
        penalty = PENALTIES if bound is censored.rcucb_regret_bound else 3.0
        assert bound(rounded, penalty, 1e6, 2) == bound(GAPS, penalty, 1e6, 2)


def test_ucb_regret_bound_by_hand():
    # alpha = 3, lambda = 1: 2 * 3 * 4 / Delta + Delta (1 + 16 / log 2) at log T = 12.
    T, gaps = np.exp(12.0), np.array([[0.0, 0.5]])
    value = censored.ucb_regret_bound(gaps, 1.0, T, 3)
    np.testing.assert_allclose(value, 12 * 24 / 0.5 + 0.5 * (1 + 16 / np.log(2)))
    assert value < censored.trivial_bound(T, gaps) == T * 0.5


def test_vacuous_bounds_are_warned_of():
    for bound, penalty in (
        (censored.rcucb_regret_bound, PENALTIES),
        (censored.ucb_regret_bound, 3.0),
    ):
        with pytest.warns(VacuousBound):
            assert bound(GAPS, penalty, 10, 2) > censored.trivial_bound(10, GAPS)
    with pytest.warns(VacuousBound):
        assert zooming.zooming_loss_bound(10, SETUP, NEAR) > 2


def brute_packing(values, max_limit, epsilon, eta):
    """The largest set of ends, arm by arm, that are a width apart."""
    size, width = values.shape[1], eta * epsilon
    total = 0
    for row in values:
        limits = max_limit * np.arange(1, size + 1) / size
        ends = limits[(row >= values.max() - epsilon) & (limits >= width - 1e-9)]
        total += max(
            n
            for n in range(len(ends) + 1)
            for chosen in combinations(ends, n)
            if np.all(np.diff(chosen) >= width - 1e-9)
        )
    return total


def test_packing_numbers_against_brute_force(rng):
    epsilons = np.array([0.1, 0.3, 0.7, 1.5, 4.0])
    for _ in range(10):
        values = rng.random((2, 8))
        packing = zooming.packing_numbers(values, 2.0, epsilons, eta=0.5)
        expected = [brute_packing(values, 2.0, e, 0.5) for e in epsilons]
        np.testing.assert_array_equal(packing, expected)


def test_lemma_4_counts_too_few_on_a_flat_curve():
    flat, m, level = np.zeros((1, 64)), 2, 4
    epsilon = 3 / m ** (level - 1)
    assert zooming.packing_numbers(flat, 1.0, [epsilon]) == [m ** (level - 1)]
    narrow = zooming.packing_numbers(flat, 1.0, [epsilon], eta=1 / (3 * m))
    assert narrow == [m**level]


@each_row(
    "curve, dimension",
    [
        (lambda x: -np.abs(x - 0.5), 0.0),
        (lambda x: -((x - 0.5) ** 2), 0.5),
        (lambda x: 0 * x, 1.0),
    ],
)
def test_near_optimality_of_peaks(curve, dimension):
    limits = np.arange(1, 2001) / 2000
    near = zooming.near_optimality(curve(limits)[None], 1.0)
    assert abs(near.dimension - dimension) < 0.05
    packing = zooming.packing_numbers(
        curve(limits)[None], 1.0, near.epsilons, eta=1 / 3
    )
    np.testing.assert_array_equal(near.packing, packing)
    given_d = zooming.near_optimality(curve(limits)[None], 1.0, dimension=dimension)
    cover = given_d.constant * given_d.epsilons**-dimension
    assert np.all(given_d.packing <= cover * (1 + 1e-12))
    np.testing.assert_allclose(np.min(cover - given_d.packing), 0, atol=1e-9)
    # A second arm like it doubles the constant.
    both = zooming.near_optimality(
        np.stack(2 * [curve(limits)]), 1.0, dimension=dimension
    )
    np.testing.assert_allclose(both.constant, 2 * given_d.constant)


def test_zooming_constant_by_hand():
    T, C = 1e5, 6.0
    c = np.sqrt(3 * np.log(3 * T**2 / 0.1) / T) * 2 / 2
    # Level 1: tau = 1 of parent 2. Level 2: 1/2 and 1 of parents 1 and 2, 3/2 of 2.
    pairs = [(1, 2), (0.5, 1), (1, 2), (1.5, 2)]
    H = max((1 + x / 2) ** 2 - (1 + y / 2 * c) ** 2 / 4 for x, y in pairs)
    ratio = 4 * 1.5 * C * 4 / (3 * (1 - 2.0**-3))
    value = zooming.zooming_constant(T, SETUP, NEAR, levels=2)
    np.testing.assert_allclose(value, (ratio * (H + 4)) ** (1 / 3))
    stoo = zooming.zooming_constant(T, SETUP, NEAR, levels=2, reuse=False)
    np.testing.assert_allclose(stoo, (ratio * (1.75**2 + 4)) ** (1 / 3))
    loss = zooming.zooming_loss_bound([T], SETUP, NEAR, levels=2)
    np.testing.assert_allclose(loss, value * (np.log(T**2 / 0.1) / T) ** (1 / 3))
    proof = zooming.zooming_loss_bound([T], SETUP, NEAR, levels=2, form="proof")
    np.testing.assert_allclose(proof, 3 * loss)
    for form, factor in (("printed", 1), ("proof", 3)):
        found = zooming.stoo_loss_bound([T], SETUP, NEAR, levels=2, form=form)
        np.testing.assert_allclose(found, factor * loss * stoo / value)


def test_the_zooming_bound_falls_at_its_rate():
    np.testing.assert_allclose(zooming.zooming_rate([0, 1]), [1 / 2, 1 / 3])
    # The bound falls at this rate, but for the logarithm.
    T = np.array([1e20, 1e24])
    near = zooming.zooming_loss_bound(T, SETUP, NEAR) * np.log(T**2 / 0.1) ** (-1 / 3)
    np.testing.assert_allclose(near[0] / near[1], 1e4 ** (1 / 3), rtol=1e-3)


def test_zooming_levels_meet_the_criterion():
    T = np.geomspace(1, 1e9, 50)
    for extra in ({}, dict(limit=2.0, gain_radius=0.5, smoothness=3.0)):
        levels = zooming.zooming_levels(T, SETUP, **extra)
        radii = {k: v for k, v in extra.items() if k == "gain_radius"}
        penalty = linear(extra.get("limit", 0.0))
        length = censored.confidence_length(T, T, 3 * T**2 / 0.1, penalty, 1.5, **radii)
        width = extra.get("smoothness", 1.0) * 2.0 * 2.0 ** -levels.astype(float)
        assert np.all(width < length)
        assert np.all((2 * width >= length) | (levels == 0))
        assert levels[-1] > 8 and np.all(np.diff(levels[T >= 10]) >= 0)
    assert zooming.zooming_levels(1, SETUP) == 0
