"""A policy of the budgeted setting plays a game in any money as it does in shares."""

from functools import cache, partial
from itertools import product

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jaxbandits import budgeted, farewell, live, simulate
from jaxbandits.budgeted import Feedback, OracleView, Problem, View, make_problem
from jaxbandits.budgeted.policies.ranges import ranges_of
from jaxbandits.farewell import figure_1a
from jaxbandits.protocol import Policy
from tests.heavy import in_short
from tests.policies.replay import GAME, Tables
from tests.registered import POLICIES
from tests.rollout import run_of
from tests.tables import assert_refused, each_row, for_all

ROUNDS, K = 240, 3
# Rewards and costs of every arm are the least or the most that it has: (least, most).
UNIT = np.array([[0.0] * K, [1.0] * K])
COINS = UNIT, UNIT
# The most that arms have differs; the cost of arm 2 is known.
OWN = (
    np.array([[0.0, 0.25, 0.125], [0.5, 1.0, 0.75]]),
    np.array([[0.125, 0.25, 0.5], [0.75, 1.0, 0.5]]),
)
# One unit of reward and of cost: huge and tiny, and no inverse of either is exact.
MONEY = 41 * 2.0**30, 3 * 2.0**-40


@cache
def game(own=True, reward=1.0, cost=1.0):
    """A game in shares, or in money: what `reward` and `cost` are in it is 1."""
    ends = OWN if own else COINS
    coins = np.random.default_rng(0).random((2, ROUNDS, K)) < [[[0.5, 0.6, 0.4]]]
    given = (
        np.where(coin, most, least) * unit
        for coin, (least, most), unit in zip(coins, ends, (reward, cost), strict=True)
    )
    facts = np.float32(cost), np.float32(cost / 2), np.int32(1)
    setup = Tables(*(x.astype(np.float32) for x in given), *facts)
    problem = make_problem(K, *(ends[1] * cost), *(ends[0] * reward))
    return GAME._replace(setup=setup, problem=problem)


ENTRIES = [name for name in POLICIES if name.startswith("budgeted/")]
SHORT = ["budgeted/kube", "budgeted/share-ucb"]


def assert_plays_in_money_as_in_shares(name, own):
    actions = []
    for environment in (game(own), game(own, *MONEY)):
        policy = POLICIES[name](environment.problem)
        params = {x: ROUNDS / 2 for x in policy.game_params}
        actions.append(run_of(policy, environment, ROUNDS, params=params).actions)
    np.testing.assert_array_equal(*actions)


def test_policies_play_a_game_in_money_as_in_shares():
    for_all(assert_plays_in_money_as_in_shares, product(SHORT, [True]))


@pytest.mark.slow
def test_all_policies_play_a_game_in_money_as_in_shares():
    for_all(assert_plays_in_money_as_in_shares, product(ENTRIES, [False, True]))


@pytest.mark.slow
def test_the_sums_of_a_game_in_money_stay_in_money():
    """And a budget, which is in units, lasts as long."""
    data = [
        simulate(
            [budgeted.epsilon_first(environment.problem)],
            environment,
            budget=40.0,
            seeds=1,
            checkpoints=[20.0, 40.0],
        )
        for environment in (game(), game(True, *MONEY))
    ]
    costs, rounds = ([x[name].values for x in data] for name in ("spent", "rounds"))
    np.testing.assert_array_equal(*rounds)
    np.testing.assert_allclose(costs[1], costs[0] * MONEY[1], rtol=1e-6)


def test_what_is_outside_the_ranges_of_the_problem_is_refused():
    session = live.start(budgeted.kube(make_problem(2, 0.0, 0.01, 1.0, 4.0)))
    view = View(1, 2, 0.0, 0.01, None)
    assert_refused(
        (partial(live.tell, session, 0, Feedback(reward, cost), view), words)
        for reward, cost, words in (
            (40.0, 0.0, r"feedback.reward must be in \[1, 4\], got 40"),
            (0.5, 0.0, r"feedback.reward must be in \[1, 4\], got 0.5"),
            (2.0, 1.0, r"feedback.cost must be in \[0, 0.01\], got 1"),
        )
    )


def witness(problem: Problem) -> Policy:
    """Remembers what it is shown, and which problem it was made for."""

    def update(noise, view, state, action, feedback, params):
        return view, feedback, problem

    return Policy("witness", lambda params: (), lambda *told: told[1], update)


amounts = st.floats(2.0**-80, 2.0**80, width=32)


@given(
    reward=amounts, cost=amounts, part=st.just(0.0) | st.floats(2.0**-20, 1, width=32)
)
def test_the_largest_amount_is_1_and_others_are_rounded_once(reward, cost, part):
    ranges = part * cost, cost, part * reward, reward
    policy = make_problem(2, *ranges).adapt(witness)
    for share in (1.0, part):
        r, c = np.float32(share * reward), np.float32(share * cost)
        oracle = OracleView(jnp.float32(c), jnp.int32(1))
        view = View(jnp.int32(1), jnp.int32(2), *map(jnp.float32, (c, cost)), oracle)
        told = Feedback(jnp.float32(r), jnp.float32(c))
        view, feedback, problem = policy.update(None, view, (), None, told, ())
        expected = r / np.float32(reward), c / np.float32(cost)
        assert tuple(map(float, feedback)) == expected
        assert float(view.spent) == float(view.oracle.cheapest) == expected[1]
        assert float(view.unit) == 1
        if share == 1:
            assert expected == (1, 1)
    np.testing.assert_allclose(
        problem[1:], np.repeat([part, 1, part, 1], 2).reshape(4, 2), rtol=1e-15
    )


def test_in_the_usual_ranges_no_operation_is_added():
    problem = make_problem(2)
    made = witness(problem)
    assert problem.adapt(lambda its: made) is made
    ranges = [ranges_of(each) for each in (problem, make_problem(2, 0, 1, 0, 0.5))]
    assert [each.ranged for each in ranges] == [False, True]


def test_what_a_policy_is_not_shown_needs_no_view():
    """A fixed arm, of which a person shows the round only."""
    session = live.start(budgeted.fixed(make_problem(3, 0, 2.0), 2))
    assert live.ask(session) == 2
    assert live.tell(session, 2, Feedback(1.0, 2.0)).round == 2


@pytest.mark.parametrize(
    "name", in_short(["kube", "bts", "omega_ucb"], ["omega_ucb", "bts"])
)
def test_a_policy_on_pairs_may_be_shown_times_of_any_scale(name):
    """The time of an epoch over the longest wait, or the time itself."""
    environment = figure_1a()
    problem = environment.problem
    make = getattr(budgeted, name)
    actions = [
        run_of(
            farewell.on_pairs(problem, make(farewell.as_arms(problem, scale)), scale),
            environment,
            300,
        ).actions
        for scale in (1.0, float(problem.longest))
    ]
    np.testing.assert_array_equal(*actions)


@each_row("variance", ["switch", "shrunk"])
def test_equal_costs_at_the_end_of_a_range_show_no_variance(variance):
    """The mean of numbers like 0.7 may be rounded off the end: eta would be 0."""
    problem = make_problem(2, [0.1, 0.0], [0.7, 1.0])
    policy = budgeted.omega_star_ucb(problem, variance=variance)
    update = jax.jit(policy.update)
    state = policy.init(policy.params)
    etas = []
    for _ in range(40):
        told = Feedback(jnp.float32(0.5), jnp.float32(0.7))
        state = update(None, None, state, jnp.int32(0), told, policy.params)
        etas.append(float(state.cost.eta[0]))
    assert etas == [1.0] * 40
