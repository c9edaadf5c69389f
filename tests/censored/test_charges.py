"""Policies for rewards in [0, 1], where a cost may exceed the largest penalty."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxbandits import censored
from jaxbandits.censored.policies.observed import reward_of_round
from jaxbandits.protocol import View
from jaxbandits_studies.slips.censored import thompson_strict
from tests.tables import each_row


def cost(x):
    """Up to 2."""
    return 2 * x


def penalty(x):
    """None."""
    return 0 * x


PROBLEM = censored.make_problem(2, [0.5, 1.0], cost, penalty)
FREE = censored.Feedback(jnp.float32(0), jnp.float32(jnp.inf), jnp.bool_(True))
DEAR = censored.Feedback(jnp.float32(0), jnp.float32(0.9), jnp.bool_(False))


@each_row(
    "feedback, gained",
    [(FREE, 2 / 3), (DEAR, 0.2 / 3), (DEAR._replace(reward=1.0), 0.4)],
)
def test_a_value_is_rescaled_to_0_and_1(feedback, gained):
    """Values lie in [-2, 1]; none lies below minus the largest penalty, 0."""
    found = reward_of_round(PROBLEM, jnp.int32(1), feedback)
    assert float(found) == pytest.approx(gained, rel=1e-6)


def test_thompson_tells_a_loss_from_none(words):
    """It made a sure failure of both: a value of 0, and one of -1.8."""
    policy = thompson_strict(PROBLEM)
    update = jax.jit(policy.update)
    for feedback, share in ((FREE, 2 / 3), (DEAR, 0.2 / 3)):
        state = policy.init(policy.params)
        action = censored.Action(jnp.int32(0), jnp.int32(1))
        for t, noise in enumerate(words(200, policy.words[1])):
            view = View(jnp.int32(t + 1))
            state = update(noise, view, state, action, feedback, policy.params)
        won = np.asarray(state.success)[0, 1] / 200
        assert abs(won - share) < 4 * np.sqrt(share * (1 - share) / 200)


def test_what_a_continuum_can_charge_at_most_is_its_cost():
    problem = censored.make_continuum(2, cost, penalty)
    assert problem.max_charge == PROBLEM.max_charge == 2
    assert PROBLEM._replace(cost=penalty, penalty=cost).max_charge == 2
