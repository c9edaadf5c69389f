"""Univariate laws: Bernoulli, discrete, uniform, exponential, Beta, Gamma, normal."""

from collections.abc import Callable
from typing import Annotated, Any, NamedTuple

import jax.numpy as jnp
import numpy as np
import scipy
from jax import Array

from jaxbandits.arrays import (
    Bound,
    below,
    bound,
    log_survival,
    smaller_side,
    unit_interval,
)
from jaxbandits.arrays.words import cumulative_bounds
from jaxbandits.checks import (
    Numbers,
    Range,
    in_unit_interval,
    multiplied,
    non_negative,
    numbers,
    played,
    positive,
)
from jaxbandits.kernels.gamma import beta_from_uniforms_small
from jaxbandits.kernels.normal import normal_score
from jaxbandits.laws._tabulated import tabulated
from jaxbandits.laws.law import Law, Positives, Reals, checked, ranged
from jaxbandits.protocol import Noise


class Bernoulli(NamedTuple):
    """probability: f64[K] in [0, 1]; bound: its integer form, set by `exact_params`."""

    probability: Annotated[Array | np.ndarray, in_unit_interval]
    bound: Bound | None = None


class Discrete(NamedTuple):
    """Finitely many values: f64[K, n], with probabilities f64[K, n] that sum to 1.

    Values should increase if the law is to be part of a copula. bounds: cumulative
    probabilities in integers, [K, n], set by `exact_params`.
    """

    values: Reals
    probabilities: Annotated[Array | np.ndarray, non_negative]
    bounds: Bound | None = None


class Uniform(NamedTuple):
    """Ends of the interval, f64[K] each."""

    low: Reals
    high: Reals


class Exponential(NamedTuple):
    """rate: f64[K] > 0, one over the mean."""

    rate: Positives


# Least shape of a Beta law: with a smaller one, all draws of 23 bits lie at one end.
LEAST_SHAPE = 2.0**-23
_at_least_shape = Range(
    f"at least {LEAST_SHAPE:g} and finite: with less, all draws would lie at one end",
    lambda x: x >= LEAST_SHAPE,
)
Shape = Annotated[Array | np.ndarray, _at_least_shape, played]


class Beta(NamedTuple):
    """Shape parameters, f64[K] >= 2**-23 each. Draws below 1e-15 are set to that."""

    a: Shape
    b: Shape


class Gamma(NamedTuple):
    """Shape f64[K] > 0 and rate f64[K] > 0: the mean is ``shape / rate``."""

    shape: Positives
    rate: Positives


class Normal(NamedTuple):
    """Means f64[K] and standard deviations f64[K] > 0."""

    mean: Reals
    deviation: Annotated[Array | np.ndarray, positive, multiplied]


def _column(x: np.ndarray, like: Numbers) -> np.ndarray:
    """Parameters f64[K] against points of any shape: f64[K, 1, ...]."""
    return np.reshape(x, (-1, *(1,) * np.ndim(like)))


def _bernoulli_sample(noise: Noise, params: Bernoulli) -> Array:
    limit = params.bound or bound(params.probability)
    return below(noise[0], noise[1], limit).astype(float)


def _bernoulli_atoms(params: Bernoulli) -> tuple[np.ndarray, np.ndarray]:
    p = np.asarray(params.probability, np.float64)
    return np.broadcast_to([0.0, 1.0], (p.size, 2)), np.stack([1 - p, p], axis=1)


def _discrete_sample(noise: Noise, params: Discrete) -> Array:
    """The first value whose cumulative probability exceeds the uniform number."""
    upper = params.bounds or bound(jnp.cumsum(params.probabilities))
    under = below(noise[0], noise[1], upper)
    # The last value also covers the gap that rounding leaves below probability 1.
    under = under | (jnp.arange(under.shape[0]) == under.shape[0] - 1)
    before = jnp.concatenate([jnp.zeros_like(under[:1]), under[:-1]])
    return jnp.sum(jnp.where(under & ~before, params.values, 0.0))


def _uniform_sample(noise: Noise, params: Uniform) -> Array:
    distance, upper = smaller_side(*noise)
    step = distance * (params.high - params.low)
    return jnp.where(upper, params.high - step, params.low + step)


def _located(
    cdf: Callable[..., np.ndarray],
    quantile: Callable[..., np.ndarray],
    *columns: Callable[[Any], np.ndarray],
) -> dict[str, Any]:
    """Host cdf and quantile of a family with a location and a scale.

    They are given for location 0 and scale 1, of the shapes and a point. `columns` are
    the shapes, the location and the scale as functions of the parameters.
    """

    def host_cdf(params, x):
        *shapes, location, scale = (_column(c(params), x) for c in columns)
        return cdf(*shapes, (x - location) / scale)

    def host_quantile(params, p):
        *shapes, location, scale = (np.reshape(c(params), (-1, 1)) for c in columns)
        p = np.where((p >= 0) & (p <= 1), p, np.nan)
        return quantile(*shapes, p) * scale + location

    return {"cdf": host_cdf, "quantile": host_quantile}


def _check_discrete(params: Discrete) -> None:
    ranged(Discrete, axes=2)(params)
    values = numbers("values", params.values)
    probabilities = numbers("probabilities", params.probabilities)
    if values.shape != probabilities.shape or values.size == 0:
        raise ValueError(
            "values and probabilities must be tables of one shape [K, n], got shapes "
            f"{values.shape} and {probabilities.shape}"
        )
    if not np.allclose(probabilities.sum(axis=1), 1, rtol=0, atol=1e-6):
        raise ValueError(
            f"probabilities must sum to 1, got {probabilities.sum(axis=1)}"
        )


def _check_uniform(params: Uniform) -> None:
    ranged(Uniform)(params)
    low, high = numbers("low", params.low), numbers("high", params.high)
    if not np.all(low < high):
        raise ValueError(f"low must lie below high, got {low} and {high}")
    played(**{"high - low": high - low})


def _constant(
    low: float, high: float
) -> Callable[[Any], tuple[np.ndarray, np.ndarray]]:
    """A support that does not depend on the parameters."""
    return lambda params: (np.asarray(low), np.asarray(high))


def _bernoulli_support(params: Bernoulli) -> tuple[np.ndarray, np.ndarray]:
    probability = np.asarray(params.probability)
    return (probability == 1).astype(float), (probability > 0).astype(float)


def _discrete_support(params: Discrete) -> tuple[np.ndarray, np.ndarray]:
    values, possible = np.asarray(params.values), np.asarray(params.probabilities) > 0
    low, high = (np.where(possible, values, beyond) for beyond in (np.inf, -np.inf))
    return low.min(axis=1), high.max(axis=1)


bernoulli = Law(
    "Bernoulli",
    2,
    _bernoulli_sample,
    ranged(Bernoulli),
    mean=lambda p: p.probability,
    support=_bernoulli_support,
    atoms=_bernoulli_atoms,
    monotone=-1,
    exact=lambda p: p._replace(bound=bound(np.asarray(p.probability, np.float64))),
)
discrete = Law(
    "discrete",
    2,
    _discrete_sample,
    _check_discrete,
    mean=lambda p: (p.values * p.probabilities).sum(axis=-1),
    support=_discrete_support,
    atoms=lambda p: (np.asarray(p.values), np.asarray(p.probabilities)),
    monotone=1,
    exact=lambda p: p._replace(bounds=cumulative_bounds(p.probabilities)),
)
uniform = Law(
    "uniform",
    2,
    _uniform_sample,
    _check_uniform,
    mean=lambda p: (p.low + p.high) / 2,
    support=lambda p: (np.asarray(p.low), np.asarray(p.high)),
    monotone=1,
    **_located(
        lambda x: np.clip(x, 0.0, 1.0),
        lambda p: p,
        lambda p: p.low,
        lambda p: np.subtract(p.high, p.low),
    ),
)
exponential = Law(
    "exponential",
    2,
    lambda noise, p: -log_survival(*noise) / p.rate,
    ranged(Exponential),
    mean=lambda p: 1 / p.rate,
    support=_constant(0.0, np.inf),
    monotone=1,
    **_located(
        lambda x: -scipy.special.expm1(-np.maximum(x, 0.0)),
        lambda p: -scipy.special.log1p(-p),
        lambda p: np.zeros_like(p.rate),
        lambda p: 1 / np.asarray(p.rate),
    ),
)
beta = Law(
    "Beta",
    4,
    lambda noise, p: beta_from_uniforms_small(unit_interval(noise), p.a, p.b),
    ranged(Beta),
    mean=lambda p: p.a / (p.a + p.b),
    support=_constant(0.0, 1.0),
    cdf=lambda p, x: scipy.special.betainc(
        _column(p.a, x), _column(p.b, x), np.clip(x, 0.0, 1.0)
    ),
    quantile=lambda p, q: scipy.special.betaincinv(
        np.reshape(p.a, (-1, 1)), np.reshape(p.b, (-1, 1)), q
    ),
)
gamma = tabulated(
    Law(
        "Gamma",
        2,
        lambda noise, p: jnp.full((), jnp.nan),  # the table's is taken
        ranged(Gamma),
        mean=lambda p: p.shape / p.rate,
        support=_constant(0.0, np.inf),
        **_located(
            lambda shape, x: scipy.special.gammainc(shape, np.maximum(x, 0.0)),
            lambda shape, p: scipy.special.gammaincinv(shape, p),
            lambda p: p.shape,
            lambda p: np.zeros_like(p.rate),
            lambda p: 1 / np.asarray(p.rate),
        ),
    )
)
normal = Law(
    "normal",
    2,
    lambda noise, p: p.mean + p.deviation * normal_score(*noise),
    ranged(Normal),
    mean=lambda p: p.mean,
    support=_constant(-np.inf, np.inf),
    monotone=1,
    sigma=lambda p: np.asarray(p.deviation, np.float64),
    **_located(
        lambda x: scipy.special.ndtr(x),
        lambda p: scipy.special.ndtri(p),
        lambda p: p.mean,
        lambda p: p.deviation,
    ),
)
uniform, exponential, beta, gamma, normal = map(
    checked, (uniform, exponential, beta, gamma, normal)
)
