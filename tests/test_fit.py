"""A policy plays only the game that it was built for, and learns where that ends."""

from functools import cache, partial

import pytest

from jaxbandits import budgeted, censored, farewell, simulate
from jaxbandits.censored import problem
from jaxbandits.checks.fit import check_fit
from jaxbandits.checks.points import points_from
from jaxbandits.contract.params import points_of
from jaxbandits.farewell import on_pairs
from jaxbandits.farewell.policies.pairs import as_arms
from jaxbandits.plain import doubling, same_pair, ucb
from jaxbandits.simulation.arguments import schedule_of
from jaxbandits.testing import check_policy
from tests.engine import budget_game
from tests.games import GAMES
from tests.registered import POLICIES
from tests.tables import assert_refused, naming


@cache
def game_of(setting, copy=1):
    """A game, made anew for every copy."""
    del copy
    return GAMES[setting]()


def test_every_policy_of_the_registry_knows_its_game():
    """It fits a game that was made twice, and no game of another kind."""
    for name, make in POLICIES.items():
        setting = name.split("/")[0]
        policy = make(game_of(setting).problem)
        with naming(name):
            check_fit(name, policy, game_of(setting, copy=2))
            for other in GAMES.keys() - {setting}:
                with pytest.raises(ValueError, match="was built for a"):
                    check_fit(name, policy, game_of(other))


def grid(num_arms=2, limits=(0.5, 1.0), slope=2.0):
    """A problem whose functions are new at every call."""
    return problem.make_problem(num_arms, limits, lambda x: x, lambda x: slope * x)


def test_games_are_compared_by_value():
    game = budget_game.environment()
    policy = censored.rcucb(grid())
    check_fit("mine", policy, game._replace(problem=grid()))
    for other, message in (
        (grid(num_arms=3), "num_arms = 2, and .* has num_arms = 3"),
        (grid(limits=(0.5, 0.75)), r"limits = \(0.5, 1.0\).* has limits"),
        (grid(slope=3.0), "penalty"),
    ):
        with pytest.raises(ValueError, match=f"'mine' was built for .*{message}"):
            check_fit("mine", policy, game._replace(problem=other))
        anybody = policy._replace(problem=None)
        check_fit("mine", anybody, game._replace(problem=other))


def test_what_a_learner_believes_may_differ():
    """Only the number of arms is the budgeted game's own."""
    known = budgeted.make_problem(3, 0.25, 0.75)
    policy = budgeted.omega_ucb(known)
    check_fit("omega", policy, game_of("budgeted"))
    with pytest.raises(ValueError, match="num_arms = 3, and .* num_arms = 5"):
        check_fit("omega", policy, budgeted.s_bt(5))


def test_combinators_keep_the_problem():
    game = game_of("continuum").problem
    assert doubling(censored.z_rcucb(game)).problem == game
    assert censored.on_grid(game, 3, censored.rcucb).problem == game
    pairs = farewell.Problem(2, 3)
    assert on_pairs(pairs, budgeted.uniform(as_arms(pairs))).problem == pairs
    assert censored.product_arms(grid(), ucb).problem.num_arms == 2


def test_simulate_sweep_and_check_policy_refuse_another_game():
    policy = censored.uniform(censored.indep([0.3, 0.5]).problem)
    game = censored.indep([0.3, 0.6])
    with pytest.raises(ValueError, match="'uniform' was built for limits"):
        simulate(policy, game, horizon=5, seeds=1)
    with pytest.raises(ValueError, match="'a' was built for limits"):
        simulate({"a": policy}, {"game": game}, horizon=5, seeds=1)
    with pytest.raises(AssertionError, match="'uniform' was built for limits"):
        check_policy(policy, game)


# Factories.


def test_factories_refuse_by_name():
    pairs, waits = grid(), farewell.Problem(2, 3)
    censored.fixed(pairs, 1, 0)  # 1.0 must not find what was made for 1
    rows = [
        (partial(censored.rcucb, game_of("censored")), "give environment.problem"),
        (
            partial(budgeted.omega_ucb, waits),
            "omega_ucb: problem must be a Problem of budgeted .*, got a "
            "Problem of farewell",
        ),
        (partial(censored.fixed, pairs, 1.0, 0), "arm must be an integer"),
        (partial(same_pair, (2, 2), tuple, ("arm", "x"), (0, True)), "x must be an"),
        (partial(farewell.as_arms, pairs), "problem must be .* farewell"),
    ]
    assert_refused(rows, TypeError)


# What a policy must be told.


def told(policy, override=None, **end):
    game = game_of("budgeted")
    end = {"horizon": None, "budget": None} | end
    schedule = schedule_of(game, checkpoints="linear", **end)
    found = points_of("mine", policy, points_from(override), schedule, "policies[0]")
    return found.row(0)


def test_the_game_tells_its_end():
    arms, intervals = game_of("budgeted").problem, game_of("continuum").problem
    for make in (budgeted.epsilon_first, budgeted.pd_bwk):
        assert told(make(arms), budget=700.0)["budget"] == 700
        assert told(make(arms), {"budget": 30}, budget=700.0)["budget"] == 30
    makers = censored.z_rcucb, censored.stoo, censored.zooming
    for policy in (censored.moss_reduction(grid()), *(f(intervals) for f in makers)):
        assert told(policy, horizon=500)["horizon"] == 500
        assert told(policy, {"horizon": 30}, horizon=500)["horizon"] == 30
        own = policy._replace(params=policy.params._replace(horizon=40.0))
        assert told(own, horizon=500)["horizon"] == 40
    assert told(censored.z_rcucb(intervals, 100_000), horizon=500)["horizon"] == 1e5
    doubled = doubling(censored.z_rcucb(intervals), 64)
    assert told(doubled, horizon=500)["horizon"] == 64


def test_a_game_with_another_end_cannot_tell():
    how = r"give it by with_params\(budget=...\) or over\(budget=...\)$"
    with pytest.raises(ValueError, match=f"'mine'. must know the budget.*{how}"):
        told(budgeted.epsilon_first(game_of("budgeted").problem), horizon=500)
    with pytest.raises(ValueError, match="'mine'. must know the horizon"):
        told(censored.moss_reduction(grid()), budget=500)
