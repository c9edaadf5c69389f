"""The doubling trick: epochs, what the inner policy is told, what an epoch leaves."""

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxbandits import censored
from jaxbandits.arrays import unit_interval
from jaxbandits.censored import rcucb
from jaxbandits.plain import doubling, moss, ucb
from jaxbandits.protocol import Policy, View
from tests.tables import each_row

FIRST = 3
# Rounds as the inner policy counts them, and the horizons that it is told.
EPOCHS = [1, 2, 3] + [*range(1, 7)] + [*range(1, 13)] + [1, 2]
HORIZONS = 3 * [3] + 6 * [6] + 12 * [12] + 2 * [24]


class Params(NamedTuple):
    """horizon, and one more."""

    horizon: float = 50.0
    other: float = 7.0


def recorder(overflows_at=99):
    """Acts with the round it sees; its state is all that it has been told last.

    Its answer is its round; it reports an overflow from a round of epoch `FIRST` on.
    """

    def update(noise, view, state, action, feedback, params):
        told = (
            view.round.astype(float),
            params.horizon,
            params.other,
            action,
            unit_interval(noise[0]),
        )
        full = (params.horizon == FIRST) & (view.round >= overflows_at)
        return jnp.stack([*told, jnp.maximum(state[-1], full)])

    return Policy(
        "recorder",
        init=lambda params: jnp.zeros(6) + params.horizon * jnp.eye(6)[1],
        act=lambda noise, view, state, params: view.round + params.horizon / 100,
        update=update,
        params=Params(),
        words=(0, 1),
        recommend=lambda state, params: state[0] + params.horizon / 100,
        report=lambda state, params: {
            "seen": state[0],
            "overflow": state[-1].astype(jnp.int32),
        },
    )


def number(params):
    return jax.tree.map(jnp.float32, params)


def driven(policy, rounds, params, feedback=None):
    """States after 0, 1, ... rounds, and the actions, in a plain Python loop."""
    act, update = jax.jit(policy.act), jax.jit(policy.update)
    params = number(params)
    states, actions = [policy.init(params)], []
    for t in range(1, rounds + 1):
        view, noise = View(jnp.int32(t)), jnp.full(1, t * 2**22, jnp.uint32)
        actions.append(act(noise, view, states[-1], params))
        seen = jnp.float32(0 if feedback is None else feedback(t, actions[-1]))
        states.append(update(noise, view, states[-1], actions[-1], seen, params))
    return states, actions


def test_epochs_by_hand():
    """Lengths 3, 6, 12, 24; rounds start again, and the horizon is the length."""
    policy = doubling(recorder(), FIRST)
    states, actions = driven(policy, len(EPOCHS), policy.params)
    expected = np.array(EPOCHS) + np.array(HORIZONS) / 100
    np.testing.assert_allclose(np.float64(actions), expected, rtol=1e-6)
    before = [0, 0, 0] + 6 * [3] + 12 * [9] + 3 * [21]
    assert [int(s.before) for s in states] == before
    assert [int(s.length) for s in states] == [*HORIZONS, 24]
    for t, state in enumerate(states[1:], start=1):
        if t in (3, 9, 21):  # A new policy, which has not been told anything.
            fresh = [0, HORIZONS[t], 0, 0, 0, 0]
            np.testing.assert_allclose(state.inner, fresh)
            continue
        action = expected[t - 1]
        told = [EPOCHS[t - 1], HORIZONS[t - 1], 7, action, t / 2**10 + 2.0**-24, 0]
        np.testing.assert_allclose(state.inner, told, rtol=1e-6)


def test_answer_is_that_of_the_last_finished_epoch():
    """In the first epoch its own policy's; an epoch's answer counts its last round."""
    policy = doubling(recorder(), FIRST)
    states, _ = driven(policy, len(EPOCHS), policy.params)
    params = number(policy.params)
    answers = [float(policy.recommend(s, params)) for s in states]
    expected = [0.03, 1.03, 2.03] + 6 * [3.03] + 12 * [6.06] + 3 * [12.12]
    np.testing.assert_allclose(answers, expected, rtol=1e-6)


@each_row("at", [2, FIRST])
def test_an_overflow_stays(at):
    """For good, also one of an epoch's last round. Other reports do not stay."""
    policy = doubling(recorder(overflows_at=at), FIRST)
    states, _ = driven(policy, 10, policy.params)
    reports = [policy.report(s, number(policy.params)) for s in states]
    assert [int(r["overflow"]) for r in reports] == at * [0] + (11 - at) * [1]
    assert [int(r["seen"]) for r in reports] == [0, 1, 2, 0, 1, 2, 3, 4, 5, 0, 1]
    assert all(r["overflow"].dtype == jnp.int32 for r in reports)


def test_the_horizon_parameter_is_the_first_length():
    policy = doubling(recorder(), FIRST)
    assert policy.params == Params(horizon=3.0) and policy.words == (0, 1)
    assert policy.name == "recorder, doubling"
    states, _ = driven(policy, 6, policy.params._replace(horizon=2))
    assert [int(s.length) for s in states] == [2, 2, 4, 4, 4, 4, 8]


def test_a_policy_without_answer_stays_without():
    policy = doubling(moss(3))
    assert policy.recommend is None and policy.report is None


def test_first_epochs_that_are_too_short_are_refused():
    """Also a length that rounds to nothing: such an epoch would never end."""
    with pytest.raises(ValueError, match="first must be at least 1, got 0"):
        doubling(moss(3), 0)
    policy = doubling(moss(3))
    for horizon in (0.0, 0.4):
        with pytest.raises(ValueError, match="horizon must be"):
            policy.check_params(policy.params._replace(horizon=horizon))


def test_policies_without_a_horizon_are_refused():
    for policy in (ucb(3), rcucb(censored.indep().problem)):
        with pytest.raises(ValueError, match="has no parameter horizon"):
            doubling(policy)
    with pytest.raises(ValueError, match="'none' has no parameter horizon"):
        doubling(recorder()._replace(name="none", params=()))
