"""Arms that change: which phase a pull belongs to, and what it is behind."""

from functools import cache, partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxbandits import budgeted, simulate
from jaxbandits.engine.accounting import accounts_of
from jaxbandits.engine.rollout import to_device
from jaxbandits.laws import Product, Uniform, product, uniform
from tests.games import COINS
from tests.games import two_coins as coins
from tests.rollout import run_of
from tests.tables import assert_refused

# Nothing is drawn: arm 0 pays in the first phase, arm 1 in the second, and arm 2, which
# is cheaper to expect, in the last.
PHASES = [
    coins([1.0, 0.0, 0.0], [1.0, 1.0, 1.0]),
    coins([0.0, 1.0, 0.0], [1.0, 1.0, 1.0]),
    coins([0.5, 0.5, 1.0], [1.0, 1.0, 0.5]),
]
GAME = budgeted.changing("three", COINS, PHASES, [4, 10])


def test_a_phase_ends_with_the_pull_that_reaches_its_end():
    turn = budgeted.fixed(GAME.problem, 0)
    trace = run_of(turn, GAME, 12)
    assert trace.feedback.reward[:10].tolist() == [1.0] * 4 + [0.0] * 6
    assert trace.environment.pulls.tolist() == [[4, 0, 0], [6, 0, 0], [2, 0, 0]]


@cache
def recounted():
    """A game of 300 rounds, and of each, from the feedback in float64: the phase, what
    was lost and what a pull costs in expectation, in units."""
    rng = np.random.default_rng(22)
    largest = 0.2 + 0.8 * rng.random((4, 2, 3))
    laws = [Product(*(Uniform(0 * x, x) for x in tops)) for tops in largest]
    ends = [5.0, 11.0, 30.0]
    law = product(uniform, uniform)
    game = budgeted.changing("uniforms", law, laws, ends, unit="cheapest")
    trace = run_of(budgeted.uniform(game.problem), game, 300, seed_index=2)
    costs = np.asarray(trace.feedback.cost, np.float64)
    means, mean_costs = largest.transpose(1, 0, 2) / 2
    unit = mean_costs.min()
    before = np.concatenate([[0], np.cumsum(costs)[:-1]]) / unit
    phase = (before[:, None] >= ends).sum(axis=1)
    ratios = means / mean_costs
    loss = mean_costs * (ratios.max(axis=1, keepdims=True) - ratios)
    pulled = phase, trace.actions
    return game, trace, phase, loss[pulled], mean_costs[pulled] / unit


def test_books_of_a_run_from_its_feedback():
    """The phases by what was spent in float64, and exact sums by phase and arm."""
    game, trace, phase, lost, expected = recounted()
    pulls = np.zeros((4, 3), int)
    np.add.at(pulls, (phase, trace.actions), 1)
    assert trace.environment.pulls.tolist() == pulls.tolist()
    assert (pulls.sum(axis=1) > 0).all()
    # Of a game that draws no arms, any seed has the instance.
    instance = game.game.sample(jax.random.key(0), jax.tree.map(to_device, game.setup))
    # What its views tell of each phase is of that phase.
    oracle = game.oracle(instance)
    np.testing.assert_array_equal(instance.oracle.best, oracle.best)
    differences = oracle.mean_reward - oracle.mean_cost
    assert np.any(np.argmax(differences, axis=1) != oracle.best)
    np.testing.assert_allclose(
        instance.oracle.cheapest, oracle.mean_cost.min(axis=1), rtol=1e-6
    )
    seeds = jax.tree.map(lambda x: np.asarray(x)[None], instance)
    record = jax.tree.map(lambda x: x[None, None], trace.environment)
    metrics = accounts_of(game, seeds, record).metrics
    np.testing.assert_allclose(metrics["regret"], [[lost.sum()]], rtol=1e-6)
    np.testing.assert_allclose(metrics["expected_spent"], [[expected.sum()]], rtol=1e-6)
    np.testing.assert_allclose(metrics["optimal"], [[np.mean(lost == 0)]], rtol=1e-12)
    costs = trace.feedback.cost.astype(float)
    spent = costs.sum() / instance.unit
    np.testing.assert_allclose(metrics["spent"], [[spent]], rtol=1e-6)
    reward = trace.feedback.reward.astype(float).sum()
    np.testing.assert_allclose(metrics["reward"], [[reward]], rtol=1e-6)


@pytest.mark.slow
def test_one_phase_is_a_game_that_does_not_change():
    law = coins([0.3, 0.5], [0.4, 0.9])
    still = budgeted.make_environment("one", COINS, law)
    one = budgeted.changing("one", COINS, [law], [])
    policy = budgeted.uniform(still.problem)
    a, b = (simulate(policy, game, budget=30, seeds=4) for game in (still, one))
    for metric in ("regret", "optimal", "reward", "spent"):
        np.testing.assert_array_equal(a[metric], b[metric])


def test_who_knows_the_phases_plays_the_best_arm_of_each():
    trace = run_of(budgeted.clairvoyant(GAME.problem), GAME, 12)
    assert trace.actions.tolist() == [0] * 4 + [1] * 6 + [2] * 2


def test_every_phase_draws_its_own_arms():
    game = budgeted.s_br_changing(2, 3, 7.0, cost_floor=0.5)
    setup = jax.tree.map(jnp.asarray, game.setup)
    oracle = game.oracle(game.game.sample(jax.random.key(5), setup))
    assert oracle.mean_reward.shape == oracle.gaps.shape == (3, 2)
    assert len(np.unique(oracle.mean_reward)) == 6
    assert ((oracle.mean_cost > 0.5) & (oracle.mean_cost <= 1)).all()
    assert (oracle.gaps.min(axis=1) == 0).all() and oracle.best.shape == (3,)
    assert game.setup["ends"].tolist() == [7.0, 14.0]
    assert game.name == "S-Br-2, 3 phases"


def test_bad_phases_and_draws_are_refused():
    unequal = [*PHASES[:2], coins([1.0], [1.0])]
    free = [*PHASES[:2], coins([1.0], [0.0])]
    changes = [
        ({"params": PHASES[0]}, "params must be a list"),
        ({"params": [], "ends": []}, "number of phases in params"),
        ({"params": unequal}, r"as many arms in every phase, got \[3, 3, 1\]"),
        ({"params": free}, "expected cost"),
        ({"ends": [4]}, r"ends must be one less than the phases \(2\)"),
        ({"ends": [4, 4]}, "ends must increase"),
        ({"ends": [1e8, 1e8 + 1]}, "also as float32"),
        ({"ends": [-1, 4]}, "ends must be positive"),
        ({"ends": [4, np.nan]}, "ends must be positive"),
    ]
    good = {"params": PHASES, "ends": [4, 10]}
    rows = [
        (partial(budgeted.changing, "three", COINS, **good | change), words)
        for change, words in changes
    ]
    rows += [
        (partial(budgeted.s_br_changing, **arguments), words)
        for arguments, words in (
            ({"num_arms": 0}, "num_arms"),
            ({"phases": 0}, "phases must be at least 1"),
            ({"length": 0.0}, "length must be positive"),
            ({"cost_floor": 1.0}, "cost_floor must be in"),
        )
    ]
    assert_refused(rows, (TypeError, ValueError))
