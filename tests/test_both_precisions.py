"""One policy or environment in one process, under 32 bits after 64.

A NumPy array that is traced under 64 bits and then under 32 keeps the first precision,
so that a process's history would decide what a policy computes, or whether it can be
compiled at all. `arrays.constant` is where host numbers enter a program.
"""

from functools import cache

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxbandits.policies import REGISTRY
from jaxbandits.settings import allocation, budgeted, censored, farewell
from tests.games import GAMES, game_for, game_of
from tests.heavy import in_short

# Of the short run: who has host numbers of its own. The others have what one of these
# has, or none but their problem's.
SHORT = {
    *("censored/rcucb", "censored/cell-thompson", "censored/kl-ucb"),
    *("continuum/stoo", "continuum/zooming"),
    *("budgeted/omega-star-ucb", "budgeted/share-ucb", "budgeted/price-thompson"),
    *("budgeted/kl-ucb-sc-plus", "budgeted/discounted-omega-ucb", "budgeted/pd-bwk"),
    *("farewell/wait-ucb", "farewell/hazard-thompson", "farewell/product-limit"),
    *("allocation/no-ucb", "allocation/ra-etc", "ordered/ucb"),
    *("combinatorial/cucb", "dueling/self-sparring"),
}
ENVIRONMENTS = GAMES | {
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
# Who plays: uniformly, but for settings that have no such policy.
PLAIN = {"continuum": "continuum/rcucb-uniform"}


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


def noise(words):
    return jnp.full((words,), 2**31, jnp.uint32)


def start(environment, setup):
    """Instance and state of a game, and what it shows in the first round."""
    instance = environment.game.sample(jax.random.key(0), setup)
    state = environment.game.init(instance)
    return instance, state, environment.game.view(jnp.int32(1), instance, state)


def game_round(environment, policy):
    """Traces a round of a game; all that counts of the policy is how it acts."""

    def played(noises, setup):
        instance, state, view = start(environment, setup)
        params = numbers(policy.params)
        action = policy.act(noises[0], view, policy.init(params), params)
        after, feedback = environment.game.step(noises[1], instance, state, action)
        return feedback, environment.game.record(instance, after, jnp.int32(1))

    noises = noise(policy.words[0]), noise(environment.game.words)
    return lambda: jax.make_jaxpr(played)(noises, numbers(environment.setup))


def policy_round(setting, policy):
    """Traces a round of a policy, in a game of which only shapes count."""

    def played(noises):
        x64 = bool(jax.config.jax_enable_x64)
        params, view = numbers(policy.params), zeros(shown(setting, x64))
        state = policy.init(params)
        action = policy.act(noises[0], view, state, params)
        leaves, structure = jax.tree.flatten(action)
        kinds = tuple((jnp.shape(x), jnp.result_type(x)) for x in leaves)
        feedback = zeros(answered(setting, x64, structure, kinds))
        state = policy.update(noises[1], view, state, action, feedback, params)
        return state, [
            fn(state, params) for fn in (policy.recommend, policy.report) if fn
        ]

    return lambda: jax.make_jaxpr(played)([noise(width) for width in policy.words])


@cache
def shown(setting, x64):
    """Shapes of what the game of a setting shows, in a precision."""
    environment = game_of(setting)
    setup = numbers(environment.setup)
    return jax.eval_shape(lambda setup: start(environment, setup)[2], setup)


@cache
def answered(setting, x64, structure, kinds):
    """Shapes of what it answers to an action of some shapes and types."""
    environment = game_of(setting)

    def feedback(words, setup):
        instance, state, _ = start(environment, setup)
        action = structure.unflatten([jnp.zeros(*kind) for kind in kinds])
        return environment.game.step(words, instance, state, action)[1]

    words = noise(environment.game.words)
    return jax.eval_shape(feedback, words, numbers(environment.setup))


def zeros(shapes):
    return jax.tree.map(lambda x: jnp.zeros(x.shape, x.dtype), shapes)


def assert_narrow(found):
    wide = {str(a) for a in found if str(getattr(a, "dtype", "")).endswith("64")}
    assert found and not wide


assert {*REGISTRY} > SHORT


@pytest.mark.parametrize("name", in_short(REGISTRY, {*REGISTRY} - SHORT))
def test_a_policy_under_32_bits(name):
    setting = name.split("/")[0]
    policy = REGISTRY[name](game_for(name).problem)
    assert_narrow(under_32_after_64(policy_round(setting, policy)))


@pytest.mark.parametrize("name", in_short(ENVIRONMENTS, LIKE_OTHERS))
def test_an_environment_under_32_bits(name):
    environment = ENVIRONMENTS[name]()
    setting = name if name in GAMES else environment.provenance["setting"]
    policy = REGISTRY[PLAIN.get(setting, f"{setting}/uniform")](environment.problem)
    assert_narrow(under_32_after_64(game_round(environment, policy)))
