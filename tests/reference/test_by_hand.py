"""What twins build on, against another source: SciPy, quadrature, grids, papers.

A twin that disagrees with its policy is seen where they play. What both might get wrong
alike is here.
"""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy import integrate, stats

from tests.reference.allocation_families import make_laws
from tests.reference.allocation_oracle import objective, oracle
from tests.reference.allocation_policies import Arm, Problem, ThompsonAllocation
from tests.reference.budgeted_policies import OmegaUCB


def test_omega_in_example_2():
    """The policy's own z = sqrt(2 log t), facts: 5.607 and 2.238."""
    omega = OmegaUCB(2, rho=1.0)
    omega.pulls[:] = 1000
    omega.reward_sums[:], omega.cost_sums[:] = [800, 100], [200, 100]
    view = SimpleNamespace(num_arms=2)
    found = omega.indices(10_000, None, view)
    assert found == pytest.approx([5.607, 2.238], abs=6e-4)
    quantile = np.exp(4.056**2 / 2)  # a t whose z is the exact normal quantile
    found = omega.indices(quantile, None, view)
    assert found == pytest.approx([5.5, 2.1], abs=0.05)


def test_boosting_can_take_budget_away_from_a_sigmoid():
    """A counterexample to Assumption 4.5: the boosted arm (the second) loses."""
    laws = make_laws("weibull", [2.481, 2.285, 2.275])
    p = np.array([0.356, 0.516, 0.427])
    rates = 1 / np.array([15.48, 19.90, 25.37])
    x = oracle(laws, p, rates, 59.6)
    np.testing.assert_allclose(x, [25.5, 34.2, 0], atol=0.15)
    radius, p_radius = np.array([0.094, 0.069, 0.003]), np.array([0.118, 0.082, 0.022])
    sign = np.array([1, -1, 1])
    rate, other = rates * (1 + sign * radius), rates * (1 - sign * radius)
    scale = [law.surrogate_scale(*v) for law, *v in zip(laws, rate, other, strict=True)]
    boosted = oracle(laws, p * (1 - sign * p_radius) * scale, rate, 59.6)
    np.testing.assert_allclose(boosted, [0, 31.5, 28.1], atol=0.15)


def test_an_arm_can_stay_on_its_convex_branch():
    # The second arm saturates early; the first one takes the rest, below its mode.
    laws, w, rates = make_laws("weibull", [3.0, 3.0]), [1.0, 0.5], [0.8, 20.0]
    x = oracle(laws, w, rates, 1.0)
    assert 0 < x[0] < laws[0].mode(0.8) and x[1] > 0
    literal = oracle(laws, w, rates, 1.0, convex=False)
    gain = objective(laws, w, rates, x) - objective(laws, w, rates, literal)
    assert gain > 0.1
    first = np.linspace(0, 1, 2001)
    grid = max(objective(laws, w, rates, (v, 1 - v)) for v in first)
    assert objective(laws, w, rates, x) == pytest.approx(grid, abs=1e-5)


EXPONENTIAL = Problem("exponential", (1.0,) * 3, 1 / 40, 2.0, 40.0)


def filled(x, F):
    """An arm with a history."""
    arm = Arm(make_laws("exponential", (1.0,))[0], EXPONENTIAL)
    for allocation, feedback in zip(x, F, strict=True):
        arm.append(allocation, feedback)
    return arm


def test_thompson_draws_from_the_posterior_by_quadrature():
    policy = ThompsonAllocation(EXPONENTIAL)
    arm = filled([10.0, 10.0, 40.0], [3.0, np.inf, 12.0])

    def weight(log_rate):
        return np.exp(float(arm.likelihood(np.exp(log_rate))))

    low, high = np.log(1 / 40), np.log(2.0)
    whole = integrate.quad(weight, low, high)[0]
    for z1 in (-0.4, 0.0, 0.9):
        p, drawn = policy.draw(arm, z1, -1.2)
        below = integrate.quad(weight, low, np.log(drawn))[0] / whole
        assert below == pytest.approx(stats.norm.cdf(z1), abs=1e-4)
        S = 2 + 0.72 - 1.2 * np.sqrt(2.36)
        assert p == pytest.approx(min(1.0, S / arm.coverage(drawn)), rel=1e-12)
    empty = filled([], [])
    p, drawn = policy.draw(empty, 0.0, 1.0)
    assert p == pytest.approx(0.841345, abs=1e-6)
    assert drawn == pytest.approx(np.sqrt(2 / 40), rel=1e-12)
    failed = filled([40.0] * 4, [np.inf] * 4)
    p, drawn = policy.draw(failed, 1.0, 1.0)  # S = z^2 where z > 0
    assert p == pytest.approx(1 / failed.coverage(drawn), rel=1e-12)
    assert policy.draw(failed, 1.0, -1.0)[0] == 0
