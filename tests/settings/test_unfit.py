"""What exact values refuse: limits, arms and budgets that are not the problem's."""

from functools import partial

import jax.numpy as jnp
import numpy as np
import pytest

from jaxbandits import allocation, censored, farewell
from jaxbandits.laws import (
    Bernoulli,
    Beta,
    Copula,
    Empirical,
    Product,
    bernoulli,
    beta,
    empirical,
    gaussian_copula,
    product,
    truncated_gaussian,
    truncated_gaussian_params,
)
from jaxbandits.laws.thresholds import exponential
from jaxbandits.testing import altered
from tests.tables import assert_refused

LAW = product(bernoulli, beta)
ARMS = Product(
    Bernoulli(np.array([0.4, 0.6])), Beta(np.array([1.0, 2.0]), np.array([2.0, 1.0]))
)
PRICE, PENALTY = censored.scaled(0.1), censored.scaled(1.0)
PROBLEM = censored.make_problem(2, [0.5, 1.0], PRICE, PENALTY)
FIVE = censored.make_problem(5, [0.5, 1.0], PRICE, PENALTY)
WRONG_LIMITS = [1.0, 0.5], [0.5, 0.5], [-1.0, 0.5], [np.nan], [0.0, 0.5], [[0.5]], 0.5


def laws():
    """Laws of two arms, every kind that has its own moments."""
    box = {"lower": (0, 0), "upper": (1, 1)}
    yield LAW, ARMS
    yield gaussian_copula(bernoulli, beta), Copula(*ARMS, np.array([0.5, -0.5]))
    yield empirical, Empirical(np.ones((2, 3)), np.full((2, 3), 0.3))
    mean, covariance = np.full((2, 2), 0.5), np.array([np.eye(2)] * 2)
    yield truncated_gaussian, truncated_gaussian_params(mean, covariance, **box)


@pytest.mark.parametrize("limits", WRONG_LIMITS, ids=str)
def test_values_and_moments_refuse_limits_that_do_not_increase(limits):
    with pytest.raises(ValueError, match="limits must"):
        censored.pair_values(PROBLEM, LAW, ARMS, limits)
    for law, params in laws():
        with pytest.raises(ValueError, match="limits must"):
            law.moments(params, np.asarray(limits), PRICE)


def test_exact_values_refuse_another_number_of_arms_than_the_problem_has():
    with pytest.raises(ValueError, match="arms must have num_arms = 5 rows"):
        censored.exact_oracle(FIVE, LAW, ARMS)
    with pytest.raises(ValueError, match="arms must have num_arms = 5 rows"):
        censored.pair_values(FIVE, LAW, ARMS, [0.5])
    game = farewell.make_environment(
        "two", np.full((2, 3), 1 / 3), np.full((2, 3), 0.5)
    )
    problem = game.problem._replace(num_arms=5)
    arms = farewell.Arms(np.full((2, 3), 1 / 3), Bernoulli(np.full((2, 3), 0.5)))
    with pytest.raises(ValueError, match=r"arms.delay must have shape \[5, N\]"):
        farewell.exact_oracle(problem, bernoulli, arms)


def test_an_allocation_refuses_another_number_of_arms_than_the_problem_has():
    problem = allocation.make_problem(exponential, 3, [3.0], lowest=0.1, highest=5.0)
    right, wrong = jnp.ones(3), jnp.ones(2)
    solve = partial(allocation.solve, problem)
    rows = [
        (partial(solve, *arrays, 3.0), r"must have shape \[[23]\]")
        for arrays in ((wrong, wrong), (wrong, right), (right, wrong))
    ]
    limited = partial(solve, right, right, 3.0, limit=wrong)
    assert_refused([*rows, (limited, r"limit must have shape \[3\]")])


BEST = {
    "a negative probability": ({"probability": [-2.0, 0.5]}, r"in \[0, 1\]"),
    "a probability above 1": ({"probability": [2.0, 0.5]}, r"in \[0, 1\]"),
    "a negative rate": ({"rate": [-1.0, 1.0]}, "rate must be in"),
    "a rate above the highest": ({"rate": [50.0, 1.0]}, "rate must be in"),
    "a budget above the largest": ({"budgets": [300.0]}, "budgets must be numbers"),
    "a budget of 0": ({"budgets": [0.0]}, "budgets must be positive"),
    "four arms": ({"probability": [0.5] * 4, "rate": [1.0] * 4}, r"shape \[2\]"),
    "a table": ({"budgets": [[3.0]]}, "budgets must be a list"),
}


def test_best_allocations_refuse_what_the_problem_does_not_have():
    problem = allocation.make_problem(exponential, 2, [3.0], lowest=0.1, highest=5.0)
    given = {"probability": [0.5, 0.5], "rate": [1.0, 1.0], "budgets": [3.0]}
    best = partial(allocation.best_allocations, problem)
    rows = {n: (partial(best, **given | c), words) for n, (c, words) in BEST.items()}
    assert_refused(rows)


def test_a_cost_in_jax_numpy_gives_the_same_game_as_one_of_operators():
    def root(x):
        return 0.1 * jnp.sqrt(jnp.asarray(x))

    problem = censored.make_problem(2, [0.5, 1.0], root, lambda x: jnp.exp(x))
    found = censored.make_environment("jax", problem, LAW, ARMS).oracle()
    plain = censored.make_problem(
        2, [0.5, 1.0], lambda x: 0.1 * x**0.5, lambda x: 2.718281828459045**x
    )
    wanted = censored.make_environment("operators", plain, LAW, ARMS).oracle()
    np.testing.assert_allclose(found.values, wanted.values, rtol=0, atol=1e-12)


COSTS = {
    "NumPy's": (np.sqrt, "cost must also map an array that JAX traces"),
    "a list": (lambda x: [0.1 * a for a in x], "cost must also map an array"),
    "float32": (lambda x: jnp.asarray(x, jnp.float32), "cost must return float64"),
}


@pytest.mark.parametrize(("cost", "named"), list(COSTS.values()), ids=list(COSTS))
def test_a_problem_refuses_a_cost_that_no_game_or_quadrature_can_use(cost, named):
    for make, limits in (
        (censored.make_problem, ([1.0],)),
        (censored.make_continuum, ()),
    ):
        with pytest.raises(ValueError, match=named):
            make(2, *limits, cost, PENALTY)


def test_errors_name_the_argument_that_is_wrong():
    bernoullis = Bernoulli([0.4, 0.6])
    with pytest.raises(TypeError, match=r"^params must hold arrays .*no lists"):
        censored.plain("lists", bernoulli, bernoullis)
    swapped = Product(ARMS.consumption, ARMS.reward)
    with pytest.raises(TypeError, match="^reward: params must be a Bernoulli"):
        censored.make_environment("swapped", PROBLEM, LAW, swapped)
    with pytest.raises(ValueError, match=r"^reward: probability must be in \[0, 1\]"):
        farewell.make_environment("high", np.full((1, 2), 0.5), [[0.5, 1.2]])
    game = censored.make_environment("good", PROBLEM, LAW, ARMS)
    with pytest.raises(TypeError, match="no .'stp'. .did you mean 'step'"):
        altered(game, stp=1)
