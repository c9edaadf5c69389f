"""Clipped heavy tails: exact means against quadrature, samplers against the cdf."""

import warnings
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import integrate, stats

from jaxbandits import laws
from tests.reference.words import spell
from tests.tables import each_row, in_both_precisions


class Case(NamedTuple):
    law: laws.Law
    params: NamedTuple
    exact: tuple  # SciPy's law before clipping, of each arm


def column(*x):
    """float32 numbers as float64, so that both precisions mean the same law."""
    return np.asarray(x, np.float32).astype(np.float64)


LOCATION = column(-1.5, -3.0, 0.0, 1.0, -0.7, -8.0)
SCALE = column(1.0, 2.5, 0.3, 2.0, 0.01, 0.5)
LEAST = column(0.05, 0.3, 0.001, 0.9, 0.2, 0.2, 0.01)
INDEX = column(1.5, 0.2, 0.7, 3.0, 1 + 1e-4, 1.0, 40.0)
CASES = {
    "log-normal": Case(
        laws.clipped_lognormal,
        laws.LogNormal(LOCATION, SCALE),
        tuple(
            stats.lognorm(s, scale=np.exp(m))
            for m, s in zip(LOCATION, SCALE, strict=True)
        ),
    ),
    "Pareto": Case(
        laws.clipped_pareto,
        laws.Pareto(LEAST, INDEX),
        tuple(stats.pareto(a, scale=m) for m, a in zip(LEAST, INDEX, strict=True)),
    ),
}


def mean_by_quadrature(exact):
    """``E[min(X, 1)]`` as the integral of P(X > x) over [0, 1]."""
    knots = [x for x in exact.ppf([0, 0.01, 0.5, 0.99]) if 0 < x < 1]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", integrate.IntegrationWarning)
        mean, _ = integrate.quad(
            exact.sf, 0, 1, points=knots, limit=500, epsabs=1e-13, epsrel=1e-13
        )
    return mean


@each_row("name", CASES)
def test_means_are_those_of_quadrature(name):
    case = CASES[name]
    mean = case.law.mean(case.params)
    assert mean.dtype == np.float64
    expected = [mean_by_quadrature(exact) for exact in case.exact]
    np.testing.assert_allclose(mean, expected, rtol=1e-10)
    assert np.all((mean > 0) & (mean < 1))


@each_row("name", CASES)
def test_means_of_many_instances_and_traced_ones_are_the_same(name):
    case = CASES[name]
    mean = case.law.mean(case.params)
    batch = jax.tree.map(lambda x: np.stack([x, x[::-1]]), case.params)
    np.testing.assert_array_equal(
        case.law.mean(batch), np.stack([mean, mean[::-1]]), strict=True
    )
    traced = jax.jit(case.law.mean)(jax.tree.map(jnp.float32, case.params))
    assert traced.dtype == np.float32
    np.testing.assert_allclose(traced, mean, rtol=3e-6)


@in_both_precisions
def test_the_mean_of_pareto_is_smooth_in_its_index(dtype):
    """At 1 it is m (1 - log m); nothing is lost beside it."""
    step = np.array([0.0, 1e-15, 1e-12, 1e-9, 1e-6, 1e-4])
    index = np.concatenate([1 - step, 1 + step]).astype(dtype)
    params = laws.Pareto(np.full(index.size, 0.25, dtype), index)
    rtol = 1e-6 if dtype == np.float32 else 1e-14
    # The derivative in the index is -m log(m)**2 / 2.
    log_least = np.log(0.25)
    slope = -(log_least**2) / 2 * (index.astype(float) - 1)
    third = log_least**3 / 6 * (index.astype(float) - 1) ** 2
    expected = 0.25 * (1 - log_least + slope - third)
    on_device = jax.jit(laws.clipped_pareto.mean)(jax.tree.map(jnp.asarray, params))
    for mean in (laws.clipped_pareto.mean(params), on_device):
        np.testing.assert_allclose(mean, expected, rtol=max(rtol, 1e-11))


@each_row("name", CASES)
def test_cdf_and_quantile_are_scipys_below_the_clip(name):
    case = CASES[name]
    case.law.check(case.params)
    inside = np.linspace(0.01, 0.99, 12)
    for x in (0.3, inside, inside.reshape(3, 4), np.array([0.0, 0.99, 1.0, 7.0])):
        expected = [np.where(x >= 1, 1.0, exact.cdf(x)) for exact in case.exact]
        table = case.law.cdf(case.params, np.asarray(x))
        np.testing.assert_allclose(table, expected, rtol=1e-12)
        assert table.shape == (len(case.exact), *np.shape(x))
    p = np.tile(inside, (len(case.exact), 1))
    quantile = case.law.quantile(case.params, p)
    expected = [np.minimum(e.ppf(row), 1) for e, row in zip(case.exact, p, strict=True)]
    np.testing.assert_allclose(quantile, expected, rtol=1e-12)
    lowest, highest = case.law.support(case.params)
    np.testing.assert_array_equal(highest, 1.0)
    np.testing.assert_array_equal(lowest, LEAST if name == "Pareto" else 0.0)


@each_row("name", CASES)
def test_samplers_are_the_quantile_function(name):
    case, u = CASES[name], np.array([2.0**-24, 0.5, 1 - 2.0**-24])
    quantiles = case.law.quantile(case.params, np.tile(u, (len(case.exact), 1)))
    params = jax.tree.map(np.float32, case.params)
    draws = jax.jit(jax.vmap(jax.vmap(case.law.sample, (0, None)), (None, 0)))
    x = np.asarray(draws(spell(u[:, None], "n"), params))
    assert x.dtype == np.float32 and np.all(x <= 1)
    # The score's error of 1e-6 is stretched by the scale.
    np.testing.assert_allclose(x, quantiles, rtol=2e-5)
    assert case.law.monotone == 1 and case.law.words == 2


def test_products_with_clipped_laws_have_moments(reward="Pareto"):
    """The censored setting's integrals, atom included."""
    case, n = CASES[reward], 1
    columns = jax.tree.map(lambda x: x[:n], case.params)
    law = laws.product(laws.bernoulli, case.law)
    params = laws.Product(laws.Bernoulli(np.full(n, 0.5)), columns)
    law.check(params)
    limits = np.array([0.4, 1.0])
    moments = law.moments(params, limits, lambda x: x)
    np.testing.assert_allclose(moments.probability[:, 1], 1)
    below = [exact.cdf(0.4) for exact in case.exact[:n]]
    np.testing.assert_allclose(moments.probability[:, 0], below, rtol=1e-12)
    np.testing.assert_allclose(
        moments.cost[:, 1], case.law.mean(columns), rtol=1e-7, atol=1e-9
    )
    np.testing.assert_array_equal(law.highest(params), 1.0)


@each_row(
    "law, params, words",
    [
        (laws.clipped_lognormal, laws.LogNormal(0.0, 0.0), "scale"),
        (laws.clipped_lognormal, laws.LogNormal(0.0, np.inf), "scale"),
        (laws.clipped_lognormal, laws.LogNormal(np.nan, 1.0), "location"),
        (laws.clipped_pareto, laws.Pareto(0.1, 0.0), "index"),
        (laws.clipped_pareto, laws.Pareto(0.1, np.inf), "index"),
        (laws.clipped_pareto, laws.Pareto(0.0, 1.0), "least"),
        (laws.clipped_pareto, laws.Pareto(1.0, 1.0), "least"),
    ],
)
def test_bad_parameters_are_refused(law, params, words):
    with pytest.raises(ValueError, match=words):
        law.check(jax.tree.map(lambda x: np.array([x]), params))
