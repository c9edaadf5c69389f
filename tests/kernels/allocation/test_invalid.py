"""What is no problem gets a status that says so, never that of a solution."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxbandits.kernels.allocation import (
    INACCURATE,
    INVALID,
    NOTHING_TO_GAIN,
    SOLVED,
    Curves,
    beyond,
    exponential_water_filling,
    fill_in_order,
    integer_greedy,
    integer_programming,
    kkt_residual,
    marginal_greedy,
    priced,
    projected_gradient,
    sigmoid_prefix,
    water_filling,
)
from jaxbandits.laws.thresholds import curves, exponential, weibull
from tests.tables import assert_refused, each_row

ONE, NAN, INF = jnp.ones(2), jnp.array([1.0, np.nan]), jnp.array([1.0, np.inf])
VALUES = jnp.array([[0.0, 1.0, 2.0], [0.0, 1.0, 1.5]])


def of_real_arms(solve):
    """Compiled once: what is left out would be a constant of a program of its own."""
    compiled = jax.jit(solve)
    return lambda weight=ONE, rate=ONE, budget=3.0: compiled(weight, rate, budget)


def of_units(solve):
    compiled = jax.jit(solve)
    return lambda values=VALUES, budget=2: compiled(values, budget)


exponentials = of_real_arms(exponential_water_filling)
dynamic, greedy = of_units(integer_programming), of_units(integer_greedy)


@of_real_arms
def concave(weight, rate, budget):
    return water_filling(curves(exponential, weight, rate), budget)


@of_real_arms
def sigmoid(weight, rate, budget):
    shape = np.full(2, 2.0, np.float32)
    return sigmoid_prefix(curves(weibull, weight, rate, shape), budget)


# Sigmoids take eight seconds to compile: the test is a long one.
REAL = {"exponentials": exponentials, "concave": concave, "sigmoid": sigmoid}
WRONG = {
    "budget of NaN": {"budget": np.nan},
    "negative budget": {"budget": -1.0},
    "infinite budget": {"budget": np.inf},
    "weight of NaN": {"weight": NAN},
    "all weights of NaN": {"weight": np.nan * ONE},
    "infinite weight": {"weight": INF},
    "rate of NaN": {"rate": NAN},
}


@pytest.mark.slow
@each_row("name", REAL)
def test_real_problems_that_are_none_are_not_solved(name):
    solve = REAL[name]
    assert solve().status == SOLVED
    assert solve(weight=0 * ONE).status == NOTHING_TO_GAIN
    for name, wrong in WRONG.items():
        assert solve(**wrong).status in (INVALID, INACCURATE), name
    assert solve(budget=np.nan).status == INVALID


def test_rates_of_exponentials_are_positive():
    for rate in (0 * ONE, -ONE, INF):
        assert exponentials(rate=rate).status == INVALID, rate


@each_row("solve", [dynamic, greedy])
def test_integer_problems_that_are_none_are_invalid(solve):
    assert solve().status == SOLVED
    assert solve(values=0 * VALUES).status == NOTHING_TO_GAIN
    # Budget 3 of two units has always come out as an allocation of 3.
    for budget in (-1, 3, 9):
        assert solve(budget=budget).status == INVALID
    for values in (VALUES * np.nan, VALUES[:, ::-1], VALUES.at[0, 2].set(np.inf)):
        assert solve(values=values).status == INVALID
    with pytest.raises(TypeError, match="budget must be an integer"):
        solve(budget=1.7)


def test_ascents_of_no_problem_are_not_solved():
    compiled = jax.jit(partial(projected_gradient, steps=2), static_argnums=0)

    def solve(objective=jnp.sum, start=ONE, budget=3.0):
        return compiled(objective, start, budget).status

    assert solve() == SOLVED
    assert solve(lambda x: jnp.sum(x) * np.nan) == INACCURATE
    assert solve(budget=-1.0) == solve(budget=0.0) == solve(start=NAN) == INVALID


def test_curves_of_nan_are_not_solved():
    broken = Curves(lambda x: x * np.nan, lambda drop: drop, jnp.zeros(2), jnp.zeros(2))
    assert jax.jit(partial(water_filling, broken))(3.0).status == INACCURATE


CURVES = curves(exponential, ONE, ONE)
NONE = jnp.zeros(0)
REFUSED = [
    (
        lambda: exponential_water_filling(NONE, NONE, 1.0),
        "weight must have shape .K., none of them 0, got .0.",
    ),
    (
        lambda: water_filling(CURVES._replace(log_height=NONE), 1.0),
        "curves.log_height must have shape",
    ),
    (lambda: greedy(jnp.zeros((0, 3))), "values must have shape"),
    (lambda: dynamic(jnp.zeros((2, 0))), "values must have shape"),
    (
        lambda: water_filling(CURVES, 1.0, limit=jnp.ones(3)),
        r"limit must have shape \[2\], got \[3\]",
    ),
    (
        lambda: sigmoid_prefix(CURVES, 1.0, least=jnp.ones(3)),
        r"least must have shape \[2\], got \[3\]",
    ),
    (
        lambda: sigmoid_prefix(CURVES, jnp.ones(2)),
        r"budget must have shape \[\], got \[2\]",
    ),
    (
        lambda: marginal_greedy(jnp.negative, 0, 1.0, 3),
        "num_arms must be at least 1, got 0",
    ),
]


def test_what_has_no_shape_of_a_problem_is_refused_by_name():
    assert_refused((call, f"^{says}") for call, says in REFUSED)


def test_lists_will_do_for_arrays():
    even = [1.0, 1.0]

    def of(amounts):
        changed = (change(CURVES, amounts).value(ONE) for change in (priced, beyond))
        return kkt_residual(CURVES, amounts, 2) * ONE, *changed

    listed, expected = (jax.jit(partial(of, x))() for x in (even, ONE))
    np.testing.assert_array_equal(np.stack(listed), np.stack(expected))
    filled = jax.jit(lambda: fill_in_order([1, 1, 0], 2, 1, 2.5))()
    np.testing.assert_array_equal(filled, [0.5, 2])
    with pytest.raises(TypeError, match="^order must be an? "):
        fill_in_order([0.5], 2, 1, 2.5)


def test_limits_may_be_lists_of_whole_numbers():
    told = jax.jit(partial(water_filling, CURVES, limit=[1, 1], least=[0, 0]))(1.0)
    assert told.status == SOLVED
    np.testing.assert_allclose(told.allocation, [0.5, 0.5])


def test_one_number_may_stand_for_all_arms():
    """By hand: half of the budget each, or its end."""
    for solve in (water_filling, sigmoid_prefix):
        told = jax.jit(partial(solve, CURVES, 1.5))
        for limit, least, amount in ((0.6, 0.0, 0.6), (9.0, 0.6, 0.75)):
            found = told(limit=limit, least=least)
            assert found.status == SOLVED
            np.testing.assert_allclose(found.allocation, amount, rtol=1e-3)
        assert told(limit=9.0, least=0.8).status == INVALID
    told = jax.jit(partial(integer_programming, VALUES, 2))
    np.testing.assert_array_equal(told(limit=2, least=1).allocation, 1)
    np.testing.assert_array_equal(told(limit=1, least=0).allocation, 1)
    assert told(limit=2, least=2).status == INVALID
    for change in (priced, beyond):
        changed = jax.jit(lambda x, change=change: change(CURVES, x).value(ONE))
        np.testing.assert_array_equal(changed(0.6), changed(0.6 * ONE))
