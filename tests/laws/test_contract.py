"""`check_law` passes every law of the package, and finds what is planted."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxbandits import laws
from jaxbandits.arrays import unit_interval
from jaxbandits.laws.thresholds import FAMILIES
from jaxbandits.testing import check_law
from tests.heavy import HEAVY, in_short
from tests.tables import assert_refused, each_row

pytestmark = pytest.mark.usefixtures("quickly")

A, B = np.array([0.8, 2.0]), np.array([0.3, 3.5])
P = np.array([0.3, 0.0])
UNIVARIATE = {
    "bernoulli": (laws.bernoulli, laws.Bernoulli(P)),
    "discrete": (
        laws.discrete,
        laws.Discrete(np.array([[0.1, 0.2, 1.0]]), np.array([[0.5, 0.25, 0.25]])),
    ),
    "uniform": (laws.uniform, laws.Uniform(P, P + 0.5)),
    "exponential": (laws.exponential, laws.Exponential(B)),
    "beta": (laws.beta, laws.Beta(A, B)),
    "gamma": (laws.gamma, laws.Gamma(A, B)),
    "log-normal": (laws.clipped_lognormal, laws.LogNormal(-A, B)),
    "Pareto": (laws.clipped_pareto, laws.Pareto(np.array([0.2, 0.1]), A)),
    "normal": (laws.normal, laws.Normal(np.array([0.3, -2.0]), A)),
}
RUNS = laws.empirical_params(np.array([[0.1, 0.5, 0.9]]), np.array([[0.3, 0.2, 2.0]]))
JOINT = {
    "product": (
        laws.product(laws.uniform, laws.exponential),
        laws.Product(laws.Uniform(P, P + 0.5), laws.Exponential(B)),
    ),
    "normal rewards": (
        laws.product(laws.normal, laws.exponential),
        laws.Product(laws.Normal(np.array([0.0, 0.9]), A), laws.Exponential(B)),
    ),
    "copula": (
        laws.gaussian_copula(laws.uniform, laws.exponential),
        laws.Copula(laws.Uniform(P, P + 0.5), laws.Exponential(B), np.array([0.7, -1])),
    ),
    "copula of tables": (
        laws.gaussian_copula(laws.beta, laws.gamma),
        laws.Copula(laws.Beta(A, B), laws.Gamma(B, A), np.array([0.7, -1])),
    ),
    "empirical": (laws.empirical, RUNS),
    "truncated Gaussian": (
        laws.truncated_gaussian,
        laws.truncated_gaussian_params([(0.6, 0.45)], [[(0.2, 0.1), (0.1, 0.2)]]),
    ),
}
SHAPES = {name: 1.7 if family.shaped else None for name, family in FAMILIES.items()}
THRESHOLDS = {
    name: (family, (np.array([1.2, 3.0]), SHAPES[name]))
    for name, family in FAMILIES.items()
}
ALL = UNIVARIATE | JOINT | {f"threshold {k}": v for k, v in THRESHOLDS.items()}


# Of one form with another; each has its own tests, and most univariate laws are held
# against SciPy's there, draw by draw.
ALIKE = UNIVARIATE.keys() - {"beta"} | {f"threshold {name}" for name in HEAVY}
ALIKE |= {"copula", "copula of tables", "normal rewards", "truncated Gaussian"}


@pytest.mark.parametrize("name", in_short(ALL, ALIKE))
def test_a_law_of_the_package_keeps_the_contract(name):
    check_law(*ALL[name], draws=5000)


EXPONENTIAL, RATE = laws.exponential, laws.Exponential(B)
WRONG = {
    "cdf": (EXPONENTIAL._replace(cdf=laws.uniform.cdf, quantile=None), "cdf"),
    "cdf of twice the rate": (
        EXPONENTIAL._replace(
            cdf=lambda p, x: laws.exponential.cdf(laws.Exponential(2 * p.rate), x),
            quantile=None,
        ),
        "the draws do not follow the cdf",
    ),
    "quantile": (
        EXPONENTIAL._replace(
            quantile=lambda p, q: 1.1 * laws.exponential.quantile(p, q)
        ),
        "the quantile at",
    ),
    "mean": (EXPONENTIAL._replace(mean=lambda p: 1.01 / p.rate), "the mean is"),
    "one mean": (
        EXPONENTIAL._replace(mean=lambda p: 1.0),
        r"mean must give f64\[K\], got 1",
    ),
    "support": (
        EXPONENTIAL._replace(support=lambda p: (np.asarray(0.0), np.asarray(1.0))),
        "above the support",
    ),
    "beyond the support": (
        EXPONENTIAL._replace(
            cdf=lambda p, x: (
                -np.expm1(-np.reshape(p.rate, (-1, *(1,) * np.ndim(x))) * x)
            )
        ),
        "the cdf beyond the support must be 0",
    ),
    "another law": (
        EXPONENTIAL._replace(exact=lambda p: laws.Exponential(2 * p.rate)),
        "exact must give parameters of the same law, and `mean`",
    ),
    "direction": (EXPONENTIAL._replace(monotone=-1), "not monotone"),
    "tail": (
        EXPONENTIAL._replace(
            sample=lambda w, p: -jnp.log1p(-unit_interval(w[0])) / p.rate
        ),
        "in the tail",
    ),
    "a slice beyond": (
        EXPONENTIAL._replace(
            sample=lambda w, p: -jnp.log(unit_interval(w)[1:3].mean()) / p.rate,
            monotone=0,
        ),
        "a draw reads beyond its noise, which has 2 words, at index 2",
    ),
    "a key of its own": (
        EXPONENTIAL._replace(
            sample=lambda w, p: jax.random.exponential(jax.random.key(0)) / p.rate,
            monotone=0,
        ),
        "a draw .* draws random numbers, .* not made of noise",
    ),
    "a word beyond": (
        EXPONENTIAL._replace(
            sample=lambda w, p: -jnp.log(unit_interval(jnp.take(w, 2))) / p.rate,
            monotone=0,
        ),
        "a draw: .* index 2 is out of bounds for axis 0 with size 2",
    ),
    "words for numbers": (
        EXPONENTIAL._replace(
            sample=lambda w, p: -jnp.log((w[0] + 0.5) / 2.0**32) / p.rate, monotone=0
        ),
        "a draw takes its noise for numbers",
    ),
    "mean beside a cdf": (
        EXPONENTIAL._replace(mean=lambda p: 1.01 / p.rate, quantile=None, monotone=0),
        "the mean is",
    ),
    "NaN": (EXPONENTIAL._replace(sample=lambda w, p: p.rate * jnp.nan), "not finite"),
    "a vector": (
        EXPONENTIAL._replace(sample=lambda w, p: unit_interval(w)),
        "must be a number",
    ),
    "an integer": (
        EXPONENTIAL._replace(sample=lambda u, p: jnp.int32(1)),
        "must be a float",
    ),
}


@each_row("name", WRONG)
def test_what_is_wrong_of_a_law_is_found(name):
    law, says = WRONG[name]
    params = laws.Uniform(P, P + 0.5) if name == "cdf" else RATE
    law = law._replace(check=lambda params: None)
    if name == "cdf":
        law = law._replace(
            sample=lambda w, p: unit_interval(w[0]), mean=lambda p: p.low + 0.5
        )
    with pytest.raises(AssertionError, match=says):
        check_law(law, params, draws=5000)


MALFORMED = {
    "words": ({"words": "2"}, "law.words must be an integer >= 0, got '2'"),
    "no sampler": ({"sample": None}, "law.sample must be a function, got None"),
    "no support": ({"support": None}, "law.support must be a function"),
    "direction": ({"monotone": 2}, "law.monotone must be one of"),
    "ends": ({"support": lambda p: 3}, "support must give two ends, lowest first"),
    "rows": ({"cdf": lambda p, x: 0.5}, r"cdf must give f64\[K, \.\.\.\], got 0.5"),
    "its own error": ({"mean": lambda p: p.scale}, "mean failed: AttributeError"),
    "a traced error": ({"sample": lambda w, p: p.scale}, "sample failed: AttributeErr"),
    "no error": ({"check": lambda p: False}, "check must give None, .*, got False"),
    "nothing exact": ({"exact": lambda p: None}, "exact: params must have one row"),
    "nothing drawn": ({"sample": lambda w, p: None}, "a draw must be a number, got No"),
}


@each_row("name", MALFORMED)
def test_what_is_no_law_is_said_by_name(name):
    change, says = MALFORMED[name]
    with pytest.raises((AssertionError, TypeError, ValueError), match=says):
        check_law(EXPONENTIAL._replace(**change), RATE, draws=100)


@each_row("params", [(), laws.Exponential(1.0), [1.0, 2.0]])
def test_parameters_must_have_a_row_per_arm(params):
    law = EXPONENTIAL._replace(check=lambda params: None)
    with pytest.raises(ValueError, match="params must have one row per arm in every"):
        check_law(law, params, draws=100)


GOOD, PARAMS = JOINT["product"]
OTHER = PARAMS._replace(reward=laws.Uniform(P, P + 0.6))


def planted(name):
    def sample(noise, params, arm):
        reward, consumption = GOOD.sample(noise, params, arm)
        if name == "reward":
            return reward + 0.5, consumption
        return (reward, -consumption) if name == "consumption" else (reward / 2, 0.1)

    return GOOD._replace(sample=sample)


@each_row(
    "law, says",
    [
        (planted("reward"), "a reward lies outside"),
        (planted("consumption"), "negative"),
        (GOOD._replace(means=lambda p: (A * 0 + 0.5, 1 / B)), "the mean reward is"),
        (GOOD._replace(highest=lambda p: np.ones(2)), "exceeds highest"),
        (
            GOOD._replace(supports=lambda p: ((P, P + 0.1), (0 * P, 9 + P))),
            "a reward lies outside supports",
        ),
        (
            GOOD._replace(moments=lambda *a: GOOD.moments(*a)._replace(cost=A)),
            "moments must give Moments",
        ),
        (
            GOOD._replace(moments=lambda p, *a: GOOD.moments(OTHER, *a)),
            "moments.reward below",
        ),
        (
            GOOD._replace(
                moments=lambda p, limits, cost: GOOD.moments(p, limits, cost)._replace(
                    cost=cost(1.0) * GOOD.moments(p, limits, lambda c: c).cost
                )
            ),
            r"moments.cost below .* \(of cost square\)",
        ),
    ],
)
def test_what_is_wrong_of_a_joint_law_is_found(law, says):
    with pytest.raises(AssertionError, match=says):
        check_law(law, PARAMS, draws=5000)


@each_row("name", ["exponential", "normal"])
def test_a_mean_is_compared_with_a_cdf_alone(name):
    law, params = UNIVARIATE[name]
    check_law(law._replace(quantile=None, monotone=0), params, draws=5000)


def test_a_mean_beside_an_atom_at_the_end():
    """Of most draws: their quantiles are one number."""
    scale = np.array([3.0, 300.0])
    clipped = EXPONENTIAL._replace(
        sample=lambda w, p: jnp.minimum(laws.exponential.sample(w, p), 1.0),
        mean=lambda p: -np.expm1(-p.rate) / p.rate,
        support=lambda p: (np.asarray(0.0), np.asarray(1.0)),
        cdf=lambda p, x: np.where(x >= 1, 1.0, laws.exponential.cdf(p, x)),
        quantile=None,
        monotone=0,
    )
    check_law(clipped, laws.Exponential(1 / scale), draws=5000)
    wrong = clipped._replace(mean=lambda p: -np.expm1(-1.05 * p.rate) / p.rate)
    with pytest.raises(AssertionError, match="the mean is"):
        check_law(wrong, laws.Exponential(1 / scale), draws=5000)


def test_events_rarer_than_a_draw():
    check_law(laws.bernoulli, laws.Bernoulli(np.array([1e-5, 1 - 1e-5])), draws=5000)


@pytest.mark.slow
def test_draws_that_float32_rounds_to_0():
    params = laws.Gamma(np.array([1e-3, 1e-2, 1.0]), np.array([1.0, 1.0, 1e38]))
    check_law(laws.gamma, params, draws=5000)


def test_a_mean_that_nobody_can_compare_is_said():
    alone = EXPONENTIAL._replace(cdf=None, quantile=None, monotone=0)
    with pytest.warns(UserWarning, match="the mean has not been compared"):
        check_law(alone, RATE, draws=5000)


def test_what_is_no_law_or_no_parameters_is_named():
    assert_refused(
        [
            (lambda: check_law(None, RATE), "^law must be"),
            (lambda: check_law(EXPONENTIAL, None), "^params must be"),
            (lambda: check_law(laws.thresholds.lomax, 0.5), "^params must be"),
        ],
        TypeError,
    )


@each_row(
    "told, scale, says",
    [
        (0.2, 1.0, "a reward lies farther than"),
        (1.0, 1.4, "the variance of rewards is"),
    ],
)
def test_noise_beyond_what_a_law_says_is_found(told, scale, says):
    law, params = JOINT["normal rewards"]
    params = params._replace(reward=laws.Normal(np.full(2, 0.5), np.full(2, scale)))
    with pytest.raises(AssertionError, match=says):
        check_law(law._replace(sigma=lambda p: told), params, draws=5000)
