"""Univariate laws against SciPy's, and their samplers against the reference."""

from functools import cache
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats

from jaxbandits import laws
from jaxbandits.laws.law import of_arm
from tests.heavy import float64_in_long, in_short
from tests.kernels.checks import (
    assert_frequency,
    assert_law,
    assert_mean,
    assert_transforms_agree,
)
from tests.reference import laws as reference
from tests.reference.words import spell

DRAWS = 50_000


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
ATOMIC = ("bernoulli", "discrete")


@cache
def sampler(law):
    """Compiled once per precision."""
    return jax.jit(jax.vmap(law.sample, (0, None)))


def draw(case, noise, arm, dtype=np.float32):
    """All draws of one arm from noise [n, numbers].

    `DRAWS` are made of any noise, so that a law is compiled once.
    """
    params = jax.tree.map(lambda x: jnp.asarray(x[arm], dtype), case.params)
    words = np.resize(spell(noise, kinds(case)), (DRAWS, case.law.words))
    return np.asarray(sampler(case.law)(words, params))[: len(noise)]


def kinds(case):
    """What the words of a law stand for."""
    return "uuuu" if case.law is laws.beta else "n"


@pytest.mark.parametrize("name", CASES)
def test_mean(name):
    case = CASES[name]
    expected = [law.mean() for law in case.exact]
    np.testing.assert_allclose(case.law.mean(case.params), expected, rtol=1e-12)
    assert case.law.mean(case.params).dtype == np.float64
    assert case.law.words == (4 if name == "beta" else 2)


@pytest.mark.parametrize("name", CONTINUOUS)
def test_cdf_and_quantile(name):
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


@pytest.mark.parametrize("name", ATOMIC)
def test_atoms(name):
    case = CASES[name]
    assert case.law.cdf is None and case.law.quantile is None
    values, probabilities = case.law.atoms(case.params)
    assert values.shape == probabilities.shape
    for arm, law in enumerate(case.exact):
        # rv_discrete and bernoulli agree on the mass at every value.
        np.testing.assert_allclose(law.pmf(values[arm]), probabilities[arm])
        assert np.sum(probabilities[arm]) == pytest.approx(1, abs=1e-15)


@float64_in_long
@pytest.mark.parametrize("arm", [0, 1])
@pytest.mark.parametrize("name", CASES)
def test_sampler_equals_the_reference(name, arm, dtype, tape):
    case = CASES[name]
    noise = tape(1000, len(kinds(case)))
    x = draw(case, noise, arm, dtype)
    assert x.dtype == dtype
    one = jax.tree.map(lambda p: p[arm], case.params)
    truth = [case.sample(u, one) for u in noise.astype(float)]
    rtol, atol = case.rtol, 3e-4 if name == "beta" else 1e-12
    if name == "beta":
        rtol = 0
    elif dtype == np.float64:
        rtol = 1e-14
    np.testing.assert_allclose(x, truth, rtol=rtol, atol=atol)


@pytest.mark.parametrize("arm", [0, 1])
@pytest.mark.parametrize("name", CASES)
def test_draws_follow_the_law(name, arm, tape):
    case = CASES[name]
    x = draw(case, tape(DRAWS, len(kinds(case))), arm)
    assert_mean(x, case.law.mean(case.params)[arm])
    if name in CONTINUOUS:
        assert_law(x, case.exact[arm].cdf)
    else:
        for value, mass in zip(
            *(t[arm] for t in case.law.atoms(case.params)), strict=1
        ):
            assert_frequency(np.sum(x == np.float32(value)), mass, DRAWS)


@pytest.mark.parametrize("name", in_short(CASES, {"beta"}))
def test_transforms(name, words):
    case = CASES[name]

    def sample(noise, arm):
        return case.law.sample(
            noise, of_arm(jax.tree.map(jnp.float32, case.params), arm)
        )

    arms = np.array([0, 1] * 4, np.int32)
    rtol = 1e-4 if name == "beta" else 5e-7
    assert_transforms_agree(sample, words(8, case.law.words), arms, rtol=rtol)


@float64_in_long
@pytest.mark.parametrize("u", [2.0**-24, 1 - 2.0**-24])
def test_extreme_uniforms(u, dtype):
    for probability in (0.0, 1.0):
        sure = CASES["bernoulli"]._replace(
            params=laws.Bernoulli(np.full(2, probability))
        )
        assert draw(sure, [[u]], 0, dtype) == probability
    for name, case in CASES.items():
        x = draw(case, np.full((1, len(kinds(case))), u), 0, dtype)
        assert np.isfinite(x) and x >= 0
        assert name == "exponential" or x <= 1


@float64_in_long
def test_discrete_bins(dtype):
    """Zero weights are never drawn, a rounding gap goes to the last value."""
    params = laws.Discrete(
        np.array([[1.0, 2.0, 3.0, 4.0]]), np.array([[0.0, 0.25, 0.0, 0.75 - 1e-6]])
    )
    case = CASES["discrete"]._replace(params=params)
    noise = np.array([2.0**-24, 0.25 - 2.0**-24, 0.25, 0.5, 1 - 2.0**-24])[:, None]
    np.testing.assert_array_equal(draw(case, noise, 0, dtype), [2, 2, 4, 4, 4])
    one_value = laws.Discrete(np.array([[0.6]]), np.array([[1.0]]))
    alone = CASES["discrete"]._replace(params=one_value)
    np.testing.assert_array_equal(draw(alone, noise, 0, dtype), dtype(0.6))


@pytest.mark.parametrize("name", CASES)
def test_good_parameters_pass_and_supports(name):
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


@pytest.mark.parametrize("name", CASES)
def test_means_of_many_instances_and_traced(name):
    """Leaves with leading axes, as the budgeted setting's instances have them."""
    case = CASES[name]
    batch = jax.tree.map(lambda x: np.stack([x, x[::-1], x]), case.params)
    mean = case.law.mean(case.params)
    expected = np.stack([mean, mean[::-1], mean])
    np.testing.assert_array_equal(case.law.mean(batch), expected)
    traced = jax.jit(case.law.mean)(jax.tree.map(jnp.float32, case.params))
    assert traced.dtype == np.float32
    np.testing.assert_allclose(traced, mean, rtol=1e-6)


@pytest.mark.parametrize("name", CASES)
def test_monotone_laws_are_monotone(name, tape):
    """What a copula relies on: the direction of a draw in its number."""
    case = CASES[name]
    if case.law.monotone == 0:
        assert case.law.words > 2
        return
    assert case.law.words == 2
    x = draw(case, np.sort(tape(1000, 1), axis=0), 0)
    assert np.all(np.diff(x) * case.law.monotone >= 0)
    assert x[0] != x[-1]


HALVES = array([0.5, 0.5])


@pytest.mark.parametrize(
    "law, params, words",
    [
        (laws.bernoulli, laws.Bernoulli(array(0.5, 1.5)), "probability must be"),
        (laws.bernoulli, laws.Bernoulli(array(-0.1)), "probability must be"),
        (laws.bernoulli, laws.Bernoulli(array(np.nan)), "probability must be"),
        (laws.discrete, laws.Discrete(HALVES[0], HALVES[0]), "one shape"),
        (laws.discrete, laws.Discrete(HALVES, HALVES[:, :1]), "one shape"),
        (
            laws.discrete,
            laws.Discrete(HALVES * np.inf, HALVES),
            "values must be finite",
        ),
        (laws.discrete, laws.Discrete(HALVES, array([1.5, -0.5])), "probabilities"),
        (laws.discrete, laws.Discrete(HALVES, array([0.5, np.nan])), "probabilities"),
        (laws.discrete, laws.Discrete(HALVES, array([0.5, 0.49])), "sum to 1"),
        (laws.uniform, laws.Uniform(array(0.5), array(0.5)), "low must lie below"),
        (laws.uniform, laws.Uniform(array(0.0), array(np.inf)), "high must be finite"),
        (laws.uniform, laws.Uniform(array(np.nan), array(1.0)), "low must be finite"),
        (laws.exponential, laws.Exponential(array(1.0, 0.0)), "rate"),
        (laws.exponential, laws.Exponential(array(-1.0)), "rate"),
        (laws.exponential, laws.Exponential(array(np.nan)), "rate"),
        (laws.exponential, laws.Exponential(array(np.inf)), "rate"),
        (laws.beta, laws.Beta(array(0.0), array(1.0)), "a must be positive and finite"),
        (
            laws.beta,
            laws.Beta(array(1.0), array(-1.0)),
            "b must be positive and finite",
        ),
        (
            laws.beta,
            laws.Beta(array(1.0), array(np.nan)),
            "b must be positive and finite",
        ),
        (laws.beta, laws.Beta(array(np.inf), array(1.0)), "a must"),
        (laws.beta, laws.Beta(array(1.0), array(1e-9)), "b must be at least 1.19"),
    ],
)
def test_bad_parameters_are_refused(law, params, words):
    with pytest.raises(ValueError, match=words):
        law.check(params)
