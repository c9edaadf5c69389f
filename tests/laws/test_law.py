"""Selecting an arm's parameters, and expectations below limits."""

import numpy as np
from scipy import stats

from jaxbandits.laws.law import expectation_below
from tests.tables import each_row


def exponential_density(x):
    return np.stack([rate * np.exp(-rate * x) for rate in (0.5, 3.0)])


def test_the_expectation_of_the_identity_by_hand():
    limits = np.array([0.3, 2.0])
    table = expectation_below(exponential_density, lambda x: x, limits)
    expected = [(1 - np.exp(-r * limits) * (1 + r * limits)) / r for r in (0.5, 3.0)]
    np.testing.assert_allclose(table, expected, atol=1e-11, rtol=0)
    by_arm = expectation_below(
        exponential_density, lambda x: np.stack([x, 2 * x]), limits
    )
    np.testing.assert_allclose(by_arm, table * [[1], [2]], atol=1e-11, rtol=0)


@each_row("breakpoints", [(), (0.37,), (0.37, 0.5, 7.0)])
def test_the_expectation_of_a_cost_that_jumps_is_exact(breakpoints):
    limits = np.array([0.2, 0.5, 0.9])

    def cost(x):
        return np.where(x <= 0.37, 1.0, 3.0)

    table = expectation_below(exponential_density, cost, limits, breakpoints)
    for row, rate in zip(table, (0.5, 3.0), strict=True):
        below, split = stats.expon.cdf(limits * rate), stats.expon.cdf(0.37 * rate)
        expected = np.where(limits <= 0.37, below, split + 3 * (below - split))
        np.testing.assert_allclose(row, expected, atol=1e-11, rtol=0)
