"""The books check themselves: what a game has not is neither played nor free."""

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxbandits import allocation, censored, farewell, simulate
from jaxbandits.arrays import unit_interval
from jaxbandits.budgeted.environment import State
from jaxbandits.protocol import Policy
from jaxbandits.results.cuts import CutOffWarning
from jaxbandits.testing import altered, check_policy
from tests.engine import budget_game
from tests.games import coins, paid_coins

GRID = coins([0.3, 0.5])
SETS = censored.combinatorial(GRID, 2)
DUELS = censored.duels(GRID)
ANY = coins(censored.ANY)
ARMS = paid_coins([0.5] * 3, [0.5] * 3)
WAITS = farewell.optimum_in_the_middle()
SPLIT = allocation.simulation(3)
TURNS = allocation.ordered(allocation.simulation(3, 6.0), [2, 6])


def playing(action, **changes):
    """The same action in every round."""
    return Policy(
        "mine",
        lambda params: (),
        lambda noise, view, state, params: action,
        lambda noise, view, state, action, feedback, params: state,
        **changes,
    )


def pair(kind, arm, other):
    """An action of arms and positions, or a limit if that is a float."""
    number = jnp.float32 if isinstance(other, float) else jnp.int32
    return kind(jnp.int32(arm), number(other))


def amounts(*x):
    return allocation.Allocation(jnp.asarray(x, jnp.float32))


def order(*arms, step=1.0):
    return allocation.Order(jnp.asarray(arms, jnp.int32), jnp.float32(step))


def plan(weight, rate):
    return allocation.Plan(jnp.full(3, weight, float), jnp.full(3, rate, float))


def instance_of(environment):
    setup = jax.tree.map(lambda x: jnp.asarray(np.asarray(x)), environment.setup)
    return jax.jit(environment.game.sample)(jax.random.key(0), setup)


NAN = float("nan")
# Actions that a game has, and those that it has not.
RANGES = {
    "grid": (
        GRID,
        [pair(censored.Action, 0, 0), pair(censored.Action, 9, 1)],
        [
            pair(censored.Action, *bad)
            for bad in ((10, 0), (-1, 0), (0, 2), (0, -1), (99, 99))
        ],
    ),
    "continuum": (
        ANY,
        [pair(censored.RealAction, 0, 1e-9), pair(censored.RealAction, 9, 1.0)],
        [
            pair(censored.RealAction, *bad)
            for bad in ((10, 0.5), (-1, 0.5), (0, 0.0), (0, 1.001), (0, NAN))
        ],
    ),
    "combinatorial": (
        SETS,
        [pair(censored.SuperArm, [9, 0], [1, 1])],
        [
            pair(censored.SuperArm, *bad)
            for bad in (([0, 0], [0, 1]), ([0, 10], [0, 0]), ([0, 1], [-1, 0]))
        ],
    ),
    "dueling": (
        DUELS,
        [pair(censored.Duel, [9, 0], [1, 1]), pair(censored.Duel, [3, 3], [1, 1])],
        [
            pair(censored.Duel, *bad)
            for bad in (([0, 10], [0, 0]), ([-1, 1], [0, 0]), ([0, 1], [0, 2]))
        ],
    ),
    "budgeted": (ARMS, [jnp.int32(0), jnp.int32(2)], [jnp.int32(3), jnp.int32(-1)]),
    "farewell": (
        WAITS,
        [pair(farewell.Action, 0, 9)],
        [pair(farewell.Action, *bad) for bad in ((0, 10), (0, -1), (1, 0))],
    ),
    "allocation": (
        SPLIT,
        [amounts(0.0, 99.0, -1.0), order(0, 2, 0), plan(0.0, 1.0)],
        [
            amounts(0.0, NAN, 1.0),
            amounts(0.0, np.inf, 1.0),
            order(0, 3),
            order(-1, 0),
            order(0, 1, step=0.0),
            plan(-1.0, 1.0),
            plan(1.0, 0.0),
            plan(NAN, 1.0),
        ],
    ),
    "ordered": (
        TURNS,
        [
            pair(allocation.Turns, [2, 0, 1], [1, 2, 3]),
            pair(allocation.Turns, [0, 1, 2], [0, 0, 5]),
        ],
        [
            pair(allocation.Turns, *bad)
            for bad in (
                ([0, 0, 1], [1, 1, 1]),
                ([0, 1, 3], [1, 1, 1]),
                ([0, 1, -1], [1, 1, 1]),
                ([0, 1, 2], [3, 3, 1]),
                ([0, 1, 2], [7, 0, 0]),
                ([0, 1, 2], [3, -1, 1]),
            )
        ],
    ),
}


@pytest.mark.parametrize("name", RANGES)
def test_which_actions_a_game_has(name):
    environment, good, bad = RANGES[name]
    instance = instance_of(environment)

    @jax.jit
    def allowed(actions):
        return [environment.game.actions.allowed(instance, x) for x in actions]

    for actions, wanted in ((good, True), (bad, False)):
        found = [bool(x) for x in allowed(actions)]
        assert found == [wanted] * len(actions), actions


END = {"horizon": 6, "seeds": 2, "checkpoints": [3]}


class Numbers(NamedTuple):
    """What an action is made of."""

    first: float
    second: float


def whole(x):
    return x.astype(jnp.int32)


def test_what_is_no_arm_is_an_error_as_an_action_and_as_a_recommendation():
    policy = playing(None, params=Numbers(2, 0))._replace(
        act=lambda noise, view, state, params: whole(params.first),
        recommend=lambda state, params: whole(params.second),
    )
    assert np.all(np.isfinite(simulate(policy, ARMS, **END)["regret"]))
    for wrong, words in (
        ({"first": 3}, r"invalid actions in 2 of 2 runs \(up to .*\): an action is"),
        ({"second": 3}, "recommend gives .* .2 of 2 runs"),
        ({"second": -1}, "recommend gives .* .2 of 2 runs"),
    ):
        with pytest.raises(ValueError, match=f"'mine' in environment 'coins'.*{words}"):
            simulate(policy.with_params(**wrong), ARMS, **END)


def test_one_action_out_of_range_is_enough():
    """In the last round, of one run of three."""
    late = Policy(
        "late",
        lambda params: (),
        lambda noise, view, state, params: jnp.where(
            (view.round == 6) & (unit_interval(noise[0]) > 0.5), 7, 0
        ),
        lambda noise, view, state, action, feedback, params: state,
        words=(1, 0),
    )
    with pytest.raises(ValueError, match="actions in 1 of 2 runs .up to 1 before"):
        simulate(late, ARMS, **(END | {"seeds": [1, 2]}))


def test_arms_that_an_instance_has_not():
    """Of three positions it has two arms: the third is no action, and not counted."""
    instance = instance_of(ARMS)
    arms = instance.arms._replace(num_arms=jnp.int32(2))
    allowed = ARMS.game.actions.allowed
    assert allowed(instance, jnp.int32(2))
    assert not allowed(instance._replace(arms=arms), jnp.int32(2))
    for pulls in ([4, 3, 0], [4, 3, 2]):
        record = State(jnp.array(pulls), None, None)
        assert ARMS.game.actions.counted(instance._replace(arms=arms), record) == 7


def test_pulls_that_are_not_counted_are_an_error():
    """Also in a game that does not say what its actions are."""
    game = budget_game.environment()
    with pytest.raises(ValueError, match="in 2 of 2 runs .* say in game.actions"):
        simulate(playing(jnp.int32(2)), game, **END)
    with pytest.raises(AssertionError, match="its pulls do not count them"):
        check_policy(playing(jnp.int32(2)), game)


# What the metrics of a game give, of what was spent, and what is said of it.
WRONG_METRICS = [
    (lambda spent: {}, ValueError, "the environment's metrics are none"),
    (lambda spent: None, TypeError, "failed: .* must be names and numbers, got None"),
    (lambda spent: {3: 1.0}, TypeError, "metrics must give names and arrays"),
    (lambda spent: {"a": "b"}, ValueError, "metrics failed: "),
    (lambda spent: {"a": 1j}, TypeError, "'a' must be a real number, got a complex"),
    (lambda spent: {"a": np.ones(3)}, ValueError, r"'a' of shape \[2, .*, 3\]"),
    (lambda spent: {"a": spent * np.nan}, ValueError, "'alternate' in .*'a' is NaN"),
]


@pytest.mark.parametrize(("give", "error", "words"), WRONG_METRICS)
def test_metrics_that_are_no_numbers_per_run_are_an_error(give, error, words):
    game = altered(
        budget_game.environment(),
        metrics=lambda tables, instance, record: give(record.spent),
    )
    with pytest.raises(error, match=words):
        simulate(budget_game.ALTERNATE, game, **END)


def test_what_a_policy_reports_is_a_number():
    policy = budget_game.ALTERNATE._replace(
        report=lambda state, params: {"x": jnp.float32(jnp.nan)}
    )
    words = "policy 'alternate' in .*: the policy's report 'x' is NaN"
    with pytest.raises(ValueError, match=words):
        simulate(policy, budget_game.environment(), **END)


def test_feedback_of_nan_is_an_error():
    """Where a policy keeps it; the game's own books may know nothing of it."""

    def step(noise, instance, state, action):
        state, cost = game.game.step(noise, instance, state, action)
        return state, jnp.where(state.pulls[0] > 1, jnp.nan, cost)

    game = budget_game.environment()
    mean = budget_game.ALTERNATE._replace(
        init=lambda params: {"cost": jnp.zeros(())},
        update=lambda n, v, state, a, cost, p: {"cost": state["cost"] + cost},
    )
    message = r"'alternate': update must keep NaN out .* state\['cost'\] holds NaN"
    with pytest.raises(ValueError, match=message):
        simulate(mean, altered(game, step=step), **END)
    simulate(budget_game.ALTERNATE, altered(game, step=step), **END)


def test_a_budget_that_is_spent_before_the_start():
    game = budget_game.environment()
    paid = altered(game, spent=lambda instance, state: state.spent + 9)
    with pytest.raises(ValueError, match="over before their first round"):
        simulate(budget_game.ALTERNATE, paid, budget=5.0, seeds=1)


@pytest.mark.slow  # as in engine/test_limits.py, where it is NaN from the start
def test_a_spend_of_nan():
    game = budget_game.environment()
    broken = altered(game, spent=lambda instance, state: state.spent * jnp.nan)
    with pytest.raises(ValueError, match="spent is NaN"):
        simulate(budget_game.ALTERNATE, broken, budget=5.0, seeds=1)


def test_runs_that_are_cut_off_are_marked():
    """Only those whose budget is not spent."""
    game = budget_game.environment()
    options = {"budget": 30, "seeds": 40, "checkpoints": [4, 30]}
    free = simulate(budget_game.ALTERNATE, game, **options)
    assert "cut" not in free
    rounds = int(free["rounds"].isel(checkpoint=-1).median())
    words = f"horizon = {rounds} cut runs off"
    with pytest.warns(CutOffWarning, match=words) as caught:
        data = simulate(budget_game.ALTERNATE, game, horizon=rounds, **options)
    assert caught[0].filename == __file__
    np.testing.assert_array_equal(data["cut"], free["rounds"] >= rounds)
    assert 0 < data["cut"].isel(checkpoint=-1).mean() < 1
    many = simulate(budget_game.ALTERNATE, game, horizon=1000, **options)
    assert not many["cut"].any()


def test_runs_of_a_sweep_that_are_cut_off(tmp_path):
    """Warned of where the call is, with a store at every opening."""
    game, policy = budget_game.environment(), budget_game.ALTERNATE
    options = {"budget": 30, "seeds": 40, "checkpoints": [4, 30]}
    free = simulate({"alternate": policy}, {"game": game}, **options)
    rounds = int(free["rounds"].isel(checkpoint=-1).median())
    words = f"horizon = {rounds} cut runs off.* % of 'alternate';"
    options |= {"horizon": rounds}
    with pytest.warns(CutOffWarning, match=words) as caught:
        data = simulate({"alternate": policy}, {"game": game}, **options)
    assert caught[0].filename == __file__
    np.testing.assert_array_equal(data["cut"], free["rounds"] >= rounds)
    for _ in range(2):
        with pytest.warns(CutOffWarning, match=words):
            data = simulate(
                {"alternate": policy}, {"game": game}, store=tmp_path / "s", **options
            )
        np.testing.assert_array_equal(
            data["rounds"] >= rounds, free["rounds"] >= rounds
        )
