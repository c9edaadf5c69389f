"""Projected gradient ascent: against water-filling, its bound, other optimisers."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

from jaxbandits.kernels.allocation import (
    INACCURATE,
    SOLVED,
    exponential_water_filling,
    projected_gradient,
    water_filling,
)
from jaxbandits.laws import thresholds
from tests.heavy import in_short

ARMS, PROBLEMS = 6, 25
FAMILIES = {
    "exponential": (thresholds.exponential, None),
    "half-normal": (thresholds.half_normal, None),
}


def problems(seed):
    rng = np.random.default_rng(seed)
    weight = rng.uniform(0.1, 1, (PROBLEMS, ARMS))
    rate = rng.uniform(0.1, 1, (PROBLEMS, ARMS))
    budget = 10 ** rng.uniform(-0.5, 1.3, PROBLEMS)
    start = rng.uniform(0, 1, (PROBLEMS, ARMS)) * budget[:, None]
    return [x.astype(np.float32) for x in (weight, rate, budget, start)]


def both(family, shape, weight, rate, budget, start, **options):
    curves = thresholds.curves(family, weight, rate, shape)

    def objective(x):
        return jnp.sum(curves.value(x))

    found = projected_gradient(objective, start, budget, **options)
    return found, water_filling(curves, budget)


@pytest.mark.parametrize("name", in_short(FAMILIES, {"half-normal"}))
def test_ascents_of_concave_curves_are_as_good_as_water_filling(name):
    columns = problems(3)
    solve = jax.jit(jax.vmap(partial(both, *FAMILIES[name])))
    found, best = jax.tree.map(np.asarray, solve(*columns))
    np.testing.assert_allclose(found.value, best.value, rtol=1e-4)
    assert np.all(found.value <= best.value * (1 + 2e-6))
    # The bound of Frank and Wolfe holds, and is worth something.
    assert np.all(found.bound >= best.value * (1 - 2e-6))
    assert np.median(found.bound / found.value - 1) < 2e-2
    feasible(found, columns[2])


def feasible(found, budget):
    x = np.asarray(found.allocation, np.float64)
    assert np.all(x >= 0) and np.all(found.status == SOLVED)
    np.testing.assert_allclose(np.sum(x, axis=-1), budget, rtol=2e-6)


@pytest.mark.slow
def test_other_optimisers_stay_below_the_bound():
    weight, rate, budget, start = problems(4)
    budget = np.minimum(budget, 3)
    solve = partial(both, *FAMILIES["exponential"], steps=300)
    solve = partial(solve, optimiser=optax.sgd(0.3, momentum=0.5))
    found, best = jax.jit(jax.vmap(solve))(weight, rate, budget, start)
    np.testing.assert_allclose(found.value, best.value, rtol=2e-3)
    assert np.all(found.bound >= best.value * (1 - 2e-6))
    feasible(found, budget)


def test_no_steps_give_the_projected_start():
    """(4, 1) and (-1, 1) at a budget of 3: Euclidean projections by hand."""

    def objective(x):
        return jnp.sum(-jnp.expm1(-x))

    still = partial(projected_gradient, objective, steps=0, optimiser=optax.sgd(1.0))
    still = jax.jit(still)
    for start, projected in (
        ((4, 1), (3, 0)),
        ((2, 2), (1.5, 1.5)),
        ((-1, 1), (0.5, 2.5)),
    ):
        found = still(np.float32(start), 3.0)
        np.testing.assert_allclose(found.allocation, projected, rtol=1e-6, atol=1e-6)
        assert found.value == pytest.approx(np.sum(1 - np.exp(np.negative(projected))))
    # f + max f' B - f' x at (3, 0): f' = (exp(-3), 1).
    found = still(np.float32([4, 1]), 3.0)
    bound = 1 - np.exp(-3) + 3 - 3 * np.exp(-3)
    assert found.bound == pytest.approx(bound, rel=1e-5)
    assert found.status == INACCURATE  # 2.80 against 0.95: nothing has been solved
    even = still(np.ones(2, np.float32), 3.0)
    assert even.status == SOLVED  # a start may be the optimum


@pytest.mark.slow
def test_an_ascent_may_stop_at_a_local_optimum_of_sigmoids():
    """Two Weibull arms with slope 0 at 0: from (60, 0) nothing moves, worth .7935,
    while (0, 60) is worth .8051."""
    weight = jnp.asarray([1.0, 0.9])
    rate, shape = jnp.asarray([1 / 50, 1 / 40]), np.array([2.5, 2.0])

    def objective(x):
        x = jnp.maximum(x, 1e-6)
        return jnp.sum(weight * thresholds.weibull.cdf(x, rate, shape))

    stuck = projected_gradient(objective, jnp.asarray([60.0, 0.0]), 60.0)
    assert stuck.value == pytest.approx(0.7935, abs=1e-4)
    best = projected_gradient(objective, jnp.asarray([0.0, 60.0]), 60.0)
    assert best.value == pytest.approx(0.8051, abs=1e-4)
    # What is called a bound is one for concave objectives only.
    assert stuck.bound < best.value


def ascent(weight, rate, budget, steps=400):
    even = jnp.full_like(weight, 1 / weight.size) * budget
    return projected_gradient(
        lambda x: jnp.sum(-weight * jnp.expm1(-rate * x)), even, budget, steps=steps
    )


def slopes_of(solve):
    """Derivatives of allocation, value and bound by weights, rates and the budget."""

    def flat(numbers):
        weight, rate, budget = numbers[:4], numbers[4:-1], numbers[-1]
        found = solve(weight, rate, budget)
        return jnp.concatenate(
            [found.allocation, jnp.stack([found.value, found.bound])]
        )

    return jax.jit(jax.vmap(jax.jacrev(flat)))


def test_an_ascent_has_the_derivatives_of_water_filling():
    rng = np.random.default_rng(6)
    numbers = rng.uniform(0.1, 1, (200, 9))
    numbers[:, -1] = 10 ** rng.uniform(-0.5, 1.3, 200)
    numbers[:20, 1::4], numbers[:20, ::4] = numbers[:20, 2:9:4][:, :2], 0.7  # ties
    numbers[20:40, 0] = 1e-3  # an arm that takes nothing
    numbers[-20:, :4] *= 1e-6  # objectives of another size
    with jax.enable_x64(True):
        found, exact = (
            np.asarray(slopes_of(solve)(numbers))
            for solve in (ascent, exponential_water_filling)
        )
    assert np.mean(np.all(exact == 0, axis=2)) > 0.1  # idle arms among them
    size = np.max(np.abs(exact), axis=2, keepdims=True)
    assert np.max(np.abs(found - exact) / np.where(size > 0, size, 1)) < 1e-9


def test_where_nothing_decides_there_is_no_derivative():
    """All allocations of a flat objective are equally good."""
    slope = jax.jit(
        jax.jacfwd(lambda b: projected_gradient(jnp.sum, jnp.ones(2), b, steps=3))
    )(2.0)
    assert np.all(np.isnan(slope.allocation)) and np.isnan(slope.value)
