"""theory/shrunk-omega.md: how long an arm is left alone, by the twin's index."""

import numpy as np

from jaxbandits_studies.theory import lost_runs, shrinking
from tests.reference.budgeted_policies import OmegaUCB
from tests.tables import each_row

SHOWN, RIVAL = 0.2, 0.4


def twin(variance, pulls, shown=SHOWN):
    """omega*-UCB that has seen equal rewards of arm 0, at the least possible cost."""
    star = variance != "none"
    options = {"variance": variance} if star else {}
    policy = OmegaUCB(2, cost_low=[0.5] * 2, cost_high=[1.0] * 2, star=star, **options)
    for _ in range(pulls):
        policy.update(1, [], 0, shown, 0.5)
    return policy


@each_row("variance", shrinking.ETAS)
@each_row("pulls", [1, 7, 29, 30])
def test_the_index_reaches_the_rival_when_it_is_said_to(variance, pulls):
    """A little before it is below q / c, a little later above."""
    t = shrinking.rounds_left_alone(pulls, 0.25, SHOWN, RIVAL, variance)
    policy = twin(variance, pulls)
    if np.isinf(t):
        assert policy.index(0, 1e300, None) < RIVAL / 0.5
        return
    assert policy.index(0, t * 0.999, None) < RIVAL / 0.5
    assert policy.index(0, t * 1.001, None) > RIVAL / 0.5


def test_the_formula_by_hand():
    """n (n + 9) 0.04 / (5 * 0.24), and n 0.04 / (0.5 * 0.24) for eta = 1."""
    found = shrinking.rounds_left_alone([10.0, 20.0], 0.25, SHOWN, RIVAL)
    np.testing.assert_allclose(np.log(found), [190 * 0.04 / 1.2, 580 * 0.04 / 1.2])
    found = shrinking.rounds_left_alone(10.0, 0.25, SHOWN, RIVAL, "none")
    np.testing.assert_allclose(np.log(found), 10 * 0.04 / 0.12)
    # Alike for one pull, and for ever from 30 on where the rule switches.
    one = [
        shrinking.rounds_left_alone(1.0, 0.25, SHOWN, RIVAL, v) for v in shrinking.ETAS
    ]
    np.testing.assert_allclose(one, one[0])
    switch = shrinking.rounds_left_alone([29.0, 30.0], 0.25, SHOWN, RIVAL, "switch")
    assert np.isfinite(switch[0]) and np.isinf(switch[1])


def test_the_rounds_of_the_page():
    pulls = [5, 10, 15, 20, 29, 30, 40]
    for variance, told in (
        ("shrunk", [10, 560, 1.6e5, 2.5e8, 9e15, 9e16, 2e28]),
        ("switch", [5.3, 28, 150, 790, 1.6e4, np.inf, np.inf]),
        ("none", [5.3, 28, 150, 790, 1.6e4, 2.2e4, 6.2e5]),
    ):
        found = shrinking.rounds_left_alone(pulls, 0.25, SHOWN, RIVAL, variance)
        np.testing.assert_allclose(found, told, rtol=0.25)


@each_row("variance", shrinking.ETAS)
def test_fewer_pulls_do_not_suffice(variance):
    rounds = np.geomspace(2, 1e12, 30)
    n = shrinking.pulls_until_given_up(rounds, 0.25, SHOWN, RIVAL, variance)
    until = shrinking.rounds_left_alone(n, 0.25, SHOWN, RIVAL, variance)
    assert np.all(until >= rounds * (1 - 1e-9))
    more = n > 1
    fewer = shrinking.rounds_left_alone(
        np.maximum(n - 1, 1), 0.25, SHOWN, RIVAL, variance
    )
    assert np.all(fewer[more] < rounds[more])


def test_of_no_rounds_there_are_no_pulls():
    for shape in [(0,), (2, 0)]:
        found = shrinking.pulls_until_given_up(np.ones(shape), 0.25, SHOWN, RIVAL)
        assert found.shape == shape and found.dtype == np.int64


def test_what_is_lost_by_hand_and_in_the_end():
    """At t = 10,000 n (n + 9) >= 276: 13; then (p - q) (1 - w)^13 (t - 13)."""
    found = shrinking.lost_regret([10_000.0], 0.25, SHOWN, RIVAL, 0.44, 0.3)
    np.testing.assert_allclose(found, 0.04 * 0.7**13 * (10_000 - 13))
    # Above every power of t below 1 in the end, for rho = 1 as well.
    rounds = 10.0 ** np.array([20, 40, 80, 160, 300])
    lost = np.log(shrinking.lost_regret(rounds, 1.0, SHOWN, RIVAL, 0.44, 0.3))
    slopes = np.diff(lost) / np.diff(np.log(rounds))
    assert np.all(np.diff(slopes) > 0) and slopes[-1] > 0.75
    none = np.log(shrinking.lost_regret(rounds, 1.0, SHOWN, RIVAL, 0.44, 0.3, "none"))
    assert np.all(np.diff(none) / np.diff(np.log(rounds)) < 0.1)


def test_the_powers_of_the_page():
    pairs = [(0.95, 0.9), (0.9, 0.8), (0.5, 0.45), (0.5, 0.3), (0.9, 0.5)]
    for rho, told in (
        (0.25, [0.84, 0.72, 0.63, 0.20, -0.15]),
        (1.0, [0.34, -0.13, -0.48, -2.18, -3.60]),
    ):
        powers = [1 - lost_runs.exponent(rho, p, q) for p, q in pairs]
        np.testing.assert_allclose(powers, told, atol=0.006)
