"""Several arms in a round: the optimum by looking at all, regret by hand, refusals."""

from functools import partial
from itertools import combinations, product

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxbandits import budgeted, censored, live, simulate
from jaxbandits.censored.policies.scored import best_super_arm
from jaxbandits.censored.super_arms.environment import State
from jaxbandits.plain import ucb
from jaxbandits.testing import altered
from tests.games import timed_coins
from tests.rollout import run_of
from tests.tables import assert_refused, each_row, naming

PAIRS = timed_coins(
    censored.running_example(4, [0.2, 0.5, 0.8]),
    [0.3, 0.8, 0.5, 0.7],
    [9.0, 3.0, 4.0, 8.0],
)


def game(size, pairs=PAIRS):
    return censored.combinatorial(pairs, size)


def best_of_all(values, size):
    """The largest sum over all super arms."""
    K, M = values.shape
    return max(
        sum(values[pair] for pair in zip(arms, limits, strict=True))
        for arms in combinations(range(K), size)
        for limits in product(range(M), repeat=size)
    )


def test_the_optimum_is_the_best_of_all_super_arms():
    for size in (1, 2, 3, 4):
        with naming(size):
            oracle = game(size).oracle()
            best = best_of_all(oracle.values, size)
            np.testing.assert_allclose(oracle.value, best, rtol=1e-12)
            at = oracle.values[oracle.arms, oracle.limits]
            assert at.sum() == pytest.approx(oracle.value, rel=1e-12)
            assert len(set(oracle.arms)) == size
            assert list(at) == sorted(at, reverse=True)


@each_row("dtype", [np.float32, np.int32])
def test_the_best_super_arm_by_hand(dtype):
    """Also of scores below 0, and of numbers of plays: no arm comes twice."""
    scores = jnp.array([[-3, -1], [-2, -5], [-4, -6]], dtype)
    best = best_super_arm(scores, 3)
    assert (best.arm.tolist(), best.limit.tolist()) == ([0, 1, 2], [1, 0, 0])


def test_regret_by_hand():
    two = game(2)
    policy = censored.uniform_super_arms(two.problem)
    trace = run_of(policy, two, 300)
    arms, limits = trace.actions
    values = two.oracle().values
    regret = two.oracle().value - values[arms, limits].sum(axis=1)
    assert regret.min() >= 0 and np.all(arms[:, 0] != arms[:, 1])
    data = simulate(policy, two, horizon=300, seeds=1, checkpoints=[100, 300])
    expected = np.cumsum(regret)[[99, 299]]
    np.testing.assert_allclose(data["regret"].values.ravel(), expected, rtol=1e-12)
    censored_share = trace.feedback.censored.mean()
    assert data["censored"].values.ravel()[-1] == pytest.approx(censored_share)


@pytest.mark.slow
def test_one_arm_a_round_is_the_papers_game():
    """The same choices, the same noise, the same regret to the last bit."""
    one = simulate(censored.rcucb(PAIRS.problem), PAIRS, horizon=200, seeds=4)
    alone = censored.combinatorial_rcucb(game(1).problem)
    found = simulate(alone, game(1), horizon=200, seeds=4)
    for name in ("censored", "optimal", "simple_regret"):
        np.testing.assert_array_equal(found[name], one[name])
    # Gaps are sums of other numbers here.
    np.testing.assert_allclose(found["regret"], one["regret"], rtol=1e-12)


@pytest.mark.slow  # whose programs are optimised
def test_choices_outside_the_engine():
    """XLA rounds a product and a sum as one where it likes: the largest of the scores
    must be among them all the same (29 of these rounds had a limit that is none)."""
    means, rates = [0.76, 0.64, 0.23, 0.36, 0.29], [6.9, 3.8, 5.5, 6.4, 2.9]
    problem = censored.make_problem(
        5, [0.1, 0.3], censored.scaled(0.1), censored.late_fee(3.0, 0.2)
    )
    pairs = timed_coins(problem, means, rates)
    for size in (2, 3):
        five = game(size, pairs)
        for seed in range(4):
            trace = run_of(censored.cucb(five.problem), five, 200, seed_index=seed)
            arms, limits = trace.actions
            assert limits.max() <= 1 and arms.max() <= 4
            assert all(len(set(row)) == size for row in arms.tolist())


def test_arms_that_tie_are_told_apart_by_nothing():
    """Of values that differ by a quadrature's rounding the first is the best."""
    values = np.array([[0.2, 0.5], [0.5 - 2e-13, 0.1], [0.5 + 3e-13, 0.5], [0.4, 0.0]])
    known = PAIRS.oracle()._replace(values=values)
    two = game(2, PAIRS._replace(oracle=lambda: known))
    assert two.oracle().arms.tolist() == [0, 1]
    assert two.oracle().limits.tolist() == [1, 0]
    tables = jax.tree.map(lambda leaf: leaf[0], two.tables(None))
    assert tables.left_out.tolist() == [0, 0, 0, 0]
    assert tables.optimal.tolist() == [[0, 1], [1, 0], [1, 1], [0, 0]]


def test_one_round_and_more_plays_than_an_integer_holds():
    two = game(2)
    tables = jax.tree.map(lambda leaf: leaf[0], two.tables(None))
    arms, limits = two.oracle()[1:3]
    for rounds in (1, 1_500_000_000):
        plays = np.zeros((4, 3), np.int32)
        plays[arms, limits] = rounds
        with jax.enable_x64(True):
            lost = np.array([rounds, 0], np.int32)
            state = State(*map(jnp.asarray, (plays, lost, np.int32(rounds))))
            found = two.game.metrics(tables, None, state)
        numbers = {name: float(value) for name, value in found.items()}
        assert numbers == {"regret": 0.0, "censored": 0.5, "optimal": 1.0}, rounds


def test_arms_are_drawn_independently():
    """Two arms with one law each: their rewards differ, and do not go together."""
    two = game(2)
    trace = run_of(censored.uniform_super_arms(two.problem), two, 2000)
    both = ~trace.feedback.censored.any(axis=1)
    first, second = trace.feedback.reward[both].T
    # Sample correlations of independent rewards have a deviation of 1 / sqrt(n).
    assert abs(np.corrcoef(first, second)[0, 1]) < 4 / np.sqrt(both.sum())


def test_no_arm_runs_twice_in_a_round():
    allowed = partial(game(3).game.actions.allowed, None)
    limits = jnp.zeros(3, jnp.int32)
    for arms, known in (((0, 1, 2), True), ((0, 1, 0), False), ((0, 1, 1), False)):
        action = censored.SuperArm(jnp.array(arms, jnp.int32), limits)
        assert bool(allowed(action)) == known, arms


def test_an_order_of_arms_is_no_matter():
    """Told of a super arm the other way round, the list of them finds it."""
    policy = censored.super_arms_as_arms(game(2).problem, ucb)
    session = live.start(policy)
    action = live.ask(session)
    told = censored.SemiBanditFeedback([0.5, 0.25], [0.1, 0.15], [False, False])
    turned = censored.SuperArm(action.arm[::-1], action.limit[::-1])
    back = censored.SemiBanditFeedback([0.25, 0.5], [0.15, 0.1], [False, False])
    one, two = (live.tell(session, *x) for x in ((action, told), (turned, back)))
    np.testing.assert_array_equal(one.state.pulls, two.state.pulls)
    assert one.state.pulls.sum() == 1 and one.state.pulls[0] == 1


def test_other_games_sizes_and_super_arms_are_refused():
    noisy = altered(PAIRS, problem=PAIRS.problem._replace(sigma=1.0))
    many = censored.combinatorial(censored.many_arms(20), 5).problem
    other = "environment must be of censored"
    fixed = partial(censored.fixed_super_arm, game(2).problem)
    rows = [
        (partial(censored.combinatorial, environment, 2), other)
        for environment in (censored.indep(censored.ANY), budgeted.s_br(3), game(2))
    ]
    rows += [
        (partial(game, 2, PAIRS._replace(oracle=None)), "must have a fixed instance"),
        *((partial(game, x), r"size must be .*got") for x in (0, 5)),
        (partial(censored.rcucb, game(2).problem), "problem must be a Problem of"),
        (
            partial(censored.combinatorial_rcucb, PAIRS.problem),
            "problem must be a Combinatorial of",
        ),
        (partial(censored.super_arms_as_arms, many, ucb), "at most 10,000 super arms"),
        (partial(fixed, (0, 0), (1, 1)), "arms must be different"),
        (partial(fixed, (0,), (1,)), "arms must have 2 entries"),
        (partial(fixed, (0, 4), (1, 1)), "arms: each must be"),
        (partial(fixed, (0, 1), (1, 3)), "limits: each must be"),
    ]
    rows += [
        (partial(make, game(2, noisy).problem), "needs rewards in")
        for make in (censored.cucb, censored.combinatorial_cell_thompson)
    ]
    assert_refused(rows, (TypeError, ValueError))
    with pytest.raises(ValueError, match="size = 3, and the environment .* size = 2"):
        simulate(censored.cucb(game(3).problem), game(2), horizon=5, seeds=1)
