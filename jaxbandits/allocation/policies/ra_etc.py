"""RA-ETC: explore, then commit (Remark 4.7 and appendix A.1).

The whole budget goes to one arm after the other; then the optimum for the estimates is
played in all later rounds. The paper's exploration length ``T**(2/3)`` may count rounds
in total or per arm. Remark 4.7 says per arm, and only this reproduces Figure 3
(errata.md).
"""

from typing import NamedTuple

import jax.numpy as jnp

from jaxbandits.allocation import Action, Problem
from jaxbandits.allocation.policies.estimates import Estimator
from jaxbandits.allocation.policies.handing_out import default_hand_out
from jaxbandits.allocation.policies.learning import Learner, Turn, learn
from jaxbandits.allocation.policies.radii import bounds, no_bounds
from jaxbandits.arrays import one_hot
from jaxbandits.checks import AtLeastOne, one_of
from jaxbandits.checks.factory import factory
from jaxbandits.protocol import Policy

COUNTS = ("total", "per_arm")


class Params(NamedTuple):
    """exploration >= 1: rounds of exploration (10,000 ** (2/3) by default)."""

    exploration: AtLeastOne = 464.0


@factory(Problem)
def ra_etc(problem: Problem, count: str = "total") -> Policy[Learner, Params, Action]:
    """RA-ETC, with the truncated estimator.

    Args:
      problem: what the learner knows about the game. Unknown budgets are handed out as
        described in `handing_out`.
      count: whether `exploration` counts rounds in ``total`` or ``per_arm``.

    Raises:
      ValueError: on an unknown `count`.
    """
    one_of("count", count, COUNTS)
    hand_out, num_arms = default_hand_out(problem), problem.num_arms
    estimator = Estimator(problem)

    def turn(round_, params):
        rounds = jnp.round(params.exploration).astype(jnp.int32)
        length = rounds * (num_arms if count == "per_arm" else 1)
        return Turn(round_ <= length, (round_ - 1) % num_arms)

    def init(params):
        return Learner(estimator.zeros(), no_bounds(problem))

    def act(noise, view, state, params):
        now = turn(view.round, params)
        alone = one_hot(now.arm, num_arms).astype(float) * view.budget
        result = state.bounds
        return hand_out(
            now.starting, alone, result.probability, result.rate, view.budget
        )

    def update(noise, view, state, action, feedback, params):
        now = turn(view.round, params)
        # After the commitment no arm is updated: K is the position of no arm.
        observed = now._replace(arm=jnp.where(now.starting, now.arm, num_arms))

        def renew(statistics, shape, arm):
            t = view.round.astype(float)
            return bounds(estimator, None, statistics, t, None, shape, arm), None

        choices = "one_arm", "boosted"
        return learn(estimator, state, feedback, observed, renew, *choices)

    return Policy("RA-ETC", init, act, update, Params())
