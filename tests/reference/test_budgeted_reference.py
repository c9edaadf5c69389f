"""Self-checks of the budgeted twins: hand-computed indices and edge cases."""

import math
from types import SimpleNamespace

import numpy as np
import pytest

from tests.reference import budgeted_policies as policies
from tests.tables import each_row

INF = np.inf
MIDDLE = np.array([0.5, 0.5, 0.5])
E2 = math.exp(2) + 1  # a round with log(t - 1) = 2


def view(num_arms=2, spent=0.0, unit=1.0, cheapest=0.2, best=0):
    return SimpleNamespace(
        num_arms=num_arms, spent=spent, unit=unit, cheapest=cheapest, best=best
    )


def with_state(policy, pulls, rewards, costs):
    """Sets the counts and, from the means, the sums."""
    policy.pulls[:] = pulls
    policy.reward_sums[:] = np.multiply(pulls, rewards)
    policy.cost_sums[:] = np.multiply(pulls, costs)
    return policy


# Theorem 1 and omega-UCB


def test_theorem_1_by_hand():
    """mean 1/2, n = 3, z^2 = 1: (4/8 -+ sqrt(1/16)): 1/4 and 3/4."""
    assert policies.theorem_1(0.5, 3, 1.0, 0.0, 1.0) == (0.25, 0.75)
    assert policies.theorem_1(6.0, 3, 1.0, 5.0, 7.0) == pytest.approx((5.5, 6.5))


def test_omega_in_example_2():
    """The policy's own z = sqrt(2 log t), facts: 5.607 and 2.238."""
    omega = with_state(policies.OmegaUCB(2, rho=1.0), 1000, [0.8, 0.1], [0.2, 0.1])
    assert omega.indices(10_000, MIDDLE, view()) == pytest.approx(
        [5.607, 2.238], abs=6e-4
    )
    quantile = np.exp(4.056**2 / 2)  # a t whose z is the exact normal quantile
    assert omega.indices(quantile, MIDDLE, view()) == pytest.approx(
        [5.5, 2.1], abs=0.05
    )


def test_omega_by_hand():
    """n = 3, r = c = 1/2, z^2 = 1: (3/4) / (1/4), for both clocks."""
    omega = with_state(policies.OmegaUCB(1, rho=0.25), 3, 0.5, 0.5)
    assert omega.indices(math.exp(2), MIDDLE, view(1)) == pytest.approx(3)
    omega = with_state(
        policies.OmegaUCB(1, rho=0.5, exploration="log_share"), 3, 0.5, 0.5
    )
    assert omega.indices(3 * math.e, MIDDLE, view(1)) == pytest.approx(3)
    with pytest.raises(ValueError, match="log_n"):
        policies.OmegaUCB(1, exploration="log_n")


def test_omega_with_ranges_of_cost():
    """z^2 = 1, n = 3: reward to 3/4; cost bounds 5.5, a constant 2, and 0 (free)."""
    omega = policies.OmegaUCB(
        3, rho=0.25, cost_low=[5.0, 2.0, 0.0], cost_high=[7.0, 2.0, 0.0]
    )
    with_state(omega, 3, 0.5, [6.0, 2.0, 0.0])
    assert omega.indices(math.exp(2), MIDDLE, view(3)) == pytest.approx(
        [0.75 / 5.5, 0.75 / 2, INF]
    )
    omega = with_state(policies.OmegaUCB(1, rho=0.25, cost_high=2), 3, 0.5, 1.0)
    assert omega.indices(math.exp(2), MIDDLE, view(1)) == pytest.approx(0.75 / 0.5)


def feed(policy, plays, reward, cost):
    for i in range(plays):
        policy.update(i + 1, MIDDLE, 0, reward[i % 2], cost[i % 2])
    return policy


def test_eta_by_hand():
    """Values 1/4 and 3/4 in turn: variance 1/16, eta 1/4 in [0, 1], 1/8 in [0, 1.5]."""
    assert policies.estimated_eta(1 / 16, 0.5, 30, 0, 1) == 0.25
    assert policies.estimated_eta(1 / 16, 0.5, 30, 0, 1.5) == 0.125
    assert policies.estimated_eta(1 / 16, 0.5, 29, 0, 1) == 1
    assert policies.estimated_eta(1 / 16, 0.1, 30, 0, 1) == pytest.approx(0.0625 / 0.09)
    assert policies.estimated_eta(0.3, 0.5, 30, 0, 1) == 1
    assert policies.estimated_eta(0.0, 1.0, 30, 0, 1) == 1
    assert policies.estimated_eta(0.0, 0.0, 30, 0, 1) == 1


@each_row("plays, eta_r, eta_c", [(28, 1, 1), (30, 0.25, 0.02)])
def test_omega_star_by_hand(plays, eta_r, eta_c):
    values = ([0.25, 0.75], [0.6, 0.4])  # variances 1/16 and 1/100
    star = feed(policies.OmegaUCB(1, rho=1.0, star=True, cost_high=1.5), plays, *values)
    z2 = 2 * math.log(plays + 1)
    upper = policies.theorem_1(0.5, plays, z2 * eta_r, 0.0, 1.0)[1]
    lower = policies.theorem_1(0.5, plays, z2 * eta_c, 0.0, 1.5)[0]
    found = star.indices(plays + 1, MIDDLE, view(1))
    assert found == pytest.approx(upper / lower, rel=1e-13)
    plain = feed(policies.OmegaUCB(1, rho=1.0, cost_high=1.5), plays, *values)
    equal = found == pytest.approx(plain.indices(plays + 1, MIDDLE, view(1)))
    assert equal == (plays < 30)


# Table 2


def test_mucb_by_hand():
    mucb = with_state(policies.MUCB(2, alpha=1.0), 1000, [0.8, 0.1], [0.2, 0.1])
    assert mucb.indices(10_000, MIDDLE, view()) == pytest.approx(
        [8.61, 48.63], abs=5e-3
    )
    # log(t - 1) = 2, n = 8: eps = alpha / 2
    mucb = with_state(policies.MUCB(3), 8, [0.5, 1.0, 0.5], [0.25, 0.5, 1 / 32])
    assert mucb.indices(E2, MIDDLE, view(3)) == pytest.approx(
        [17 / 32 / (7 / 32), 1 / (15 / 32), INF]
    )


def test_cucb_and_iucb_by_hand():
    state = (8, [0.5, 0.0], [0.25, 0.5])
    cucb = with_state(policies.CUCB(2), *state)
    assert cucb.indices(E2, MIDDLE, view()) == pytest.approx([2 + 0.25, 0.125])
    iucb = with_state(policies.IUCB(2), *state)
    assert iucb.indices(E2, MIDDLE, view()) == pytest.approx([2 + 0.125, 0.125])


def test_budget_ucb_by_hand():
    """eps = 1/2: arm 0 meets lambda = .2 and the cap; arm 1 meets neither."""
    state = (8, [0.75, 0.25], [0.5, 0.75])
    budget = with_state(policies.BudgetUCB(2), *state)
    expected = [1.5 + 1 * (1 + 1 / 0.2), 1 / 3 + 2 / 3 * (1 + 0.75 / 0.25)]
    assert budget.indices(E2, MIDDLE, view()) == pytest.approx(expected)
    owned = with_state(policies.BudgetUCB(2, minimum_cost=0.1), *state)
    assert owned.indices(E2, MIDDLE, view())[0] == pytest.approx(1.5 + 1 + 10)
    code = with_state(policies.BudgetUCB(2, log_factor=2.0), *state)
    root = math.sqrt(0.5)
    expected = 1 / 3 + root / 0.75 * (1 + (0.25 + root) / 0.2)
    assert code.indices(E2, MIDDLE, view())[1] == pytest.approx(expected)


def test_ucb_sc_plus_by_hand():
    """log(t/n) = 1, n = 2: r = c = .75 gives kappa = 9/8 and a = 1/sqrt(3.5)."""
    # last arms: c^2 on either side of log(t/n) / (2n) = 1/4
    state = (2, [0.75, 0.0, 0.2, 1.0], [0.75, 1.0, 0.6, 0.49])
    policy = with_state(policies.UCBSCPlus(4), *state)
    a, b = 1 / math.sqrt(3.5), 1 / math.sqrt(0.6)
    expected = [(1 + a) / (1 - a), 1 / math.sqrt(3), (1 + 3 * b) / (3 - b), INF]
    values = policy.indices(2 * math.e, MIDDLE, view(4))
    assert values == pytest.approx(expected)


def test_bts_by_hand():
    """Gamma(1) at u is -log(1 - u); Gamma(2) at 1 - 2/e is 1."""
    bts = policies.BTS(3)
    half, quarter = 0.5, 0.75  # quantiles log 2 and 2 log 2
    noise = np.array([half, half, half, quarter] + [half, half] * 2)
    noise = np.reshape(
        [*noise[:2], 0, *noise[2:4], 0, *noise[4:6], 0, half, half, 0], 12
    )
    values = bts.indices(1, noise, view())
    # theta_r = 1/2 and log 2 / (log 2 + log 4) = 1/3, theta_c = 1/2
    assert values == pytest.approx([1, 2 / 3, -INF])
    assert bts.act(1, noise, view()) == 0
    bts.update(1, [0.3, 0.3], 1, 0.3, 0.3)  # no success at equality
    assert (bts.reward_successes[1], bts.cost_successes[1], bts.pulls[1]) == (0, 0, 1)
    bts = policies.BTS(3)
    bts.update(1, [0.29, 0.3], 0, 0.3, 0.3)
    assert (bts.reward_successes[0], bts.cost_successes[0], bts.pulls[0]) == (1, 0, 1)
    one = 1 - 2 / math.e
    noise = np.array([one, half, 0, half, half, 0, half, half, 0, one, half, 0])
    values = bts.indices(2, noise, view())
    theta_r, theta_c = 1 / (1 + math.log(2)), math.log(2) / (1 + math.log(2))
    assert values == pytest.approx([theta_r / theta_c, 1, -INF])


# the other policies


def test_largest_ratio_in_closed_form():
    """A mean at 1 stays there, or -log c' = level; -log(1 - r') = level at r = 0."""
    assert policies.largest_ratio(1.0, 1.0, 0.3) == pytest.approx(math.exp(0.3))
    assert policies.largest_ratio(0.0, 1.0, 0.3) == pytest.approx(1 - math.exp(-0.3))
    # beyond d(0, 1/2) = log 2 the rest of the level lowers c'
    found = policies.largest_ratio(0.0, 1.0, math.log(2) + 1)
    assert found == pytest.approx(0.5 * math.e)
    assert policies.largest_ratio(0.5, 1e-4, 1.0) == INF
    steep = policies.largest_ratio(1.0, 0.01, 6.0)  # c' of the order exp(-600)
    # c log(c/c') + (1 - c) log(1 - c) = level
    expected = 6.0 / 0.01 - 99 * math.log(0.99) - math.log(0.01)
    assert math.log(steep) == pytest.approx(expected, rel=1e-12)


def test_kl_ucb_sc_plus_by_hand():
    """n = 4, t = 4 e: level 1/4; tighter than UCB-SC+."""
    state = (4, [0.5, 1.0], [0.6, 1.0])
    policy = with_state(policies.KLUCBSCPlus(2), *state)
    values = policy.indices(4 * math.e, MIDDLE, view())
    assert values[0] == pytest.approx(policies.largest_ratio(0.5, 0.6, 0.25))
    assert values[1] == pytest.approx(math.exp(0.25))
    relaxed = with_state(policies.UCBSCPlus(2), *state)
    assert np.all(values < relaxed.indices(4 * math.e, MIDDLE, view()))


def test_ucb_bv1_by_hand():
    """e = sqrt(2/n): n = 200 gives 1/10, n = 50 gives lambda itself."""
    policy = with_state(policies.UCBBV1(2), [200, 40], 0.5, 0.25)
    expected = [2 + (1 + 5) * 0.1 / 0.1, INF]
    assert policy.indices(E2, MIDDLE, view()) == pytest.approx(expected)
    owned = with_state(policies.UCBBV1(2, minimum_cost=0.5), [200, 40], 0.5, 0.25)
    e = math.sqrt(2 / 40)
    expected = [2 + 3 * 0.1 / 0.4, 2 + 3 * e / (0.5 - e)]
    assert owned.indices(E2, MIDDLE, view()) == pytest.approx(expected)


def test_kube_by_hand():
    kube = with_state(policies.KUBE(2), 16, [0.5, 0.0], [0.25, 0.5])
    values = kube.indices(math.exp(2), MIDDLE, view())
    assert values == pytest.approx([(0.5 + 0.5) / 0.25, 0.5 / 0.5])
    kube = with_state(policies.KUBE(2, scale=8.0), 16, [0.5, 0.0], [0.25, 0.5])
    assert kube.indices(math.exp(2), MIDDLE, view())[1] == pytest.approx(2)


def test_pd_bwk_by_hand():
    """C = 1, n = 16, means 1/4: rad = 1/8 + 1/16; eps = sqrt(log 2 / 8)."""
    policy = policies.PDBwK(2, budget=4.0, horizon=32, confidence=1.0)
    with_state(policy, 16, [0.25, 1.0], [0.25, 0.01])
    money = view(unit=2.0)
    lower = np.array([1 / 16, 0.0])
    upper = np.array([7 / 16, 1.0])
    first = policy.indices(33, MIDDLE, money)
    assert first == pytest.approx(upper / (lower + 0.25))
    policy.update(33, MIDDLE, 0, 0.25, 0.25)
    policy.update(33, MIDDLE, 0, 0.25, 0.25)
    with_state(policy, 16, [0.25, 1.0], [0.25, 0.01])
    eps = math.sqrt(math.log(2) / 8)
    v_money, v_time = (1 + eps) ** (2 / 16), (1 + eps) ** 0.5
    expected = upper / (v_money * lower + v_time * 0.25)
    second = policy.indices(34, MIDDLE, money)
    assert second / second[0] == pytest.approx(expected / expected[0], rel=1e-12)
    assert second / second[0] != pytest.approx(first / first[0], rel=1e-4)


def test_b_greedy_by_hand():
    policy = with_state(policies.BGreedy(4), 2, [0.5, 0.5, 1.0, 0.1], [1.0, 0.5, 0, 1])
    assert policy.indices(12, MIDDLE, view(4)) == pytest.approx([0.5, 1, INF, 0.1])
    money = view(3)
    assert policy.act(12, np.array([0.0, 0.25, 0.99]), money) == 2  # 1/4 is not < 1/4
    explored = [policy.act(12, np.array([0.0, 0.24, u]), money) for u in (0, 0.5, 0.99)]
    assert explored == [0, 1, 2]
    assert policy.act(3, np.array([0.0, 0.0, 0.0]), money) == 2  # still the start
    policy = with_state(policies.BGreedy(2), 1, [0.5, 0.5], [1.0, 1.0])
    assert [policy.act(9, np.array([u, 0.9, 0]), view()) for u in (0.4, 0.6)] == [0, 1]


def test_epsilon_first_by_hand():
    policy = policies.EpsilonFirst(3, budget=10.0, epsilon=0.2)
    with_state(policy, 2, [0.5, 0.9, 0.9], [1.0, 0.5, 0.5])
    exploring = view(3, spent=3.99, unit=2.0)
    assert [policy.act(t, [0.9], exploring) for t in (4, 5, 6)] == [0, 1, 2]
    exploiting = view(3, spent=4.0, unit=2.0)
    assert [policy.act(4, [u], exploiting) for u in (0.4, 0.6)] == [1, 2]
    values = policy.indices(4, [0.9], exploring)
    assert values == pytest.approx([0.5, 1.8, 1.8])
