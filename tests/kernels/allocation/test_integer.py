"""Integer allocation against brute force."""

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxbandits.kernels.allocation.integer import integer_greedy, integer_programming
from jaxbandits.kernels.allocation.solution import (
    INACCURATE,
    INVALID,
    NOTHING_TO_GAIN,
    SOLVED,
)
from tests.kernels.allocation.problems import unit_values
from tests.tables import assert_refused, each_row

programming = jax.jit(integer_programming)
greedy = jax.jit(integer_greedy)
SOLVERS = [programming, greedy]
# Of most tables here: for others the solvers would be compiled anew.
ARMS, UNITS = 3, 7


def table(rows):
    """Rows from 0 units on, filled up with units and arms that are worth nothing."""
    rows = np.asarray(rows)
    extra = UNITS + 1 - rows.shape[1]
    longer = np.pad(rows, ((0, 0), (0, extra)), mode="edge")
    return np.pad(longer, ((0, ARMS - len(rows)), (0, 0)))


def brute_force(values, budget, least=None, limit=None):
    starts = [0] * len(values) if least is None else least
    ends = [budget] * len(values) if limit is None else np.minimum(limit, budget)
    counts = [range(a, b + 1) for a, b in zip(starts, ends, strict=True)]
    rows = np.arange(len(values))
    return max(
        values[rows, list(n)].sum()
        for n in itertools.product(*counts)
        if sum(n) == budget or (limit is not None and sum(n) < budget)
    )


def concave_majorant(row):
    """At every n, the largest chord over n: the definition."""
    n = np.arange(row.size)
    chords = [
        np.interp(n, [a, b], [row[a], row[b]], left=-1, right=-1)
        for a in n
        for b in n[a:]
    ]
    return np.max(chords, axis=0)


@each_row("solver", SOLVERS)
def test_ties_and_what_is_left_go_to_the_first_arm(solver):
    """Worthless units go to the first arm; equal arms are served in order."""
    found = solver(np.float32(table([[0, 0], [0, 1]])), 4)
    np.testing.assert_array_equal(found.allocation, [3, 1, 0])
    found = greedy(np.float32(table([[0, 1, 2], [0, 1, 2]])), 1)
    np.testing.assert_array_equal(found.allocation, [1, 0, 0])


@each_row("solver", SOLVERS)
def test_nothing_to_gain_is_shared_evenly(solver):
    for budget, even in ((7, [3, 2, 2]), (5, [2, 2, 1])):
        found = solver(np.float32(table([[0]])), budget)
        np.testing.assert_array_equal(found.allocation, even)
    assert found.status == NOTHING_TO_GAIN and found.value == found.bound == 0


@each_row("solver", SOLVERS)
def test_least_allocations_and_limits_are_as_good_as_brute_force(solver, rng):
    for _ in range(20):
        concave = solver is greedy
        values = unit_values(rng, ARMS, UNITS, concave).astype(np.float32)
        budget = int(rng.integers(3, 8))
        least = rng.multinomial(rng.integers(0, budget + 1), [1 / 3] * 3)
        limit = least + rng.integers(0, 4, 3)
        both = {"least": least, "limit": limit}
        for options in [both] if concave else [both, {"least": least}, {}]:
            found = solver(values, budget, **options)
            n = np.asarray(found.allocation)
            assert found.status != INVALID and n.sum() <= budget
            assert "limit" in options or n.sum() == budget
            assert np.all(n >= options.get("least", 0))
            assert np.all(n <= options.get("limit", 7))
            worth = values[np.arange(3), n].sum()
            assert found.value == pytest.approx(worth, rel=1e-5, abs=1e-6)
            best = brute_force(values, budget, **options)
            assert found.value == pytest.approx(best, rel=1e-5, abs=1e-6)
            assert found.bound >= best - 1e-5


@each_row("solver", SOLVERS)
def test_what_must_be_given_and_cannot_is_invalid(solver):
    values = np.float32([[0, 1, 2, 2], [0, 0.5, 0.9, 1]])
    one, none = np.ones(2, np.int32), np.zeros(2, np.int32)
    for least, limit, wanted in (
        (one, 2 * one, [2, 1]),
        (none, 99 * one, [2, 1]),  # limits beyond the table are none
        (none, one, [1, 1]),  # and with limits some may be left
    ):
        found = solver(values, 3, least=least, limit=limit)
        np.testing.assert_array_equal(found.allocation, wanted)
        assert found.status == SOLVED
    for least, limit in ((2 * one, 3 * one), (-one, one), (one, none)):
        assert solver(values, 3, least=least, limit=limit).status == INVALID
    # Nothing to gain: what must be, and the others evenly.
    found = solver(0 * values, 3, least=np.int32([0, 1]), limit=3 * one)
    np.testing.assert_array_equal(found.allocation, [1, 2])
    assert found.status == NOTHING_TO_GAIN
    assert_refused(
        [
            (lambda: solver(values, 3, limit=one + 0.5), "limit must be an integer"),
            (
                lambda: solver(values, 3, least=np.ones(3, np.int32)),
                r"least must have shape \[2\], got \[3\]",
            ),
        ]
    )


def test_bound_is_the_value_of_the_concave_majorants(rng):
    for _ in range(20):
        values = unit_values(rng, ARMS, UNITS).astype(np.float32)
        hulls = np.array([concave_majorant(row) for row in values.astype(float)])
        steps = np.sort(np.diff(hulls, axis=1).ravel())[::-1]
        for budget in (1, 4, 7):
            found = greedy(values, budget)
            assert found.bound == pytest.approx(steps[:budget].sum(), rel=1e-5)
            assert found.bound >= programming(values, budget).value * (1 - 1e-6)


def test_the_greedy_says_where_it_is_not_certified():
    """All three units to the second arm are worth 9; the first unit goes elsewhere."""
    rows = np.float32(table([[0.0, 2.0, 3.0, 3.5], [0.0, 1.0, 4.0, 9.0]]))
    found = greedy(rows, 3)
    assert float(found.value) < 9 <= float(found.bound)
    assert found.status == INACCURATE
    assert programming(rows, 3).status == SOLVED


@each_row("solver", [integer_programming, integer_greedy])
def test_derivatives_of_whole_units_are_those_of_differences(solver, rng):
    """Of value and bound, by all values, where rows are not concave."""
    with jax.enable_x64(True):
        values = unit_values(rng, ARMS, UNITS) + 0.01 * np.arange(UNITS + 1)

        def flat(values):
            return jnp.stack(solver(values, 5)[1:3])

        steps = 1e-6 * np.eye(values.size).reshape(-1, *values.shape)
        ends = jax.jit(jax.vmap(flat))(np.concatenate([values + steps, values - steps]))
        up, down = ends.reshape(2, values.size, 2)
        exact = jax.jit(jax.jacrev(flat))(values).reshape(2, -1).T
        # Values of 0 units are 0: one that is not makes no table.
        moves = np.arange(values.size) % (UNITS + 1) > 0
        slopes = np.asarray(up - down) / 2e-6
        np.testing.assert_allclose(slopes[moves], exact[moves], atol=1e-6)
