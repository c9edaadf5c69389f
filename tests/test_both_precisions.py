"""One environment in one process, under 32 bits after 64.

A NumPy array that is traced under 64 bits and then under 32 keeps the first precision,
so that a process's history would decide what a program computes, or whether it can be
compiled at all. `arrays.constant` is where host numbers enter a program. Policies are
in tests/policies/test_contract.py.
"""

import jax
import jax.numpy as jnp

from jaxbandits import budgeted, censored, farewell
from jaxbandits_studies import datasets
from tests.games import GAMES
from tests.precision import numbers, wide_values
from tests.registered import POLICIES

ENVIRONMENTS = GAMES | {
    "trap": censored.trap,
    "S-Bt": lambda: budgeted.s_bt(3),
    "S-GBr": lambda: budgeted.s_gbr(2),
    "auction": farewell.second_price_auction,
    "cross validation": farewell.cross_validation,
    "Criteo-like": lambda: datasets.criteo_like(3),
}
# Who plays: uniformly, but for settings that have no such policy.
PLAIN = {"continuum": "continuum/rcucb-uniform"}


def test_environments_stay_narrow_under_32_bits_after_64():
    for name, make in ENVIRONMENTS.items():
        environment = make()
        setting = name if name in GAMES else environment.provenance["setting"]
        plays = PLAIN.get(setting, f"{setting}/uniform")
        policy = POLICIES[plays](environment.problem)
        with jax.enable_x64(True):
            a_round(environment, policy)
        wide = wide_values(a_round(environment, policy))
        assert not wide, name


def a_round(environment, policy):
    """A traced round of a game; all that counts of the policy is how it acts."""
    game = environment.game

    def played(noises, setup):
        instance = game.sample(jax.random.key(0), setup)
        state, params = game.init(instance), numbers(policy.params)
        view = game.view(jnp.int32(1), instance, state)
        action = policy.act(noises[0], view, policy.init(params), params)
        after, feedback = game.step(noises[1], instance, state, action)
        return feedback, game.record(instance, after, jnp.int32(1))

    noises = [jnp.full((n,), 2**31, jnp.uint32) for n in (policy.words[0], game.words)]
    return jax.make_jaxpr(played)(noises, numbers(environment.setup))
