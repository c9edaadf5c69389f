"""theory/ratio-thompson.md: chances after failures, and what they lose."""

import numpy as np
import pytest
from scipy.integrate import quad

from jaxbandits_studies.theory import ratios
from tests.tables import each_row


@each_row("ratio", [0.3, 1.0, 2.5])
@each_row("n", [1, 4, 12])
def test_chance_after_failures_is_an_integral(n, ratio):
    def density(cost):
        return (n + 1) * cost**n * max(1 - ratio * cost, 0.0) ** (n + 1)

    expected = quad(density, 0, min(1, 1 / ratio))[0]
    assert ratios.chance_after_failures(n, ratio) == pytest.approx(expected, rel=1e-6)
    rarer = 4 * ratio if ratio >= 0.5 else 1 / (1 - ratio)
    assert expected <= (n + 1) / rarer**n


def test_powers_by_hand():
    """Arms worth nearly 1: a coin's failures are 2^-n, and tried again by 4^-n."""
    assert ratios.power(0.5, 0.5 - 1e-9) == pytest.approx(0.5, abs=1e-6)
    assert ratios.power(0.5, 1 / 3) == pytest.approx(0.0, abs=1e-12)  # x = 1/2
    assert ratios.power(0.3, 0.2) == pytest.approx(1 - np.log(0.7) / np.log(0.75))
    nearly = np.linspace(0.05, 0.95, 19)
    assert np.all(ratios.power(nearly, nearly - 1e-9) < 0.5 + 1e-6)


def test_what_failures_lose_approaches_the_power():
    """The worst n of all; and the power is approached."""
    n, p, q, budget = np.arange(1, 40), 0.5, 0.45, 1e5
    never = (1 - ratios.chance_after_failures(n, q / (1 - q))) ** (budget / (1 - q))
    each = (1 - p) ** n * never * (budget - n) * (1 - q / (1 - q))
    assert ratios.lost_regret(budget, p, q) == pytest.approx(each.max())
    budgets = 10.0 ** np.array([6, 12, 24, 48])
    lost = np.log(ratios.lost_regret(budgets, p, q))
    slopes = np.diff(lost) / np.diff(np.log(budgets))
    assert abs(slopes[-1] - ratios.power(p, q)) < 0.03
