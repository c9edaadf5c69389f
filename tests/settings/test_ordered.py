"""Arms in turn: rounds and books beside a literal twin, the optimum, refusals."""

from functools import cache, partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxbandits import allocation, budgeted, live, simulate
from jaxbandits.allocation.serving.turns import survival_of
from jaxbandits.arrays import unit_interval
from jaxbandits.engine.tape import Stream, instance_key, read, root_key
from jaxbandits.laws.thresholds import discrete_weibull, exponential
from jaxbandits.protocol import Policy
from tests.games import given_arms
from tests.heavy import in_short
from tests.reference.allocation_environment import OrderedGame, in_turn
from tests.reference.words import numbers
from tests.rollout import metrics_of, run_of
from tests.tables import assert_refused

ROUNDS = 300
P, RATE = [0.9, 0.6, 0.4], [0.2, 0.7, 1.5]
RANGE = {"lowest": 0.05, "highest": 3.0}
BUDGETS = [2, 2, 2, 5, 7]
FAMILIES = {
    "exponential": ("exponential", exponential, None),
    "integers": ("discrete_weibull", discrete_weibull, (0.8, 1.5, 2.0)),
}


def arms(name="exponential", **options):
    _, family, shape = FAMILIES[name]
    return given_arms(name, family, P, RATE, 7.0, shape=shape, **RANGE, **options)


@cache
def game(name="exponential", told=False):
    return allocation.ordered(arms(name), BUDGETS, known_distribution=told)


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


def test_rounds_and_books_are_those_of_the_twin():
    """What arms receive, feedback (5), and the pseudo-regret, round by round."""
    environment, reference = game(), twin()
    assert environment.game.words == 3 * 4 + 1
    trace = run_of(anything(), environment, ROUNDS)
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
    metrics = metrics_of(environment, trace.environment)
    np.testing.assert_allclose(metrics["regret"], regret, rtol=1e-6)
    assert metrics["reward"] == reward
    assert metrics["spent"] == pytest.approx(spent / ROUNDS, rel=1e-5)


@pytest.mark.parametrize("name", in_short(["exponential", "integers"], {"integers"}))
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
def test_arms_that_are_drawn_have_optima_of_their_own():
    """Every seed has its own table, in float64, of the arms that it was drawn."""
    environment = allocation.ordered(allocation.simulation(3, 6.0), [2, 6])
    assert environment.oracle is None
    trace = [
        run_of(
            allocation.uniform_turns(environment.problem), environment, 40, seed_index=i
        )
        for i in range(2)
    ]
    data = simulate(
        allocation.uniform_turns(environment.problem),
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
def test_a_certain_budget_is_the_game_of_known_budgets():
    """Its optimum is the paper's, in whole units: order is no matter."""
    fixed = allocation.ordered(arms("integers"), 6)
    known = given_arms(
        "known", discrete_weibull, P, RATE, 6.0, shape=FAMILIES["integers"][2], **RANGE
    )
    np.testing.assert_allclose(fixed.oracle().value, known.oracle().value[0])


def test_every_arm_has_one_turn():
    allowed = partial(game().game.actions.allowed, None)
    for arms, amounts, known in (
        ((2, 0, 1), (1, 2, 4), True),
        ((0, 1, 0), (1, 2, 4), False),
        ((0, 1, 1), (1, 2, 4), False),
        ((2, 0, 1), (1, 2, 5), False),
    ):
        turns = (jnp.array(x, jnp.int32) for x in (arms, amounts))
        assert bool(allowed(allocation.Turns(*turns))) == known, (arms, amounts)


def test_what_a_learner_is_told():
    assert game().problem.survival is None
    assert game(told=True).problem.survival == (1, 1, 0.4, 0.4, 0.4, 0.2, 0.2)
    assert game().problem.arms == arms(known=False).problem
    with pytest.raises(ValueError, match=r"built for survival = .*has survival = None"):
        simulate(
            allocation.ordered_ucb(game(told=True).problem), game(), horizon=2, seeds=1
        )


def test_budgets_that_plans_hide():
    """A plan that ends says that the budget was at least as large: Kaplan-Meier."""
    policy = allocation.ordered_ucb(game().problem)
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


def test_other_games_and_budgets_are_refused():
    users = allocation.Users(np.ones((4, 3)), np.ones((4, 3), bool))
    once = given_arms("once", exponential, P, RATE, 6.0, **RANGE, cascade=True)
    whole = r"budgets must be whole numbers in \[1, 32\], got "
    other = "environment must be of allocation"
    cases = [
        (allocation.simulation(9, 6.0), None, "at most 8 arms, .* got 9"),
        (arms(known=False, stop_on_success=True), None, "must have no stop_on_success"),
        (once, None, "environment must have no cascade, but it has"),
        (arms(users=users), None, "environment must have no users, but it has"),
        (allocation.simulation(3), None, whole + ".40"),
        (arms(), 2.5, whole + ".2.5"),
        (arms(), [1, 33], "budgets must be whole numbers in .* got .* 33"),
        (arms(), 0, "budgets must be"),
        (arms(), [[1, 2]], "budgets must be a number or a list"),
        (budgeted.s_br(3), 2, other),
        (game(), 2, other),
        ("arms", 2, "environment must be"),
    ]
    rows = [(partial(allocation.ordered, *pair), words) for *pair, words in cases]
    assert_refused(rows, (TypeError, ValueError))


def test_bad_plans_and_problems_of_policies_are_refused():
    fixed = partial(allocation.fixed_turns, game().problem)
    rows = [
        (partial(fixed, (0, 0, 1), (1, 1, 1)), "arms must be different"),
        (partial(fixed, (0, 1), (1, 1, 1)), "arms must have 3 entries"),
        (partial(fixed, (0, 1, 3), (1, 1, 1)), "arms: each must be"),
        (partial(fixed, (0, 1, 2), (1, 1)), "amounts must have 3 entries"),
        (partial(fixed, (0, 1, 2), (1, 1, -1)), "amounts: each must be"),
        (partial(fixed, (0, 1, 2), (4, 4, 0)), "amounts must be at most 7 in all"),
        (partial(allocation.ordered_thompson, arms().problem), "must be an Ordered of"),
        (partial(allocation.thompson, game().problem), "be a Problem of"),
    ]
    bad = allocation.ordered_ucb(game().problem).over(alpha=[1.0, 0.0])
    alpha = partial(simulate, bad, game(), horizon=2, seeds=1)
    rows.append((alpha, "alpha must be"))
    assert_refused(rows, (TypeError, ValueError))
