"""Ask and tell: the actions of a simulated run, from answers in plain numbers."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxbandits import allocation, budgeted, censored, live
from jaxbandits.testing import trace_run

GAME = censored.trap()
ROUNDS = 12


def answer(feedback, round_):
    """What somebody would type in."""
    reward, consumption, late = (x[round_].item() for x in feedback)
    return censored.Feedback(reward, consumption, late)


@pytest.mark.parametrize(
    ("make", "params"),
    [
        (censored.rcucb, {"gain_radius": 0.5, "penalty_radius": 0}),
        (censored.uniform, {}),
    ],
    ids=["rcucb", "uniform"],
)
def test_a_session_does_what_a_run_does(make, params):
    """`uniform` draws its actions: the noise is that of the run, round by round."""
    policy = make(GAME.problem)
    own = policy.params
    own = own._replace(**params) if params else own
    trace = trace_run(policy, GAME, ROUNDS, params=own, root_seed=3, seed_index=0)
    assert 0 < np.mean(trace.actions.limit) < 1
    session = live.start(policy, params, root_seed=3, seed_index=0)
    for round_ in range(ROUNDS):
        action = live.ask(session)
        assert live.ask(session) == action == tuple(x[round_] for x in trace.actions)
        session = live.tell(session, action, answer(trace.feedback, round_))
    jax.tree.map(np.testing.assert_array_equal, session.state, trace.state)
    assert session.round == ROUNDS + 1


def test_what_it_recommends_and_what_was_done_instead():
    policy = censored.rcucb(GAME.problem)
    session = live.start(policy)
    # Somebody does what was not asked for: the policy learns from that.
    small = censored.Action(0, 0)
    for _ in range(3):
        session = live.tell(session, small, censored.censor(1.0, 0.3, 0.2))
    assert live.recommend(session) == small
    assert session.state.reached.tolist() == [[3, 0]]


BAD_ARGUMENTS = [
    (("rcucb",), TypeError, "policy must be a Policy"),
    ((censored.rcucb(GAME.problem), {"radius": 1}), ValueError, "has no"),
    ((censored.rcucb(GAME.problem), {"alpha": -1}), ValueError, "alpha"),
    ((censored.rcucb(GAME.problem), {"alpha": [1, 2]}), ValueError, "2 points"),
]


def test_bad_arguments_of_a_session_are_refused(subtests):
    for arguments, error, message in BAD_ARGUMENTS:
        with (
            subtests.test(arguments=arguments, message=message),
            pytest.raises(error, match=message),
        ):
            live.start(*arguments)


def test_a_policy_must_be_told_its_horizon():
    problem = censored.overtime(num_arms=2).problem
    policy = censored.z_rcucb(problem, capacity=4)
    with pytest.raises(ValueError, match="must give the policy's horizon"):
        live.start(policy)
    assert live.start(policy, {"horizon": 50}).params.horizon == 50
    assert live.start(censored.z_rcucb(problem, 50, capacity=4)).params.horizon == 50


def test_no_recommendation_and_no_session():
    with pytest.raises(ValueError, match="recommends nothing"):
        live.recommend(live.start(censored.uniform(GAME.problem)))
    with pytest.raises(TypeError, match=r"session must be .*live.start"):
        live.ask(censored.uniform(GAME.problem))


def test_what_is_no_action_and_no_feedback_is_refused():
    session = live.start(censored.rcucb(GAME.problem))
    good = censored.Feedback(0.5, 0.2, False)
    with pytest.raises(TypeError, match="action must be as `ask` gives it"):
        live.tell(session, 0, good)
    with pytest.raises(TypeError, match="feedback must be Feedback.reward, consum"):
        live.tell(session, censored.Action(0, 0), 0.5)


CHANGED = censored.rcucb(GAME.problem).params


SESSIONS_THAT_WERE_CHANGED_BY_HAND = [
    ({"round": 0}, "session.round must be at least 1"),
    ({"seed": 3}, "session.seed must be two integers"),
    ({"state": ()}, "session.state must be that of policy 'RCUCB'"),
    ({"params": ()}, "session.params must be those of 'RCUCB'"),
    ({"params": CHANGED._replace(alpha="x")}, "params: alpha must be a number or"),
    ({"params": CHANGED._replace(alpha=np.nan)}, "params: alpha must be a number"),
    ({"params": CHANGED._replace(alpha=1e300)}, "params: alpha must be 0 or of a"),
    ({"params": CHANGED._replace(alpha=-1.0)}, "alpha must be positive"),
    ({"policy": None}, "session.policy must be a Policy"),
]


def test_sessions_that_were_changed_by_hand(subtests):
    for change, message in SESSIONS_THAT_WERE_CHANGED_BY_HAND:
        with subtests.test(message=message):
            session = live.start(censored.rcucb(GAME.problem))._replace(**change)
            with pytest.raises((TypeError, ValueError), match=message):
                live.ask(session)


def of_one_round():
    session = live.start(censored.rcucb(GAME.problem))
    action = live.ask(session)
    return live.tell(session, action, censored.Feedback(0.5, 0.2, False))


DAMAGED = {
    "a count below 0": {"reached": [[-1, -1]]},
    "NaN": {"estimate": [[np.nan, 0.5]]},
    "a width of NaN": {"width": [[np.nan, np.nan]]},
    "NaN where a count is 0": {"reached": [[0, 0]], "estimate": [[np.nan, 0.5]]},
    "a width of infinity": {"width": [[np.inf, 0.5]]},
    "a sum near infinity": {"width": [[-3e38, 0.5]]},
}


@pytest.mark.parametrize("name", DAMAGED)
def test_a_state_that_no_game_leads_to_is_refused(name):
    session = of_one_round()
    state = jax.tree.map(np.asarray, session.state)
    changes = {
        leaf: np.array(value, getattr(state, leaf).dtype)
        for leaf, value in DAMAGED[name].items()
    }
    damaged = session._replace(state=state._replace(**changes))
    for use in (live.ask, live.recommend):
        with pytest.raises(ValueError, match=f"session.state.{[*changes][-1]} must"):
            use(damaged)


def test_an_answer_that_the_game_has_not_is_not_handed_out():
    lost = censored.uniform(GAME.problem)._replace(
        act=lambda noise, view, state, params: censored.Action(0, 2)
    )
    with pytest.raises(ValueError, match="session.state .* action.limit must be in"):
        live.ask(live.start(lost))


def test_what_is_below_0_from_the_start_is_no_count():
    policy = censored.uniform(GAME.problem)._replace(
        init=lambda params: {"last": jnp.int32(-1)},
        update=lambda noise, view, state, action, feedback, params: state,
    )
    live.ask(live.start(policy))


@pytest.mark.parametrize("amount", [1e300, 1e-60])
def test_feedback_that_would_be_played_as_another_number_is_refused(amount):
    own = live.start(censored.rcucb(GAME.problem)._replace(problem=None))
    feedback = censored.Feedback(0.5, amount, False)
    with pytest.raises(
        ValueError, match="feedback.consumption must be 0 or of a size in"
    ):
        live.tell(own, censored.Action(0, 0), feedback)


def test_views_of_another_game():
    session = live.start(budgeted.bts(budgeted.s_bt(2).problem))
    for view, message in (
        (None, r"view must be View.round, num_arms, spent, .* got None"),
        (3, r"view must be View.round, num_arms, spent, .* got 3"),
    ):
        with pytest.raises(TypeError, match=message):
            live.tell(session, 0, 0.5, view)
    late = budgeted.View(4, 2, 0.0, 1.0, budgeted.OracleView(0.1, 0))
    with pytest.raises(ValueError, match="view.round must be the session's, 1, got 4"):
        live.ask(session, late)


def test_another_pair_than_asked_leaves_pairs_without_rounds_to_come_first():
    """Of a limit that no round has reached nothing is known, and so it is played."""
    session = live.start(censored.rcucb(GAME.problem))
    session = live.tell(
        session, censored.Action(0, 0), censored.Feedback(0.5, 0.2, False)
    )
    np.testing.assert_array_equal(session.state.estimate, [[0.5, np.inf]])
    assert np.all(np.isfinite(session.state.width))
    assert live.ask(session) == (0, 1)


def test_a_policy_of_ones_own_may_count_below_0():
    policy = censored.uniform(GAME.problem)._replace(
        init=lambda params: {"surplus": jnp.int32(0)},
        update=lambda noise, view, state, action, feedback, params: {
            "surplus": state["surplus"] - 1
        },
    )
    action, feedback = censored.Action(0, 0), censored.Feedback(0.5, 0.2, False)
    session = live.tell(live.start(policy), action, feedback)
    assert live.tell(session, action, feedback).state["surplus"] == -2


@pytest.mark.parametrize("amounts", [[3, 3], [3, 0.1]])
def test_a_round_hands_out_its_budget_at_most(amounts):
    game = allocation.simulation(num_arms=2, budget=3.0)
    session = live.start(allocation.no_ucb(game.problem))
    view = allocation.View(1, 3, allocation.OracleView(*[[1, 1]] * 3))
    feedback = allocation.Feedback([np.inf] * 2, amounts)
    with pytest.raises(ValueError, match="3, nor all arms together, got"):
        live.tell(session, allocation.Allocation([3.0, 0.0]), feedback, view)
