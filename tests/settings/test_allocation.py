"""The allocation setting: rounds, budgets, books, instances, and what is refused."""

from functools import cache, partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxbandits import allocation, simulate
from jaxbandits.allocation import Allocation, Order, Plan, Users
from jaxbandits.allocation.solving import to_float32
from jaxbandits.arrays import unit_interval
from jaxbandits.engine.tape import Stream, instance_key, read, root_key
from jaxbandits.laws.thresholds import discrete_weibull, exponential, weibull
from jaxbandits.protocol import Policy
from jaxbandits.testing import altered
from jaxbandits_studies.slips.allocation import ra_ucb_authors, ra_ucb_printed
from tests.games import given_arms
from tests.heavy import in_short
from tests.reference.allocation_environment import AllocationGame
from tests.reference.allocation_families import make_laws
from tests.reference.allocation_oracle import objective, oracle
from tests.reference.words import numbers
from tests.rollout import metrics_of, run_of
from tests.tables import assert_named, assert_refused

P, RATE, B = np.array([0.9, 0.5, 0.3]), np.array([0.1, 0.2, 0.4]), 20.0
BUDGETS = np.array([5.0, 20.0, 11.0, 2.0])
RANGE = {"lowest": 0.025, "highest": 1.6}
ROUNDS = 200
FAMILIES = {
    "exponential": ("exponential", exponential, None, B),
    "Weibull": ("weibull", weibull, (0.8, 1.5, 2.0), B),
    "integers": ("discrete_weibull", discrete_weibull, (0.8, 1.5, 2.0), B),
    "several budgets": ("exponential", exponential, None, BUDGETS),
    "cascade": ("exponential", exponential, None, BUDGETS),
}


def is_cascade(name):
    return name.startswith("cascade")


@cache
def game(name="exponential", **options):
    _, family, shape, budgets = FAMILIES[name]
    known = {"shape": shape, "cascade": is_cascade(name)} | RANGE
    return given_arms(name, family, P, RATE, budgets, **known, **options)


def twin(name):
    family, _, shape, budgets = FAMILIES[name]
    if np.ndim(budgets):
        budgets = np.resize(budgets, ROUNDS)
    shapes = shape or (1.0,) * 3
    return AllocationGame(family, shapes, P, RATE, budgets, is_cascade(name))


def script(act):
    """Plays ``act(uniforms, view)``, with three of them, and learns nothing."""
    return Policy(
        "script",
        init=lambda params: jnp.zeros((), jnp.int32),
        act=lambda noise, view, state, params: act(unit_interval(noise), view),
        update=lambda noise, view, state, action, feedback, params: state,
        words=(3, 0),
    )


def noise_of(environment):
    """Numbers of the three arms' activations, then of their thresholds, f64[T, 6]."""
    words = read(0, 0, Stream.ENVIRONMENT, ROUNDS, environment.game.words)
    found = numbers(words, "nn" * 3)
    return np.hstack([found[:, ::2], found[:, 1::2]])


@cache
def anything(whole=False):
    """Random splits, some of them of more than the budget, some of less."""

    def act(noise, view):
        amounts = noise / jnp.sum(noise) * view.budget
        amounts = amounts * (0.5 + noise[0])
        return Allocation(jnp.floor(amounts) if whole else amounts)

    return script(act)


def metrics(trace):
    return metrics_of(game("exponential"), trace.environment)


# A round, against the literal twin.


@pytest.mark.parametrize(
    "name", in_short(["exponential", "cascade", "integers"], {"integers"})
)
def test_a_round_and_its_books_are_those_of_the_twin(name):
    """Feedback (5), the regrets (2) and (3) and what was spent, round by round."""
    environment, reference = game(name), twin(name)
    assert environment.game.words == 3 * 4
    most = 1 if is_cascade(name) else 3  # that a round pays
    trace = run_of(anything(name == "integers"), environment, ROUNDS)
    noise = noise_of(environment)
    wanted = np.asarray(trace.actions.amounts, float)
    given = np.asarray(trace.feedback.allocation, float)
    regret = realised = reward = spent = 0
    for t in range(1, ROUNDS + 1):
        x, budget = given[t - 1], reference.budget(t)
        scale = min(1.0, budget / wanted[t - 1].sum())
        np.testing.assert_allclose(x, wanted[t - 1] * scale, rtol=1e-6)
        seen, best = trace.feedback.threshold[t - 1], reference.best(budget)
        answer = reference.step(noise[t - 1], x)
        np.testing.assert_array_equal(np.isfinite(seen), np.isfinite(answer))
        np.testing.assert_allclose(seen, answer, rtol=1e-5)
        ideal = min(most, np.isfinite(reference.step(noise[t - 1], best)).sum())
        paid = min(most, np.isfinite(answer).sum())
        regret += reference.regret(t, x)
        reward += paid
        realised += ideal - paid
        spent += x.sum() / budget
    books = metrics(trace)
    assert regret > 1 and reward > 20
    assert books["regret"] == pytest.approx(regret, rel=1e-4)
    assert (books["realised_regret"], books["reward"]) == (realised, reward)
    assert books["spent"] == pytest.approx(spent / ROUNDS, rel=1e-5)
    assert 0.5 < books["spent"] < 1


def test_more_than_the_budget_is_scaled_down_and_debts_are_nothing():
    amounts = [[30.0, 10.0, 0.0], [-5.0, 4.0, 2.0], [0.0, 0.0, 0.0]]
    expected = [[15.0, 5.0, 0.0], [0.0, 4.0, 2.0], [0.0, 0.0, 0.0]]
    table = jnp.float32(amounts)
    trace = run_of(
        script(lambda noise, view: Allocation(table[view.round - 1])), game(), 3
    )
    np.testing.assert_allclose(trace.feedback.allocation, expected, rtol=1e-6)
    assert metrics(trace)["spent"] == pytest.approx((20 + 6) / 60)


@pytest.mark.parametrize(
    "name", in_short(["Weibull", "integers", "several budgets", "cascade"], {"Weibull"})
)
def test_an_oracle_has_the_value_of_the_twins_best(name):
    environment, reference = game(name), twin(name)
    found = environment.oracle()
    budgets = np.atleast_1d(FAMILIES[name][-1])
    assert found.allocation.shape == (len(budgets), 3)
    assert found.allocation.dtype == found.value.dtype == np.float64
    for x, value, budget in zip(found.allocation, found.value, budgets, strict=True):
        assert x.sum() == pytest.approx(budget)
        assert value == pytest.approx(reference.value(x), rel=1e-12)
        assert value == pytest.approx(reference.value(reference.best(budget)), rel=1e-9)
    assert environment.provenance["optimal_value"] == pytest.approx(found.value.mean())


def test_the_clairvoyant_loses_nothing():
    environment = game("several budgets")
    trace = run_of(allocation.clairvoyant(environment.problem), environment, 100)
    books = metrics(trace)
    assert 0 <= books["regret"] < 2e-7 * books["reward"]
    assert books["realised_regret"] == 0 and books["spent"] == pytest.approx(1)
    best = np.tile(environment.oracle().allocation, (25, 1))
    np.testing.assert_allclose(trace.feedback.allocation, best, rtol=1e-5)


def test_what_is_played_has_the_sum_of_what_is_best(rng):
    """Rounded one by one, sums are off by up to 1e-5; amounts of 0 stay."""
    best = rng.dirichlet(np.full(10, 0.5), size=1000) * 100.0
    best[:, 3] = 0
    found = to_float32(best)
    assert np.array_equal(found, found.astype(np.float32)) and not found[:, 3].any()
    np.testing.assert_allclose(found, best, rtol=0.01, atol=1e-5)
    missing = np.abs(found.sum(axis=1) - best.sum(axis=1))
    naive = np.abs(best.astype(np.float32).astype(float).sum(axis=1) - best.sum(axis=1))
    assert missing.max() < 0.1 * naive.max()
    assert np.array_equal(to_float32(np.array([[3.0, 4.0]])), [[3.0, 4.0]])


@pytest.mark.slow
def test_a_solution_stays_between_its_ends():
    """In whole units, of the whole budget, and worth less."""
    name = "integers"
    least, limit = np.array([0.0, 5.2, 2.5]), np.array([6.7, 20, np.inf])
    with jax.enable_x64(True):
        free = allocation.solve(problem(name), P, RATE, B)
        held = allocation.solve(problem(name), P, RATE, B, limit=limit, least=least)
        free, held = (jax.tree.map(np.asarray, x) for x in (free, held))
    least, limit = np.ceil(least), np.floor(limit)
    assert held.status == 0 and held.allocation.sum() == pytest.approx(B)
    assert np.all(held.allocation >= least - 1e-9)
    assert np.all(held.allocation <= limit + 1e-9)
    assert free.allocation[0] > 7 and held.value < free.value - 1e-4
    assert held.bound == pytest.approx(held.value, rel=2e-3)


# Budgets and users.


def witness(environment, rounds, seed_index=0):
    """What every arm gets under an equal split, in every round."""
    policy = allocation.uniform(environment.problem)
    return run_of(policy, environment, rounds, seed_index=seed_index).feedback


def test_shuffled_budgets_come_in_an_order_of_the_seed():
    environment, n = game("several budgets", order="shuffle"), len(BUDGETS)
    orders = set()
    for seed in range(8):
        given = witness(environment, 3 * n, seed).allocation.sum(axis=1)
        rows = given.reshape(3, n)
        np.testing.assert_array_equal(rows, rows[:1].repeat(3, axis=0))
        np.testing.assert_allclose(np.sort(rows[0]), np.sort(BUDGETS), rtol=1e-6)
        orders.add(tuple(rows[0]))
    assert len(orders) > 4


def replayed(order, own):
    """Five users, their budgets, and their game."""
    rng = np.random.default_rng(7)
    users = Users(rng.uniform(1, 8, (5, 3)), rng.random((5, 3)) < 0.7)
    budgets = np.arange(10.0, 15) if own else B
    environment = given_arms(
        "users", exponential, P, RATE, budgets, order=order, users=users, **RANGE
    )
    return users, budgets, environment


@pytest.mark.parametrize(("order", "own"), [("cycle", True), ("shuffle", False)])
def test_recorded_users_are_replayed(order, own):
    """Thresholds and activations from the tables, each user with the own budget."""
    n = 5
    users, budgets, environment = replayed(order, own)
    seen, given = witness(environment, 2 * n, seed_index=3)
    share = np.broadcast_to(budgets, n)[:, None] / 3
    hit = users.active & (users.threshold <= share)
    rows = np.where(hit, users.threshold, np.inf)
    met = [
        next(u for u in range(n) if np.allclose(seen[t], rows[u], rtol=1e-6))
        for t in range(2 * n)
    ]
    assert sorted(met[:n]) == list(range(n)) and met[n:] == met[:n]
    assert (met[:n] == list(range(n))) == (order == "cycle")
    np.testing.assert_allclose(given, share[met].repeat(3, axis=1), rtol=1e-6)


def test_budgets_drawn_in_every_round():
    """Each from the last word of the round before, the first from the seed's key."""
    environment, n = game("several budgets", order="draw"), len(BUDGETS)
    width = environment.game.words
    assert width == 3 * 4 + 1
    firsts = set()
    for seed in range(8):
        given = witness(environment, 40, seed).allocation
        words = read(0, seed, Stream.ENVIRONMENT, 40, width)[:, -1].astype(np.uint64)
        places = (words * n >> np.uint64(32)).astype(int)
        budgets = given.sum(axis=1)
        np.testing.assert_allclose(budgets[1:], BUDGETS[places[:-1]], rtol=1e-6)
        firsts.add(round(float(budgets[0])))
    assert len(firsts) > 1 and firsts <= set(BUDGETS)
    # Each round is held against the optimum of the budget that it had.
    split = allocation.uniform(environment.problem)
    trace = run_of(split, environment, 40)
    reference = AllocationGame("exponential", (1.0,) * 3, P, RATE, 0.0)
    reference.budgets = np.asarray(trace.feedback.allocation, float).sum(axis=1).round()
    wanted = sum(
        reference.regret(t + 1, np.full(3, b / 3))
        for t, b in enumerate(reference.budgets)
    )
    assert metrics(trace)["regret"] == pytest.approx(wanted, rel=1e-4)


# Budgets that are not known in advance.


def unknown(**options):
    return game("several budgets", known=False, **options)


def test_unknown_budgets_are_not_seen():
    environment = unknown()
    instance = environment.game.sample(jax.random.key(0), environment.setup)
    state = environment.game.init(instance)
    for place, budget in enumerate(BUDGETS):
        at = state._replace(round=jnp.int32(place))
        assert environment.game.view(jnp.int32(place + 1), instance, at).budget == 20
        known = game("several budgets").game.view(jnp.int32(place + 1), instance, at)
        assert known.budget == budget


def test_actions_of_another_game_are_refused():
    plan = script(lambda noise, view: Plan(noise, 0.1 + noise))
    noise_alone = script(lambda noise, view: noise)

    def play(policy, environment):
        return lambda: run_of(policy, environment, 1)

    rows = [
        (play(anything(), unknown()), "must be an Order or Plan, got Allocation"),
        (play(noise_alone, game()), "an action must be an Allocation, Order"),
        (play(plan, game("Weibull")), "a Plan needs a concave family, got"),
        (play(plan, game("integers")), "a Plan needs a concave family, got"),
        (play(anything(), game(stop_on_success=True)), "stop_on_success needs a Plan"),
    ]
    assert_refused(rows, TypeError)


def test_plans_are_solved_for_the_budget_that_comes():
    """The flow of Algorithm 3 ends in the optimum of P~ (Lemma 5.2)."""

    def act(noise, view):
        return Plan(noise[::-1], 0.1 + noise)

    trace = run_of(script(act), unknown(), 40)
    laws = make_laws("exponential", (1.0,) * 3)
    weight, rate = (np.asarray(x, float) for x in trace.actions)
    for t, x in enumerate(trace.feedback.allocation):
        budget = BUDGETS[t % 4]
        best = oracle(laws, weight[t], rate[t], budget)
        np.testing.assert_allclose(x, best, atol=1e-5 * budget)


def test_orders_are_filled_until_the_budget_is_gone():
    """Units of 3: a budget of 11 is 3 + 3 + 3 + 2."""
    arms = jnp.int32([0, 2, 2, 1, 0, 1, 1])
    environment = unknown()
    trace = run_of(
        script(lambda noise, view: Order(arms, jnp.float32(3))), environment, 4
    )
    expected = [[3, 0, 2], [6, 8, 6], [3, 2, 6], [2, 0, 0]]
    np.testing.assert_allclose(trace.feedback.allocation, expected, atol=1e-5)
    # A uniform split, in fine units.
    given = witness(environment, 4).allocation
    np.testing.assert_allclose(given.sum(axis=1), BUDGETS, rtol=1e-5)
    assert np.max(given - BUDGETS[:, None] / 3) < 20 / 30


# An arm that has succeeded may give the rest back.


def test_stop_on_success():
    plan = script(lambda noise, view: Plan(0.5 + noise, 0.1 + noise[::-1]))
    usual = run_of(plan, game(), ROUNDS)
    early = run_of(plan, game(stop_on_success=True), ROUNDS)
    noise = noise_of(game())
    threshold = np.where(noise[:, :3] < P, -np.log1p(-noise[:, 3:]) / RATE, np.inf)
    offered = np.asarray(early.feedback.allocation, float)
    seen = early.feedback.threshold
    hit = np.isfinite(seen)
    # Whoever succeeds was offered no less than it needed, and kept that.
    assert np.all(offered[hit] >= seen[hit] * (1 - 1e-5))
    assert np.all(offered[~hit] <= threshold[~hit] * (1 + 1e-5))
    assert np.mean(offered[hit] > seen[hit] * 1.01) > 0.5
    kept = np.where(hit, seen, offered)
    # All is spent, unless every arm has what it needs.
    needed = np.minimum(threshold.sum(axis=1), B)
    np.testing.assert_allclose(kept.sum(axis=1), needed, rtol=1e-5)
    # Expected rewards are those of the offers, so that stopping shows in the regret.
    earned = np.sum(P * -np.expm1(-offered * RATE), axis=1).sum()
    best = metrics(usual)["regret"] - metrics(early)["regret"]
    given = np.asarray(usual.feedback.allocation, float)
    plain = np.sum(P * -np.expm1(-given * RATE), axis=1).sum()
    np.testing.assert_allclose(best, earned - plain, atol=1e-2)
    assert best > 0
    assert np.all(hit.sum(axis=1) >= np.isfinite(usual.feedback.threshold).sum(axis=1))
    assert metrics(early)["reward"] > metrics(usual)["reward"]


# Instances.


@pytest.mark.slow
def test_every_seed_has_arms_of_its_own():
    """Appendix A.1: every seed its own arms, and the regret against their optimum."""
    environment = allocation.simulation(4, budget=20.0, m=2.0, M=10.0)
    keys = jax.vmap(lambda i: instance_key(root_key(0), i))(jnp.arange(200))
    sample = jax.jit(jax.vmap(environment.game.sample, (0, None)))
    arms = sample(keys, jax.tree.map(jnp.asarray, environment.setup)).arms
    p, rate = (np.asarray(x) for x in (arms.probability, arms.rate))
    assert len(np.unique(rate)) > 790
    assert np.all((rate >= 0.1) & (rate <= 0.5)) and np.all((p > 0) & (p <= 1))
    # Means of 800 uniforms, within 4 standard errors.
    assert abs(rate.mean() - 0.3) < 4 * 0.4 / np.sqrt(12 * 800)
    assert abs(p.mean() - 0.5) < 4 / np.sqrt(12 * 800)
    uniform = allocation.uniform(environment.problem)
    data = simulate(uniform, environment, horizon=20, seeds=10, checkpoints=[20])
    laws = make_laws("exponential", (1.0,) * 4)
    lost = []
    for of_seed in zip(p[:10], rate[:10], strict=True):
        best = objective(laws, *of_seed, oracle(laws, *of_seed, 20.0))
        lost.append(20 * (best - objective(laws, *of_seed, [5.0] * 4)))
    np.testing.assert_allclose(data["regret"].values.ravel(), lost, rtol=1e-3)


def test_instances_that_differ_in_numbers_only_share_their_functions():
    one = given_arms("a", exponential, P, RATE, B, lowest=0.01, highest=1)
    two = given_arms("b", exponential, P / 2, RATE / 2, B, lowest=0.01, highest=1)
    assert one.game is two.game
    assert game(known=False).problem != game().problem
    other = allocation.simulation(3, family=weibull, shape=0.5, cascade=True)
    assert other.name == "A.1, K = 3, B = 40, Weibull, cascade"


# What is refused, naming the argument, before anything is compiled.


def bad(family=exponential, probability=P, rate=RATE, budgets=B, **options):
    return given_arms("bad", family, probability, rate, budgets, **RANGE | options)


def users(threshold, active):
    return Users(np.full(threshold, 2.0), np.ones(active, bool))


SHAPES = [0.5, 1.5, 0.5]
INTEGERS = {"family": discrete_weibull, "shape": 1.0}
# What a game or its problem is made of, in place of what is good.
BAD = {
    "budgets": [0.0, [3.0, -1.0], np.nan],
    "probability": [P + 0.5, P - 0.5, P[:2]],
    "rate": [RATE * 0, RATE * 10],
}
BAD_TOGETHER = [
    ({"lowest": 0.2}, "rate must be in"),
    ({"highest": 0.3}, "rate must be in"),
    ({"highest": 0.3, "cascade": True}, "rate must be in"),
    ({"lowest": 1.0, "highest": 1.0}, "lowest must be less"),
    ({"lowest": 0.0}, "lowest must be positive"),
    ({"family": weibull}, "shape must be positive"),
    ({"family": weibull, "shape": 0.0}, "shape must be positive"),
    ({"shape": 0.5}, "shape must be None for the exponen"),
    ({"family": weibull, "shape": SHAPES, "cascade": True}, "whose hazard rate falls"),
    (INTEGERS | {"budgets": [3.0, 2.5]}, "budgets must be whole numbers"),
    ({"users": users((4, 2), (4, 2))}, r"users must be tables \[N, 3"),
    ({"users": users((4, 3), (5, 3))}, "users must be tables"),
    ({"users": users((4, 3), (4, 3)), "budgets": [1.0, 2.0]}, "must be one or 4"),
    (
        {"users": Users(np.zeros((4, 3)), np.ones((4, 3), bool))},
        "users must have positive thresholds",
    ),
]
SIMULATIONS = [
    ({"shape": 2.0}, "shape must be None"),
    ({"m": 3.0, "M": 3.0}, "m must be less than M"),
    ({"budget": 0.0}, "budget must be positive"),
    ({"num_arms": 0}, "num_arms must be at least 1"),
]


def test_bad_arms_and_budgets_are_refused():
    assert_named(bad, {}, BAD)
    rows = [(partial(bad, **change), words) for change, words in BAD_TOGETHER]
    rows += [(partial(allocation.simulation, **x), words) for x, words in SIMULATIONS]
    once = partial(drawn, stop_on_success=True)
    rows += [
        (partial(once, problem("Weibull")), "stop_on_success needs a concave family"),
        (partial(once, problem("cascade")), "for rounds that pay for every success"),
        (partial(drawn, problem(), budgets=[5.0]), "budgets must have the problem's"),
    ]
    assert_refused(rows)


def drawn(problem, **options):
    return allocation.random_environment("bad", problem, print, RATE, **options)


def problem(name="exponential", **options):
    return game(name, **options).problem


OPTIONS = {
    ra_ucb_printed: {"estimator": ["both"]},
    allocation.ra_ucb: {"scale": [0.0, -1.0, np.nan], "initial": [-1.0]},
    allocation.mg_ucb: {"scale": [-1.0]},
    allocation.mg_ucb_delta: {"steps": [0], "scale": [np.nan]},
    allocation.ra_etc: {"exploration": [0.0]},
    allocation.no_ucb: {"initial": [-1.0]},
    allocation.thompson: {"initial": [-1.0]},
}


def test_bad_options_and_parameters_of_policies_are_refused():
    for make, wrong in OPTIONS.items():
        assert_named(partial(make, problem()), {}, wrong)


def test_policies_refuse_problems_that_they_do_not_solve():
    known, cascade = "budgets known in advance", problem("cascade")
    concave = "problem must have a concave family"
    sums = (ra_ucb_printed, ra_ucb_authors, allocation.mg_ucb, allocation.mg_ucb_delta)
    rows = [
        *((make, cascade, "must pay for every success") for make in sums),
        (allocation.ra_ucb, cascade, "must pay for every success"),
        (allocation.ra_ucb, problem(known=False), known),
        (allocation.mg_ucb, problem("Weibull"), concave),
        (allocation.mg_ucb, problem("integers"), concave),
        (ra_ucb_authors, problem("Weibull"), "radii: 'code' is for exponential"),
        (allocation.mg_ucb_delta, problem("integers"), "greedy must be 'difference'"),
    ]
    assert_refused((partial(make, game), words) for make, game, words in rows)


def test_bad_parameters_are_refused_before_anything_is_traced():
    def untouched(*args):
        raise AssertionError("compiled")

    environment = altered(game(), step=untouched, init=untouched, sample=untouched)
    policy = allocation.ra_ucb(environment.problem)
    for wrong in ({"scale": 0.0}, {"initial": [1.0, -1.0]}):
        with pytest.raises(ValueError, match=f"{[*wrong][0]} must be"):
            simulate(policy.over(**wrong), environment, horizon=5, seeds=2)
