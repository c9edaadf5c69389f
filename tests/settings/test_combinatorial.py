"""Several arms in a round: the optimum by looking at all, regret by hand, refusals."""

from itertools import combinations, product

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxbandits import laws, live, simulate
from jaxbandits.policies import censored as policies
from jaxbandits.policies.plain import ucb
from jaxbandits.settings import budgeted, censored
from jaxbandits.settings.censored._combinatorial import State
from jaxbandits.testing import altered, check_environment, trace_run

PAIRS = censored.censored(
    "four",
    censored.running_example(4, [0.2, 0.5, 0.8]),
    laws.product(laws.bernoulli, laws.exponential),
    laws.Product(
        laws.Bernoulli(np.array([0.3, 0.8, 0.5, 0.7])),
        laws.Exponential(np.array([9.0, 3.0, 4.0, 8.0])),
    ),
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


@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_the_optimum_is_the_best_of_all_super_arms(size):
    oracle = game(size).oracle()
    np.testing.assert_allclose(
        oracle.value, best_of_all(oracle.values, size), rtol=1e-12
    )
    at = oracle.values[oracle.arms, oracle.limits]
    assert at.sum() == pytest.approx(oracle.value, rel=1e-12)
    assert len(set(oracle.arms)) == size and list(at) == sorted(at, reverse=True)


def test_regret_by_hand():
    """Of uniform play, super arm by super arm, in float64."""
    two = game(2)
    policy = policies.uniform_super_arms(two.problem)
    trace = trace_run(policy, two, 300)
    arms, limits = trace.actions
    values = two.oracle().values
    regret = two.oracle().value - values[arms, limits].sum(axis=1)
    assert regret.min() >= 0 and np.all(arms[:, 0] != arms[:, 1])
    data = simulate(policy, two, horizon=300, seeds=1, checkpoints=[100, 300])
    expected = np.cumsum(regret)[[99, 299]]
    np.testing.assert_allclose(data["regret"].values.ravel(), expected, rtol=1e-12)
    censored_share = trace.feedback.censored.mean()
    assert data["censored"].values.ravel()[-1] == pytest.approx(censored_share)
    # Every super arm is as likely: an arm is part of half of them.
    shares = np.bincount(arms.ravel(), minlength=4) / 300
    assert np.all(np.abs(shares - 0.5) < 4 * 0.5 / np.sqrt(300))


@pytest.mark.slow
def test_the_best_super_arm_has_no_regret():
    two = game(2)
    arms, limits = (tuple(x.tolist()) for x in two.oracle()[1:3])
    best = policies.fixed_super_arm(two.problem, arms, limits)
    data = simulate(best, two, horizon=50, seeds=2)
    assert np.all(data["regret"] == 0) and np.all(data["optimal"] == 1)
    # One arm of two is another one, worth less by what its best limit lacks.
    other = next(i for i in range(4) if i not in arms)
    played = policies.fixed_super_arm(two.problem, (arms[0], other), limits)
    values = two.oracle().values
    gap = values[arms[1], limits[1]] - values[other, limits[1]]
    data = simulate(played, two, horizon=50, seeds=2, checkpoints=[50])
    np.testing.assert_allclose(data["regret"], 50 * gap, rtol=1e-12)


@pytest.mark.slow
def test_one_arm_a_round_is_the_papers_game():
    """The same choices, the same noise, the same regret to the last bit."""
    one = simulate(policies.rcucb(PAIRS.problem), PAIRS, horizon=200, seeds=4)
    alone = policies.combinatorial_rcucb(game(1).problem)
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
    law = laws.product(laws.bernoulli, laws.exponential)
    arms = laws.Product(
        laws.Bernoulli(np.array(means)), laws.Exponential(np.array(rates))
    )
    pairs = censored.censored("five", problem, law, arms)
    for size in (2, 3):
        five = game(size, pairs)
        for seed in range(4):
            trace = trace_run(policies.cucb(five.problem), five, 200, seed_index=seed)
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


def test_more_plays_than_an_integer_holds():
    two = game(2)
    tables = jax.tree.map(lambda leaf: leaf[0], two.tables(None))
    rounds = 1_500_000_000
    plays = np.zeros((4, 3), np.int32)
    arms, limits = two.oracle()[1:3]
    plays[arms, limits] = rounds
    with jax.enable_x64(True):
        censored_plays = np.array([rounds, 0], np.int32)
        state = State(*map(jnp.asarray, (plays, censored_plays, np.int32(rounds))))
        found = two.game.metrics(tables, None, state)
    numbers = {name: float(value) for name, value in found.items()}
    assert numbers == {"regret": 0.0, "censored": 0.5, "optimal": 1.0}


def test_it_is_a_contract():
    check_environment(game(3), policies.uniform_super_arms(game(3).problem), rounds=100)


def test_arms_are_drawn_independently():
    """Two arms with one law each: their rewards differ, and do not go together."""
    two = game(2)
    trace = trace_run(policies.uniform_super_arms(two.problem), two, 2000)
    both = ~trace.feedback.censored.any(axis=1)
    first, second = trace.feedback.reward[both].T
    # Sample correlations of independent rewards have a deviation of 1 / sqrt(n).
    assert abs(np.corrcoef(first, second)[0, 1]) < 4 / np.sqrt(both.sum())


def test_an_order_of_arms_is_no_matter():
    """Told of a super arm the other way round, the list of them finds it."""
    policy = policies.super_arms_as_arms(game(2).problem, ucb)
    session = live.start(policy)
    action = live.ask(session)
    told = censored.SemiBanditFeedback([0.5, 0.25], [0.1, 0.15], [False, False])
    turned = censored.SuperArm(action.arm[::-1], action.limit[::-1])
    back = censored.SemiBanditFeedback([0.25, 0.5], [0.15, 0.1], [False, False])
    one, two = (live.tell(session, *x) for x in ((action, told), (turned, back)))
    np.testing.assert_array_equal(one.state.pulls, two.state.pulls)
    assert one.state.pulls.sum() == 1 and one.state.pulls[0] == 1


@pytest.mark.parametrize("size", [0, 5, 2.5, "two"])
def test_sizes_that_are_refused(size):
    with pytest.raises((ValueError, TypeError), match=r"size must be .*got"):
        game(size)


def test_what_is_refused():
    anywhere = censored.indep(censored.ANY)
    for other in (anywhere, budgeted.s_br(3), game(2)):
        with pytest.raises(TypeError, match="environment must be of settings.censored"):
            censored.combinatorial(other, 2)
    with pytest.raises(TypeError, match="rcucb: problem must be a Problem of"):
        policies.rcucb(game(2).problem)
    with pytest.raises(TypeError, match="problem must be a Combinatorial of"):
        policies.combinatorial_rcucb(PAIRS.problem)
    with pytest.raises(ValueError, match="size = 3, and the environment .* size = 2"):
        simulate(policies.cucb(game(3).problem), game(2), horizon=5, seeds=1)
    many = censored.combinatorial(censored.many_arms(20), 5)
    with pytest.raises(ValueError, match="takes at most 10,000 super arms, and 5 of"):
        policies.super_arms_as_arms(many.problem, ucb)
    for arms, limits, message in (
        ((0, 0), (1, 1), "arms must be different"),
        ((0,), (1,), "arms must have size = 2 entries"),
        ((0, 4), (1, 1), "arms: each must be"),
        ((0, 1), (1, 3), "limits: each must be"),
        ([0, 1], (1, 1), "arms must be a value that can be hashed"),
        (3, (1, 1), "arms must be a tuple of integers"),
    ):
        with pytest.raises((TypeError, ValueError), match=message):
            policies.fixed_super_arm(game(2).problem, arms, limits)
    with pytest.raises(TypeError, match="must have a fixed instance, a view of the ro"):
        game(2, PAIRS._replace(oracle=None))
    noisy = altered(PAIRS, problem=PAIRS.problem._replace(sigma=1.0))
    for make in (policies.cucb, policies.combinatorial_cell_thompson):
        with pytest.raises(ValueError, match="supposes rewards in"):
            make(game(2, noisy).problem)
