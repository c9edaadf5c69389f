"""Arms in turn: every plan by brute force, properties, and the examples of the page."""

import jax
import numpy as np

from jaxbandits.kernels.allocation import (
    INVALID,
    NOTHING_TO_GAIN,
    SOLVED,
    fill_in_turns,
    ordered_programming,
    worth_of_turns,
)
from tests.kernels.allocation.problems import unit_values
from tests.reference.allocation_environment import all_turns
from tests.reference.ordered_policies import chances_of
from tests.reference.ordered_policies import worth as of_plan
from tests.tables import assert_refused, each_row

programme = jax.jit(ordered_programming)
ARMS, UNITS = 3, 6


def worth(values, chances, arms, amounts):
    """What a plan is worth: budget by budget, as it is used up (the definition)."""
    return of_plan([*zip(arms, amounts, strict=True)], values, chances)


def best_of_all(values, chances):
    """The largest worth of all orders and amounts."""
    num_arms, size = values.shape
    return max(worth(values, chances, *x) for x in all_turns(num_arms, size - 1))


def random_survival(rng, units=UNITS):
    chances = rng.random(units + 1) * rng.choice([0, 1, 1], units + 1)
    chances[rng.integers(units + 1)] += 0.1
    return np.minimum(np.cumsum(chances[::-1])[::-1][1:] / chances.sum(), 1)


def check(found, values, survival, rtol):
    """A plan of all units, worth what it says."""
    num_arms, size = values.shape
    assert found.status == SOLVED
    assert sorted(found.arms.tolist()) == [*range(num_arms)]
    assert found.amounts.min() >= 0 and found.amounts.sum() == size - 1
    mine = worth(values, chances_of(survival), found.arms, found.amounts)
    np.testing.assert_allclose(found.value, mine, rtol=rtol)


@each_row("num_arms, units, concave", [(3, 6, True), (3, 6, False), (5, 2, False)])
def test_a_programme_finds_the_best_of_all_plans(num_arms, units, concave):
    """168 plans of three arms and six units, and no curve or budget alike."""
    rng = np.random.default_rng(concave)
    for _ in range(20 if num_arms == ARMS else 3):
        values = unit_values(rng, num_arms, units, concave)
        survival = random_survival(rng, units)
        found = programme(values, survival)
        best = best_of_all(values, chances_of(survival))
        if best == 0:
            assert found.status == NOTHING_TO_GAIN and found.value == 0
            continue
        np.testing.assert_allclose(found.value, best, rtol=2e-6)
        check(found, values, survival, 2e-6)


# The examples of theory/ordered-allocation.md: p, rate of exponential thresholds.
STEEPER_IS_SECOND = [(0.9, 0.7), (0.4, 1.5)]
THREE_LAWS = [(0.8, 0.5), (0.3, 1.4)]


def exponential_values(arms, units):
    p, rate = np.array(arms).T[:, :, None]
    return p * -np.expm1(-rate * np.arange(units + 1))


def survival_of(budgets, units):
    return np.mean(np.array(budgets) >= np.arange(1, units + 1)[:, None], axis=1)


def test_the_best_order_is_not_that_of_the_slopes():
    """Steeper at 0, and worth more in its first unit: and yet second."""
    values = exponential_values(STEEPER_IS_SECOND, 4)
    (p1, rate1), (p2, rate2) = STEEPER_IS_SECOND
    np.testing.assert_allclose([p1 * rate1, p2 * rate2], [0.63, 0.6])
    np.testing.assert_allclose(values[:, 1], [0.453, 0.311], atol=5e-4)
    survival = survival_of([2, 2, 2, 4], 4)
    found, chances = programme(values, survival), chances_of(survival)
    assert found.arms.tolist() == [1, 0] and found.amounts.tolist() == [1, 3]
    np.testing.assert_allclose(found.value, 0.8480, atol=5e-5)
    steeper = max(worth(values, chances, [0, 1], [x, 4 - x]) for x in range(5))
    np.testing.assert_allclose(steeper, 0.7850, atol=5e-5)


# Budgets of mean 4: the best plan for each, and what it is worth.
LAWS = {
    "4": ([4], [0, 1], [3, 4], 0.8475),
    "1 or 7": ([1, 7], [0, 1], [5, 2], 0.6654),
    "3 or 5": ([3, 5], [1, 0], [1, 6], 0.8247),
}
# What share of the optimum each of these plans loses, by law.
LOST = [[0, 0.184, 0.0], [0.072, 0, 0.089], [0.076, 0.178, 0]]


def test_the_optimum_depends_on_more_than_the_mean():
    values = exponential_values(THREE_LAWS, 7)
    survivals = [survival_of(law[0], 7) for law in LAWS.values()]
    for survival, (budgets, arms, amounts, value) in zip(
        survivals, LAWS.values(), strict=True
    ):
        assert np.mean(budgets) == 4
        found = programme(values, survival)
        assert found.arms.tolist() == arms and found.amounts.tolist() == amounts
        np.testing.assert_allclose(found.value, value, atol=5e-5)
    lost = [
        [
            1 - worth(values, chances_of(survival), arms, amounts) / law[3]
            for _, arms, amounts, _ in LAWS.values()
        ]
        for survival, law in zip(survivals, LAWS.values(), strict=True)
    ]
    np.testing.assert_allclose(lost, LOST, atol=6e-4)


def test_arms_are_filled_in_their_turns():
    arms, amounts = np.array([2, 0, 1]), np.array([2, 0, 3])
    for budget, expected in [(0, [0, 0, 0]), (1, [0, 0, 1]), (4, [0, 2, 2])]:
        found = fill_in_turns(arms, amounts, budget)
        np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(fill_in_turns(arms, amounts, 9), [0, 3, 2])


def test_turns_are_worth_what_their_plan_is_worth():
    rng = np.random.default_rng(7)
    values, survival = unit_values(rng, ARMS, UNITS), random_survival(rng)
    table = np.asarray(worth_of_turns(values, survival))
    chances = chances_of(survival)
    for arms, amounts in list(all_turns(ARMS, UNITS))[::11]:
        starts = np.cumsum(amounts) - amounts
        found = table[list(arms), starts, list(amounts)].sum()
        mine = worth(values, chances, arms, amounts)
        np.testing.assert_allclose(found, mine, rtol=1e-5, atol=1e-6)


def test_ties_do_not_depend_on_the_last_digit():
    """Where the budget cannot end the order is no matter: arms go by their index."""
    rng = np.random.default_rng(8)
    several = 0
    for _ in range(60):
        values = np.float32(unit_values(rng, ARMS, UNITS, concave=True))
        found = programme(values, np.ones(UNITS, np.float32))
        taken = found.arms[:-1][found.amounts[:-1] > 0].tolist()
        assert taken == sorted(taken)
        several += len(taken) > 1
    assert several > 30


NAN, INF = np.nan, np.inf
GOOD = np.array([[0, 1.0, 2.0], [0, 2.0, 3.0]]), np.array([1.0, 0.5])


@each_row(
    "values, survival",
    [
        ([[0, 1, 0.5], [0, 2, 3]], GOOD[1]),
        ([[0, 1, NAN], [0, 2, 3]], GOOD[1]),
        ([[0, 1, INF], [0, 2, 3]], GOOD[1]),
        (GOOD[0], [0.5, 0.6]),
        (GOOD[0], [1.1, 0.6]),
        (GOOD[0], [1.0, -0.1]),
        (GOOD[0], [NAN, 0.1]),
        (GOOD[0], [1.0, NAN]),
    ],
)
def test_what_is_no_problem_of_turns_is_invalid(values, survival):
    assert programme(*GOOD).status == SOLVED
    found = programme(np.array(values, float), np.array(survival, float))
    assert found.status == INVALID


def test_sizes_that_are_too_large_or_differ_are_refused():
    def of(arms, units, survivals):
        return lambda: ordered_programming(np.zeros((arms, units)), np.ones(survivals))

    assert_refused(
        [
            (of(9, 3, 2), "values must have 1 to 8 arms and 1 to 32"),
            (of(2, 34, 33), "values must have .* got shape .2, 34"),
            (of(2, 1, 1), "values must have 1 to 8 arms and 1 to 32"),
            (of(2, 3, 3), "survival must have an entry per unit, .*2"),
        ]
    )
