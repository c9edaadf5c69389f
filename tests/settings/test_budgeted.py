"""The budgeted setting: instances, the oracle, the books, and how a game ends."""

from functools import cache, partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats

from jaxbandits import budgeted, laws, simulate
from jaxbandits.arrays import CompensatedSum
from jaxbandits.budgeted import (
    budget_ucb,
    fixed,
    index_policy,
    omega_ucb,
    uniform,
)
from jaxbandits.budgeted.environment import Instance, State
from jaxbandits.contract.round import check_round
from jaxbandits.engine.accounting import accounts_of
from jaxbandits.engine.tape import Stream, read
from jaxbandits.testing import check_environment
from tests.games import COINS, two_coins
from tests.games import paid_coins as coins
from tests.heavy import in_short
from tests.kernels.checks import ALARM, assert_uniform
from tests.reference.words import numbers
from tests.rollout import run_of
from tests.tables import assert_refused

SEEDS, CHECKPOINTS = 4, 6
COINS_OF_2 = two_coins([0.3, 0.1], [0.5, 1.0])
METRICS = ("regret", "optimal", "reward", "spent", "expected_spent")


def array(*x):
    return np.asarray(x, np.float64)


def both_policies(game):
    return [uniform(game.problem), omega_ucb(game.problem)]


def run(game, budget, policies=None, checkpoints=(), seeds=SEEDS):
    """At the checkpoints and the budget, for which one program is made.

    It is one for a number of them, and of floats: some that are earlier are left out.
    """
    policies = policies or both_policies(game)
    amounts = np.array([*checkpoints, budget], float)
    early = amounts[0] * np.linspace(0.1, 0.9, CHECKPOINTS - amounts.size)
    data = simulate(
        policies, game, budget=amounts[-1], seeds=seeds, checkpoints=[*early, *amounts]
    )
    return data.isel(checkpoint=slice(early.size, None))


# Drawn instances.

FAMILIES = {"S-Br": budgeted.s_br, "S-GBr": budgeted.s_gbr, "S-Bt": budgeted.s_bt}


GAMES = {name: make(5) for name, make in FAMILIES.items()} | {
    "floor": budgeted.s_br(5, cost_floor=0.4)
}
DRAWN = 4000


@cache
def drawn(name):
    """Instances of many seeds, on the host."""
    keys = jax.random.split(jax.random.key(0), DRAWN)
    setup = jax.tree.map(jnp.float32, GAMES[name].setup)
    sample = jax.jit(jax.vmap(GAMES[name].game.sample, (0, None)))
    return jax.tree.map(np.asarray, sample(keys, setup))


@pytest.mark.parametrize(("name", "floor"), [("S-Br", 0.01), ("floor", 0.4)])
def test_s_br_draws_uniform_means(name, floor):
    params = drawn(name).arms.law
    reward, cost = params.reward.probability, params.consumption.probability
    assert reward.shape == cost.shape == (DRAWN, 5) and reward.dtype == np.float32
    for arm in range(5):
        assert_uniform(reward[:, arm])
        assert_uniform((cost[:, arm].astype(float) - floor) / (1 - floor))
    assert np.all((cost > 0) & (cost >= np.float32(floor)) & (cost <= 1))
    assert np.all((reward > 0) & (reward <= 1))
    # Arms, and an arm's reward and cost, do not repeat each other.
    columns = np.concatenate([reward, cost], axis=1)
    off = np.corrcoef(columns.T) - np.eye(10)
    assert np.max(np.abs(off)) < stats.norm.isf(ALARM / 90) / np.sqrt(DRAWN)


def test_s_gbr_draws_normalised_weights():
    params = drawn("S-GBr").arms.law
    for law in (params.reward, params.consumption):
        np.testing.assert_allclose(law.probabilities.sum(axis=-1), 1, atol=1e-6)
        assert np.all(law.values == np.float32([0, 0.25, 0.5, 0.75, 1]))
        assert law.probabilities.shape == (DRAWN, 5, 5)
    # Weights U(0, 1): the ratio X of two has P(X <= x) = x / 2 up to 1, then
    # 1 - 1 / (2 x).
    w = params.reward.probabilities.astype(float)
    x = np.concatenate([w[..., 0] / w[..., 4], w[..., 1] / w[..., 3]]).ravel()
    assert_uniform(np.where(x <= 1, x / 2, 1 - 1 / (2 * x)))
    mean = laws.product(laws.discrete, laws.discrete).means(params)[0]
    by_hand = params.reward.probabilities @ np.float32([0, 0.25, 0.5, 0.75, 1])
    np.testing.assert_allclose(mean, by_hand, rtol=1e-6)
    assert not np.any(params.reward.probabilities == params.consumption.probabilities)


def test_s_bt_draws_uniform_parameters():
    params = drawn("S-Bt").arms.law
    columns = [*params.reward, *params.consumption]
    for column in columns:
        assert column.shape == (DRAWN, 5)
        assert np.all((column > 0) & (column <= 5))
        for arm in (0, 4):
            assert_uniform(column[:, arm] / 5)
    assert len({column.tobytes() for column in columns}) == 4


@pytest.mark.parametrize("name", ["S-Br", "S-Bt"])
def test_an_instance_knows_its_unit_and_its_best_arm(name):
    instance = drawn(name)
    oracle = GAMES[name].oracle(instance)
    for x in (oracle.mean_reward, oracle.mean_cost, oracle.ratios, oracle.gaps):
        assert x.dtype == np.float64 and x.shape == (DRAWN, 5)
    cheapest = oracle.mean_cost.min(axis=1)
    np.testing.assert_allclose(instance.oracle.cheapest, cheapest, rtol=1e-6)
    np.testing.assert_array_equal(instance.unit, instance.oracle.cheapest)
    np.testing.assert_array_equal(instance.arms.num_arms, 5)
    rows = np.arange(DRAWN)
    assert np.all(oracle.gaps >= 0) and np.all(oracle.gaps[rows, oracle.best] == 0)
    assert np.mean(instance.oracle.best == oracle.best) > 0.999
    chosen = oracle.ratios[rows, instance.oracle.best]
    np.testing.assert_allclose(chosen, oracle.ratios.max(axis=1), rtol=1e-6)
    np.testing.assert_array_equal(oracle.ratios, oracle.mean_reward / oracle.mean_cost)


def test_equal_numbers_of_arms_share_their_functions():
    one, two = budgeted.s_br(4), budgeted.s_br(4, cost_floor=0.2)
    assert one.game is two.game
    assert one.problem == budgeted.make_problem(4)
    assert [make(4).name for make in FAMILIES.values()] == [
        "S-Br-4",
        "S-GBr-4",
        "S-Bt-4",
    ]
    assert one.provenance["setting"] == "budgeted"
    assert one.provenance["unit"] == "cheapest"
    assert one.provenance["law"] == "Bernoulli x Bernoulli"


# The oracle and the metrics, by hand.


def test_oracle_leaves_arms_out_that_do_not_exist():
    law = two_coins(
        [[0.5, 0.9, 1.0], [0.2, 0.4, 0.8]], [[0.5, 0.3, 0.1], [0.4, 0.5, 0.1]]
    )
    oracle = budgeted.exact_oracle(COINS, budgeted.Arms(law, np.array([2, 1])))
    np.testing.assert_allclose(oracle.ratios, [[1, 3, np.nan], [0.5, np.nan, np.nan]])
    np.testing.assert_allclose(oracle.gaps, [[2, 0, np.nan], [0, np.nan, np.nan]])
    np.testing.assert_array_equal(oracle.best, [1, 0])
    assert np.isnan(oracle.mean_cost[0, 2]) and np.isnan(oracle.mean_reward[1, 1])


def test_metrics_by_hand():
    """Two seeds, two checkpoints; the second seed's third arm does not exist."""
    law = two_coins(
        [[0.5, 0.6, 0.1], [0.2, 0.4, 0.8]], [[0.25, 0.5, 0.2], [0.4, 0.4, 0.1]]
    )
    arms = budgeted.Arms(law, np.array([3, 2], np.int32), np.zeros(2, np.int32))
    instance = Instance(arms, array(0.2, 0.4), None)
    pulls = np.array([[[0, 0, 0], [10, 4, 6]], [[1, 1, 0], [3, 5, 0]]], np.int32)
    zeros = np.zeros((2, 2), np.float32)
    spent = CompensatedSum(np.float32([[0, 4], [1, 3]]), zeros + np.float32(1e-9))
    record = State(pulls, CompensatedSum(zeros + 2, zeros), spent)
    metrics = accounts_of(coins([0.5] * 3, [0.5] * 3), instance, record).metrics
    assert set(metrics) == set(METRICS)
    # Ratios 2, 1.2, 0.5 and 0.5, 1: losses per pull 0, 0.4, 0.3 and 0.2, 0.
    np.testing.assert_allclose(metrics["regret"], [[0, 3.4], [0.2, 0.6]], rtol=1e-14)
    np.testing.assert_allclose(metrics["optimal"], [[0, 0.5], [0.5, 5 / 8]])
    np.testing.assert_array_equal(metrics["reward"], 2)
    exact = (array([0, 4], [1, 3]) + np.float32(1e-9)) / array([0.2], [0.4])
    np.testing.assert_allclose(metrics["spent"], exact, rtol=1e-14)
    expected = array([0, 2.5 + 2 + 1.2], [0.8, 3.2]) / array([0.2], [0.4])
    np.testing.assert_allclose(metrics["expected_spent"], expected, rtol=1e-14)


# Games, against a plain loop.


def plain_loop(seed_index, reward, cost, amounts, unit=1.0):
    """Uniform play; rounds, pulls, rewards and spend when each amount is reached."""
    act = numbers(read(0, seed_index, Stream.ACT, 2000, 1), "p")[:, 0]
    world = numbers(read(0, seed_index, Stream.ENVIRONMENT, 2000, 4), "nn")
    pulls, rounds, gained, spent, found = np.zeros(len(cost)), 0, 0, 0, []
    for amount in amounts:
        while spent < amount * unit:
            arm = int(act[rounds] * len(cost))
            gained += world[rounds, 0] < reward[arm]
            spent += world[rounds, 1] < cost[arm]
            pulls[arm] += 1
            rounds += 1
        found.append((rounds, pulls.copy(), gained, spent))
    return found


REWARD, COST = (0.5, 0.9, 0.2), (0.6, 0.4, 0.125)


@pytest.mark.parametrize("unit", in_short(budgeted.environment.UNITS, {"cheapest"}))
def test_every_game_ends_where_a_plain_loop_ends(unit):
    """Also with amounts between two pulls, and with two reached by one pull."""
    game = coins(REWARD, COST, unit=unit)
    money = 1.0 if unit == "money" else 0.125
    amounts = np.array([0.5, 0.75, 3.0, 10.0, 10.5, 60.0]) / money
    data = run(game, amounts[-1], [uniform(game.problem)], amounts[:-1])
    reward, cost = (np.float32(x).astype(float) for x in (REWARD, COST))
    gaps = np.max(reward / cost) - reward / cost
    for seed in range(SEEDS):
        found = plain_loop(seed, REWARD, COST, amounts, money)
        one = data.isel(policy=0, params=0, seed=seed)
        for i, (rounds, pulls, gained, spent) in enumerate(found):
            at = one.isel(checkpoint=i)
            assert at["rounds"] == rounds
            assert at["reward"] == gained
            # The pull that reaches the amount counts in full.
            assert at["spent"] == spent / money and spent >= amounts[i] * money
            np.testing.assert_allclose(at["regret"], pulls @ (cost * gaps), rtol=1e-12)
            np.testing.assert_allclose(at["optimal"], pulls[1] / rounds, rtol=1e-12)
            expected = pulls @ cost / money
            np.testing.assert_allclose(at["expected_spent"], expected, rtol=1e-12)
    assert np.unique(data["rounds"].isel(checkpoint=-1)).size > 1


@pytest.mark.parametrize(("budget", "rounds"), [(0.3, 1), (7.5, 8)])
def test_a_budget_buys_as_many_pulls_that_cost_1(budget, rounds):
    """Less than a pull buys one; the regret has the start of omega-UCB."""
    game = coins([0.9, 0.5, 0.1], [1, 1, 1])
    data = run(game, budget)
    assert np.all(data["rounds"] == rounds)
    assert np.all(data["spent"] == rounds) and np.all(data["expected_spent"] == rounds)
    started = np.float32([0, 0.9 - 0.5, 0.9 - 0.1])[: min(rounds, 3)].sum()
    regret = data["regret"].sel(policy="omega-UCB").values
    assert np.all(regret >= started - 1e-6)
    if rounds <= 3:
        np.testing.assert_allclose(regret, started, rtol=1e-6)


def test_rewards_of_zero_leave_no_regret():
    data = run(coins([0, 0, 0], [0.5, 0.9, 0.2]), 30, checkpoints=(1,))
    for name in METRICS:
        assert np.all(np.isfinite(data[name])), name
    assert np.all(data["regret"] == 0) and np.all(data["reward"] == 0)
    assert np.all(data["optimal"] == 1)


def test_equal_arms_are_all_best_and_ties_are_broken_at_random():
    game = coins([1, 1, 1], [1, 1, 1])
    data = run(game, 30)
    assert np.all(data["regret"] == 0) and np.all(data["optimal"] == 1)
    fourth = [
        run_of(omega_ucb(game.problem), game, 40, seed_index=seed).actions[3]
        for seed in range(12)
    ]
    assert set(fourth) == {0, 1, 2}


def test_an_arm_without_observed_cost_is_worth_all_others():
    game = coins([0.0, 1.0, 0.0], [1e-6, 1.0, 1.0])
    actions = run_of(omega_ucb(game.problem), game, 40).actions
    np.testing.assert_array_equal(actions, [0, 1, 2] + 37 * [0])
    # Two such arms take turns at random.
    game = coins([0.0, 0.0, 1.0], [1e-6, 1e-6, 1.0])
    actions = run_of(omega_ucb(game.problem), game, 40).actions
    assert set(actions[3:]) == {0, 1}
    assert 5 < np.sum(actions[3:] == 0) < 32


def test_views_tell_what_they_say():
    game = coins(REWARD, COST, unit="cheapest")
    seen = uniform(game.problem)._replace(
        name="witness",
        init=lambda params: (jnp.zeros(6), jnp.zeros(2, jnp.int32)),
        update=lambda noise, view, state, action, feedback, params: (
            jnp.stack(
                [view.spent, state[0][1] + feedback.cost, state[0][0], view.unit]
                + [view.oracle.cheapest, feedback.reward]
            ),
            jnp.stack([view.round, view.num_arms]),
        ),
    )
    trace = run_of(seen, game, 50)
    (spent, after, _, unit, cheapest, _), (round_, num_arms) = trace.state
    assert round_ == 50 and num_arms == 3
    # A view is of the time before the round.
    assert spent == np.sum(trace.feedback.cost[:-1])
    assert after == np.sum(trace.feedback.cost)
    assert unit == cheapest == np.float32(0.125)
    assert trace.environment.reward.total == np.sum(trace.feedback.reward)


# What is refused.


COIN_OF_ONE = laws.Bernoulli(array(0.5))
ONE_COIN = two_coins([0.5], [0.5])
FREE = laws.Discrete(array([0.0, 0.5]), array([1, 0]))


def of(law, params):
    """A call that makes a game of these."""
    return partial(budgeted.make_environment, "bad", law, params)


def costing(law, params):
    """A call that makes a game of coins that pay, and of such costs."""
    return of(laws.product(laws.bernoulli, law), laws.Product(COIN_OF_ONE, params))


def two(**options):
    """A call that makes a game of two coins."""
    return partial(budgeted.make_environment, "bad", COINS, COINS_OF_2, **options)


problem = budgeted.make_problem
BAD = [
    *((partial(make, 0), "num_arms") for make in FAMILIES.values()),
    (partial(budgeted.s_br, 3, cost_floor=-0.1), "cost_floor"),
    (partial(budgeted.s_br, 3, cost_floor=1.0), "cost_floor"),
    (two(unit=0.0), "unit must be positive"),
    (two(worth=-1), "worth must be positive"),
    (two(cost_range=(0.0, 2.0)), r"cost_range must be in \[0, 1\]"),
    (two(reward_range=(-1.0, 1.0)), r"reward_range must be in \[0, 1\]"),
    (two(cost_range=(0.5, 0.2)), "lowest_cost and highest_cost"),
    (two(reward_range=(0.5, 0.2)), "lowest_reward and highest_reward"),
    (partial(coins, [0.5], [0.0]), "params: every expected cost"),
    # float32 has no square of it, and indices would all be infinite.
    (partial(coins, [0.5], [1e-21]), "at least 4.6.*e-10"),
    (costing(laws.discrete, FREE), "params: every expected cost"),
    (partial(coins, [1.5], [0.5]), "probability"),
    (partial(coins, [0.5, 0.5], [0.5]), "params must have one row per arm"),
    (of(COINS, laws.Product(*2 * [laws.Bernoulli(0.5)])), "must have one row per arm"),
    (
        costing(laws.exponential, laws.Exponential(array(2.0))),
        r"params: costs must be in \[0, 1\]",
    ),
    (
        costing(laws.discrete, laws.Discrete(array([4.0]), array([1]))),
        "divide them by 4 and give unit=1 / 4",
    ),
    (costing(laws.uniform, laws.Uniform(array(-0.5), array(1.0))), "consumption law"),
    (of(COINS._replace(means=None), ONE_COIN), "no exact means"),
    (partial(problem, 0), "num_arms"),
    (partial(problem, 2, -0.1), "lowest_cost"),
    (partial(problem, 2, [0.2, 0.5], [0.3, 0.4]), "lowest_cost"),
    (partial(problem, 2, 0.0, 0.0), "highest"),
    (
        partial(budget_ucb, problem(2, (0.2, 0.0)), minimum_cost="range"),
        "minimum_cost='range' needs a problem whose costs are bounded away from 0",
    ),
    (partial(fixed, problem(2), 2), "arm must be at most 1"),
    (partial(fixed, problem(2), -1), "arm must be at least 0"),
]


def test_bad_games_and_problems_are_refused():
    assert_refused(BAD)


def test_problems_have_a_range_per_arm():
    problem = budgeted.make_problem(3, 0.1, [0.5, 1.0, 0.1])
    costs = (0.1, 0.1, 0.1), (0.5, 1.0, 0.1)
    assert problem == budgeted.Problem(3, *costs, (0, 0, 0), (1, 1, 1))
    assert hash(problem) == hash(budgeted.make_problem(3, [0.1] * 3, (0.5, 1, 0.1)))


def test_money_in_and_out():
    """A budget in dollars, where a cost of 1 is 0.8 and a reward of 1 is 12 dollars."""
    plain = coins(REWARD, COST)
    dollars = budgeted.make_environment(
        "dollars", COINS, plain.setup.law, unit=1 / 0.8, worth=12
    )
    only = [uniform(plain.problem)]
    # One unit is 1.25 costs: 40 dollars last as long as a budget of 50.
    one, two = run(plain, 50, only, [25]), run(dollars, 40, only, [20])
    np.testing.assert_array_equal(one["rounds"], two["rounds"])
    for metric, factor in {"regret": 12, "reward": 12, "spent": 0.8}.items():
        np.testing.assert_allclose(two[metric], factor * one[metric], rtol=1e-6)
    assert two.attrs["setting"] == "budgeted"


SMALL = laws.product(laws.uniform, laws.uniform)
SMALL_OF_2 = laws.Product(
    laws.Uniform(array(0.1, 0.1), array(0.2, 0.9)),
    laws.Uniform(array(0.1, 0.2), array(0.5, 1.0)),
)
RANGES = {"cost_range": (0.1, [0.5, 1.0]), "reward_range": [0, (0.2, 0.9)]}


def test_ranges_are_told_to_learners():
    game = budgeted.make_environment("ranges", SMALL, SMALL_OF_2, **RANGES)
    expected = budgeted.make_problem(2, 0.1, [0.5, 1.0], 0, [0.2, 0.9])
    assert game.problem == expected


# Each end of a range, and that of one arm alone.
NARROW = [
    {"cost_range": (0.2, 1.0)},
    {"cost_range": (0.1, 0.6)},
    {"cost_range": (0.1, [0.4, 1.0])},
    {"reward_range": (0.2, 0.9)},
    {"reward_range": (0.1, 0.8)},
]


def test_ranges_that_the_law_leaves_are_refused():
    replay = np.stack([SMALL_OF_2.reward, SMALL_OF_2.consumption])
    copula = laws.gaussian_copula(laws.uniform, laws.uniform)
    pairs = {
        SMALL: SMALL_OF_2,
        copula: laws.Copula(*SMALL_OF_2, array(0.5, 0.5)),
        laws.empirical: laws.Empirical(*(np.moveaxis(x, 0, 1) for x in replay)),
    }
    for law, params in pairs.items():
        make = partial(budgeted.make_environment, "ranges", law, params)
        make(**RANGES)
        assert_refused(
            (partial(make, **RANGES | change), f"^{name} must hold all")
            for change in NARROW
            for name in change
        )


def test_a_cost_that_is_sure_has_a_range_of_no_width():
    """Also of a coin that always falls on one side."""
    sure = laws.Product(laws.Bernoulli(array(0.3)), laws.Bernoulli(array(1.0)))
    game = budgeted.make_environment("sure", COINS, sure, cost_range=(1.0, 1.0))
    assert game.problem.lowest_cost == game.problem.highest_cost == (1.0,)


def test_feedback_outside_the_ranges_is_found():
    """Where no law says so beforehand, in a game of one's own."""
    silent = SMALL._replace(supports=None)
    game = budgeted.make_environment("wide", silent, SMALL_OF_2, **RANGES)
    other = budgeted.make_environment("x", silent, SMALL_OF_2, **RANGES | NARROW[0])
    wrong = game._replace(problem=other.problem)
    with pytest.raises(AssertionError, match="step: feedback.cost must be"):
        check_environment(wrong, uniform(other.problem))


def test_an_index_is_a_float_per_arm():
    game = coins(REWARD, COST)
    for index in (
        jnp.array([1.0, 2.0]),
        jnp.ones((3, 2)),
        jnp.arange(3),
        1j * jnp.arange(3),
        0.0,
    ):
        mine = index_policy("mine", game.problem, lambda view, state, p, i=index: i)
        with pytest.raises(TypeError, match=r"index must give float32\[3\], .* got "):
            check_round("mine", mine, game)
    mine = index_policy("mine", game.problem, lambda view, state, p: jnp.ones(3))
    check_round("mine", mine, game)


@pytest.mark.parametrize("game", [budgeted.s_br(3), budgeted.s_br_changing(3, 2)])
def test_an_oracle_of_drawn_arms_asks_for_an_instance(game):
    for wrong in (None, "x", 3):
        with pytest.raises(TypeError, match=r"instance must be one that .* draws"):
            game.oracle(wrong)
    setup = jax.tree.map(lambda x: np.asarray(x, np.float32), game.setup)
    instance = game.game.sample(jax.random.key(0), setup)
    assert np.all(game.oracle(instance).gaps >= 0)


def test_an_oracle_of_fixed_arms_needs_no_instance():
    np.testing.assert_allclose(coins([0.5, 0.6], [0.25, 0.3]).oracle().ratios, 2.0)
