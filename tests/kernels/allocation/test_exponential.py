"""Exact water-filling for exponential curves against a float64 reference."""

import jax
import jax.numpy as jnp
import numpy as np

from jaxbandits.kernels.allocation import (
    INACCURATE,
    NOTHING_TO_GAIN,
    SOLVED,
    exponential_water_filling,
)
from jaxbandits.kernels.allocation.exponential import FEW_ARMS
from tests.tables import each_row

solve = jax.jit(exponential_water_filling)
solve_all = jax.jit(jax.vmap(exponential_water_filling))
SIZES = (1, FEW_ARMS, FEW_ARMS + 1)
PROBLEMS = 1250  # of every size


def problems(rng, count, size, dtype=np.float32):
    """Weights, rates and budgets; a third with ties, a third with zero weights."""
    weight = rng.uniform(0.01, 1, (count, size))
    rate = 10 ** rng.uniform(-2, 0.5, (count, size))
    ties = count // 3
    weight[:ties] = np.ceil(4 * weight[:ties]) / 4
    rate[:ties] = np.ceil(2 * rate[:ties]) / 2
    empty = rng.random((ties, size)) < 0.4
    empty[:, 0] = False
    weight[-ties:][empty] = 0
    budget = 10 ** rng.uniform(-6, 6, count)
    return [x.astype(dtype) for x in (weight, rate, budget)]


def worth(weight, rate, x):
    """The objective in float64."""
    weight, rate, x = (np.asarray(v, np.float64) for v in (weight, rate, x))
    return np.sum(-weight * np.expm1(-rate * x), axis=-1)


def reference(weight, rate, budget):
    """By bisection on the level, in float64; the last step is exact."""
    weight, rate, budget = (np.asarray(v, np.float64) for v in (weight, rate, budget))
    steep = weight * rate
    with np.errstate(divide="ignore"):
        drop = -np.log(steep / np.max(steep, axis=1, keepdims=True))
    low, high = np.zeros(budget.shape), budget * np.max(rate, axis=1) + 1e-300
    for _ in range(80):
        level = (low + high) / 2
        short = np.sum(np.maximum(level[:, None] - drop, 0) / rate, axis=1) < budget
        low, high = np.where(short, level, low), np.where(short, high, level)
    # The level of a known set of arms is linear in the budget.
    taking = drop < high[:, None]
    need = np.sum(np.where(taking, drop, 0) / rate, axis=1, where=taking)
    level = (budget + need) / np.sum(1 / rate, axis=1, where=taking)
    return np.where(taking, np.maximum(level[:, None] - drop, 0) / rate, 0)


@each_row("size", SIZES)
def test_thousands_of_problems_are_solved(size):
    weight, rate, budget = problems(np.random.default_rng(size), PROBLEMS, size)
    found = jax.tree.map(np.asarray, solve_all(weight, rate, budget))
    optimum = worth(weight, rate, reference(weight, rate, budget))
    x = found.allocation.astype(np.float64)
    assert np.all(x >= 0) and np.all(found.status == SOLVED)
    np.testing.assert_allclose(np.sum(x, axis=1), budget, rtol=1e-6)
    np.testing.assert_allclose(worth(weight, rate, x), optimum, rtol=1e-6)
    np.testing.assert_allclose(found.value, optimum, rtol=1e-6)
    np.testing.assert_allclose(found.bound, found.value, rtol=1e-5)
    assert np.all(found.bound >= found.value * (1 - 1e-6))
    # Arms without weight get nothing.
    assert np.all(x[weight == 0] == 0)


def test_problems_are_solved_in_float64():
    weight, rate, budget = problems(np.random.default_rng(1), 300, 40, np.float64)
    with jax.enable_x64(True):
        found = jax.tree.map(np.asarray, solve_all(weight, rate, budget))
    x = reference(weight, rate, budget)
    scale = budget[:, None]
    np.testing.assert_allclose(found.allocation / scale, x / scale, atol=1e-13)
    np.testing.assert_allclose(found.value, worth(weight, rate, x), rtol=1e-13)


@each_row("size", [1, FEW_ARMS + 1])
def test_nothing_to_gain_is_shared_evenly(size):
    zero = np.zeros((PROBLEMS, size), np.float32)
    found = solve_all(zero, zero + 1, np.full(PROBLEMS, np.float32(6)))
    found = jax.tree.map(np.asarray, found)
    np.testing.assert_allclose(found.allocation, 6 / size, rtol=1e-6)
    assert np.all((found.value == 0) & (found.bound == 0))
    assert np.all(found.status == NOTHING_TO_GAIN)


def test_a_budget_that_is_not_spent_is_no_solution():
    """The inverse of such a weight is below what float32 holds."""
    huge = np.full(3, 1e38, np.float32)
    assert solve(huge, np.ones(3, np.float32), np.float32(1)).status == INACCURATE


def test_derivatives_are_those_of_differences(size=5):
    """Of value and allocation; the price of the budget is the common marginal.

    One arm has weight 0 and some get nothing: their derivatives are finite too.
    """
    rng = np.random.default_rng(3)
    weight, rate = rng.uniform(0.1, 1, size), rng.uniform(0.1, 2, size)
    weight[1] = 0
    budget = np.float64(2.0)

    def of(inputs):
        found = exponential_water_filling(*inputs)
        return jnp.append(found.allocation, found.value)

    point = np.concatenate([weight, rate, [budget]])
    step = 1e-6 * np.eye(point.size)
    step[1] = 0  # at weight 0 a step down leaves the domain
    with jax.enable_x64(True):

        def flat(p):
            return of((p[:size], p[size:-1], p[-1]))

        nearby = np.concatenate([point + step, point - step, point[None]])
        values = np.asarray(jax.jit(jax.vmap(flat))(nearby))
        jacobian = np.asarray(jax.jit(jax.jacfwd(flat))(point))
        backward = jax.jit(jax.grad(lambda p: flat(p)[-1]))(point)
    up, down, here = np.split(values, [point.size, 2 * point.size])
    spread = (up - down).T / 2e-6
    np.testing.assert_allclose(jacobian[-1], backward, atol=1e-12)
    smooth = np.arange(point.size) != 1
    np.testing.assert_allclose(jacobian[:, smooth], spread[:, smooth], atol=2e-8)
    x = here[0, :-1]
    taking = x > 0
    assert 1 < np.sum(taking) < size - 1
    price = (weight * rate * np.exp(-rate * x))[taking]
    np.testing.assert_allclose(jacobian[-1, -1], price, rtol=1e-9)
    np.testing.assert_allclose(np.sum(jacobian[:-1, -1]), 1, rtol=1e-12)
