"""Univariate laws against SciPy's: means, distribution functions, draws."""

import warnings
from functools import cache
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import integrate, stats

from jaxbandits import budgeted, laws
from jaxbandits.laws.law import exact_params
from tests.reference import laws as reference
from tests.reference.words import spell
from tests.tables import assert_refused, each_row, in_both_precisions

DRAWS = 1000


class Case(NamedTuple):
    """A law with parameters of some arms; SciPy's law of each, before a clip at 1."""

    law: laws.Law
    params: Any
    exact: tuple
    clipped: bool = False

    def of_all(self, name, *points):
        """What SciPy's laws give, clipped."""
        rows = [getattr(law, name)(*points) for law in self.exact]
        if not self.clipped:
            return np.array(rows)
        if name == "cdf":
            return np.where(np.asarray(points[0]) >= 1, 1.0, rows)
        return np.minimum(rows, 1.0)


def single(*x):
    """float32 numbers as float64, so that both precisions mean the same law."""
    return np.asarray(x, np.float32).astype(np.float64)


def laws_of(law, *columns, **named):
    """SciPy's law of every arm."""
    columns, names = list(columns), list(named)
    rows = zip(*columns, *named.values(), strict=True)
    place = len(columns)
    return tuple(
        law(*row[:place], **dict(zip(names, row[place:], strict=True))) for row in rows
    )


P = single(0.3, 0.85)
VALUES = single([0.0, 0.5, 1.0], [0.2, 0.4, 0.9])
WEIGHTS = np.array([[0.25, 0.5, 0.25], [0.125, 0.0, 0.875]])
LOW, HIGH, RATE = single(0.0, 0.25), single(1.0, 0.7), single(1.8, 0.5)
A, B = single(0.8, 2.0), single(0.2, 3.5)
MEAN, DEVIATION = single(0.25, -3.0), single(2.0, 0.5)
LOCATION, SCALE = single(-1.5, -3.0, 0.0, 1.0, -0.7), single(1.0, 2.5, 0.3, 2.0, 0.01)
LEAST = single(0.05, 0.3, 0.001, 0.9, 0.2, 0.2)
INDEX = single(1.5, 0.2, 0.7, 3.0, 1 + 1e-4, 1.0)
CASES = {
    "bernoulli": Case(laws.bernoulli, laws.Bernoulli(P), laws_of(stats.bernoulli, P)),
    "discrete": Case(
        laws.discrete,
        laws.Discrete(VALUES, WEIGHTS),
        laws_of(stats.rv_discrete, values=zip(VALUES, WEIGHTS, strict=True)),
    ),
    "uniform": Case(
        laws.uniform, laws.Uniform(LOW, HIGH), laws_of(stats.uniform, LOW, HIGH - LOW)
    ),
    "exponential": Case(
        laws.exponential, laws.Exponential(RATE), laws_of(stats.expon, scale=1 / RATE)
    ),
    "beta": Case(laws.beta, laws.Beta(A, B), laws_of(stats.beta, A, B)),
    "gamma": Case(
        laws.gamma, laws.Gamma(A, RATE), laws_of(stats.gamma, A, scale=1 / RATE)
    ),
    "normal": Case(
        laws.normal, laws.Normal(MEAN, DEVIATION), laws_of(stats.norm, MEAN, DEVIATION)
    ),
    "log-normal": Case(
        laws.clipped_lognormal,
        laws.LogNormal(LOCATION, SCALE),
        laws_of(stats.lognorm, SCALE, scale=np.exp(LOCATION)),
        clipped=True,
    ),
    "Pareto": Case(
        laws.clipped_pareto,
        laws.Pareto(LEAST, INDEX),
        laws_of(stats.pareto, INDEX, scale=LEAST),
        clipped=True,
    ),
}


def clipped_mean(exact):
    """``E[min(X, 1)]`` as the integral of P(X > x) over [0, 1]."""
    knots = [x for x in exact.ppf([0, 0.01, 0.5, 0.99]) if 0 < x < 1]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", integrate.IntegrationWarning)
        options = {"limit": 500, "epsabs": 1e-13, "epsrel": 1e-13}
        return integrate.quad(exact.sf, 0, 1, points=knots, **options)[0]


@each_row("name", CASES)
def test_means_and_supports_are_scipys(name):
    case = CASES[name]
    case.law.check(case.params)
    mean = case.law.mean(case.params)
    expected = [clipped_mean(x) if case.clipped else x.mean() for x in case.exact]
    np.testing.assert_allclose(mean, expected, rtol=1e-10)
    assert mean.dtype == np.float64 and case.law.words == (4 if name == "beta" else 2)
    for ours, theirs in zip(
        case.law.support(case.params), case.of_all("support").T, strict=True
    ):
        ours = np.broadcast_to(ours, len(case.exact))
        np.testing.assert_allclose(ours, theirs, atol=1e-15)
    # Leaves with leading axes, as the budgeted setting's instances have them.
    batch = jax.tree.map(lambda x: np.stack([x, x[::-1]]), case.params)
    wanted = np.stack([mean, mean[::-1]])
    np.testing.assert_array_equal(case.law.mean(batch), wanted)
    traced = jax.jit(case.law.mean)(jax.tree.map(jnp.float32, case.params))
    assert traced.dtype == np.float32
    np.testing.assert_allclose(traced, mean, rtol=3e-6)


@each_row("name", CASES)
def test_atoms_or_cdf_and_quantile_are_scipys(name):
    case, inside = CASES[name], np.linspace(0.01, 0.99, 12)
    if case.law.atoms is not None:
        assert case.law.cdf is None and case.law.quantile is None
        for values, masses, exact in zip(
            *case.law.atoms(case.params), case.exact, strict=True
        ):
            np.testing.assert_allclose(exact.pmf(values), masses)
        return
    for x in (0.3, inside, inside.reshape(3, 4), np.array([-1.0, 0.0, 1.0, 50.0])):
        table = case.law.cdf(case.params, np.asarray(x))
        np.testing.assert_allclose(table, case.of_all("cdf", x), rtol=1e-12, atol=0)
        assert table.shape == (len(case.exact), *np.shape(x))
    table = case.law.quantile(case.params, np.tile(inside, (len(case.exact), 1)))
    np.testing.assert_allclose(table, case.of_all("ppf", inside), rtol=1e-12)


@cache
def sampler(law):
    return jax.jit(jax.vmap(law.sample, (0, None)))


def draw(case, noise, arm):
    """All draws of one arm from noise [n, numbers].

    `DRAWS` are made of any noise, so that a law is compiled once.
    """
    kinds = "uuuu" if case.law is laws.beta else "n"
    params = (
        exact_params(case.law, case.params) if case.law is laws.gamma else case.params
    )
    params = jax.tree.map(lambda x: np.float32(x[arm]), params)
    words = np.resize(spell(noise, kinds), (DRAWS, case.law.words))
    x = np.asarray(sampler(case.law)(words, params))[: len(noise)]
    assert x.dtype == np.float32
    return x


@pytest.mark.parametrize("name", CASES)
def test_draws_are_the_quantiles_of_their_numbers(name, tape):
    """Of Beta, whose draws take two numbers, those of the reference."""
    case = CASES[name]
    noise = tape(500, 4 if name == "beta" else 1).astype(float)
    for arm, exact in enumerate(case.exact[:2]):
        x = draw(case, noise, arm)
        if name == "beta":
            truth = [reference.beta(u, A[arm], B[arm]) for u in noise]
            np.testing.assert_allclose(x, truth, atol=3e-4)
            continue
        u = noise[:, 0] if case.law.monotone > 0 else 1 - noise[:, 0]
        truth = np.minimum(exact.ppf(u), 1.0 if case.clipped else np.inf)
        # The score's error of 1e-6 is stretched by the scale.
        np.testing.assert_allclose(x, truth, rtol=3e-5, atol=3e-6)


@each_row("u", [2.0**-24, 1 - 2.0**-24])
def test_extreme_uniforms_stay_finite(u):
    for probability in (0.0, 1.0):
        arms = laws.Bernoulli(np.full(2, probability))
        sure = CASES["bernoulli"]._replace(params=arms)
        assert draw(sure, [[u]], 0) == probability
    for name, case in CASES.items():
        x = draw(case, np.full((1, 4 if name == "beta" else 1), u), 0)
        assert np.isfinite(x) and (x >= 0 or name == "normal"), name
        assert x <= 1 or name in ("exponential", "gamma", "normal"), name


def test_weights_of_0_are_never_drawn():
    """Zero weights are never drawn, a rounding gap goes to the last value."""
    params = laws.Discrete(
        np.array([[1.0, 2.0, 3.0, 4.0]]), np.array([[0.0, 0.25, 0.0, 0.75 - 1e-6]])
    )
    case = CASES["discrete"]._replace(params=params)
    noise = np.array([2.0**-24, 0.25 - 2.0**-24, 0.25, 0.5, 1 - 2.0**-24])[:, None]
    np.testing.assert_array_equal(draw(case, noise, 0), [2, 2, 4, 4, 4])


@in_both_precisions
def test_the_mean_of_pareto_is_smooth_in_its_index(dtype):
    """At 1 it is m (1 - log m); nothing is lost beside it."""
    step = np.array([0.0, 1e-15, 1e-12, 1e-9, 1e-6, 1e-4])
    index = np.concatenate([1 - step, 1 + step]).astype(dtype)
    params = laws.Pareto(np.full(index.size, 0.25, dtype), index)
    # The derivative in the index is -m log(m)**2 / 2.
    log_least, excess = np.log(0.25), index.astype(float) - 1
    slope, third = -(log_least**2) / 2 * excess, log_least**3 / 6 * excess**2
    expected = 0.25 * (1 - log_least + slope - third)
    on_device = jax.jit(laws.clipped_pareto.mean)(jax.tree.map(jnp.asarray, params))
    rtol = 1e-6 if dtype == np.float32 else 1e-11
    for mean in (laws.clipped_pareto.mean(params), on_device):
        np.testing.assert_allclose(mean, expected, rtol=rtol)


def test_products_with_clipped_laws_have_moments():
    """The censored setting's integrals, atom included."""
    law = laws.product(laws.bernoulli, laws.clipped_pareto)
    pareto = laws.Pareto(LEAST[:1], INDEX[:1])
    params = laws.Product(laws.Bernoulli(np.full(1, 0.5)), pareto)
    moments = law.moments(params, np.array([0.4, 1.0]), lambda x: x)
    exact = CASES["Pareto"].exact[0]
    np.testing.assert_allclose(moments.probability, [[exact.cdf(0.4), 1]], rtol=1e-12)
    mean = laws.clipped_pareto.mean(pareto)
    np.testing.assert_allclose(moments.cost[:, 1], mean, rtol=1e-7)
    np.testing.assert_array_equal(law.highest(params), 1.0)


HALVES, UNITS = np.full((1, 2), 0.5), laws.Uniform(np.zeros(2), np.ones(2))
# A law, its parameters for one arm, and the name of what is wrong.
WRONG = [
    (laws.bernoulli, laws.Bernoulli(1.5), "probability must be"),
    (laws.bernoulli, laws.Bernoulli(-0.1), "probability must be"),
    (laws.uniform, laws.Uniform(0.5, 0.5), "low must lie below"),
    (laws.uniform, laws.Uniform(0.0, np.inf), "high must be finite"),
    (laws.uniform, laws.Uniform(np.nan, 1.0), "low must be finite"),
    (laws.exponential, laws.Exponential(0.0), "rate must be positive"),
    (laws.exponential, laws.Exponential(np.inf), "rate must be positive"),
    (laws.beta, laws.Beta(0.0, 1.0), "a must be at least 1.19"),
    (laws.beta, laws.Beta(1.0, 1e-9), "b must be at least 1.19"),
    (laws.beta, laws.Beta(np.inf, 1.0), "a must"),
    (laws.gamma, laws.Gamma(0.0, 1.0), "shape must be positive"),
    (laws.gamma, laws.Gamma(1.0, 1e-60), "rate must be 0 or of a size"),
    (laws.normal, laws.Normal(np.inf, 1.0), "mean must be finite"),
    (laws.normal, laws.Normal(1e39, 1.0), "mean must be 0 or of a size in"),
    (laws.normal, laws.Normal(0.5, 0.0), "deviation must be positive"),
    (laws.clipped_lognormal, laws.LogNormal(0.0, 0.0), "scale must be"),
    (laws.clipped_lognormal, laws.LogNormal(np.nan, 1.0), "location must be"),
    (laws.clipped_pareto, laws.Pareto(0.1, 0.0), "index must be"),
    (laws.clipped_pareto, laws.Pareto(0.0, 1.0), "least must be"),
    (laws.clipped_pareto, laws.Pareto(1.0, 1.0), "least must be"),
    (laws.beta, laws.Gamma(1.0, 1.0), "params must be a Beta"),
]


def test_bad_parameters_are_refused():
    laws.beta.check(laws.Beta(np.array([1e-4, 5.0]), np.array([1e-6, 1e-3])))
    rows = [
        (lambda law=law, p=p: law.check(jax.tree.map(lambda x: np.array([x]), p)), says)
        for law, p, says in WRONG
    ]
    rows += [
        (lambda p=p: laws.discrete.check(laws.Discrete(*p)), says)
        for p, says in (
            ((0.5, 0.5), "one row of numbers per arm"),
            ((HALVES, HALVES[:, :1]), "one shape"),
            ((HALVES * np.inf, HALVES), "values must be finite"),
            ((HALVES, [[1.5, -0.5]]), "probabilities must be >= 0"),
            ((HALVES, [[0.5, 0.49]]), "sum to 1"),
        )
    ]
    assert_refused(rows)


def test_who_needs_rewards_in_the_unit_interval_refuses_normal_ones():
    rewards = laws.product(laws.normal, laws.uniform)
    within = laws.Normal(np.full(2, 0.5), DEVIATION)
    np.testing.assert_array_equal(rewards.sigma(laws.Product(within, UNITS)), DEVIATION)
    above, below = (
        within._replace(mean=np.array([0.5, 1.1])),
        laws.Normal(MEAN, SCALE[:2]),
    )
    costs = laws.product(laws.uniform, laws.normal)
    assert_refused(
        [
            (
                lambda: rewards.check(laws.Product(above, UNITS)),
                "the reward law must have its means in",
            ),
            (lambda: costs.check(laws.Product(UNITS, below)), "the consumption law"),
            (
                lambda: laws.gaussian_copula(laws.normal, laws.uniform),
                "^reward: a copula needs rewards in",
            ),
            (
                lambda: budgeted.make_environment(
                    "normal", rewards, laws.Product(within, UNITS)
                ),
                "law: the rewards of normal x uniform do not",
            ),
        ]
    )
