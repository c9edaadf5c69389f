"""Self-checks of the allocation twins: hand examples, grids, simulations."""

from itertools import product

import numpy as np
import pytest
from scipy import integrate, stats

from tests.reference.allocation_environment import AllocationGame
from tests.reference.allocation_families import FAMILIES, make_laws
from tests.reference.allocation_oracle import objective, oracle
from tests.reference.allocation_policies import (
    Arm,
    MgUcbDelta,
    Problem,
    ThompsonAllocation,
    delta_bounds,
    printed_bounds,
    printed_constants,
)
from tests.tables import each_row

# family, shape, rate, the same law of SciPy
CONTINUOUS = [
    ("exponential", 1.0, 0.7, stats.expon(scale=1 / 0.7)),
    ("weibull", 0.6, 0.7, stats.weibull_min(0.6, scale=1 / 0.7)),
    ("weibull", 2.3, 0.7, stats.weibull_min(2.3, scale=1 / 0.7)),
    ("gamma", 0.5, 1.3, stats.gamma(0.5, scale=1 / 1.3)),
    ("gamma", 3.0, 1.3, stats.gamma(3.0, scale=1 / 1.3)),
    ("lomax", 1.0, 0.4, stats.lomax(1.0, scale=1 / 0.4)),
    ("lomax", 2.5, 0.4, stats.lomax(2.5, scale=1 / 0.4)),
]
EXPONENTIAL = Problem("exponential", (1.0,) * 3, 1 / 40, 2.0, 40.0)


def filled(problem, x, F, estimator="truncated"):
    """Arm 0 of the problem with a history."""
    arm = Arm(make_laws(problem.family, problem.shapes)[0], problem, estimator)
    for allocation, feedback in zip(x, F, strict=True):
        arm.append(allocation, feedback)
    return arm


# families


@each_row("name, shape, rate, law", CONTINUOUS)
def test_families_against_scipy(name, shape, rate, law):
    ours = FAMILIES[name](shape)
    x = np.array([0.05, 0.3, 0.6, 0.9])
    np.testing.assert_allclose(ours.cdf(x, rate), law.cdf(x), rtol=1e-12)
    np.testing.assert_allclose(ours.log_density(x, rate), law.logpdf(x), rtol=1e-10)
    u = np.array([1e-6, 0.2, 0.5, 0.99])
    np.testing.assert_allclose(ours.quantile(u, rate), law.ppf(u), rtol=1e-9)
    below = integrate.quad(law.cdf, 0, 0.6, epsabs=1e-13)[0] / law.cdf(0.6)
    assert ours.mean_below(0.6, rate) == pytest.approx(0.6 - below, rel=1e-8)


def test_discrete_weibull_by_hand():
    law = FAMILIES["discrete_weibull"](1.0)  # geometric: survival e^-rate per unit
    q = np.exp(-0.5)
    np.testing.assert_allclose(law.cdf([0, 0.9, 1, 2.7], 0.5), [0, 0, 1 - q, 1 - q**2])
    np.testing.assert_allclose(
        np.exp(law.log_density([1, 3], 0.5)), [1 - q, q**2 * (1 - q)]
    )
    assert law.quantile([0.0, 1 - q - 1e-9, 1 - q + 1e-9], 0.5).tolist() == [1, 1, 2]
    mean = ((1 - q) + 2 * q * (1 - q)) / (1 - q**2)
    assert law.mean_below(2.5, 0.5) == pytest.approx(mean, rel=1e-14)
    law, h = FAMILIES["discrete_weibull"](1.6), 1e-5
    for x in (1, 4):
        up, down = 0.3 * np.exp(h), 0.3 * np.exp(-h)
        slope = (law.log_density(x, up) - law.log_density(x, down)) / (2 * h)
        assert law.score(x, 0.3) == pytest.approx(slope, rel=1e-7)
        slope = (law.cdf(x, up) - law.cdf(x, down)) / (2 * h)
        assert law.growth(x, 0.3) == pytest.approx(slope, rel=1e-7)


# the oracle


def test_exponential_closed_form():
    weights, rates, B = np.array([0.9, 0.5, 0.02]), np.array([0.3, 0.8, 0.1]), 6.0
    x = oracle(make_laws("exponential", [1] * 3), weights, rates, B)
    log_nu = (np.log(weights * rates)[:2] / rates[:2]).sum() - B
    log_nu /= (1 / rates[:2]).sum()
    np.testing.assert_allclose(
        x[:2], (np.log(weights * rates)[:2] - log_nu) / rates[:2]
    )
    assert x[2] == 0
    assert np.log(weights[2] * rates[2]) < log_nu


def simplex(budget, cells, K):
    """All allocations of whole cells of the budget."""
    for head in product(range(cells + 1), repeat=K - 1):
        if sum(head) <= cells:
            yield np.array([*head, cells - sum(head)]) * budget / cells


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


@each_row("name, seed", product(("weibull", "gamma"), range(2)))
def test_sigmoid_oracle_against_a_grid(name, seed):
    rng = np.random.default_rng(100 + seed)
    laws = make_laws(name, rng.uniform(0.6, 4.0, 3))
    w, rates = rng.random(3), rng.uniform(0.3, 3.0, 3)
    budget = rng.uniform(0.5, 6.0)
    x = oracle(laws, w, rates, budget)
    assert x.sum() == pytest.approx(budget, rel=1e-9) and (x >= 0).all()
    best = objective(laws, w, rates, x)
    coordinates = np.linspace(0, budget, 201)
    G = [
        wi * law.cdf(coordinates, r) for wi, law, r in zip(w, laws, rates, strict=True)
    ]
    grid = max(
        (G[0][a] + G[1][: 201 - a] + G[2][200 - a :: -1]).max() for a in range(201)
    )
    assert grid <= best + 1e-9
    assert grid >= best - 0.01


def test_an_arm_can_stay_on_its_convex_branch():
    # The second arm saturates early; the first one takes the rest, below its mode.
    laws, w, rates = make_laws("weibull", [3.0, 3.0]), [1.0, 0.5], [0.8, 20.0]
    x = oracle(laws, w, rates, 1.0)
    assert 0 < x[0] < laws[0].mode(0.8) and x[1] > 0
    literal = oracle(laws, w, rates, 1.0, convex=False)
    gain = objective(laws, w, rates, x) - objective(laws, w, rates, literal)
    assert gain > 0.1
    grid = max(objective(laws, w, rates, v) for v in simplex(1.0, 2000, 2))
    assert objective(laws, w, rates, x) == pytest.approx(grid, abs=1e-5)


@each_row("seed", range(2))
def test_whole_units_against_all_allocations(seed):
    rng = np.random.default_rng(seed)
    laws = make_laws("discrete_weibull", rng.uniform(0.5, 2.5, 3))
    w, rates = rng.random(3), rng.uniform(0.1, 0.6, 3)
    x = oracle(laws, w, rates, 9)
    assert x.sum() == 9 and (x == np.floor(x)).all()
    best = max(objective(laws, w, rates, v) for v in simplex(9, 9, 3))
    assert objective(laws, w, rates, x) == pytest.approx(best, rel=1e-14)


# estimates and bounds


def test_estimates_by_hand():
    # Exponential, one success at x = B: B g(v) = F; a failure counts in C only.
    arm = filled(EXPONENTIAL, [40.0, 10.0], [8.0, np.inf])
    rate = arm.rate()
    v = 40 * rate
    assert 40 * (1 / v - 1 / np.expm1(v)) == pytest.approx(8.0, rel=1e-12)
    C = -np.expm1(-40 * rate) - np.expm1(-10 * rate)
    assert arm.probability(rate) == pytest.approx(1 / C, rel=1e-14)
    printed = filled(EXPONENTIAL, [40.0, 10.0], [8.0, np.inf], "printed")
    assert printed.rate() == pytest.approx(rate, rel=1e-12)
    assert filled(EXPONENTIAL, [40.0], [39.0]).rate() == 1 / 40
    assert filled(EXPONENTIAL, [40.0], [1e-3], "printed").rate() == 2.0
    nothing = filled(EXPONENTIAL, [40.0], [np.inf])
    assert nothing.rate() == pytest.approx(np.sqrt(2 / 40), rel=1e-15)
    assert nothing.probability(nothing.rate()) == 0


def test_delta_bounds_by_hand():
    # All at x = B: the information is n B^2 (-g'(rate B)) rate^2 for log rate.
    F = [3.0, 8.0, 12.0, np.inf]
    arm = filled(EXPONENTIAL, [40.0] * 4, F)
    b = delta_bounds(arm, 2.0, 2.0)
    v = 40 * b.rate
    information = 3 * v**2 * (1 / v**2 - 1 / (4 * np.sinh(v / 2) ** 2))
    width = np.sqrt(2 / information)
    assert b.rate_low == pytest.approx(max(b.rate * (1 - width), 1 / 40), rel=1e-9)
    assert b.rate_high == pytest.approx(b.rate * (1 + width), rel=1e-9)
    slope = v * np.exp(-v) / -np.expm1(-v)
    # Three successes of four rounds at one allocation: p G = 3/4, so q = 3/4.
    spread = np.sqrt(2 * ((1 - 3 / 4) / 3 + slope**2 / information))
    assert b.p == pytest.approx(3 / (4 * -np.expm1(-v)), rel=1e-12)
    assert b.p_low == pytest.approx(b.p * (1 - spread), rel=1e-9)
    assert b.p_high == min(1.0, b.p * (1 + spread))


def test_printed_constants_and_bounds():
    arm = filled(EXPONENTIAL, [40.0, 40.0], [8.0, np.inf])
    L_lambda, L_mu = constants = printed_constants(arm.law, EXPONENTIAL)
    assert L_lambda == 40 and 40 / L_mu == pytest.approx(160, rel=1e-12)
    b = printed_bounds(arm, 10, 1.0, constants, 1.0)
    assert (b.rate_low, b.rate_high, b.p_low, b.p_high) == (1 / 40, 2.0, 0.0, 1.0)
    b, scale = printed_bounds(arm, 10, 1e-5, constants, 1e-5), 1e-5
    root = np.sqrt(1.5 * np.log(10))
    assert b.rate_high - b.rate == pytest.approx(160 * scale * root, rel=1e-9)
    width = 40 * 160 * (1 + b.p) / -np.expm1(-1.0) * scale * root
    assert b.p_high - b.p == pytest.approx(width, rel=1e-9)


# policies


def test_mg_order_by_hand():
    problem = Problem("exponential", (1.0, 1.0), 0.1, 10.0, 3.5)
    policy = MgUcbDelta(problem, 1.0, initial=1)
    assert policy.units == 4
    assert policy.act(1).tolist() == [0] * 4 and policy.act(2).tolist() == [1] * 4
    split = MgUcbDelta(problem, 1.0, initial=1, start="uniform_split")
    assert split.act(1).tolist() == [0, 1, 0, 1]
    policy.parameters = lambda t: (np.array([1.0, 0.5]), np.array([1.0, 1.0]))
    # Marginals 1, e^-1, e^-2 against .5, .5/e: 1 (0), .5 (1), .37 (0), .18 (1).
    assert policy.act(3).tolist() == [0, 1, 0, 1]
    policy.parameters = lambda t: (np.array([1.0, 1.0]), np.array([1.0, 1.0]))
    assert policy.act(3).tolist() == [0, 1, 0, 1]  # ties: the first arm


def test_thompson_draws_from_the_posterior_by_quadrature():
    policy = ThompsonAllocation(EXPONENTIAL)
    arm = filled(EXPONENTIAL, [10.0, 10.0, 40.0], [3.0, np.inf, 12.0])

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
    empty = filled(EXPONENTIAL, [], [])
    p, drawn = policy.draw(empty, 0.0, 1.0)
    assert p == pytest.approx(0.841345, abs=1e-6)
    assert drawn == pytest.approx(np.sqrt(2 / 40), rel=1e-12)
    failed = filled(EXPONENTIAL, [40.0] * 4, [np.inf] * 4)
    p, drawn = policy.draw(failed, 1.0, 1.0)  # S = z^2 where z > 0
    assert p == pytest.approx(1 / failed.coverage(drawn), rel=1e-12)
    assert policy.draw(failed, 1.0, -1.0)[0] == 0


# environment


def test_environment_by_hand():
    game = AllocationGame("exponential", [1, 1], [0.5, 1.0], [0.1, 0.2], [10.0, 20.0])
    noise = np.array([0.49, 0.99, 0.5, 0.5])
    X = np.log(2) / np.array([0.1, 0.2])
    assert game.step(noise, X + 1e-9) == pytest.approx(X)
    assert game.step(noise, X - 1e-9).tolist() == [np.inf, np.inf]
    noise[0] = 0.5
    assert game.step(noise, X + 1).tolist() == [np.inf, pytest.approx(X[1])]
    assert (game.budget(1), game.budget(2)) == (10.0, 20.0)
    value = 0.5 * -np.expm1(-0.5) - np.expm1(-1.0)
    assert game.value([5.0, 5.0]) == pytest.approx(value)
    assert game.regret(1, [5.0, 5.0]) == pytest.approx(
        game.value(game.best(10.0)) - value
    )
    assert game.regret(2, game.best(20.0)) == 0
