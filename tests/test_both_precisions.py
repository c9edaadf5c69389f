"""One policy or environment in one process, under 32 bits after 64.

A NumPy array that is traced under 64 bits and then under 32 keeps the first precision,
so that a process's history would decide what a policy computes, or whether it can be
compiled at all. `arrays.constant` is where host numbers enter a program.
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxbandits.policies import REGISTRY
from jaxbandits.settings import allocation, budgeted, censored, farewell
from tests.games import game_for
from tests.heavy import in_short
from tests.policies.compiled import OVER_PAIRS, named_after

VARIANTS = named_after(*REGISTRY)
ENVIRONMENTS = {
    "poscorr": censored.poscorr,
    "negcorr, as printed": lambda: censored.negcorr(form="printed"),
    "trap": censored.trap,
    "many arms": lambda: censored.many_arms(4),
    "low censoring": censored.low_censoring,
    "S-Bt": lambda: budgeted.s_bt(3),
    "S-GBr": lambda: budgeted.s_gbr(2),
    "auction": farewell.second_price_auction,
    "cross validation": farewell.cross_validation,
    "Criteo-like": lambda: allocation.criteo_like(3),
}
LIKE_OTHERS = {"negcorr, as printed", "S-GBr", "low censoring"}


def under_32_after_64(trace):
    """All values of the program that `trace()` gives under 32 bits, after 64."""
    with jax.enable_x64(True):
        trace()
    with jax.enable_x64(False):
        return list(avals(trace().jaxpr))


def avals(jaxpr):
    """All values of a program, inner ones too."""
    yield from (v.aval for v in (*jaxpr.constvars, *jaxpr.invars))
    for eqn in jaxpr.eqns:
        yield from (v.aval for v in (*eqn.invars, *eqn.outvars))
        for inner in jax.tree.leaves(
            list(eqn.params.values()), is_leaf=lambda x: hasattr(x, "eqns")
        ):
            inner = getattr(inner, "jaxpr", inner)
            if hasattr(inner, "eqns"):
                yield from avals(inner)


def numbers(tree):
    return jax.tree.map(
        lambda x: jnp.asarray(x, float if np.asarray(x).dtype.kind == "f" else None),
        tree,
    )


def whole_round(environment, policy=None):
    """A game of one round, as one function of the noise and the environment's setup."""

    def played(noises, setup, action):
        instance = environment.game.sample(jax.random.key(0), setup)
        state = environment.game.init(instance)
        view = environment.game.view(jnp.int32(1), instance, state)
        said = ()
        if policy is not None:
            params = numbers(policy.params)
            mine = policy.init(params)
            action = policy.act(noises[0], view, mine, params)
        after, feedback = environment.game.step(noises[1], instance, state, action)
        if policy is not None:
            args = (noises[2], view, mine, action, feedback, params)
            mine = policy.update(*args)
            functions = (policy.recommend, policy.report)
            said = [fn(mine, params) for fn in functions if fn]
        record = environment.game.record(instance, after, jnp.int32(1))
        return after, record, said

    widths = (0, environment.game.words, 0)
    if policy is not None:
        widths = (policy.words[0], environment.game.words, policy.words[1])
    noises = [jnp.full((w,), 2**31, jnp.uint32) for w in widths]
    return lambda action=None: jax.make_jaxpr(played)(
        noises, numbers(environment.setup), action
    )


def assert_narrow(found):
    wide = {str(a) for a in found if str(getattr(a, "dtype", "")).endswith("64")}
    assert found and not wide


@pytest.mark.parametrize("name", in_short(REGISTRY, {*VARIANTS, *OVER_PAIRS}))
def test_a_policy_under_32_bits(name):
    environment = game_for(name)
    policy = REGISTRY[name](environment.problem)
    assert_narrow(under_32_after_64(whole_round(environment, policy)))


UNIFORM = {
    "censored": REGISTRY["censored/uniform"],
    "budgeted": REGISTRY["budgeted/uniform"],
    "farewell": REGISTRY["farewell/uniform"],
    "allocation": REGISTRY["allocation/uniform"],
}


@pytest.mark.parametrize("name", in_short(ENVIRONMENTS, LIKE_OTHERS))
def test_an_environment_under_32_bits(name):
    environment = ENVIRONMENTS[name]()
    setting = environment.provenance["setting"]
    policy = UNIFORM[setting](environment.problem)
    assert_narrow(under_32_after_64(whole_round(environment, policy)))
