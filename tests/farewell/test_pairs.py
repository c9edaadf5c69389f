"""Policies on pairs of a macro-arm and a wait: what they see, learn and play first."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxbandits import budgeted, farewell, plain
from jaxbandits.arrays import unit_interval
from jaxbandits.budgeted import make_problem
from jaxbandits.budgeted.policies.statistics import MEANS, Means
from jaxbandits.farewell import Problem
from jaxbandits.farewell import make_environment as make_game
from jaxbandits.farewell.policies.pairs import (
    PairFeedback,
    as_arms,
    on_pairs,
    on_rewards,
    update_shorter_waits,
)
from jaxbandits.farewell.policies.product_limit import Hazards, Units
from jaxbandits.protocol import Policy
from tests.games import four_waits
from tests.heavy import in_short
from tests.rollout import run_of
from tests.tables import each_row

K, D, EPOCHS = 2, 4, 400


# What they see.


def test_pairs_are_arms_that_cost_their_times():
    assert as_arms(Problem(2, 3)) == make_problem(6, 1.0, (1.0, 2.0, 3.0) * 2)
    # A lost bid costs less than the bid and not less than one unit.
    assert as_arms(Problem(2, 3, "unit")) == as_arms(Problem(2, 3))
    scaled = as_arms(Problem(1, 4), 4.0)
    assert scaled == make_problem(4, 0.25, (0.25, 0.5, 0.75, 1.0))
    assert as_arms(Problem(3, 1)) == make_problem(3, 1.0, 1.0)


def witness():
    """Plays the arms in turn and writes down what it is told."""

    def update(noise, view, state, action, feedback, params):
        hit = jnp.arange(K * D) == action
        sums = state[0] + jnp.where(hit, jnp.stack(feedback[:2])[:, None], 0.0)
        told = jnp.stack([view.spent, view.unit, unit_interval(noise[0])])
        whole = jnp.stack([view.round, view.num_arms])
        return sums, told, whole, feedback.delay

    return Policy(
        "witness",
        init=lambda params: (
            jnp.zeros((2, K * D)),
            jnp.zeros(3),
            jnp.zeros(2, jnp.int32),
            jnp.zeros(()),
        ),
        act=lambda noise, view, state, params: (view.round - 1) % (K * D),
        update=update,
        words=(0, 1),
    )


@pytest.mark.parametrize("scale", in_short([1.0, 4.0], {1.0}))
def test_a_policy_on_pairs_sees_the_times_as_costs(scale):
    game, rounds = four_waits(), 203
    trace = run_of(on_pairs(game.problem, witness(), scale), game, rounds)
    pair = np.arange(rounds) % (K * D)
    np.testing.assert_array_equal(trace.actions.arm, pair // D)
    np.testing.assert_array_equal(trace.actions.wait, pair % D)
    (reward, cost), told, whole, delay = trace.state
    feedback = trace.feedback
    for sums, x in ((reward, feedback.reward), (cost, feedback.time / scale)):
        np.testing.assert_array_equal(sums, np.bincount(pair, x, K * D))
    assert delay == feedback.delay[-1]
    # The view is of the time before the epoch.
    assert told[0] == np.sum(feedback.time[:-1]) / scale
    # A budget of T units of time is T / scale of this money.
    assert told[1] == 1 / scale and 0 < told[2] < 1
    np.testing.assert_array_equal(whole, [rounds, K * D])


@each_row("arms", [make_problem(3), as_arms(Problem(K, D), 2.0)])
def test_a_policy_for_other_arms_is_refused(arms):
    """Another number of them, or costs on another scale: it would play nonsense."""
    with pytest.raises(ValueError, match=r"policy must be built for as_arms\(problem"):
        on_pairs(Problem(K, D), budgeted.omega_ucb(arms))


def test_a_plain_policy_on_pairs_sees_rewards_only():
    game = four_waits()
    policy = on_rewards(game.problem, plain.ucb)
    trace = run_of(policy, game, 50)
    pair = trace.actions.arm * D + trace.actions.wait
    np.testing.assert_array_equal(pair[: K * D], np.arange(K * D))
    pulls = np.bincount(pair, minlength=K * D)
    np.testing.assert_array_equal(trace.state.pulls, pulls)
    sums = np.bincount(pair, trace.feedback.reward, K * D)
    np.testing.assert_array_equal(trace.state.reward.total, sums)


# What they learn from side observations.


@each_row("delay", [1.0, 2.0, 3.0, np.inf])
def test_one_update_of_shorter_waits(delay):
    """Arm 1 waits 3 units, counted in units of 4; arm 0 and wait 4 learn nothing."""
    update = jax.jit(update_shorter_waits(Problem(K, D), 4.0).updater(MEANS))
    reward = 0.5 if delay < np.inf else 0.0
    feedback = PairFeedback(
        jnp.float32(reward), jnp.float32(min(delay, 3) / 4), jnp.float32(delay)
    )
    state = update(None, None, Means.zeros(K * D), jnp.int32(D + 2), feedback, ())
    np.testing.assert_array_equal(state.pulls, [0, 0, 0, 0, 1, 1, 1, 0])
    waits = np.arange(1, 4)
    gained = np.where(delay <= waits, 0.5, 0.0)
    np.testing.assert_array_equal(state.reward.total[4:7], gained)
    np.testing.assert_array_equal(state.cost.total[4:7], np.minimum(delay, waits) / 4)
    learns_not = [0, 1, 2, 3, 7]
    for x in (state.reward.total, state.cost.total, state.mean_cost):
        assert not np.any(np.asarray(x)[learns_not])


def test_a_unit_that_no_epoch_has_entered_lasts_for_its_length():
    """One epoch gave up after a unit; one with the longest wait ended within it."""
    waits, hazards = np.array([1, 2, 4]), Hazards.zeros((3,))
    for place, reward, delay in ((0, 0.0, np.inf), (2, 1.0, 1.0)):
        feedback = farewell.Feedback(reward, jnp.int32(1), jnp.float32(delay))
        epoch = Units.of(waits, jnp.int32(place), feedback)
        hazards = hazards.observe(epoch, reward)
    np.testing.assert_array_equal(hazards.reached, [2, 1, 1])
    np.testing.assert_array_equal(hazards.entered, [2, 0, 0])
    np.testing.assert_allclose(hazards.mean_reward(), [0.5, 0.5, 0.5])
    np.testing.assert_allclose(hazards.mean_time(waits), [1, 1 + 0.5, 1.5 + 0.5 * 2])


# Ties (test_twins.py has what they play first).


def test_the_first_wait_among_equal_waits():
    """One macro-arm whose delay is 1: all waits have one rate, long ones more radius.

    At first the logarithm is 0 and the radius with it: the tie goes to wait 1.
    """
    delay = [[1.0, 0.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0, 0.0]]
    game = make_game("ties", delay, np.ones((2, 1)), num_waits=D)
    policy = farewell.wait_ucb(game.problem, "shorter")
    params = policy.params._replace(scale=1e-30)  # the rates alone, but for ties
    actions = run_of(policy, game, EPOCHS, params=params).actions
    assert not np.any(actions.arm[K * D :]) and not np.any(actions.wait[K * D :])


# Names, parameters and what is refused.


def test_names_tell_forms_apart():
    problem = Problem(2, 3)
    names = {
        farewell.omega_ucb(problem, star, exploration, observe).name
        for star in (False, True)
        for exploration in ("log_t", "log_share")
        for observe in ("pair", "shorter")
    }
    assert len(names) == 8
    assert farewell.omega_ucb(problem).name == "omega-UCB"
    assert farewell.ucb_simplex(problem).params.kappa == 3  # the longest wait


PROBLEM = Problem(2, 3)
BAD = [
    (lambda: farewell.product_limit(Problem(1, 3, "unit")), "failure='wait'"),
    (lambda: farewell.product_limit_omega(Problem(1, 3, "unit")), "failure='wait'"),
]


def test_bad_input_is_refused_by_name():
    for call, named in BAD:
        with pytest.raises(ValueError, match=named):
            call()
