"""Water-filling of concave curves: optimality conditions, limits, derivatives."""

from functools import cache, partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats

from jaxbandits.kernels.allocation import (
    INVALID,
    NOTHING_TO_GAIN,
    SOLVED,
    Curves,
    exponential_water_filling,
    kkt_residual,
    priced,
    water_filling,
)
from jaxbandits.laws import thresholds
from tests.heavy import in_short
from tests.tables import each_row, naming

ARMS, PROBLEMS = 8, 60
# Family, shape, and the law of SciPy at rate 1.
FAMILIES = {
    "exponential": (thresholds.exponential, None, stats.expon()),
    "Weibull": (thresholds.weibull, 0.7, stats.weibull_min(0.7)),
    "gamma": (thresholds.gamma, 0.7, stats.gamma(0.7)),
    "Lomax": (thresholds.lomax, 1.5, stats.lomax(1.5)),
    "beta(1, rate)": (thresholds.beta_one, None, partial(stats.beta, 1)),
    "beta": (thresholds.beta_shaped, 0.7, partial(stats.beta, 0.7)),
    "half-normal": (thresholds.half_normal, None, stats.halfnorm()),
    "Nakagami": (thresholds.nakagami, 0.45, stats.nakagami(0.45)),
}
# Of each, a program is compiled.
NAMES = in_short(FAMILIES, {*FAMILIES} - {"exponential", "Weibull"})


def problems(name, rng, count, size=ARMS):
    """Weights, rates and budgets, in the ranges where the numbers can show an optimum.

    A Beta arm near 1 and a Nakagami arm near 0 have marginals that change by more than
    1e-5 from one float32 number to the next; their parameters avoid this.
    """
    weight = rng.uniform(0.05, 1, (count, size))
    rate = 10 ** rng.uniform(-2, 0.5, (count, size))
    budget = 10 ** rng.uniform(-3, 1.5, count)
    if name.startswith("beta"):
        rate = rng.uniform(1.5, 7, (count, size))
        budget = np.minimum(budget, size / 6)
    if name == "Nakagami":
        weight = np.maximum(weight, 0.5)
        rate = np.maximum(rate, 0.3)
    return weight, rate, budget


def solve(name, weight, rate, budget):
    family, shape, _ = FAMILIES[name]
    curves = thresholds.curves(family, weight, rate, shape)
    bounded = bool(np.all(family.bounded(shape)))
    return water_filling(curves, budget, bounded=bounded), curves


@cache
def solver(name):
    """Solutions and residuals, compiled once for a family."""

    def one(weight, rate, budget):
        found, curves = solve(name, weight, rate, budget)
        return found, kkt_residual(curves, found.allocation, budget)

    return jax.jit(jax.vmap(one))


def solved(name, dtype, *columns):
    """Of at most `PROBLEMS`; fewer are repeated, so that one program solves all."""
    columns = [np.asarray(column, dtype) for column in columns]
    full = [np.resize(column, (PROBLEMS, *column.shape[1:])) for column in columns]
    out = solver(name)(*full)
    return jax.tree.map(lambda x: np.asarray(x)[: len(columns[0])], out)


@pytest.mark.parametrize("name", NAMES)
def test_solutions_fulfil_the_conditions_of_an_optimum(name, rng):
    weight, rate, budget = problems(name, rng, PROBLEMS)
    found, residual = solved(name, np.float32, weight, rate, budget)
    assert found.allocation.dtype == np.float32
    assert np.max(residual) <= 1e-5
    assert np.all(found.status == SOLVED) and np.all(found.allocation >= 0)
    assert np.all(found.bound >= found.value * (1 - 3e-6))
    np.testing.assert_allclose(found.bound, found.value, rtol=1e-5)
    # The value is that of SciPy's distribution functions at the allocation.
    law, x = FAMILIES[name][2], found.allocation.astype(np.float64)
    reached = law(rate).cdf(x) if callable(law) else law.cdf(rate * x)
    exact = np.sum(weight * reached, axis=1)
    np.testing.assert_allclose(found.value, exact, rtol=2e-6)
    # Arms stay idle where the marginals at 0 are finite, and only there.
    family, shape, _ = FAMILIES[name]
    idle = np.sum(found.allocation == 0)
    assert (idle > 0) == bool(np.all(family.bounded(shape)))


@pytest.mark.slow
def test_more_than_is_needed_is_left_over():
    """Beta arms need no more than 1 each: what is left over is worth nothing."""
    one = np.ones((1, ARMS))
    found, _ = solved("beta(1, rate)", np.float32, one, 2 * one, [2 * ARMS])
    assert found.status == SOLVED
    np.testing.assert_allclose(found.allocation, 1, rtol=1e-6)
    np.testing.assert_allclose([found.value, found.bound], ARMS, rtol=1e-6)


@jax.jit
def exponentials(weight, rate, price, budget, least, limit):
    """In money."""
    curves = thresholds.curves(thresholds.exponential, weight, rate)
    options = {"least": least, "limit": limit}
    return water_filling(priced(curves, price), budget, **options)


def test_least_allocations_limits_and_prices_are_kept():
    """What must be given is given, and the rest is an optimum of curves cut there; in
    money, rates are per unit of money."""
    weight, rate = np.float32([0.9, 0.8, 0.5, 0.2]), np.float32([0.5, 1, 0.7, 0.3])
    prices, none = np.float32([2, 0.5, 1, 1]), np.full(4, np.inf, np.float32)
    least, one = np.float32([0.1, 0, 2, 1]), np.ones(4, np.float32)
    for price in (one, prices):
        found = exponentials(weight, rate, price, 6.0, least, none)
        left = weight * np.exp(-rate / price * least)
        cut = jax.jit(exponential_water_filling)(left, rate / price, 6 - 3.1)
        np.testing.assert_allclose(found.allocation, least + cut.allocation, atol=1e-5)
        assert found.status == SOLVED
        assert found.bound == pytest.approx(float(found.value), rel=1e-5)
    nothing = exponentials(0 * weight, rate, one, 7.1, least, none)
    np.testing.assert_allclose(nothing.allocation, least + 1)
    both = exponentials(weight, rate, one, 6.0, least, least + 1.5)
    assert both.status == SOLVED
    np.testing.assert_allclose(both.allocation, [1.6, 1.4, 2, 1], rtol=1e-5)
    # Where all arms are full, what is left over is worth nothing.
    full = exponentials(weight, rate, one, 20.0, 0 * least, one)
    np.testing.assert_allclose(full.allocation, 1, rtol=1e-6)
    assert full.status == SOLVED and full.bound == full.value
    for wrong in ((3.0, least, none), (6.0, -least, none), (6.0, least, least - 0.1)):
        assert exponentials(weight, rate, one, *wrong).status == INVALID


def test_arms_without_weight_get_nothing():
    """And without any, all get the same."""
    weight = np.array([[0.5, 0, 1, 0, 0.7, 0.6, 0.8, 1], np.zeros(ARMS)])
    for name in ("exponential", "Weibull"):
        found, _ = solved(name, np.float32, weight, np.ones((2, ARMS)), [9, 4])
        with naming(name):
            np.testing.assert_array_equal(found.allocation[0] > 0, weight[0] > 0)
            np.testing.assert_allclose(np.sum(found.allocation[0]), 9, rtol=1e-6)
            np.testing.assert_allclose(found.allocation[1], 4 / ARMS)
            assert found.value[1] == found.bound[1] == 0
            assert found.status.tolist() == [SOLVED, NOTHING_TO_GAIN]


def test_second_derivatives_of_a_level_are_those_of_differences():
    """Of powers; one arm at a limit, one at what it must get, one idle."""
    power = np.array([2, 3, 4, 5.0])
    limit, least = np.array([9, 0.5, 9, 9]), np.array([0, 0, 0.2, 0])

    def value(numbers):
        weight = numbers[:4]
        curves = Curves(
            lambda x: weight * (1 - (1 + x) ** (1 - power)) / (power - 1),
            lambda drop: jnp.expm1(drop / power),
            jnp.log(weight),
            jnp.zeros_like(weight),
        )
        found = water_filling(curves, numbers[4], limit=limit, least=least)
        return found.allocation @ np.arange(1.0, 5) + found.value

    with jax.enable_x64(True):
        point, step = np.array([0.9, 0.8, 0.05, 0.6, 1.8]), 1e-5
        slope, way = jax.grad(value), np.array([1, -0.7, 0.5, 0.3, 0.9])
        exact = jax.jit(lambda at: jax.jvp(slope, (at,), (way,))[1])(point)
        ends = point + step * way, point - step * way
        up, down = map(np.asarray, map(jax.jit(slope), ends))
    np.testing.assert_allclose(exact, (up - down) / (2 * step), atol=1e-6)
    assert np.max(np.abs(exact)) > 0.1


# The residual is a judge: it must tell optimal from other allocations.


@jax.jit
def residual_of_equal_exponentials(x, budget):
    curves = thresholds.curves(thresholds.exponential, jnp.ones(2), jnp.ones(2))
    return kkt_residual(curves, x, budget)


@each_row(
    "x, budget, residual",
    [
        ([1, 1], 2, 0),
        ([1, 1], 4, 0.5),  # half of the budget is left
        ([np.log(3), 0], np.log(3), 2),  # marginals 1/3 and, idle, 1
        ([0, np.log(3)], np.log(3), 2),
        ([np.log(2), np.log(4)], np.log(8), 1 / 3),  # 1/2 and 1/4 around 3/8
    ],
)
def test_the_residual_by_hand(x, budget, residual):
    found = residual_of_equal_exponentials(np.float32(x), np.float32(budget))
    assert found == pytest.approx(residual, rel=1e-5, abs=1e-6)
