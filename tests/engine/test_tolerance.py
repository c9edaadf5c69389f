"""How exact regret is: against float64 sums over the same actions (docs/engine.md)."""

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxbandits import censored
from jaxbandits.censored.environment import State
from jaxbandits.engine.accounting import accounts_of
from jaxbandits.laws.thresholds import half_normal
from jaxbandits.testing import trace_run
from tests.engine.gpu_cases import ten_arms, three_that_pay_once
from tests.games import given_arms
from tests.registered import POLICIES

pytestmark = pytest.mark.slow

ROUNDS = 10**6
MANY = 10**7


def test_regret_from_counts_is_a_float64_sum(rng):
    """1e-12 relative, with counts that add up to ten million rounds."""
    game = censored.indep()
    gaps = game.oracle().gaps
    pulls = rng.multinomial(MANY, rng.dirichlet(np.full(gaps.size, 0.1)), size=20)
    pulls = pulls.reshape(1, 20, *gaps.shape).astype(np.int32)
    instance = jax.tree.map(lambda x: np.asarray(x)[None], game.setup)
    record = State(pulls, np.zeros((1, 20), np.int32))
    found = accounts_of(game, instance, record).metrics["regret"][0]
    exact = [math.fsum((x * gaps).ravel()) for x in pulls[0]]
    np.testing.assert_allclose(found, exact, rtol=1e-12)


def booked(game, trace):
    """The regret that the environment's accounts have at the end of a run."""
    state = jax.tree.map(lambda x: np.asarray(x)[None, None], trace.environment)
    instance = jax.tree.map(lambda x: np.asarray(jnp.asarray(x))[None], game.setup)
    return accounts_of(game, instance, state).metrics["regret"].item()


@pytest.mark.parametrize("name", ["rcucb-uniform", "stoo", "zooming"])
def test_regret_of_a_continuum_is_exact(name):
    """1e-6 relative."""
    game = censored.indep(censored.ANY)
    trace = trace_run(POLICIES[f"continuum/{name}"](game.problem), game, ROUNDS)
    actions = jax.tree.map(lambda x: x[None], trace.actions)
    exact = game.judge(None, actions)["simple_regret"].sum()
    assert booked(game, trace) == pytest.approx(exact, rel=1e-6)


def ten_half_normal_arms():
    p, rate = np.linspace(0.05, 0.3, 10), np.geomspace(0.1, 2, 10)
    return given_arms("ten arms", half_normal, p, rate, 20.0, lowest=0.05, highest=3.0)


def in_float64(name, game):
    """Regret in the accounts, and by sums; what the optimum earns in a round."""
    trace = trace_run(POLICIES[f"allocation/{name}"](game.problem), game, ROUNDS)
    arms, family = game.setup.arms, game.problem.family
    (best,) = np.asarray(game.oracle().allocation)
    with jax.enable_x64(True):
        probability, rate, best, offers = (
            jnp.asarray(np.asarray(x, np.float64))
            for x in (arms.probability, arms.rate, best, trace.feedback.allocation)
        )

        def reward(x):
            chances = probability * family.cdf(x, rate, None)
            if game.problem.cascade:
                return 1 - jnp.prod(1 - chances)
            return jnp.sum(chances)

        earned = float(reward(best))
        exact = math.fsum(earned - np.asarray(jax.jit(jax.vmap(reward))(offers)))
    return booked(game, trace), exact, earned


GAMES = [(ten_arms, name) for name in ("uniform", "no-ucb", "ra-etc", "thompson")]
GAMES += [(ten_half_normal_arms, name) for name in ("uniform", "ra-etc")]
GAMES += [(three_that_pay_once, name) for name in ("uniform", "ra-etc")]


@pytest.mark.parametrize(("make", "name"), GAMES)
def test_regret_of_allocations_is_exact(make, name):
    """1e-6 relative, of Thompson sampling too, which loses 0.05 % of what it earns; or
    a float32 unit in the last place of what is earned, or of a cascade's chance to earn
    nothing, times the rounds."""
    found, exact, earned = in_float64(name, make())
    unit = 6e-8 * max(earned, 1) * ROUNDS
    assert abs(found - exact) < (1e-6 * exact if make is ten_arms else unit)
