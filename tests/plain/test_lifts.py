"""A plain policy on pairs recommends a pair, and reports as it does elsewhere."""

import jax.numpy as jnp
import numpy as np

from jaxbandits import censored, farewell
from jaxbandits.protocol import Policy
from tests.games import coins
from tests.tables import each_row

GAME = coins([0.2, 0.3, 0.5], num_arms=2)
WAITS = farewell.Problem(2, 3)


def plain(num_arms, answer=lambda arm: arm):
    """Recommends the last arm."""
    return Policy(
        "plain",
        init=lambda params: jnp.full((), 7, jnp.int32),
        act=lambda noise, view, state, params: answer(jnp.int32(0)),
        update=lambda noise, view, state, action, feedback, params: state,
        recommend=lambda state, params: answer(jnp.int32(num_arms - 1)),
        report=lambda state, params: {"seen": state},
    )


def twice(num_arms):
    return plain(num_arms, lambda arm: (arm, arm))


DUELS = censored.duels(GAME).problem
ALONE = censored.combinatorial(GAME, 1).problem
TWO = censored.Duel([1, 1], [2, 2])


@each_row(
    "policy, recommended, seen",
    [
        (censored.product_arms(GAME.problem, plain), censored.Action(1, 2), 7),
        (censored.super_arms_as_arms(ALONE, plain), censored.SuperArm([1], [2]), 7),
        (censored.duels_as_arms(DUELS, twice), TWO, 7),
        (censored.sparring(DUELS, plain), TWO, [7, 7]),
        (farewell.on_rewards(WAITS, plain), farewell.Action(1, 2), 7),
        (farewell.on_pairs(WAITS, plain(6)), farewell.Action(1, 2), 7),
    ],
)
def test_a_lifted_policy_recommends_and_reports(policy, recommended, seen):
    state = policy.init(())
    found = policy.recommend(state, ())
    assert type(found) is type(recommended)
    for one, expected in zip(found, recommended, strict=True):
        np.testing.assert_array_equal(one, expected)
    np.testing.assert_array_equal(policy.report(state, ())["seen"], seen)
