"""Ask and tell: the actions of a simulated run, from answers in plain numbers."""

import jax
import numpy as np
import pytest

from jaxbandits import live
from jaxbandits.policies import censored as policies
from jaxbandits.settings import censored
from jaxbandits.testing import play

GAME = censored.trap()
ROUNDS = 12


def answer(feedback, round_):
    """What somebody would type in."""
    reward, consumption, late = (x[round_].item() for x in feedback)
    return censored.Feedback(reward, consumption, late)


@pytest.mark.parametrize(
    ("make", "params"),
    [
        (policies.rcucb, {"gain_radius": 0.5, "penalty_radius": 0}),
        (policies.uniform, {}),
    ],
    ids=["rcucb", "uniform"],
)
def test_a_session_does_what_a_run_does(make, params):
    """`uniform` draws its actions: the noise is that of the run, round by round."""
    policy = make(GAME.problem)
    own = policy.params
    own = own._replace(**params) if params else own
    trace = play(policy, GAME, ROUNDS, params=own, seed=3, seed_index=0)
    assert 0 < np.mean(trace.actions.limit) < 1
    session = live.start(policy, params, seed=3, seed_index=0)
    for round_ in range(ROUNDS):
        action = live.ask(session)
        assert live.ask(session) == action == tuple(x[round_] for x in trace.actions)
        session = live.tell(session, action, answer(trace.feedback, round_))
    jax.tree.map(np.testing.assert_array_equal, session.state, trace.state)
    assert session.round == ROUNDS + 1


def test_what_it_recommends_and_what_was_done_instead():
    policy = policies.rcucb(GAME.problem)
    session = live.start(policy)
    # Somebody does what was not asked for: the policy learns from that.
    small = censored.Action(0, 0)
    for _ in range(3):
        session = live.tell(session, small, censored.censor(1.0, 0.3, 0.2))
    assert live.recommend(session) == small
    assert session.state.reached.tolist() == [[3, 0]]


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (("rcucb",), TypeError, "policy must be a Policy"),
        ((policies.rcucb(GAME.problem), {"radius": 1}), ValueError, "has no"),
        ((policies.rcucb(GAME.problem), {"alpha": -1}), ValueError, "alpha"),
        ((policies.rcucb(GAME.problem), {"alpha": [1, 2]}), ValueError, "2 points"),
    ],
)
def test_bad_arguments(arguments, error, message):
    with pytest.raises(error, match=message):
        live.start(*arguments)


def test_a_policy_must_be_told_its_horizon():
    problem = censored.overtime(num_arms=2).problem
    policy = policies.z_rcucb(problem, capacity=4)
    with pytest.raises(ValueError, match="must be told horizon"):
        live.start(policy)
    assert live.start(policy, {"horizon": 50}).params.horizon == 50
    assert live.start(policies.z_rcucb(problem, 50, capacity=4)).params.horizon == 50


def test_no_recommendation_and_no_session():
    with pytest.raises(ValueError, match="recommends nothing"):
        live.recommend(live.start(policies.uniform(GAME.problem)))
    with pytest.raises(TypeError, match=r"session must be .*live.start"):
        live.ask(policies.uniform(GAME.problem))
