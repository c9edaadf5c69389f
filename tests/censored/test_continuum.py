"""Arbitrary limits: exact values, the optimum, the books, and what is refused.

Indep and overtime have values in closed form, with which the books are compared.
"""

from functools import cache, partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxbandits import censored, laws, simulate
from jaxbandits.arrays import position, unit_interval
from jaxbandits.censored import ANY, make_continuum, pair_values
from jaxbandits.censored.continuum import TOLERANCE
from jaxbandits.censored.staircase import on_step, staircase
from jaxbandits.protocol import Policy
from tests.censored.twins import cost
from tests.games import coins, timed_coins
from tests.rollout import run_of
from tests.tables import assert_refused

INSTANCES = {
    "Indep": censored.indep,
    "PosCorr": censored.poscorr,
    "NegCorr": censored.negcorr,
    "overtime": censored.overtime,
}


@cache
def game(name):
    return INSTANCES[name](ANY)


def fast_track(x):
    return np.where(x <= 0.5, x / 10, 10 * x)


def late_fee(x):
    return x / 10 + 3 * np.maximum(x - 0.382, 0)


PENALTY = {"overtime": late_fee, "Indep": fast_track}


def values(name, limits):
    """Eq. (2) of Indep or overtime in closed form, f64[10, n]."""
    mean = np.array([0.8] + 9 * [0.8 / 1.1])[:, None]
    rate = mean + 1
    survival = np.exp(-rate * limits)
    spent = (1 - survival) / rate - limits * survival  # E[C 1{C <= tau}]
    penalty = PENALTY[name](limits)
    return mean * (1 - survival) - spent / 10 - penalty * survival


def exact_values(name, limits):
    """Eq. (2) by the library's quadrature."""
    law = laws.product(laws.beta, laws.exponential)
    if name in ("PosCorr", "NegCorr"):
        law = laws.truncated_gaussian
    return pair_values(game(name).problem, law, game(name).setup.arms, limits)


def test_exact_values_have_the_closed_form_that_the_books_are_compared_with():
    limits = np.linspace(0.001, 1, 97)
    for name in PENALTY:
        found = exact_values(name, limits)
        np.testing.assert_allclose(
            found, values(name, limits), rtol=0, atol=1e-12, err_msg=name
        )


@pytest.mark.parametrize("name", ["Indep", "overtime"])
def test_optimum_is_that_of_a_fine_search(name):
    """5,001 limits: one tiny, and every multiple of 1/5,000."""
    limits = np.concatenate([[1e-6], np.arange(1, 5_001) / 5_000])
    oracle = game(name).oracle()
    table = exact_values(name, limits)
    arm, place = np.unravel_index(np.argmax(table), table.shape)
    # All optima lie on the search's grid, ends, jumps and kinks, up to float32.
    assert oracle.value == pytest.approx(table.max(), abs=1e-9)
    assert oracle.limit == np.float32(limits[place])
    # Of equal arms the first.
    assert oracle.arm == np.argmax(table.max(axis=1) > table.max() - 1e-12)
    assert arm >= oracle.arm


def test_an_interior_optimum():
    """Neither an end nor a jump: only the refinement finds it.

    Reward probability 1/2, ``C ~ Exp(1)``, cost 0 and penalty ``2 tau^2``: the value's
    derivative vanishes where ``1/2 - 4 tau + 2 tau^2 = 0``.
    """
    problem = make_continuum(1, lambda x: 0 * x, lambda x: 2 * x**2, 1.5)
    oracle = timed_coins(problem, [0.5], [1.0]).oracle()
    best = 1 - np.sqrt(0.75)
    value = 0.5 * (1 - np.exp(-best)) - 2 * best**2 * np.exp(-best)
    assert oracle.limit == pytest.approx(best, abs=1e-6)
    assert oracle.value == pytest.approx(value, abs=1e-12)


def test_optimum_of_overtime_is_the_promise():
    late = censored.overtime(promise=0.61)
    for promise, environment in ((0.382, game("overtime")), (0.61, late)):
        oracle = environment.oracle()
        assert oracle.arm == 0 and oracle.limit == np.float32(promise)


def odd_limits(num_arms):
    """Any arm; any limit, or a jump, or the largest. Recommends its last pair."""

    def act(noise, view, state, params):
        _, u, way = unit_interval(noise)
        limit = jnp.where(way < 0.2, 0.5, u)
        limit = jnp.where(way > 0.9, 1.0, limit)
        return censored.RealAction(position(noise[0], num_arms), limit)

    return Policy(
        "odd limits",
        init=lambda params: censored.RealAction(jnp.int32(0), jnp.ones(())),
        act=act,
        update=lambda noise, view, state, action, feedback, params: action,
        words=(3, 0),
        recommend=lambda state, params: state,
    )


ODD, SEEDS, ROUNDS = odd_limits(10), 3, 400
AFTER = 1, 30, ROUNDS  # rounds


@cache
def odd_run():
    """The dataset, ``[S, C]``, and the same seeds in the plainest way.

    In a game with the values of overtime, whose rewards XLA compiles quickly.
    """
    arms = game("overtime").setup.arms
    mean = arms.reward.a / (arms.reward.a + arms.reward.b)
    arms = arms._replace(reward=laws.Uniform(mean - 0.2, mean + 0.2))
    law = laws.product(laws.uniform, laws.exponential)
    even = censored.make_environment("even", game("overtime").problem, law, arms)
    data = simulate(ODD, even, horizon=ROUNDS, seeds=SEEDS, checkpoints=AFTER)
    traces = [run_of(ODD, even, ROUNDS, seed_index=i) for i in range(SEEDS)]
    return data.isel(policy=0, params=0), traces


def test_regret_is_the_sum_of_exact_gaps():
    data, traces = odd_run()
    best = values("overtime", np.array([0.382, 0.5])).max()
    rounds = np.arange(ROUNDS)
    for seed, trace in enumerate(traces):
        limits = np.float64(trace.actions.limit)
        gaps = best - values("overtime", limits)[trace.actions.arm, rounds]
        found = data["regret"].values[seed, -1]
        assert found == pytest.approx(gaps.sum(), abs=ROUNDS * TOLERANCE)
        # The books are kept by pairs, not by what happened.
        assert len(np.unique(limits)) > 200


def test_shares_are_counted():
    data, traces = odd_run()
    for seed, trace in enumerate(traces):
        hits = {"censored": trace.feedback.censored, "optimal": trace.actions.arm == 0}
        for name, hit in hits.items():
            shares = [np.mean(hit[:rounds]) for rounds in AFTER]
            np.testing.assert_allclose(data[name].values[seed], shares, rtol=1e-12)
            assert 0 < shares[-1] < 1


def test_feedback_is_that_of_the_limit():
    """Censored beyond the very limit, and then nothing is seen."""
    _, traces = odd_run()
    actions, feedback = traces[0].actions, traces[0].feedback
    seen = ~feedback.censored
    assert np.all(feedback.consumption[seen] <= actions.limit[seen])
    assert np.all(np.isinf(feedback.consumption[~seen]))
    assert np.all(feedback.reward[~seen] == 0) and np.all(feedback.reward[seen] > 0)


def test_simple_regret_with_any_limit():
    """Exact, not read off the table; the pair is that of the checkpoint's round."""
    data, traces = odd_run()
    best = values("overtime", np.array([0.382, 0.5])).max()
    for seed, trace in enumerate(traces):
        for place, rounds in enumerate(AFTER):
            arm, limit = (x[rounds - 1] for x in trace.actions)
            gap = best - values("overtime", np.float64([limit]))[arm, 0]
            found = data["simple_regret"].values[seed, place]
            assert found == pytest.approx(gap, abs=1e-9)


def test_a_limit_beyond_the_jump_is_judged_beyond_it():
    """The exact judgement sees a jump that lies between two neighbouring floats."""
    after = np.nextafter(np.float32(0.5), np.float32(1))
    action = censored.RealAction(
        np.zeros((1, 2), np.int32), np.array([[0.5, after]], np.float32)
    )
    environment = game("Indep")
    found = environment.judge(None, action)["simple_regret"]
    assert found.shape == (1, 2) and found.dtype == np.float64
    tail = np.exp(-0.9)
    np.testing.assert_allclose(found, [[0, 4.95 * tail]], atol=1e-5)


def test_a_late_fee_grows_from_the_promise_on():
    penalty = censored.late_fee(3.0, 0.25, 0.2)
    x = np.array([0.0, 0.1, 0.25, 0.5, 1.0])
    expected = [0.0, 0.02, 0.05, 0.1 + 0.75, 0.2 + 2.25]
    np.testing.assert_allclose(penalty(x), expected, rtol=1e-12)
    np.testing.assert_allclose(penalty(jnp.asarray(x)), expected, rtol=1e-6)
    assert penalty is censored.late_fee(3.0, 0.25, 0.2)


def test_policies_are_for_their_own_kind_of_limits():
    any_limit, grid = game("Indep").problem, censored.indep().problem
    rows = [
        (partial(make, any_limit), "a Problem of .*got a Continuum of .*on_grid")
        for make in ON_GRIDS
    ]
    rows += [
        (
            partial(make, grid),
            f"{name}: .*a Continuum of .*got a Problem of .*limits=ANY",
        )
        for name, make in ON_CONTINUA.items()
    ]
    assert_refused(rows, TypeError)


def test_what_has_no_room_for_another_limit_overflows():
    """With hardly a radius every round asks for one more, and there are two places."""
    problem = make_continuum(1, censored.scaled(0.1), censored.scaled(1.0))
    feedback = censored.Feedback(jnp.float32(0.5), jnp.float32(0.1), jnp.bool_(False))
    for make in (censored.zooming, censored.stoo):
        policy = make(problem, capacity=2)
        params = jax.tree.map(jnp.float32, policy.params._replace(radius=1e-6))
        state, found = policy.init(params), []

        @jax.jit
        def next_round(state, policy=policy, params=params):
            action = policy.act((), None, state, params)
            return policy.update((), None, state, action, feedback, params)

        for _ in range(3):
            report = policy.report(state, params)
            found.append((int(report["points"]), int(report["overflow"])))
            state = next_round(state)
        assert found == [(1, 0), (2, 0), (2, 1)], policy.name


def recorded():
    """Two arms, three and two runs, one of which had timed out."""
    problem = make_continuum(2, cost, censored.fast_track(10.0, 0.5))
    runs = laws.empirical_params(
        [[0.2, 0.9, 0.4], [1, 1]], [[0.6, 0.1, 0.3], [0.25, np.inf]]
    )
    return censored.make_environment("recorded", problem, laws.empirical, runs)


def recorded_value(arm, limit):
    """Eq. (2), run by run."""
    arms = [[(0.2, 0.6), (0.9, 0.1), (0.4, 0.3)], [(1, 0.25), (1, np.inf)]]
    late = float(fast_track(limit))
    gains = [r - c / 10 if c <= limit else -late for r, c in arms[arm]]
    return np.mean(gains)


def test_the_optimum_of_recorded_runs():
    """The best limit is one of the recorded consumptions."""
    oracle = recorded().oracle()
    assert (oracle.arm, oracle.limit) == (1, 0.25)
    assert oracle.value == pytest.approx(recorded_value(1, 0.25), abs=1e-12)
    assert oracle.value > max(recorded_value(0, x) for x in (0.1, 0.3, 0.6, 1.0))


@pytest.mark.parametrize("runs", [1, 7])
def test_every_step_of_recorded_runs(runs):
    """At each edge, just below it, and beyond all of them, traced and on the host."""
    rng = np.random.default_rng(runs)
    params = laws.empirical_params(
        rng.random((1, runs)), rng.random((1, runs)).round(2)
    )
    stairs = staircase(laws.empirical, params, cost)
    edges = np.float32(stairs.edges[0])
    below = np.nextafter(edges, np.float32(0))
    limits = np.concatenate([edges, below[below > 0], np.float32([1e-9, 2.0])])
    steps = jax.tree.map(jnp.float32, stairs)
    found = jax.jit(jax.vmap(lambda x: on_step(steps, 0, x)))(limits)
    within = np.float32(params.consumption[0]) <= limits[:, None]
    gain = np.mean((params.reward[0] - cost(params.consumption[0])) * within, axis=1)
    expected = np.stack([gain, 1 - within.mean(axis=1)], axis=-1)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-6)


def test_gains_that_jump_without_recorded_steps_are_refused():
    law = laws.empirical._replace(steps=None)
    runs = laws.empirical_params([[0.2, 0.9, 0.4]], [[0.1, 0.5, 0.7]])
    with pytest.raises(ValueError, match="law: the gains of empirical vary too fast"):
        censored.make_environment(
            "recorded", make_continuum(1, cost, late_fee), law, runs
        )


ON_GRIDS = [
    censored.rcucb,
    censored.ucb_reduction,
    censored.moss_reduction,
    censored.kl_ucb_reduction,
    censored.thompson,
    censored.uniform,
    lambda problem: censored.fixed(problem, 0, 0),
]


ON_CONTINUA = {
    "z_rcucb": censored.z_rcucb,
    "stoo": censored.stoo,
    "zooming": censored.zooming,
    "on_grid": lambda problem: censored.on_grid(problem, 3, censored.rcucb),
}


@pytest.mark.parametrize("max_limit", [1.0, 0.7])
def test_on_grid_takes_a_number_of_limits(max_limit):
    """The last limit is the largest, whatever rounding does to its product."""
    problem = make_continuum(2, cost, late_fee, max_limit)
    for size in range(1, 12):
        seen = []

        def make(inner, seen=seen):
            seen.append(inner)
            return censored.rcucb(inner)

        censored.on_grid(problem, size, make)
        expected = max_limit * np.arange(1, size + 1) / size
        np.testing.assert_allclose(seen[0].limits, expected, rtol=1e-12)
        assert seen[0].max_limit == max_limit


def test_on_grid_plays_as_the_policy_on_the_grid():
    """The same noise, so the same arms, and the limits behind its positions."""
    limits = (0.2, 0.382, 0.7)
    here, there = (coins(x, num_arms=2) for x in (ANY, limits))
    policy = censored.on_grid(here.problem, limits, censored.rcucb)
    params = policy.params._replace(gain_radius=0.1, penalty_radius=0.0)
    found = run_of(policy, here, 60, params=params)
    expected = run_of(censored.rcucb(there.problem), there, 60, params=params)
    np.testing.assert_array_equal(found.actions.arm, expected.actions.arm)
    chosen = np.float32(limits)[expected.actions.limit]
    np.testing.assert_array_equal(found.actions.limit, chosen)
    assert len(np.unique(chosen)) > 1
    jax.tree.map(np.testing.assert_array_equal, found.state, expected.state)
