"""Wait-UCB with biased side observations (errata.md, D3)."""

import jax.numpy as jnp

from jaxbandits.checks.factory import factory
from jaxbandits.farewell import Action, Problem
from jaxbandits.farewell.policies.wait_ucb import Params, State, learning_of_waits
from jaxbandits.protocol import Policy


@factory(Problem)
def wait_ucb_naive(problem: Problem) -> Policy[State, Params, Action]:
    """Longer waits learn, too, when the delay was seen: *biased*, as only short are.

    `jaxbandits reproduce farewell-side` shows it.
    """

    def learns(places, action, feedback):
        return (places <= action.wait) | jnp.isfinite(feedback.delay)

    return learning_of_waits("Wait-UCB, naive", problem, learns)
