"""Problems take the feedback that their games may give, and nothing else."""

import numpy as np
import pytest

from jaxbandits import allocation, budgeted, censored, farewell, live
from jaxbandits.testing import altered, check_environment
from tests.games import game_of

RUN = censored.RealAction(0, 0.5)
SETS = censored.SuperArm([3, 1], [1, 0])
DUEL = censored.Duel([3, 3], [1, 0])
WAIT = farewell.Action(0, 2)
SPLIT = allocation.Allocation(np.array([0.0, 0.0, 1.0]))
TURNS = allocation.Turns([2, 0, 1], [1, 2, 3])  # of which 4 units are handed out
# Of a setting: an action, feedback or a view that no round of it can have.
IMPOSSIBLE = {
    "censored": [
        ((0, 0), {"reward": np.inf}, "feedback.reward must be in .0, 1., got inf"),
        ((0, 0), {"reward": 17}, "feedback.reward must be in"),
        ((0, 0), {"consumption": 0.9}, "consumption must be in .0, 0.3., the limit"),
        ((0, 0), {"consumption": -1}, "consumption must be in"),
        ((0, 0), {"censored": True}, "must have reward 0 and consumption inf"),
        ((0, 0), {"censored": 1}, "feedback.censored must be True or False"),
        ((0, 0), {"censored": True, "consumption": [np.inf]}, "must be one number"),
        ((0, 0), {"reward": np.nan}, "feedback.reward must not hold NaN"),
        ((0, 0), {"reward": "0.5"}, "feedback.reward must be a real number"),
        ((0, 0), {"reward": [0.5, 1]}, "feedback.reward must be one number"),
        ((0.5, 0), {}, "action.arm must be a whole number"),
        ((2**40, 0), {}, "action.arm must be a whole num"),
        ((10, 0), {}, r"action.arm must be in \[0, 10\), got 10"),
        ((0, -1), {}, r"limit must be in \[0, 2\), got -1"),
    ],
    "continuum": [
        (RUN._replace(limit=0.0), {}, "action.limit must be in .0, 1., got 0.0"),
        (RUN._replace(limit=1.5), {}, "action.limit must be in .0, 1., got 1.5"),
        (RUN._replace(arm=-1), {}, r"action.arm must be in \[0, 10\), got -1"),
        (RUN, {"consumption": 0.9}, "consumption must be in .0, 0.5., the limit"),
    ],
    "combinatorial": [
        (SETS, {"reward": [0.5, 17]}, "feedback.reward must be in .0, 1."),
        (SETS, {"consumption": [0.2, 0.9]}, "consumption must be in .0, 0.3., the l"),
        (SETS, {"censored": [False, True]}, "must have reward 0 and consumption inf"),
        (SETS, {"censored": False}, "feedback.censored must have shape .2., got"),
        (SETS, {"censored": [False, 1]}, "feedback.censored must be True or F"),
        (SETS, {"reward": [0.5, [0.2]]}, "feedback.reward must be a real number"),
        (SETS, {"reward": [0.5] * 3}, "feedback.reward must have shape .2., got"),
        (SETS._replace(arm=[1, 1]), {}, "action.arm must hold 2 different arms"),
        (SETS._replace(arm=[0, 10]), {}, r"action.arm must be in \[0, 10\)"),
        (SETS._replace(limit=[0, 2]), {}, r"action.limit must be in \[0, 2\)"),
    ],
    "dueling": [
        (DUEL, {"first_preferred": 0.7}, "first_preferred must be True or False"),
        (
            DUEL,
            {"first_preferred": [True, False]},
            "first_preferred must be one number",
        ),
        (DUEL, {"consumption": [0.2, 0.9]}, "consumption must be in .0, 0.3., the l"),
        (DUEL, {"censored": [False, True]}, "must have reward 0 and consumption inf"),
        (DUEL, {"censored": False}, "feedback.censored must have shape .2., got"),
        (DUEL, {"consumption": [0.2] * 3}, "feedback.consumption must have shape .2."),
        (DUEL._replace(arm=[0, 10]), {}, r"action.arm must be in \[0, 10\)"),
        (DUEL._replace(limit=[0, 2]), {}, r"action.limit must be in \[0, 2\)"),
        (DUEL._replace(arm=[0, 1, 2]), {}, "action.arm must have shape .2., got"),
    ],
    "budgeted": [
        (0, {"cost": -1}, "feedback.cost must be in .0, 1., got -1"),
        (0, {"reward": np.inf}, "feedback.reward must be in"),
        (2, {}, r"action must be in \[0, 2\), got 2"),
        (0, {"spent": -1}, "view.spent must be >= 0"),
        (0, {"num_arms": 0}, r"view.num_arms must be in \[1, 3\], got 0"),
        (0, {"unit": 0}, "view.unit must be positive"),
    ],
    "farewell": [
        (WAIT, {"delay": 10**6}, "feedback.delay must be in .1, 3, the wait., or"),
        (WAIT, {"time": 4}, "feedback.time must be 2, .* a delay of 2, got 4"),
        (WAIT, {"time": 1.5}, "feedback.time must be a whole number"),
        (WAIT, {"time": 1}, "feedback.time must be 2, .* a delay of 2, got 1"),
        (WAIT, {"delay": 1.5}, "feedback.delay must be a whole number"),
        (WAIT, {"delay": np.inf}, "feedback.reward must be 0 where nothing came"),
        (WAIT, {"reward": -0.5}, "feedback.reward must be in"),
        (WAIT, {"clock": -1}, "view.clock must be >= 0"),
        (WAIT._replace(wait=99), {}, "action.wait must be in"),
    ],
    "allocation": [
        (SPLIT, {"threshold": [0.1, np.inf]}, "threshold must have shape .3., got sh"),
        (SPLIT, {"allocation": [0.3] * 4}, "allocation must have shape .3., got"),
        (SPLIT, {"allocation": [9.0] * 3}, "not give an arm more than the budget"),
        (SPLIT, {"threshold": [0.1, 0.9, 0.1]}, "must be in .0, what the arm got"),
        (SPLIT, {"allocation": [0, 1, 0]}, "more than action.amounts, .0. 0. 1.., got"),
        (SPLIT, {"budget": 99.0}, "view.budget must be in"),
        (SPLIT, {"budget": 0.0}, "view.budget must be positive"),
        (allocation.Allocation(-SPLIT.amounts), {}, "action.amounts must be >= 0"),
    ],
    "ordered": [
        (TURNS, {"allocation": [1, 2, 1]}, "allocation must be whole units, as"),
        (TURNS, {"allocation": [2, 1.5, 1]}, "allocation must be whole units"),
        (TURNS, {"allocation": [2, 4, 1]}, "allocation must be whole units"),
        (TURNS, {"allocation": [2, -1, 1]}, "allocation must be >= 0"),
        (TURNS, {"allocation": [2, 1]}, "allocation must have shape .3., got"),
        (TURNS, {"threshold": [0.1, 1.5, 0.1]}, "must be in .0, what the arm got"),
        (TURNS._replace(arms=[2, 0, 0]), {}, "action.arms must hold all 3 arms"),
        (TURNS._replace(arms=[2, 0, 3]), {}, r"action.arms must be in \[0, 3\)"),
        (TURNS._replace(amounts=[1, 2, 4]), {}, "action.amounts must be at most 6 in"),
        (TURNS._replace(amounts=[1, -2, 3]), {}, r"action.amounts must be in \[0, 7\)"),
        (SPLIT, {}, "action must be"),
    ],
}


def round_of(name):
    """A policy, and a round that its game may have: view and feedback."""
    if name == "censored":
        game = censored.indep([0.3, 0.9])
        return censored.rcucb(game.problem), None, censored.Feedback(0.5, 0.2, False)
    if name == "continuum":
        policy = censored.z_rcucb(censored.indep(censored.ANY).problem, horizon=100)
        return policy, None, censored.Feedback(0.5, 0.2, False)
    if name == "combinatorial":
        game = censored.combinatorial(censored.indep([0.3, 0.9]), 2)
        told = censored.SemiBanditFeedback([0.5, 0.25], [0.7, 0.2], [False, False])
        return censored.cucb(game.problem), None, told
    if name == "dueling":
        game = censored.duels(censored.indep([0.3, 0.9]))
        told = censored.DuelFeedback(True, [0.7, 0.2], [False, False])
        return censored.sparring_ucb(game.problem), None, told
    if name == "ordered":
        policy = allocation.ordered_ucb(game_of("ordered").problem)
        return policy, None, allocation.Feedback([np.inf, 0.5, 1], [2, 1, 1])
    if name == "budgeted":
        policy = budgeted.omega_ucb(budgeted.s_br(3).problem)
        view = budgeted.View(1, 2, 0, 1, budgeted.OracleView(0.1, 0))
        return policy, view, budgeted.Feedback(1, 0.5)
    if name == "farewell":
        policy = farewell.product_limit(farewell.optimum_at_one().problem)
        # Floats where the game has integers, as a program would send them.
        return policy, farewell.View(1, 0.0), farewell.Feedback(1, 2.0, 2)
    game = allocation.simulation(num_arms=3)
    nothing = allocation.OracleView(*[[1, 1, 1]] * 3)
    view = allocation.View(1, 1, nothing)
    amounts = [0, 0, 1]
    return (
        allocation.ra_etc(game.problem),
        view,
        allocation.Feedback([np.inf, 0, 1], amounts),
    )


@pytest.mark.parametrize("name", IMPOSSIBLE)
def test_what_no_round_can_be_is_refused(name):
    policy, view, feedback = round_of(name)
    session = live.start(policy)
    for action, change, message in IMPOSSIBLE[name]:
        action = censored.Action(*action) if name == "censored" else action
        told, seen = (
            part
            and part._replace(**{k: change[k] for k in change if k in part._fields})
            for part in (feedback, view)
        )
        with pytest.raises((TypeError, ValueError), match=message):
            live.tell(session, action, told, seen)


def test_only_rewards_with_noise_may_lie_outside_0_and_1():
    problem, action = censored.indep().problem, censored.Action(0, 0)
    feedback = censored.Feedback(1.2, 0.0, False)
    noisy, sure = (
        live.start(censored.uniform(problem._replace(sigma=sigma)))
        for sigma in (0.1, 0)
    )
    live.tell(noisy, action, feedback)
    with pytest.raises(ValueError, match="feedback.reward must be in"):
        live.tell(sure, action, feedback)


def test_an_environment_whose_feedback_its_problem_does_not_allow_is_refused():
    game = censored.trap()

    def step(noise, instance, state, action):
        state, feedback = game.game.step(noise, instance, state, action)
        return state, feedback._replace(reward=feedback.reward + 1.5)

    with pytest.raises(AssertionError, match="step: feedback.reward must be in"):
        check_environment(altered(game, step=step), censored.uniform(game.problem))


def test_integers_and_floats_are_numbers_and_people_have_no_oracle():
    later = {"farewell": {"clock": 2}, "budgeted": {"spent": 0.5, "num_arms": 3}}
    for name, change in later.items():
        policy, view, feedback = round_of(name)
        session = live.start(policy)
        if name == "budgeted":
            view = view._replace(oracle=None)
        for seen in (view, view._replace(round=2, **change)):
            session = live.tell(session, live.ask(session, seen), feedback, seen)
        assert session.round == 3, name
