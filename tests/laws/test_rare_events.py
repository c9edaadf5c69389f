"""Events are as rare as they should be: counted over all words, not sampled.

A draw is a monotone function of the number that its words spell, so that the words for
which an event occurs are an interval: bisection over their 2**64 values (2**128 for
Lomax) finds its end, and with it the exact probability as it is played.
"""

from fractions import Fraction
from functools import cache

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxbandits import allocation, budgeted, farewell
from jaxbandits.laws import Product, bernoulli, discrete, product
from jaxbandits.laws.thresholds import exponential, lomax
from jaxbandits.laws.univariate import Bernoulli, Discrete
from tests.games import given_arms
from tests.tables import each_row

RARE = 10.0 ** -np.arange(1, 9)
ONES = 0xFFFFFFFF


def realised(fires, words: int = 2) -> Fraction:
    """Exact probability of an event that occurs up to some number and not beyond.

    Args:
      fires: ``u32[words] -> bool``, compiled.
      words: how many words the number has.
    """
    low, high = 0, 2 ** (32 * words)
    while low < high:
        middle = (low + high) // 2
        digits = [middle >> 32 * (words - 1 - i) & ONES for i in range(words)]
        if fires(np.array(digits, np.uint32)):
            low = middle + 1
        else:
            high = middle
    return Fraction(low, 2 ** (32 * words))


def off(found, wanted):
    """Relative error of a probability, from exact numbers."""
    return abs(float(Fraction(found) / Fraction(wanted) - 1))


def instance_of(environment):
    setup = jax.tree.map(
        lambda x: jnp.asarray(x, jnp.int32 if x.dtype.kind == "i" else jnp.float32),
        environment.setup,
    )

    @jax.jit
    def drawn(setup):
        instance = environment.game.sample(jax.random.key(0), setup)
        return instance, environment.game.init(instance)

    return drawn(setup)


@pytest.fixture(scope="module")
def rewards():
    """The reward of an arm of a fixed budgeted instance, and its probabilities."""
    p = np.concatenate([RARE, 1 - RARE])
    arms = Bernoulli(p), Bernoulli(np.full(p.size, 0.5))
    environment = budgeted.make_environment(
        "rare", product(bernoulli, bernoulli), Product(*arms)
    )
    instance, state = instance_of(environment)

    @jax.jit
    def reward(words, arm):
        noise = jnp.concatenate([words, jnp.zeros(2, jnp.uint32)])
        return environment.game.step(noise, instance, state, arm)[1].reward

    return p, reward


@each_row("arm", range(16))
def test_bernoulli_rewards_are_as_rare_as_they_should_be(arm, rewards):
    p, reward = rewards
    found = realised(lambda words: reward(words, arm) == 1)
    # Of the event and of its opposite.
    assert off(found, float(p[arm])) <= 1e-3
    assert off(1 - found, 1 - Fraction(float(p[arm]))) <= 1e-3


coin = jax.jit(bernoulli.sample)


@each_row("p", RARE)
def test_a_drawn_arm_has_the_float32_that_was_drawn(p):
    drawn = Bernoulli(np.float32(p))
    assert off(realised(lambda w: coin(w, drawn) == 1), float(np.float32(p))) < 1e-9


def test_activations_are_as_rare_as_they_should_be():
    p = np.concatenate([RARE[::2], 1 - RARE[1::2]])
    rate = np.full(p.size, 1.0)
    environment = given_arms(
        "rare", exponential, p, rate, 1e6, lowest=0.25, highest=4.0
    )
    instance, state = instance_of(environment)
    everything = allocation.Allocation(jnp.full(p.size, 1e6 / p.size))

    @jax.jit
    def succeeds(words):
        # All arms meet the same words; their thresholds are small.
        noise = jnp.concatenate([words, jnp.zeros(2, jnp.uint32)])
        noise = jnp.tile(noise, p.size)
        return jnp.isfinite(
            environment.game.step(noise, instance, state, everything)[1][0]
        )

    for arm, wanted in enumerate(p):
        found = realised(lambda words, arm=arm: succeeds(words)[arm])
        assert off(found, float(wanted)) <= 1e-3
        assert off(1 - found, 1 - Fraction(float(wanted))) <= 1e-3


def test_delays_of_a_table_are_as_rare_as_they_should_be():
    """Rare delays first, last and between common ones."""
    row = np.concatenate([RARE, [0.3], RARE, [0.0], RARE[1:]])
    row = np.append(row, 1 - row.sum())
    row = np.append(row, 0.0)
    row = row / row.sum()
    environment = farewell.make_environment("rare", row[None], np.ones((1, 1)))
    instance, state = instance_of(environment)
    longest = farewell.Action(jnp.int32(0), jnp.int32(row.size - 1))

    @jax.jit
    def delay(words):
        noise = jnp.concatenate([words, jnp.zeros(2, jnp.uint32)])
        return environment.game.step(noise, instance, state, longest)[1].time

    upto = [Fraction(0)]
    for d in range(1, row.size + 1):
        upto.append(realised(lambda words, d=d: delay(words) <= d))
    assert upto[-1] == 1
    for d, wanted in enumerate(row):
        found = upto[d + 1] - upto[d]
        assert found == 0 if wanted == 0 else off(found, float(wanted)) <= 1e-3, d


def test_values_of_a_discrete_law_are_as_rare_as_they_should_be():
    p = np.concatenate([RARE, [0.5], RARE])
    p = np.append(p, 1 - p.sum())
    params = discrete.exact(Discrete(np.arange(p.size, dtype=float)[None], p[None]))
    row = jax.tree.map(lambda x: jnp.asarray(x[0]), params)
    value = jax.jit(lambda words: discrete.sample(words, row))
    upto = [Fraction(0)]
    for v in range(p.size):
        upto.append(realised(lambda words, v=v: value(words) <= v))
    for v, wanted in enumerate(p):
        assert off(upto[v + 1] - upto[v], float(wanted)) <= 1e-3


@cache
def drawer(family, shape):
    return jax.jit(lambda w: family.sample(w, jnp.float32(1), shape))


@each_row("family, shape", [(exponential, None), (lomax, 1.1)])
@each_row("tail", RARE)
def test_thresholds_in_both_tails_are_as_rare_as_they_should_be(family, shape, tail):
    """P(X <= x) where it is `tail` and where it is 1 - `tail`."""
    words = family.words
    draw = drawer(family, shape)
    log_survival = np.log(tail)
    if shape is None:
        low, high = -np.log1p(-tail), -log_survival
    else:
        low = np.expm1(-np.log1p(-tail) / shape)
        high = np.expm1(-log_survival / shape)
    assert off(realised(lambda w: draw(w) <= low, words), tail) <= 1e-3
    assert off(1 - realised(lambda w: draw(w) <= high, words), tail) <= 1e-3


def test_the_mean_of_a_lomax_law_lies_in_its_tail():
    """By octaves of the upper tail: a fifth of the mean 10 lies beyond 2**-24."""
    draw = jax.jit(jax.vmap(lambda w: lomax.sample(w, jnp.float32(1), 1.1)))
    midpoints = (np.arange(256) + 0.5) / 256
    bits = 32 * lomax.words

    def mean_at(numbers):
        places = range(bits - 32, -1, -32)
        words = [[n >> place & ONES for place in places] for n in numbers]
        return np.asarray(draw(np.array(words, np.uint32)), np.float64).mean()

    total = 0.0
    for octave in range(1, bits):
        # Survivals in [2**-octave-1, 2**-octave), that is words near all ones.
        survival = [int((1 + x) * 2 ** (bits - octave - 1)) for x in midpoints]
        mean = mean_at([2**bits - 1 - s for s in survival])
        total += mean * 2.0 ** -(octave + 1)
    # The lower half of the numbers.
    total += mean_at([int(x * 2 ** (bits - 1)) for x in midpoints]) / 2
    assert abs(total / 10 - 1) <= 1e-3
