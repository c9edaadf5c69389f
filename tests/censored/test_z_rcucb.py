"""z-RCUCB: capacities, what it refuses, what it reports and recommends."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxbandits import censored, simulate
from jaxbandits.arrays import CompensatedSum
from jaxbandits.censored import grid_capacity, z_rcucb
from jaxbandits.censored.policies.z_rcucb import BINS
from jaxbandits.censored.policies.z_rcucb import Params as ZRCUCBParams
from tests.games import timed_coins
from tests.rollout import run_of
from tests.tables import each_row

# One limit is as good as another, so that all of a grid is refined.
FLAT = censored.make_continuum(2, censored.scaled(0.0), censored.scaled(0.0))
STEEP = censored.make_continuum(2, censored.scaled(0.1), censored.scaled(1.0), 2.0)
T = 2000
SMALL = {"gain_radius": 0.05, "penalty_radius": 0.0}


def flat_game():
    return timed_coins(FLAT, [0.5] * 2, [5.0] * 2)


def deepest(problem, horizon, splits, params):
    """Cells if all are split as far as T rounds with one limit would allow."""
    p, rounds = params, horizon
    log = np.log(problem.num_arms * horizon**2 / p.delta)
    length = p.gain_radius * np.sqrt(2 * p.alpha * log / rounds)
    cells, width = 1, problem.max_limit
    while p.smoothness * width >= length:  # Eq. (14)
        cells, width = cells * splits, width / splits
    return cells


PARAMS = {
    "printed": ZRCUCBParams(),
    "small radii": ZRCUCBParams(gain_radius=0.1, penalty_radius=0.0),
    "other": ZRCUCBParams(alpha=2.0, delta=0.5, gain_radius=0.3, smoothness=3.0),
    "large radii": ZRCUCBParams(gain_radius=100.0),
}


@each_row(
    "splits, params", [(m, params) for m in (2, 3, 4) for params in PARAMS.values()]
)
def test_capacity_is_that_of_the_deepest_grid(splits, params):
    for problem in (FLAT, STEEP):
        for horizon in (1, 10, 500, 2000, 30_000):
            cells = deepest(problem, horizon, splits, params)
            # The formula keeps room for one level where no cell can be split.
            cells = max(cells, splits)
            found = grid_capacity(problem, horizon, splits, params=params)
            assert found == cells
            found = grid_capacity(problem, horizon, splits, "inherit", params=params)
            assert found == cells * splits


def test_capacity_without_a_bound():
    params = ZRCUCBParams(gain_radius=0.0)
    with pytest.raises(ValueError, match=r"capacity: 8.59e\+09 points may be needed"):
        grid_capacity(FLAT, T, params=params)


@pytest.mark.slow
@each_row("history", ["restart", "inherit"])
def test_capacity_is_never_exceeded(history):
    """Tiny radii, and a game in which every limit is worth refining."""
    params = ZRCUCBParams(T, **SMALL)
    capacity = grid_capacity(FLAT, T, history=history, params=params)
    policy = z_rcucb(FLAT, T, history=history, capacity=capacity)
    trace = run_of(policy, flat_game(), T, params=params)
    report = policy.report(jax.tree.map(jnp.asarray, trace.state), number(params))
    places = report["largest_grid"] * (2 if history == "inherit" else 1)
    assert places <= capacity and report["overflow"] == 0
    # Not because nothing was split.
    assert report["largest_grid"] >= 32


def test_bad_arguments_of_the_factory_are_refused():
    for options, named in (
        ({"splits": 1}, "splits must be at least 2, got 1"),
        ({"horizon": 0}, "horizon must be at least 1, got 0"),
        ({"splits": 3, "capacity": 2}, "capacity must be at least 3"),
        (
            {"splits": 3, "capacity": 12, "history": "whole"},
            "capacity must be a power of splits = 3 where history='whole', got 12",
        ),
        ({"survival": "kaplan_meier"}, "survival: Kaplan-Meier needs all points in"),
        (
            {"splits": 3, "capacity": 8, "history": "inherit"},
            "capacity must be at least 9",
        ),
    ):
        with pytest.raises(ValueError, match=named):
            z_rcucb(STEEP, **options)


def test_smallest_capacities_are_accepted():
    for options in ({"capacity": 3}, {"capacity": 9, "history": "inherit"}):
        policy = z_rcucb(STEEP, splits=3, **options)
        state = jax.eval_shape(policy.init, policy.params)
        assert state.grid.limit.shape[1] == options["capacity"]
    # A short horizon does without a split; the grid has room for one all the same.
    assert jax.eval_shape(z_rcucb(STEEP, 1, 3).init, ()).grid.limit.shape == (2, 3)


def test_the_horizon_is_a_parameter():
    assert z_rcucb(STEEP, 500).params == ZRCUCBParams(horizon=500.0)
    assert z_rcucb(STEEP, 500, capacity=64).act is z_rcucb(STEEP, 9, capacity=64).act


def number(params):
    return jax.tree.map(jnp.float32, params)


def hand_made(answer, limits, widths, reached, gain, exceeded=None):
    """A policy on `STEEP`, and the state with these tables ``[2, 4]``."""
    policy = z_rcucb(STEEP, T, answer=answer, capacity=4)
    state = policy.init(number(policy.params))
    reached, limit = np.int32(reached), np.float32(limits)
    count = np.sum(limit > 0, axis=1, dtype=np.int32)
    grid = state.grid._replace(limit=limit, width=np.float32(widths), count=count)
    none = np.zeros((2, 4), np.float32)
    statistics = state.statistics._replace(
        reached=reached,
        risk=(np.int32(none if exceeded is None else exceeded),),
        gain=CompensatedSum(np.float32(gain), none),
    )
    rounds = np.max(reached, axis=1)
    return policy, state._replace(grid=grid, statistics=statistics, rounds=rounds)


# Arm 0 has been split twice, arm 1 once; the places in between are not used.
LIMITS = [[2.0, 1.0, 0.5, 0.0], [2.0, 1.0, 0.0, 0.0]]
WIDTHS = [[1.0, 0.5, 0.5, 0.0], [1.0, 1.0, 0.0, 0.0]]
ROUNDS = [[90, 90, 90, 0], [900, 900, 0, 0]]


def recommended(answer, *tables, **options):
    policy, state = hand_made(answer, LIMITS, WIDTHS, *tables, **options)
    arm, limit = jax.jit(policy.recommend)(state, number(policy.params))
    assert arm.dtype == jnp.int32 and limit.dtype == jnp.float32
    return int(arm), float(limit)


@each_row("best", [1, 2])
def test_finest_is_the_best_of_the_finest_level(best):
    gain = np.array([[90.0, 9.0, 9.0, 99.0], [900.0, 900.0, 99.0, 99.0]])
    gain[0, best] = 18.0
    assert recommended("finest", ROUNDS, gain) == (0, LIMITS[0][best])


def test_safest_is_the_largest_lower_bound():
    """Arm 0 looks better; arm 1 is known better, and best at its small limit."""
    gain = [[90.0, 90.0, 90.0, 0.0], [720.0, 720.0, 0.0, 0.0]]
    # Bounds: 1 - 6.4 (1 + l) / sqrt(90) < 0.8 - 6.4 (1 + l) / 30, l the limit.
    assert recommended("safest", ROUNDS, gain) == (1, 1.0)
    assert recommended("finest", ROUNDS, gain) == (0, 1.0)
    # With as many rounds the larger estimate wins again, at the smallest limit.
    reached = [[900, 900, 900, 0], [900, 900, 0, 0]]
    assert recommended("safest", reached, 10 * np.array(gain)) == (1, 1.0)
    gain = [[900.0, 900.0, 900.0, 0.0], [720.0, 720.0, 0.0, 0.0]]
    assert recommended("safest", reached, gain) == (0, 0.5)


@each_row("answer", ["finest", "safest"])
def test_before_the_first_round(answer):
    policy = z_rcucb(STEEP, T, answer=answer)
    params = number(policy.params)
    arm, limit = jax.jit(policy.recommend)(policy.init(params), params)
    assert (int(arm), float(limit)) == (0, 2.0)


def test_report_of_a_state():
    policy, state = hand_made("finest", LIMITS, WIDTHS, ROUNDS, np.zeros((2, 4)))
    report = jax.jit(policy.report)(state, number(policy.params))
    numbers = {name: x.tolist() for name, x in report.items() if x.ndim == 0}
    assert numbers == {"points": 5, "largest_grid": 3, "depth": 2, "overflow": 0}
    expected = np.zeros((2, BINS))
    # Bins are (0, 1/16], ..., (31/16, 2]: limits on edges belong to the left one.
    for arm, limit in ((0, 2.0), (0, 1.0), (0, 0.5), (1, 2.0), (1, 1.0)):
        expected[arm, round(limit * 16) - 1] += 1
    np.testing.assert_array_equal(report["histogram"], expected)
    full = state._replace(overflow=jnp.asarray(True))
    full = jax.jit(policy.report)(full, number(policy.params))
    assert full["overflow"] == 1


def test_histogram_holds_points_close_to_zero():
    """The finest of 2**20 cells, which 20 splits of the leftmost one make."""
    tiny = 2.0 * 2.0**-20
    limits, widths = np.array(LIMITS), np.array(WIDTHS)
    limits[1, 1], widths[1, 1] = tiny, tiny
    policy, state = hand_made("finest", limits, widths, ROUNDS, np.zeros((2, 4)))
    report = jax.jit(policy.report)(state, number(policy.params))
    assert report["depth"] == 20
    assert report["histogram"].sum() == report["points"] == 5
    assert report["histogram"][1, 0] == 1


def test_a_default_capacity_that_may_be_too_small_is_refused():
    """B3: radii are parameters of play, and the capacity was made for others."""
    policy, game = z_rcucb(FLAT, T), flat_game()
    small = policy.over(gain_radius=[1.0, 0.1])
    named = r"^capacity: 128 points may be needed for .*gain_radius=0.1"
    with pytest.raises(ValueError, match=named):
        simulate(small, game, horizon=T, seeds=1)
    with pytest.raises(ValueError, match=r"^capacity: 128 points .*horizon=1000000"):
        simulate(z_rcucb(FLAT), game, horizon=1_000_000, seeds=1)
    # One's own choice is one's own, and so is what the default has room for.
    chosen = z_rcucb(FLAT, T, capacity=8)
    chosen.check_params(chosen.params._replace(gain_radius=0.1))
    policy.check_params(policy.params._replace(gain_radius=2.0))


def test_what_tells_variants_apart_is_in_their_names():
    whole = {"history": "whole", "survival": "kaplan_meier"}
    names = [z_rcucb(FLAT, T, **o).name for o in ({}, {"history": "inherit"}, whole)]
    assert names == ["z-RCUCB", "z-RCUCB (inherit)", "z-RCUCB (whole, Kaplan-Meier)"]
