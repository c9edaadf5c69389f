"""Univariate laws against SciPy's, and their samplers against the reference."""

from functools import cache
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats

from jaxbandits import laws
from tests.reference import laws as reference
from tests.reference.words import spell
from tests.tables import each_row

DRAWS = 1000


class Case(NamedTuple):
    law: laws.Law
    params: NamedTuple  # of two arms, float32 numbers
    exact: tuple  # SciPy's law of each arm
    sample: object  # reference: (noise, params of one arm) -> number
    rtol: float  # of the sampler in float32


def single(*x):
    """float32 numbers as float64, so that both precisions mean the same law."""
    return np.asarray(x, np.float32).astype(np.float64)


PROBABILITY = single(0.3, 0.85)
VALUES = single([0.0, 0.5, 1.0], [0.2, 0.4, 0.9])
WEIGHTS = np.array([[0.25, 0.5, 0.25], [0.125, 0.0, 0.875]])
LOW, HIGH = single(0.0, 0.25), single(1.0, 0.7)
RATE = single(1.8, 0.5)
A, B = single(0.8, 2.0), single(0.2, 3.5)

CASES = {
    "bernoulli": Case(
        laws.bernoulli,
        laws.Bernoulli(PROBABILITY),
        tuple(stats.bernoulli(p) for p in PROBABILITY),
        lambda u, p: reference.bernoulli(u, p.probability),
        0.0,
    ),
    "discrete": Case(
        laws.discrete,
        laws.Discrete(VALUES, WEIGHTS),
        tuple(
            stats.rv_discrete(values=pair) for pair in zip(VALUES, WEIGHTS, strict=True)
        ),
        lambda u, p: reference.discrete(u, p.values, p.probabilities),
        0.0,
    ),
    "uniform": Case(
        laws.uniform,
        laws.Uniform(LOW, HIGH),
        tuple(stats.uniform(a, b - a) for a, b in zip(LOW, HIGH, strict=True)),
        lambda u, p: p.low + u[0] * (p.high - p.low),
        5e-7,
    ),
    "exponential": Case(
        laws.exponential,
        laws.Exponential(RATE),
        tuple(stats.expon(scale=1 / rate) for rate in RATE),
        lambda u, p: reference.exponential(u, p.rate),
        5e-7,
    ),
    "beta": Case(
        laws.beta,
        laws.Beta(A, B),
        tuple(stats.beta(a, b) for a, b in zip(A, B, strict=True)),
        lambda u, p: reference.beta(u, p.a, p.b),
        np.inf,  # tests/kernels/test_gamma.py states its error
    ),
}
CONTINUOUS = ("uniform", "exponential", "beta")


@cache
def sampler(law):
    return jax.jit(jax.vmap(law.sample, (0, None)))


def draw(case, noise, arm):
    """All draws of one arm from noise [n, numbers].

    `DRAWS` are made of any noise, so that a law is compiled once.
    """
    params = jax.tree.map(lambda x: np.float32(x[arm]), case.params)
    words = np.resize(spell(noise, kinds(case)), (DRAWS, case.law.words))
    return np.asarray(sampler(case.law)(words, params))[: len(noise)]


def kinds(case):
    """What the words of a law stand for."""
    return "uuuu" if case.law is laws.beta else "n"


@each_row("name", CASES)
def test_means_are_scipys(name):
    case = CASES[name]
    expected = [law.mean() for law in case.exact]
    np.testing.assert_allclose(case.law.mean(case.params), expected, rtol=1e-12)
    assert case.law.mean(case.params).dtype == np.float64
    assert case.law.words == (4 if name == "beta" else 2)


@each_row("name", CONTINUOUS)
def test_cdf_and_quantile_are_scipys(name):
    case = CASES[name]
    assert case.law.atoms is None
    inside = np.linspace(0.01, 0.99, 12)
    for x in (0.3, inside, inside.reshape(3, 4), np.array([-1.0, 0.5, 50.0])):
        table = case.law.cdf(case.params, x)
        np.testing.assert_allclose(
            table, [law.cdf(x) for law in case.exact], rtol=1e-12
        )
        assert table.shape == (2, *np.shape(x))
    p = np.stack([inside, inside**2])
    expected = [law.ppf(row) for law, row in zip(case.exact, p, strict=True)]
    np.testing.assert_allclose(case.law.quantile(case.params, p), expected, rtol=1e-12)


@each_row("name", ["bernoulli", "discrete"])
def test_atoms_are_scipys(name):
    case = CASES[name]
    assert case.law.cdf is None and case.law.quantile is None
    values, probabilities = case.law.atoms(case.params)
    assert values.shape == probabilities.shape
    for arm, law in enumerate(case.exact):
        # rv_discrete and bernoulli agree on the mass at every value.
        np.testing.assert_allclose(law.pmf(values[arm]), probabilities[arm])
        assert np.sum(probabilities[arm]) == pytest.approx(1, abs=1e-15)


@pytest.mark.parametrize("name", CASES)
def test_sampler_equals_the_reference(name, tape):
    case = CASES[name]
    noise = tape(1000, len(kinds(case)))
    for arm in range(2):
        x = draw(case, noise, arm)
        assert x.dtype == np.float32
        one = jax.tree.map(lambda p, arm=arm: p[arm], case.params)
        truth = [case.sample(u, one) for u in noise.astype(float)]
        rtol, atol = (0, 3e-4) if name == "beta" else (case.rtol, 1e-12)
        np.testing.assert_allclose(x, truth, rtol=rtol, atol=atol)


@each_row("u", [2.0**-24, 1 - 2.0**-24])
def test_extreme_uniforms_stay_finite(u):
    for probability in (0.0, 1.0):
        arms = laws.Bernoulli(np.full(2, probability))
        sure = CASES["bernoulli"]._replace(params=arms)
        assert draw(sure, [[u]], 0) == probability
    for name, case in CASES.items():
        x = draw(case, np.full((1, len(kinds(case))), u), 0)
        assert np.isfinite(x) and x >= 0, name
        assert name == "exponential" or x <= 1, name


def test_weights_of_0_are_never_drawn():
    """Zero weights are never drawn, a rounding gap goes to the last value."""
    params = laws.Discrete(
        np.array([[1.0, 2.0, 3.0, 4.0]]), np.array([[0.0, 0.25, 0.0, 0.75 - 1e-6]])
    )
    case = CASES["discrete"]._replace(params=params)
    noise = np.array([2.0**-24, 0.25 - 2.0**-24, 0.25, 0.5, 1 - 2.0**-24])[:, None]
    np.testing.assert_array_equal(draw(case, noise, 0), [2, 2, 4, 4, 4])
    one_value = laws.Discrete(np.array([[0.6]]), np.array([[1.0]]))
    alone = CASES["discrete"]._replace(params=one_value)
    np.testing.assert_array_equal(draw(alone, noise, 0), np.float32(0.6))


@each_row("name", CASES)
def test_good_parameters_pass_and_supports_are_scipys(name):
    case = CASES[name]
    case.law.check(case.params)
    lowest, highest = case.law.support(case.params)
    expected = np.array([law.support() for law in case.exact])
    np.testing.assert_allclose(np.broadcast_to(lowest, 2), expected[:, 0], atol=1e-15)
    np.testing.assert_allclose(np.broadcast_to(highest, 2), expected[:, 1])


def array(*x):
    return np.asarray(x, np.float64)


def test_small_parameters_of_beta_are_allowed():
    laws.beta.check(laws.Beta(array(1e-4, 0.009, 5.0), array(1.0, 1e-6, 1e-3)))


@each_row("name", CASES)
def test_means_of_many_instances_and_traced_ones_are_the_same(name):
    """Leaves with leading axes, as the budgeted setting's instances have them."""
    case = CASES[name]
    batch = jax.tree.map(lambda x: np.stack([x, x[::-1], x]), case.params)
    mean = case.law.mean(case.params)
    expected = np.stack([mean, mean[::-1], mean])
    np.testing.assert_array_equal(case.law.mean(batch), expected)
    traced = jax.jit(case.law.mean)(jax.tree.map(jnp.float32, case.params))
    assert traced.dtype == np.float32
    np.testing.assert_allclose(traced, mean, rtol=1e-6)


HALVES = array([0.5, 0.5])


@each_row(
    "law, params, words",
    [
        (laws.bernoulli, laws.Bernoulli(array(0.5, 1.5)), "probability must be"),
        (laws.bernoulli, laws.Bernoulli(array(-0.1)), "probability must be"),
        (laws.discrete, laws.Discrete(HALVES[0], HALVES[0]), "one shape"),
        (laws.discrete, laws.Discrete(HALVES, HALVES[:, :1]), "one shape"),
        (laws.discrete, laws.Discrete(HALVES * np.inf, HALVES), "values must be fin"),
        (laws.discrete, laws.Discrete(HALVES, array([1.5, -0.5])), "probabilities"),
        (laws.discrete, laws.Discrete(HALVES, array([0.5, 0.49])), "sum to 1"),
        (laws.uniform, laws.Uniform(array(0.5), array(0.5)), "low must lie below"),
        (laws.uniform, laws.Uniform(array(0.0), array(np.inf)), "high must be finite"),
        (laws.uniform, laws.Uniform(array(np.nan), array(1.0)), "low must be finite"),
        (laws.exponential, laws.Exponential(array(1.0, 0.0)), "rate"),
        (laws.exponential, laws.Exponential(array(np.inf)), "rate"),
        (laws.beta, laws.Beta(array(0.0), array(1.0)), "a must be at least 1.19"),
        (laws.beta, laws.Beta(array(1.0), array(-1.0)), "b must be at least 1.19"),
        (laws.beta, laws.Beta(array(np.inf), array(1.0)), "a must"),
        (laws.beta, laws.Beta(array(1.0), array(1e-9)), "b must be at least 1.19"),
    ],
)
def test_bad_parameters_are_refused(law, params, words):
    with pytest.raises(ValueError, match=words):
        law.check(params)
