"""Bounds for Wait-UCB: hand values, coverage of Lemma 1, the algebra of Lemma 3."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jaxbandits_studies.theory import farewell
from tests.tables import each_row

WAITS = np.array([1, 2])
GAPS = np.array([[0.0, 0.5], [0.25, 1.0]])
TIMES = np.array([[1.0, 1.5], [1.0, 2.0]])


def test_radius_by_hand():
    # log(4 / delta) = 2, n = 4: sqrt(9 * 2 / 8) + 36 / (3 * 3 * 4) + sqrt(2 / 8).
    value = farewell.radius(4, 4 * np.exp(-2), 10, 3.0)
    np.testing.assert_allclose(value, 1.5 + 1 + 0.5)
    # Costs that are always 1 leave Hoeffding's radius.
    np.testing.assert_allclose(farewell.radius(4, 4 * np.exp(-2), 1, 1.0), 0.5)


@given(st.floats(1, 1e6), st.floats(2, 1e7), st.integers(1, 30))
def test_wait_ucb_radius_is_lemma_1_at_4_over_s_to_the_4(count, epochs, wait):
    """Lemma 3: the weights alpha_j and beta_j follow, with a mean cost of 1."""
    lemma = farewell.radius(count, 4 * epochs**-4.0, wait, 1.0)
    value = farewell.wait_ucb_radius(count, epochs, wait)
    np.testing.assert_allclose(value, lemma, rtol=1e-9)


def test_wait_ucb_radius_by_hand():
    # UCB1 for a wait of 1 (Section 7.2).
    value = farewell.wait_ucb_radius(7, 1000, 1)
    np.testing.assert_allclose(value, np.sqrt(2 * np.log(1000) / 7))
    # alpha_4 = 8, beta_4 = sqrt(2) (sqrt(3) + 1).
    value = farewell.wait_ucb_radius(4, np.e, 4)
    np.testing.assert_allclose(value, 2 + np.sqrt(2) * (np.sqrt(3) + 1) / 2)
    table = farewell.wait_ucb_radius([[0], [1]], [1, 10, 100], 3)
    assert np.all(table[0] == np.inf)
    assert table[1, 0] == 0 and np.all(np.diff(table[1]) > 0)


def test_pulls_bound_by_hand():
    constant = 4 * np.pi**2 / 3
    # Wait 1: (2 sqrt(2) / Delta)^2. Wait 2: beta = sqrt(8), alpha = 8/3.
    long = [(np.sqrt(8) + np.sqrt(8 + 16 / 3 * x)) / x for x in (0.5, 1.0)]
    expected = [[np.inf, long[0] ** 2], [128, long[1] ** 2]]
    pulls = farewell.pulls_bound([1, np.e], GAPS, WAITS)
    assert pulls.shape == (2, 2, 2)
    np.testing.assert_allclose(pulls[1], np.array(expected) + constant)
    np.testing.assert_allclose(pulls[0, GAPS > 0], constant)


@given(st.floats(2, 1e8), st.floats(0.01, 1), st.integers(1, 20))
def test_at_the_bound_the_radius_is_half_the_gap(T, gap, wait):
    """Appendix D: the leading term solves u(l) = Delta / 2."""
    pulls = farewell.pulls_bound(T, np.full((1, 1), gap), [wait])[0, 0]
    enough = pulls - 4 * np.pi**2 / 3
    radius = farewell.wait_ucb_radius(enough, T, wait)
    np.testing.assert_allclose(radius, gap / 2, rtol=1e-6)


def test_regret_bound_by_hand():
    T = np.array([10.0, 1e6])
    pulls = farewell.pulls_bound(T, GAPS, WAITS)
    hand = 0.25 * pulls[:, 1, 0] + 0.75 * pulls[:, 0, 1] + 2 * pulls[:, 1, 1]
    bound = farewell.regret_bound(T, GAPS, TIMES, WAITS)
    np.testing.assert_allclose(bound, hand)
    assert farewell.regret_bound(10.0, np.zeros((1, 2)), [[1.0, 1.0]], WAITS) == 0


def test_gaps_of_rounding_size_are_ties():
    T = 1e4
    rounded = np.where(GAPS == 0, 1e-16, GAPS)
    np.testing.assert_array_equal(
        farewell.regret_bound(T, rounded, TIMES, WAITS),
        farewell.regret_bound(T, GAPS, TIMES, WAITS),
    )


def test_rates_by_hand():
    gaps, times = np.array([[0.5, 0.0, 0.25]]), np.array([[1.0, 1.5, 2.0]])
    T = np.exp([1.0, 2.0])
    for value, expected in (
        (farewell.wait_rate(T, gaps, times), 3 * 4 * 4.5),
        (farewell.dqzl_rate(T, gaps, 0.5), (81 + 27 * 4 + 9 * 16) / 2),
        (farewell.fj_rate(T, gaps, times), 9 * 4 * (1 + 1 / 1.5 + 1 / 2)),
    ):
        np.testing.assert_allclose(value, [expected, 2 * expected])


def test_trivial_bound_is_reached_by_the_longest_waits():
    # T = 10, pulls of 3 units with the largest gap: 4 pulls spend 12 = T + D - 1.
    assert farewell.trivial_bound(10, [[0.0, 0.5, 0.75]], [1, 2, 3]) == 12 * 0.75


# An epoch's times and rewards: Figure 1c with wait 5, and a delay that is 1 or never
# comes with wait 10.
EPOCHS = {
    "1c, wait 5": ([0.5, 0, 0.0625, 0.0625, 0.375], [0.5, 0, 0.0625, 0.0625, 0.0625]),
    "1 or never": ([0.5, *[0.0] * 8, 0.5], [0.5, *[0.0] * 9]),
}


@each_row("name, most", [("1c, wait 5", 0.261), ("1 or never", 0.6)])
def test_theorem_1s_constant_is_positive_and_below_j_g(name, most):
    """The paper says [0, j], and its eq. (8) (-j g, 0]; both ends differ."""
    time, reward = map(np.array, EPOCHS[name])
    j = time.size
    rate = reward.sum() / (time @ np.arange(1, j + 1))
    value = farewell.constant_reward(2000, time, reward)
    constant = value - rate * np.arange(2001)
    assert constant.max() == pytest.approx(most, abs=3e-3)
    assert constant.min() > -1 and constant.max() <= j * rate
    limit = farewell.constant_reward_limit(time, reward)
    np.testing.assert_allclose(constant[-1], limit, atol=1e-9)
    if name == "1c, wait 5":
        assert limit == pytest.approx(0.175, abs=5e-4)


def test_theorem_1s_constant_can_be_negative():
    # One unit is too little for an epoch of two.
    value = farewell.constant_reward(1, [0.0, 1.0], [0.0, 1.0])
    assert value[1] - 0.5 == -0.5
    with pytest.raises(ValueError, match="time must not only"):
        farewell.constant_reward_limit([0.0, 1.0], [0.0, 1.0])


@given(st.floats(1, 1e4), st.floats(1e-6, 1), st.floats(1, 50))
def test_corollary_1_undoes_lemma_1(n, delta, B):
    epsilon = farewell.radius(n, delta, B, 1.0)
    np.testing.assert_allclose(farewell.ratio_deviation(n, epsilon, B), delta)


def test_coarse_rate_by_hand():
    value = farewell.coarse_rate(np.exp([1.0, 2.0]), GAPS, TIMES, WAITS)
    # (1, 2): 1.5 * 2 / .5; (2, 1): 1 / .25; (2, 2): 2 * 2 / 1.
    np.testing.assert_allclose(value, [14, 28])


def test_lemma_4_as_printed_is_false():
    """A rare long delay, one pull: it strays with probability p, more than delta.

    One root over both terms does not hold the deviation; the root of the first does.
    """
    B, p, delta = 1000, 1e-3, 5e-4
    mean = 1 + p * (B - 1)
    deviation = (B - mean) / mean
    L = np.log(2 / delta)
    printed = np.sqrt((B - 1) * L / 2 + 2 * (B - 1) * L / (3 * mean))
    # Lemma 1 at twice the error without Hoeffding's term is Lemma 4 put right.
    right = farewell.radius(1, 2 * delta, B, mean) - np.sqrt(L / 2)
    assert printed < deviation < right
    assert delta < p
