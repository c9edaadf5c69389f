"""Lost runs: numbers by hand, and the limits of the exponent."""

import numpy as np
import pytest

from jaxbandits_studies.theory import lost_runs
from tests.tables import each_row


def test_failures_that_give_an_arm_up_by_hand():
    """With q = 0.9, rho = 1/2: 9 n >= log(1 + t / 1.414 n), so 1 up to 11,458."""
    rounds = np.array([1.0, 1e3, 11_458.0, 11_459.0, 2 * 2**0.5 * np.exp(18) + 2])
    found = lost_runs.pulls_until_given_up(rounds, 0.5, 0.9)
    assert found.tolist() == [1, 1, 1, 2, 3]
    chance = lost_runs.chance_of_loss(rounds, 0.5, 0.95, 0.9)
    np.testing.assert_allclose(chance, 0.05 ** found.astype(float))


def test_failures_beside_the_share_of_pulls_by_hand():
    """9 n >= log(t / n), so 1 up to e**9 = 8,103."""
    rounds = np.array([1.0, 1e3, 8_103.0, 8_104.0, 2 * np.exp(18) + 2])
    found = lost_runs.pulls_until_given_up(rounds, 0.5, 0.9, "log_share")
    assert found.tolist() == [1, 1, 1, 2, 3]
    chance = lost_runs.chance_of_loss(rounds, 0.5, 0.95, 0.9, "log_share")
    np.testing.assert_allclose(chance, 0.05 ** found.astype(float))


@each_row("confidence", lost_runs.CONFIDENCES)
@each_row("rho", [0.25, 0.5, 1.0, 3.0])
@each_row("other", [0.2, 0.5, 0.9, 0.99])
def test_fewer_failures_do_not_suffice(rho, other, confidence):
    rounds = np.geomspace(2, 1e9, 40)
    found = lost_runs.pulls_until_given_up(rounds, rho, other, confidence)
    odds = other / (1 - other)

    def enough(n):
        share = 1 + rounds / n / np.sqrt(2) if confidence == "share" else rounds / n
        return n * odds >= 2 * rho * np.log(share)

    assert np.all(enough(found))
    fewer = found - 1
    assert not np.any(enough(np.maximum(fewer, 1)) & (fewer >= 1))


def test_what_lost_runs_lose_by_hand():
    for confidence, last in {"share": 11_458.0, "log_share": 8_103.0}.items():
        rounds = np.array([100.0, last, last + 1, 1e6])
        found = lost_runs.lost_regret(rounds, 0.5, 0.95, 0.9, confidence)
        one = 0.05 * 0.05 * (rounds - 1)
        # What was lost until then stays lost.
        expected = [one[0], one[1], one[1], 0.05**2 * 0.05 * (1e6 - 2)]
        np.testing.assert_allclose(found, expected)


def test_the_exponent_has_the_limits_of_the_page():
    # At p = 0.95, q = 0.9 nothing but failures is the likeliest way ...
    straight = 2 * 0.5 * (0.1 / 0.9) * np.log(1 / 0.05)
    assert lost_runs.exponent(0.5, 0.95, 0.9) <= straight * (1 + 1e-9)
    assert lost_runs.exponent(0.5, 0.95, 0.9) == pytest.approx(straight, rel=0.02)
    # ... it grows like rho, is at most rho for arms that are close, and goes to 0.
    assert lost_runs.exponent(2.0, 0.6, 0.5) == pytest.approx(
        4 * lost_runs.exponent(0.5, 0.6, 0.5)
    )
    assert lost_runs.exponent(1.0, 0.5001, 0.5) == pytest.approx(1, abs=0.01)
    falling = [
        lost_runs.exponent(1.0, 1 - gap**2, 1 - gap) for gap in (0.1, 0.01, 0.001)
    ]
    assert falling[0] > falling[1] > falling[2] and falling[2] < 0.03


def test_the_exponent_is_that_of_the_chance():
    """log of the chance over log t, for failures only, tends to the power at x = 0."""
    rounds = np.array([1e100, 1e300])
    chance = np.log(0.5) * lost_runs.pulls_until_given_up(rounds, 1.0, 0.3)
    slope = -np.diff(chance)[0] / np.log(1e200)
    assert slope == pytest.approx(2 * (0.7 / 0.3) * np.log(2), rel=0.01)
