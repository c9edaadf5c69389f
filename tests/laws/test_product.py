"""Independent products: moments in closed form, the order of the uniforms."""

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats

from jaxbandits import laws
from tests.reference import exact
from tests.reference import laws as reference
from tests.reference.words import spell
from tests.tables import assert_refused, each_row

LIMITS = np.linspace(0.1, 0.9, 10)
A, B = np.full(3, 0.8), np.array([0.2, 0.3, 0.3])  # Indep, appendix E.2
INDEP = laws.Product(laws.Beta(A, B), laws.Exponential(A / (A + B) + 1))
BOTH = laws.product(laws.beta, laws.exponential)
sample = jax.jit(jax.vmap(BOTH.sample, (0, None, None)))


def cost(x):
    return x / 10


def jumping_cost(x):
    return np.where(x <= 0.37, 0.1 * x, 0.7 * x)


def test_moments_of_indep_are_those_of_quadrature():
    moments = BOTH.moments(INDEP, LIMITS, cost)
    assert all(table.shape == (3, 10) for table in moments)
    for arm in range(3):
        law = exact.BetaTimesExponential(A[arm], B[arm], INDEP.consumption.rate[arm])
        within = [law.within(tau) for tau in LIMITS]
        gain = [law.gain(tau, cost) for tau in LIMITS]
        np.testing.assert_allclose(moments.probability[arm], within, atol=1e-12)
        ours = moments.reward[arm] - moments.cost[arm]
        np.testing.assert_allclose(ours, gain, atol=1e-11)


@each_row("function", [cost, jumping_cost, np.ones_like])
def test_moments_of_atoms_are_sums(function):
    values = np.array([[0.1, 0.5, 0.95], [0.0, 0.2, 0.9]])
    weights = np.array([[0.2, 0.3, 0.5], [0.6, 0.3, 0.1]])
    reward = laws.Bernoulli(np.array([0.3, 0.6]))
    params = laws.Product(reward, laws.Discrete(values, weights))
    law = laws.product(laws.bernoulli, laws.discrete)
    moments = law.moments(params, LIMITS, function)
    for arm, (m, tau) in itertools.product(range(2), enumerate(LIMITS)):
        inside = values[arm] <= tau  # a consumption equal to the limit is within it
        mass = weights[arm] @ inside
        assert moments.probability[arm, m] == pytest.approx(mass, abs=1e-15)
        mean = reward.probability[arm]
        assert moments.reward[arm, m] == pytest.approx(mean * mass, abs=1e-15)
        expected = weights[arm] @ (function(values[arm]) * inside)
        assert moments.cost[arm, m] == pytest.approx(expected, abs=1e-15)


def test_moments_of_a_density_that_jumps_by_hand():
    low, high = np.array([0.2, 0.0]), np.array([0.55, 1.0])
    params = laws.Product(laws.Bernoulli(np.array([0.5, 1.0])), laws.Uniform(low, high))
    law = laws.product(laws.bernoulli, laws.uniform)
    moments = law.moments(params, LIMITS, cost)
    low, high = low[:, None], high[:, None]
    inside = np.clip(LIMITS, low, high)
    within = (inside - low) / (high - low)
    costs = (inside**2 - low**2) / (20 * (high - low))
    np.testing.assert_allclose(moments.probability, within, atol=1e-12)
    np.testing.assert_allclose(moments.cost, costs, atol=1e-11)
    np.testing.assert_allclose(moments.reward, [[0.5], [1.0]] * within, atol=1e-12)


def test_the_rewards_words_come_first(tape):
    assert BOTH.words == 6
    noise = tape(500, 5)
    params = jax.tree.map(jnp.float32, INDEP)
    words = spell(noise, "uuuun")
    reward, consumption = sample(words, params, jnp.int32(1))
    rate = INDEP.consumption.rate[1]
    truth = [
        reference.product(
            u,
            lambda v: reference.beta(v, 0.8, 0.3),
            lambda v: reference.exponential(v, rate),
            4,
        )
        for u in noise.astype(float)
    ]
    np.testing.assert_allclose(reward, [r for r, _ in truth], atol=3e-4)
    np.testing.assert_allclose(consumption, [c for _, c in truth], rtol=1e-6)


def test_products_are_values():
    assert BOTH is laws.product(laws.beta, laws.exponential)
    assert BOTH.name == "Beta x exponential"


def test_moments_of_a_density_that_is_infinite_at_a_limit_are_finite():
    # Beta(., 0.3) has an infinite density at 1, where a literal grid ends.
    law = laws.product(laws.beta, laws.beta)
    reward = laws.Beta(np.ones(1), np.ones(1))
    params = laws.Product(reward, laws.Beta(np.array([0.03]), np.array([0.3])))
    moments = law.moments(params, np.array([0.5, 1.0]), lambda x: x / 10)
    mean = 0.03 / 0.33
    assert moments.cost[0, 1] == pytest.approx(mean / 10, abs=1e-10)
    assert moments.probability[0, 1] == 1
    # E[C 1{C <= tau}] = mean * F(tau; a + 1, b) for a Beta law.
    below = stats.beta.cdf(0.5, 1.03, 0.3)
    assert moments.cost[0, 0] == pytest.approx(mean * below / 10, abs=1e-10)


def test_parameters_and_supports_of_both_laws_are_checked():
    BOTH.check(INDEP)
    two, steps = (
        laws.product(laws.uniform, laws.uniform),
        laws.product(*[laws.discrete] * 2),
    )

    def of(law, reward, consumption):
        """Laws between two ends each, of one arm."""
        if law is two:
            pair = [laws.Uniform(*np.array(x)[:, None]) for x in (reward, consumption)]
        else:
            half = np.full((1, 2), 0.5)
            pair = [laws.Discrete(np.array([x]), half) for x in (reward, consumption)]
        return lambda: law.check(laws.Product(*pair))

    rates, shapes = laws.Exponential(-A), laws.Beta(-A, B)
    rows = [
        (lambda: BOTH.check(INDEP._replace(consumption=rates)), "^consumption: rate"),
        (lambda: BOTH.check(INDEP._replace(reward=shapes)), "^reward: a must be"),
    ]
    for law in (two, steps):
        rows += [
            (of(law, (-0.1, 1.0), (0.0, 1.0)), "the reward law"),
            (of(law, (0.0, 1.1), (0.0, 1.0)), "the reward law"),
            (of(law, (0.0, 1.0), (-0.1, 1.0)), "the consumption law"),
        ]
    assert_refused(rows)
