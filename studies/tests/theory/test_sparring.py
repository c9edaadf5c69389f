"""theory/self-sparring.md: what a duel teaches, the draws, and the bound."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxbandits import censored
from jaxbandits.censored import Duel, DuelFeedback, duels, plain
from jaxbandits.laws import Bernoulli, bernoulli
from jaxbandits_studies.theory import sparring
from tests.tables import each_row

DUELS = 40


@pytest.fixture(scope="module")
def taught():
    """The policy, and its states after 0, 1, ... duels of the two arms at random."""
    game = duels(plain("coins", bernoulli, Bernoulli(np.array([0.7, 0.5]))))
    policy = censored.cell_self_sparring(game.problem)
    params = policy.params._replace(prior_ended=1e7)
    first = np.random.default_rng(4).random(DUELS) < 0.6
    limit, ended = jnp.zeros(2, jnp.int32), jnp.zeros(2, bool)
    learn = jax.jit(policy.update)
    states = [policy.init(params)]
    for i, won in enumerate(first):
        # The better arm is arm 0, in either place in turn.
        arms = jnp.array([i % 2, 1 - i % 2], jnp.int32)
        preferred = jnp.asarray(bool(won) == (i % 2 == 0))
        told = DuelFeedback(preferred, jnp.zeros(2), ended)
        action, none = Duel(arms, limit), jnp.zeros(0, jnp.uint32)
        states.append(learn(none, None, states[-1], action, told, params))
    return policy, params, states, np.where(first, 1.0, -1.0)


def estimates(state):
    """Of both arms, and their precisions."""
    precision = sparring.PRIOR + np.asarray(state.weight.total)[:, 0]
    reward = sparring.PRIOR / 2 + np.asarray(state.reward.total)[:, 0]
    return reward / precision, precision


def test_a_duel_moves_the_difference_alone(taught):
    """By weights that do not depend on outcomes, as the policy's own update does."""
    _, _, states, outcomes = taught
    found = sparring.difference(DUELS + 1)
    apart = 0.0
    for n, state in enumerate(states):
        mean, precision = estimates(state)
        np.testing.assert_allclose(precision, found.precision[n], rtol=1e-5)
        np.testing.assert_allclose(mean.sum(), 1.0, atol=1e-5)
        np.testing.assert_allclose(mean[0] - mean[1], apart, atol=1e-5)
        if n < DUELS:
            weight = precision[0] / (precision[0] + 1)
            apart += 2 * weight / (precision[0] + weight) * (outcomes[n] - apart)


def test_the_weights_of_duels_by_hand():
    """One duel by hand, and what their squares tend to."""
    found = sparring.difference(100_001)
    gain = 2 * (12 / 13) / (12 + 12 / 13)
    np.testing.assert_allclose(found.squares[:2], [0, gain**2])
    np.testing.assert_allclose(found.forgotten[:2], [1, 1 - gain])
    assert found.squares[-1] * 1e5 == pytest.approx(4 / 3, rel=1e-3)
    # Each weight's part: impulses through the recursion sum up to the same.
    gains = 1 - found.forgotten[1:21] / found.forgotten[:20]
    weights = [gains[i] * np.prod(1 - gains[i + 1 :]) for i in range(20)]
    np.testing.assert_allclose(np.sum(np.square(weights)), found.squares[20])
    np.testing.assert_allclose(1 - np.sum(weights), found.forgotten[20])


@each_row("n", [0, 5, DUELS])
def test_places_go_to_the_better_arm_at_least_that_often(taught, n):
    """Of 20,000 rounds; near to it, as clipping is rare from some duels on."""
    policy, params, states, _ = taught
    words = jax.random.bits(jax.random.key(n), (20_000, policy.words[0]))
    acts = jax.jit(jax.vmap(policy.act, in_axes=(0, None, None, None)))
    arms = np.asarray(acts(words, None, states[n], params).arm)
    mean, precision = estimates(states[n])
    bound = sparring.chance_of_best(mean[0] - mean[1], precision[0])
    share = np.mean(arms == 0)
    assert share > bound - 4 * np.sqrt(0.25 / arms.size)
    assert share < bound + 4 * np.sqrt(0.25 / arms.size) + (0.2 if n == 0 else 0.06)


def test_the_bound_of_a_round():
    """Without a duel the worse arm has a place with 1 - pi; no more than T gap."""
    best = sparring.chance_of_best(0.0, 12.0)
    one, ten = sparring.regret_bound([1.0, 10.0], 0.2)
    assert 0.2 * (1 - best) <= one < 0.2 * (1 - best) * 1.01
    assert ten == 2.0


def test_the_numbers_of_the_page():
    found = [sparring.regret_bound(1e4, gap) for gap in (0.2, 0.4)]
    np.testing.assert_allclose(found, [266, 130], atol=0.6)
