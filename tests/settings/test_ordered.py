"""Arms in turn: rounds and books beside a literal twin, the optimum, refusals."""

from functools import cache, partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxbandits import live, simulate
from jaxbandits.arrays import unit_interval
from jaxbandits.engine.tape import Stream, instance_key, read, root_key
from jaxbandits.laws.thresholds import discrete_weibull, exponential, weibull
from jaxbandits.policies import allocation as policies
from jaxbandits.policies.allocation.turns import survival_of
from jaxbandits.protocol import Policy
from jaxbandits.settings import allocation, budgeted
from jaxbandits.settings.allocation._ordered import State
from jaxbandits.testing import check_environment, trace_run
from tests.heavy import in_short
from tests.reference.allocation_environment import OrderedGame, in_turn
from tests.reference.words import numbers

ROUNDS = 300
P, RATE = [0.9, 0.6, 0.4], [0.2, 0.7, 1.5]
RANGE = {"lowest": 0.05, "highest": 3.0}
BUDGETS = [2, 2, 2, 5, 7]
FAMILIES = {
    "exponential": ("exponential", exponential, None),
    "Weibull": ("weibull", weibull, (0.8, 1.5, 2.0)),
    "integers": ("discrete_weibull", discrete_weibull, (0.8, 1.5, 2.0)),
}


def arms(name="exponential", **options):
    _, family, shape = FAMILIES[name]
    return allocation.allocation(
        name, family, P, RATE, 7.0, shape=shape, **RANGE, **options
    )


@cache
def game(name="exponential", told=False):
    return allocation.ordered(arms(name), BUDGETS, told=told)


@cache
def twin(name="exponential"):
    family, _, shape = FAMILIES[name]
    return OrderedGame(family, shape or (1.0,) * 3, P, RATE, BUDGETS)


@cache
def anything():
    """Random turns, many of which end before the budget may."""

    def act(noise, view, state, params):
        u = unit_interval(noise)
        rank = jnp.sum(u[None, :3] < u[:3, None], axis=1, dtype=jnp.int32)
        amounts = jnp.floor(u[3:] * jnp.array([3.0, 3.0, 4.0])).astype(jnp.int32)
        return allocation.Turns(rank, amounts)

    return Policy(
        "anything",
        lambda params: (),
        act,
        lambda noise, view, state, action, feedback, params: state,
        words=(6, 0),
    )


def metrics(environment, trace):
    tables = jax.tree.map(lambda x: x[0], environment.tables(None))
    with jax.enable_x64(True):
        state = jax.tree.map(jnp.asarray, trace.environment)
        found = jax.jit(environment.game.metrics)(tables, None, state)
    return {name: float(value) for name, value in found.items()}


@pytest.mark.slow
@pytest.mark.parametrize("name", in_short(FAMILIES, {"Weibull", "integers"}))
def test_rounds_and_books(name):
    """What arms receive, feedback (5), and the pseudo-regret, round by round."""
    environment, reference = game(name), twin(name)
    assert environment.game.words == 3 * 4 + 1
    trace = trace_run(anything(), environment, ROUNDS)
    words = read(0, 0, Stream.ENVIRONMENT, ROUNDS, environment.game.words)
    noise = numbers(words[:, :-1], "nn" * 3)
    noise = np.hstack([noise[:, ::2], noise[:, 1::2]])
    budgets = np.array(BUDGETS)[np.floor(words[:, -1] / 2**32 * 5).astype(int)]
    best = reference.value_of(*reference.best_turns())
    regret = reward = spent = 0
    cut_short = ended = 0
    for t, (order, amounts) in enumerate(zip(*trace.actions, strict=True)):
        x = in_turn(order, amounts, budgets[t])
        np.testing.assert_array_equal(trace.feedback.allocation[t], x)
        cut_short += x.sum() < amounts.sum()
        ended += x.sum() < budgets[t]
        answer = reference.step(noise[t], x)
        np.testing.assert_allclose(trace.feedback.threshold[t], answer, rtol=1e-5)
        regret += best - reference.value_of(order, amounts)
        reward += np.isfinite(answer).sum()
        spent += x.sum() / budgets[t]
    assert min(cut_short, ended) > 50 and reward > 50
    books = metrics(environment, trace)
    np.testing.assert_allclose(books["regret"], regret, rtol=1e-6)
    assert books["reward"] == reward
    assert books["spent"] == pytest.approx(spent / ROUNDS, rel=1e-5)


@pytest.mark.parametrize("name", in_short(FAMILIES, {"Weibull", "integers"}))
def test_the_oracle_is_the_best_of_all_plans(name):
    oracle, reference = game(name).oracle(), twin(name)
    best = reference.value_of(*reference.best_turns())
    np.testing.assert_allclose(oracle.value, best, rtol=1e-12)
    mine = reference.value_of(oracle.arms.tolist(), oracle.amounts.tolist())
    np.testing.assert_allclose(mine, best, rtol=1e-12)
    np.testing.assert_allclose(oracle.survival, [1, 1, 0.4, 0.4, 0.4, 0.2, 0.2])
    facts = game(name).provenance
    assert facts["optimal_value"] == oracle.value and facts["mean_budget"] == 3.6
    assert facts["budget"] == [2, 7] and facts["family"] == FAMILIES[name][1].name


@pytest.mark.slow
def test_the_best_plan_has_no_regret():
    """None at all, and its reward is its value within four standard errors."""
    environment = game()
    oracle = environment.oracle()
    plan = (tuple(x.tolist()) for x in oracle[:2])
    best = policies.fixed_turns(environment.problem, *plan)
    data = simulate(best, environment, horizon=500, seeds=64, checkpoints=[500])
    assert np.all(data["regret"] == 0) and np.all(data["spent"] == 1)
    reward = data["reward"].values
    error = np.std(reward) / np.sqrt(64)
    assert error > 0 and abs(np.mean(reward) - 500 * oracle.value) < 4 * error
    # Another one loses what the twin says, to the last digits.
    other = policies.fixed_turns(environment.problem, (2, 0, 1), (1, 1, 3))
    data = simulate(other, environment, horizon=500, seeds=2, checkpoints=[500])
    gap = oracle.value - twin().value_of((2, 0, 1), (1, 1, 3))
    np.testing.assert_allclose(data["regret"], 500 * gap, rtol=1e-12)
    assert np.all((data["spent"] > 0.8) & (data["spent"] < 1))


@pytest.mark.slow
def test_arms_that_are_drawn_have_optima_of_their_own():
    """Every seed has its own table, in float64, of the arms that it was drawn."""
    environment = allocation.ordered(allocation.simulation(3, 6.0), [2, 6])
    assert environment.oracle is None
    trace = [
        trace_run(
            policies.uniform_turns(environment.problem), environment, 40, seed_index=i
        )
        for i in range(2)
    ]
    data = simulate(
        policies.uniform_turns(environment.problem),
        environment,
        horizon=40,
        seeds=2,
        checkpoints=[40],
    )
    sample = jax.jit(environment.game.sample)
    setup = jax.tree.map(jnp.asarray, environment.setup)
    for seed, run in enumerate(trace):
        instance = sample(instance_key(root_key(0), jnp.uint32(seed)), setup)
        probability, rate = (np.asarray(x, float) for x in instance.arms)
        reference = OrderedGame("exponential", (1.0,) * 3, probability, rate, [2, 6])
        best = reference.value_of(*reference.best_turns())
        regret = sum(
            best - reference.value_of(*plan) for plan in zip(*run.actions, strict=True)
        )
        found = float(data["regret"].isel(seed=seed).squeeze())
        np.testing.assert_allclose(found, regret, rtol=1e-9)
    assert np.ptp(data["regret"].values) > 0.1


@pytest.mark.slow
def test_more_rounds_than_an_integer_holds_twice():
    environment = game()
    tables = jax.tree.map(lambda leaf: leaf[0], environment.tables(None))
    rounds = 1_500_000_000
    turns = (rounds * tables.best).astype(np.int32)
    zero = np.int32(0)
    with jax.enable_x64(True):
        spent = trace_run(anything(), environment, 1).environment.spent
        state = State(jnp.asarray(turns), jnp.int32(rounds), zero, spent)
        found = environment.game.metrics(tables, None, state)
    assert float(found["regret"]) == 0


def test_budgets_are_drawn_as_they_are_likely():
    """And independently of what is played: with four standard errors."""
    environment = game()
    whole = policies.uniform_turns(environment.problem)
    trace = trace_run(whole, environment, 2000)
    seen = trace.feedback.allocation.sum(axis=1)
    for units, chance in ((2, 0.6), (5, 0.2), (7, 0.2)):
        error = np.sqrt(chance * (1 - chance) / 2000)
        assert abs(np.mean(seen == units) - chance) < 4 * error
    assert set(seen) == {2, 5, 7}


@pytest.mark.slow
def test_a_certain_budget_is_the_game_of_known_budgets():
    """Its optimum is the paper's, in whole units: order is no matter."""
    fixed = allocation.ordered(arms("integers"), 6)
    known = allocation.allocation(
        "known", discrete_weibull, P, RATE, 6.0, shape=FAMILIES["integers"][2], **RANGE
    )
    np.testing.assert_allclose(fixed.oracle().value, known.oracle().value[0])


@pytest.mark.parametrize("name", in_short(FAMILIES, {"Weibull", "integers"}))
def test_it_is_a_contract(name):
    environment = game(name)
    policy = policies.uniform_turns(environment.problem)
    check_environment(environment, policy, rounds=100)


def test_what_a_learner_is_told():
    assert game().problem.survival is None
    assert game(told=True).problem.survival == (1, 1, 0.4, 0.4, 0.4, 0.2, 0.2)
    assert game().problem.arms == arms(known=False).problem
    with pytest.raises(ValueError, match=r"built for survival = .*has survival = None"):
        simulate(
            policies.ordered_ucb(game(told=True).problem), game(), horizon=2, seeds=1
        )


def test_budgets_that_plans_hide():
    """A plan that ends says that the budget was at least as large: Kaplan-Meier."""
    policy = policies.ordered_ucb(game().problem)
    session = live.start(policy)
    nothing = [np.inf] * 3
    for amounts, budget in (((7, 0, 0), 3), ((4, 0, 0), 4), ((7, 0, 0), 5)):
        turns = allocation.Turns(np.arange(3), np.array(amounts))
        given = np.array([min(amounts[0], budget), 0, 0])
        session = live.tell(session, turns, allocation.Feedback(nothing, given))
    seen, ended = session.state.budgets
    # Of three rounds one ended at 3; one of the two others was cut short by its plan.
    np.testing.assert_array_equal(seen, [3, 3, 3, 1, 1, 0, 0])
    np.testing.assert_array_equal(ended, [0, 0, 1, 0, 1, 0, 0])
    found = survival_of(game().problem, session.state.budgets)
    np.testing.assert_allclose(found, [1, 1, 1, 2 / 3, 2 / 3, 0, 0], rtol=1e-6)


MANY = partial(allocation.simulation, 9, 6.0)
STOPS = partial(arms, known=False, stop_on_success=True)
ONCE = partial(allocation.cascade, "once", exponential, P, RATE, 6.0, **RANGE)
USERS = allocation.Users(np.ones((4, 3)), np.ones((4, 3), bool))
RECORDED = partial(arms, users=USERS)


@pytest.mark.parametrize(
    ("make", "budgets", "message"),
    [
        (MANY, None, "environment must have at most 8 arms, .* got 9"),
        (STOPS, None, "environment must have no stop_on_success, and has"),
        (ONCE, None, "environment must have no cascade, and has"),
        (RECORDED, None, "environment must have no users, and has"),
        (
            partial(allocation.simulation, 3),
            None,
            r"budgets must be whole .* \[1, 32\], got .40",
        ),
        (arms, 2.5, r"budgets must be whole numbers in \[1, 32\], got .2.5"),
        (arms, [1, 33], "budgets must be whole numbers in .* got .* 33"),
        (arms, 0, "budgets must be"),
        (arms, [[1, 2]], "budgets must be a number or a list"),
        (partial(budgeted.s_br, 3), 2, "environment must be of settings.allocation"),
        (game, 2, "environment must be of settings.allocation"),
        (lambda: "arms", 2, "environment must be"),
    ],
)
def test_what_is_refused(make, budgets, message):
    environment = make()
    with pytest.raises((ValueError, TypeError), match=message):
        allocation.ordered(environment, budgets)


@pytest.mark.parametrize(
    ("arms", "amounts", "message"),
    [
        ((0, 0, 1), (1, 1, 1), "arms must be different"),
        ((0, 1), (1, 1, 1), "arms must have 3 entries"),
        ((0, 1, 3), (1, 1, 1), "arms: each must be"),
        ((0, 1, 2), (1, 1), "amounts must have 3 entries"),
        ((0, 1, 2), (1, 1, -1), "amounts: each must be"),
        ((0, 1, 2), (4, 4, 0), "amounts must be at most 7 in all"),
        (3, (1, 1, 1), "arms must be a tuple of integers"),
    ],
)
def test_plans_that_are_refused(arms, amounts, message):
    with pytest.raises((ValueError, TypeError), match=message):
        policies.fixed_turns(game().problem, arms, amounts)


def test_policies_are_for_their_own_game():
    with pytest.raises(TypeError, match="problem must be an Ordered of"):
        policies.ordered_thompson(arms().problem)
    with pytest.raises(TypeError, match="problem must be a Problem of"):
        policies.thompson_allocation(game().problem)
    for make in (policies.ordered_thompson, policies.ordered_ucb):
        with pytest.raises(ValueError, match="plan must be"):
            make(game().problem, plan="best")
    with pytest.raises(ValueError, match="alpha must be"):
        policy = policies.ordered_ucb(game().problem)
        simulate(policy, game(), horizon=2, seeds=1, grid={"alpha": 0.0})
