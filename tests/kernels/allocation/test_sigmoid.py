"""Allocation among Weibull arms, judged by dynamic programming and SciPy."""

from functools import partial

import jax
import jax.flatten_util
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import optimize

from jaxbandits.kernels.allocation.sigmoid import sigmoid_filling, sigmoid_prefix
from jaxbandits.kernels.allocation.solution import (
    INACCURATE,
    INVALID,
    NOTHING_TO_GAIN,
    SOLVED,
    beyond,
)
from tests.kernels.allocation import problems
from tests.tables import assert_refused, each_row, naming

# One shape, for compilation takes seconds: batches are cut and padded, and problems
# are padded by arms that are worth nothing.
PIECE, ARMS = 5, 20


def solver_of(kernel):
    def solve(weight, shape, scale, touch, budget, factor):
        curves = problems.weibull_curves(weight, shape, scale, touch)
        wrong = curves._replace(fall=lambda drop: factor * curves.fall(drop))
        return kernel(wrong, budget)

    return jax.jit(jax.vmap(solve, (0, 0, 0, 0, 0, None)))


SOLVERS = {"prefix": solver_of(sigmoid_prefix), "filling": solver_of(sigmoid_filling)}
# `sigmoid_filling` takes XLA long.
BOTH = pytest.mark.parametrize(
    ("name", "dtype"),
    [
        ("prefix", np.float32),
        pytest.param("filling", np.float64, marks=pytest.mark.slow),
    ],
)


def found_by(name, arms, budgets, dtype=np.float64, factor=1.0):
    """Solutions, as NumPy arrays, of problems with arms f64[3, n, K].

    Their inverse marginals are wrong by the factor.
    """
    count, size = np.shape(arms[0])
    extra = ((0, -count % PIECE), (0, ARMS - size))
    weight, shape, scale = (
        np.pad(x, extra, constant_values=fill)
        for x, fill in zip(arms, (0, 2, 1), strict=True)
    )
    columns = problems.numbers(weight, shape, scale, dtype=dtype)
    columns = (*columns, np.pad(np.asarray(budgets, dtype), extra[0], mode="edge"))
    pieces = [x.reshape(-1, PIECE, *x.shape[1:]) for x in columns]
    with jax.enable_x64(dtype == np.float64):
        found = [SOLVERS[name](*x, dtype(factor)) for x in zip(*pieces, strict=True)]
        return jax.tree.map(lambda *x: np.concatenate(x)[:count], *found)


def solve(name, arms, budgets, dtype=np.float64):
    """What is found, checked for what all solutions have in common."""
    found = found_by(name, arms, budgets, dtype)
    assert found.value.dtype == found.allocation.dtype == found.bound.dtype == dtype
    assert all(np.all(np.isfinite(x)) for x in found)
    assert np.all(found.allocation >= 0) and np.all(found.value <= found.bound)
    rtol = 1e-6 if dtype == np.float32 else 1e-14
    total = np.sum(found.allocation, axis=1, dtype=np.float64)
    np.testing.assert_allclose(total, np.asarray(budgets, dtype), rtol=rtol)
    return found


def solve_one(name, weight, shape, scale, budget, dtype=np.float64):
    arms = [np.asarray(x, float)[None] for x in (weight, shape, scale)]
    found = solve(name, arms, np.array([budget]), dtype)
    found = jax.tree.map(lambda x: x[0], found)
    return found._replace(allocation=found.allocation[: len(weight)])


@pytest.mark.slow
def test_no_grid_allocation_is_better(count=200):
    """bound >= value >= dynamic programming on 401 points; of 2 to 20 arms."""
    rng = np.random.default_rng(11)
    sizes = rng.integers(2, ARMS + 1, count)
    weight, shape, scale = problems.draw(rng, (count, ARMS))
    weight = np.where(np.arange(ARMS)[None, :] < sizes[:, None], weight, 0)
    arms = weight, shape, scale
    budgets = np.exp(rng.uniform(np.log(5), np.log(1500), count))
    best = np.array(
        [
            problems.grid_optimum(*(x[i, :size] for x in arms), budgets[i])[1]
            for i, size in enumerate(sizes)
        ]
    )
    found, prefix = (solve(name, arms, budgets) for name in ("filling", "prefix"))
    worth = problems.worth(*arms, found.allocation)
    np.testing.assert_allclose(worth, found.value, rtol=1e-12)
    assert np.all(found.value >= best * (1 - 1e-9))
    assert np.all(found.value >= prefix.value - 1e-12)
    assert np.all(prefix.bound >= best * (1 - 1e-12))
    np.testing.assert_allclose(found.bound, prefix.bound, rtol=1e-12)
    assert np.all(found.status == SOLVED) and np.all(prefix.status == SOLVED)
    # The prefixes alone fail on tight budgets only.
    assert np.mean(prefix.value >= best - 1e-3) > 0.8


@pytest.mark.slow
def test_the_certified_gap_of_twenty_arms_is_small():
    """B = 700 s and arms like those fitted to the source's quiz data."""
    rng, size = np.random.default_rng(0), (200, 20)
    arms = [rng.uniform(*ends, size) for ends in ((0.2, 0.75), (1.2, 2), (30, 50))]
    found = solve("prefix", arms, np.full(200, 700.0))
    gap = (found.bound - found.value) / found.value
    assert np.max(gap) <= 1e-3 and np.mean(gap) <= 1e-4


THREE, MIXED = (
    ([0.5] * 3, [4] * 3, [20] * 3),
    ([0.5, 0.7, 0.9], [1, 2, 3.5], [20, 30, 40]),
)
TOUCH = 20 * problems.touch_ratio(4) ** 0.25
RATE, WEIGHT = np.array([0.5, 0.2, 0.1]), np.array([0.3, 0.6, 0.9])
LOG_NU = (np.sum(np.log(WEIGHT * RATE) / RATE) - 15) / np.sum(1 / RATE)
# Arms, a budget, the optimum, and whether its bound is the value.
BY_HAND = [
    # From (60, 0) no small step gains, but (0, 60) is the optimum.
    ([1, 0.9], [2.5, 2], [50, 40], 60, [0, 60], False),
    # One arm takes everything, below its mode (20 / sqrt 2), too.
    *(([0.5], [2], [20], x, [x], True) for x in (1e-3, 1.0, 10.0, 1e4)),
    ([0.5] * 3, [2.5] * 3, [20] * 3, 90, [30, 30, 30], True),
    # Room for one of three: the first one gets it all. The envelope ends at the budget.
    (*THREE, 22, [22, 0, 0], True),
    (*THREE, 2 * TOUCH, [TOUCH, TOUCH, 0], True),
    # Only the first has a slope at 0.
    *((*MIXED, x, [x, 0, 0], True) for x in (0.0, 1e-20, 1e-3)),
    ([0, 0.5, 0], [2, 1.5, 1], [20, 30, 10], 200, [0, 200, 0], True),
    # Concave throughout: log(a_i / nu) / lambda_i for the arms above nu.
    (WEIGHT, [1, 1, 1], 1 / RATE, 15, (np.log(WEIGHT * RATE) - LOG_NU) / RATE, True),
]


@BOTH
def test_allocations_by_hand(name, dtype):
    for *arms, budget, allocation, certified in BY_HAND:
        with naming((arms, budget)):
            found = solve_one(name, *arms, budget, dtype)
            np.testing.assert_allclose(found.allocation, allocation, 2e-5, 1e-5)
            assert found.status == SOLVED
            worth = problems.worth(*map(np.array, arms), np.array(allocation))
            assert found.value == pytest.approx(worth, rel=1e-6)
            assert not certified or found.bound == pytest.approx(worth, rel=1e-6)


@BOTH
def test_huge_budgets_and_worthless_arms_are_solved(name, dtype):
    for budget in (1e5, 1e12):
        found = solve_one(name, *MIXED, budget, dtype)
        assert found.status == SOLVED and found.value == pytest.approx(2.1, rel=1e-6)
    nothing, shapes = np.zeros(ARMS), np.linspace(1, 3, ARMS)
    found = solve_one(name, nothing, shapes, 10 * shapes, 60, dtype)
    np.testing.assert_allclose(found.allocation, 60 / ARMS, rtol=1e-6)
    assert found.status == NOTHING_TO_GAIN and found.value == found.bound == 0


@pytest.mark.slow
def test_one_arm_may_be_on_its_convex_branch():
    """The last arm's mode is 9.76; no set of arms beyond their modes does as well."""
    arms = [0.5406, 0.9097], [1.3973, 1.1205], [18.4804, 71.3627]
    found = solve_one("filling", *arms, 33.5374)
    judged = optimize.minimize_scalar(
        lambda y: -problems.worth(*map(np.array, arms), np.array([33.5374 - y, y])),
        bounds=(7, 9.7),
        method="bounded",
        options={"xatol": 1e-8},
    )
    assert found.allocation[1] == pytest.approx(judged.x, abs=1e-3) and judged.x < 9
    assert found.value == pytest.approx(-judged.fun, rel=1e-9)
    prefix = solve_one("prefix", *arms, 33.5374, np.float32)
    assert prefix.value < found.value - 1e-5


def test_wrong_curves_are_noticed():
    """An inverse marginal that is far off breaks weak duality."""
    arms = np.array([[[0.5, 0.7]], [[2, 3]], [[9, 9]]])
    for factor, status in ((1, SOLVED), (0.01, INACCURATE)):
        found = found_by("prefix", arms, [30.0], np.float32, factor)
        assert found.status == [status]


@pytest.mark.slow
def test_derivatives_of_the_value_are_those_of_differences():
    weight, shape, scale = [0.5, 0.8, 0.3, 0.9], [1.5, 2, 2.5, 1.8], [50, 33, 20, 66]
    with jax.enable_x64(True):
        weight, shape, scale, touch = problems.numbers(weight, shape, scale)

        def value(weight, stretch, budget):
            arms = scale * stretch, touch * stretch
            curves = problems.weibull_curves(weight, shape, *arms)
            return sigmoid_prefix(curves, budget).value

        point = (weight, np.ones(4), np.float64(90))
        backward = jax.jit(jax.grad(value, (0, 1, 2)))(*point)
        forward = jax.jit(jax.jacfwd(value, (0, 1, 2)))(*point)
        flat, unravel = jax.flatten_util.ravel_pytree(point)
        at = jax.jit(lambda flat: value(*unravel(flat)))
        steps = 1e-6 * np.eye(flat.size)
        differences = [(at(flat + h) - at(flat - h)) / 2e-6 for h in steps]
        for found in (backward, forward):
            found = np.asarray(jax.flatten_util.ravel_pytree(found)[0])
            np.testing.assert_allclose(found, np.asarray(differences), atol=1e-7)
    assert np.sum(np.abs(found) > 1e-3) == 5  # two arms and the budget


@pytest.mark.slow
def test_curves_beyond_what_is_given_by_hand():
    """Shapes 1 and 3, before the mode and after it; the tangent's point from SciPy."""
    arms = [0.6, 0.5, 0.5, 0.5], [1.0, 3, 3, 3], [20.0, 30, 30, 30]
    least, x = np.array([5.0, 12, 50, 0]), np.array([4.0, 40, 3, 30])
    worth = partial(np.vectorize(problems.worth), *arms)

    def misses(end, start):
        """How far the tangent at `end` passes beside the curve at `start`."""
        v = (end / 30) ** 3
        slope = 0.5 * np.exp(-v) * 3 * v / end
        return 0.5 * (np.exp(-((start / 30) ** 3)) - np.exp(-v)) - slope * (end - start)

    with jax.enable_x64(True):
        whole = problems.weibull_curves(*problems.numbers(*arms))
        rest = beyond(whole, least)
        np.testing.assert_allclose(rest.value(x), worth(x + least) - worth(least))
        touch = [optimize.brentq(misses, 26.3, 60, args=(start,)) for start in (12, 0)]
        wanted = [0, touch[0] - 12, 0, touch[1]]
        np.testing.assert_allclose(rest.touch, wanted, rtol=1e-7)
        # Marginals at the new origin, where it is past the mode; else the old height.
        steep = [0.6 / 20 * np.exp(-0.25), 0.5 * 2500 / 9000 * np.exp(-125 / 27)]
        heights = np.exp([rest.log_height[0], rest.log_height[2]])
        np.testing.assert_allclose(heights, steep, rtol=1e-9)
        np.testing.assert_allclose(rest.log_height[1::2], whole.log_height[1::2])
        drop = np.full(4, 0.3)
        lower = np.asarray(whole.log_height - rest.log_height)
        wanted = np.maximum(np.asarray(whole.fall(drop + lower)) - least, 0)
        np.testing.assert_allclose(rest.fall(drop), wanted, rtol=1e-9)
        np.testing.assert_allclose(
            np.asarray(rest.fall(0 * drop))[[0, 2]], 0, atol=1e-9
        )


@pytest.mark.slow
@each_row("limited", [False, True])
def test_least_allocations_are_as_good_as_dynamic_programming(limited, rng):

    def solve(kernel, weight, shape, scale, touch, budget, limit, least):
        curves = problems.weibull_curves(weight, shape, scale, touch)
        return kernel(curves, budget, limit=limit if limited else None, least=least)

    kernels = [jax.jit(partial(solve, k)) for k in (sigmoid_prefix, sigmoid_filling)]
    good = []
    for _ in range(30):
        arms, budget = problems.draw(rng, 5), rng.uniform(60, 300)
        # Multiples of a 400th of the budget; some arms must get nothing.
        least = budget / 400 * rng.integers(0, 80, 5) * rng.integers(0, 2, 5)
        limit = np.maximum(least, budget / 400 * rng.integers(20, 300, 5))
        with jax.enable_x64(True):
            numbers = (*problems.numbers(*arms), budget, limit, least)
            prefix, found = (jax.tree.map(np.asarray, k(*numbers)) for k in kernels)
        options = {"least": least} | ({"limit": limit} if limited else {})
        best = problems.grid_optimum(*arms, budget, **options)[1]
        for each in (prefix, found):
            x = each.allocation
            assert each.status == SOLVED and np.all(x >= least)
            assert np.sum(x) <= budget * (1 + 1e-12)
            assert limited or np.sum(x) == pytest.approx(budget)
            assert not limited or np.all(x <= limit * (1 + 1e-12))
            assert each.value == pytest.approx(problems.worth(*arms, x), rel=1e-12)
            assert each.bound >= best * (1 - 1e-9)
        assert prefix.value <= found.value + 1e-12
        good.append(found.value >= best * (1 - 1e-6))
    assert np.mean(good) == 1
    for bad in (-least - 1, least + budget, limit + 1 if limited else -least - 1):
        with jax.enable_x64(True):
            status = np.asarray(kernels[0](*numbers[:-1], bad).status)
        assert status == INVALID


def test_where_a_new_tangent_touches_has_the_derivatives_of_differences():
    """By what arms must get, and by their scales; the last arm is past its mode."""
    weight, shape, scale = [0.5, 0.8, 0.6], [1.5, 2.0, 2.5], [50.0, 33.0, 20.0]
    with jax.enable_x64(True):
        weight, shape, scale, touch = problems.numbers(weight, shape, scale)

        def touches(numbers):
            stretch, least = numbers[:3], numbers[3:]
            arms = scale * stretch, touch * stretch
            return beyond(problems.weibull_curves(weight, shape, *arms), least).touch

        point = np.array([1.0, 1.1, 0.9, 5.0, 8.0, 30.0])
        at, ends = jax.jit(touches), 1e-6 * np.eye(6)
        up, down = (
            np.stack([at(end) for end in point + side * ends]) for side in (1, -1)
        )
        exact = np.asarray(jax.jit(jax.jacrev(touches))(point))
        np.testing.assert_allclose(exact, (up - down).T / 2e-6, atol=1e-5)
    assert exact[0, 3] < -1.01 and np.all(exact[2] == 0)


@pytest.mark.slow
def test_worthless_arms_get_what_they_must_and_share_the_rest():
    """What they must get, and the rest evenly; limits of just that are possible."""
    columns = problems.numbers([0.0, 0], [2, 3], [9, 9], dtype=np.float32)
    curves = problems.weibull_curves(*map(jnp.asarray, columns))
    found = sigmoid_prefix(curves, 10.0, least=np.float32([1, 3]))
    np.testing.assert_allclose(found.allocation, [4, 6])
    assert found.status == NOTHING_TO_GAIN and found.value == found.bound == 0
    columns = problems.numbers([0.5, 0.5], [2, 3], [9, 9], dtype=np.float32)
    curves = problems.weibull_curves(*map(jnp.asarray, columns))
    least = np.float32([4, 0])
    found = sigmoid_prefix(curves, 15.0, least=least, limit=np.float32([4, 20]))
    np.testing.assert_allclose(found.allocation, [4, 11], rtol=1e-6)
    assert found.status == SOLVED


def test_units_are_counted():
    columns = problems.numbers([0.5], [2], [9], dtype=np.float32)
    curves = problems.weibull_curves(*map(jnp.asarray, columns))
    assert_refused(
        (lambda n=n: sigmoid_filling(curves, 1.0, n), "units") for n in (0, 1.5)
    )
