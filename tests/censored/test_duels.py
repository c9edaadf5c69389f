"""Duels: the coin by hand, regret by hand, what preferences tell, refusals."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxbandits import budgeted, censored, laws, live, simulate
from jaxbandits.arrays import CompensatedSum, constant
from jaxbandits.censored.dueling.environment import State
from jaxbandits.testing import altered
from tests.games import repeating
from tests.rollout import run_of
from tests.tables import assert_refused, each_row, naming

PAIRS = censored.make_environment(
    "four",
    censored.running_example(4, [0.2, 0.5, 0.8]),
    laws.product(laws.uniform, laws.exponential),
    laws.Product(
        laws.Uniform(np.array([0.0, 0.6, 0.0, 0.4]), np.array([0.6, 1.0, 1.0, 1.0])),
        laws.Exponential(np.array([9.0, 3.0, 4.0, 8.0])),
    ),
)
GAME = censored.duels(PAIRS)
# Rewards 0.8, 0.3 and 0; consumption 0.5, 0.5 and 1: nothing is random but the coin.
CERTAIN = censored.duels(
    censored.make_environment(
        "certain",
        censored.running_example(3, [0.25, 0.5]),
        laws.empirical,
        laws.empirical_params([[0.8], [0.3], [0.0]], [[0.5], [0.5], [1.0]]),
    )
)
WORDS = CERTAIN.game.words


def duel(arms, limits):
    return censored.Duel(jnp.array(arms, jnp.int32), jnp.array(limits, jnp.int32))


# Arms, limits, the probability that the first is preferred, and who is censored.
COINS = [
    ((0, 1), (1, 1), 0.75, (False, False)),
    ((1, 0), (1, 1), 0.25, (False, False)),
    ((0, 1), (1, 0), 0.9, (False, True)),  # 0.8 against nothing
    ((1, 0), (0, 1), 0.1, (True, False)),
    ((0, 1), (0, 0), 0.5, (True, True)),  # nothing against nothing
    ((2, 0), (1, 1), 0.1, (True, False)),
    ((0, 0), (1, 1), 0.5, (False, False)),
]


def test_the_coin_by_hand():
    """Just below its probability it prefers the first, just above the second."""

    @jax.jit
    def step(noise, action):
        start = CERTAIN.game.init(None)
        return CERTAIN.game.step(noise, constant(CERTAIN.setup), start, action)[1]

    for arms, limits, probability, censored_ in COINS:
        with naming((arms, limits)):
            found = []
            for uniform in (probability - 1e-6, probability + 1e-6):
                noise = np.zeros(WORDS, np.uint32)
                noise[0] = int(uniform * 2**32)
                feedback = step(noise, duel(arms, limits))
                assert tuple(feedback.censored.tolist()) == censored_
                clock = [np.inf if lost else 0.5 for lost in censored_]
                np.testing.assert_array_equal(feedback.consumption, clock)
                found.append(bool(feedback.first_preferred))
            assert found == [True, False]


def test_regret_by_hand():
    policy = censored.uniform_duels(GAME.problem)
    trace = run_of(policy, GAME, 300)
    arms, limits = trace.actions
    gaps = GAME.oracle().gaps[arms, limits].mean(axis=1)
    data = simulate(policy, GAME, horizon=300, seeds=1, checkpoints=[100, 300])
    expected = np.cumsum(gaps)[[99, 299]]
    np.testing.assert_allclose(data["regret"].values.ravel(), expected, rtol=1e-12)
    share = np.asarray(trace.feedback.censored).mean()
    assert data["censored"].values.ravel()[-1] == pytest.approx(share)
    best = (arms == GAME.oracle().arm) & (limits == GAME.oracle().limit)
    assert data["optimal"].values.ravel()[-1] == pytest.approx(best.mean())


def test_one_round_and_more_runs_than_an_integer_holds():
    oracle = GAME.oracle()
    tables = jax.tree.map(lambda leaf: leaf[0], GAME.tables(None))
    for rounds in (1, 2_000_000_000):
        plays = np.zeros((4, 3), np.int32)
        plays[oracle.arm, oracle.limit] = rounds
        with jax.enable_x64(True):
            lost = np.array([rounds, 0], np.int32)
            state = State(*map(jnp.asarray, (plays, plays, lost, np.int32(rounds))))
            found = GAME.game.metrics(tables, None, state)
        numbers = {name: float(value) for name, value in found.items()}
        assert numbers == {"regret": 0.0, "censored": 0.5, "optimal": 1.0}, rounds


def told(preferred, *, consumption=(0.1, 0.4), lost=(False, False)):
    return censored.DuelFeedback(preferred, [*consumption], [*lost])


def after(policy, action, feedback):
    return live.tell(live.start(policy), action, feedback).state


def test_what_a_duel_tells_of_rewards_by_hand():
    """Of a cell that starts at 1/2 with variance 1/12; a censored rival brought 0."""
    policy = censored.cell_self_sparring(GAME.problem)
    state = after(policy, censored.Duel([1, 2], [1, 2]), told(True))
    weight = 1 / (1 + 1 / 12)
    expected = np.zeros((4, 3))
    expected[1, 0], expected[2, 1] = weight, weight
    np.testing.assert_allclose(state.weight.total, expected, rtol=1e-6)
    expected[1, 0], expected[2, 1] = weight * 1.5, weight * -0.5
    np.testing.assert_allclose(state.reward.total, expected, rtol=1e-6)
    assert state.ended.sum() == 2 and state.entered[2].tolist() == [1, 1, 0]
    np.testing.assert_allclose(state.cost.total.sum(), 0.05, rtol=1e-6)
    clock = {"consumption": (np.inf, 0.1), "lost": (True, False)}
    state = after(policy, censored.Duel([3, 0], [1, 0]), told(False, **clock))
    assert state.weight.total.sum() == state.weight.total[0, 0] == 1.0
    assert state.reward.total[0, 0] == 1.0
    assert state.entered[3].tolist() == [1, 1, 0] and state.ended[3].sum() == 0


def test_whoever_meets_himself_learns_the_clock_alone():
    policy = censored.cell_self_sparring(GAME.problem)
    same = told(True, consumption=(0.1, 0.15))
    state = after(policy, censored.Duel([1, 1], [1, 2]), same)
    assert state.entered[1].tolist() == [2, 0, 0] == state.ended[1].tolist()
    assert np.all(state.weight.total == 0) and np.all(state.reward.total == 0)
    # Of two cells of one arm a duel tells: both rows of which are changed.
    state = after(policy, censored.Duel([1, 1], [1, 2]), told(False))
    assert np.count_nonzero(state.weight.total[1]) == 2
    assert state.entered[1].tolist() == [2, 1, 0]
    # With the limits apart, two limits are two arms.
    apart = censored.cell_self_sparring(GAME.problem, "apart")
    state = after(apart, censored.Duel([1, 1], [1, 2]), same)
    assert np.count_nonzero(state.weight.total) == 2
    assert state.entered[1].tolist() == [0, 1, 1] == state.ended[1].tolist()


@each_row("limits, starts", [("ordered", [0.0, 0.2, 0.5]), ("apart", [0.0] * 3)])
def test_the_best_at_the_posterior_means_is_recommended(rng, limits, starts):
    """Twice. With the limits apart, a pair has one cell, from 0 to its limit."""
    policy = censored.cell_self_sparring(GAME.problem, limits)
    params = policy.params._replace(prior_passed=3.0)
    entered = rng.integers(0, 9, (200, 4, 3))
    ended = rng.integers(0, entered + 1)
    cost, weight = ended * rng.random(ended.shape) / 10, ended * rng.random(ended.shape)
    reward = weight * rng.random(ended.shape)
    sums = [CompensatedSum(jnp.float32(x), 0 * weight) for x in (cost, weight, reward)]
    counts = jnp.asarray(entered), jnp.asarray(ended)
    recommend = jax.jit(jax.vmap(policy.recommend, (0, None)))
    found = recommend(type(policy.init(params))(*counts, *sums), params)
    hazard = (1 + ended) / (4 + entered)
    gain = (6 + reward) / (12 + weight)
    gain -= (np.array(starts) / 10 + cost) / (1 + ended)
    passed = 1 - hazard
    earned = hazard * gain
    if limits == "ordered":
        passed = np.cumprod(passed, axis=-1)
        earned = np.cumsum(passed / (1 - hazard) * earned, axis=-1)
    value = (earned - GAME.problem.pairs.penalties() * passed).reshape(200, -1)
    number = np.ravel_multi_index(tuple(found), (4, 3))
    best = np.argmax(value, axis=1)
    np.testing.assert_array_equal(number, np.stack([best, best], axis=1))


def test_copies_that_spar_see_preferences_less_charges():
    """Rescaled from [-1 - L, 1]; the largest charge L is the penalty 10."""

    policy = censored.sparring(GAME.problem, repeating)
    clock = {"consumption": (0.1, np.inf), "lost": (False, True)}
    seen = after(policy, censored.Duel([1, 2], [1, 2]), told(True, **clock))
    expected = (1 - 0.01 + 11) / 12, (-1 - 8 + 11) / 12
    np.testing.assert_allclose(seen, expected, rtol=1e-6)


def test_the_larger_limit_is_preferred_where_charges_are_not_told():
    """Of one arm, the limit 0.8 beats 0.5, which is worth more."""
    values, rounds = GAME.oracle().values, 4_000
    assert values[1, 1] > values[1, 2] + 0.3
    policy = censored.fixed_duel(GAME.problem, (1, 1), (2, 1))
    preferred = np.asarray(run_of(policy, GAME, rounds).feedback.first_preferred)
    # A fair coin would do that once in 30,000 keys.
    assert preferred.mean() > 0.5 + 4 * 0.5 / np.sqrt(rounds)


def test_other_games_pairs_and_parameters_are_refused():
    noisy = altered(PAIRS, problem=PAIRS.problem._replace(sigma=1.0))
    other = "environment must be of censored"
    fixed = partial(censored.fixed_duel, GAME.problem)
    rows = [
        (partial(censored.duels, environment), other)
        for environment in (censored.indep(censored.ANY), budgeted.s_br(3), GAME)
    ]
    rows += [
        (
            partial(censored.duels, PAIRS._replace(oracle=None)),
            "must have a fixed instance, a view of the ro",
        ),
        (partial(censored.duels, noisy), r"environment must have rewards in \[0, 1\]"),
        (partial(censored.rcucb, GAME.problem), "problem must be a Problem of"),
        (
            partial(censored.cell_self_sparring, PAIRS.problem),
            "problem must be a Dueling of",
        ),
        (partial(fixed, (0,), (1, 1)), "arms must have 2 entries"),
        (partial(fixed, (0, 4), (1, 1)), "arms: each must be"),
        (partial(fixed, (0, 0), (1, 3)), "limits: each must be"),
    ]
    assert_refused(rows, (TypeError, ValueError))
