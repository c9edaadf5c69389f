"""Univariate laws: Bernoulli, discrete, uniform, exponential, Beta."""

from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
from scipy import stats

from jaxbandits.kernels.gamma import beta_from_uniforms_small
from jaxbandits.laws.law import Law


class Bernoulli(NamedTuple):
    """probability: f64[K] in [0, 1]."""

    probability: np.ndarray


class Discrete(NamedTuple):
    """Finitely many values: f64[K, n], with probabilities f64[K, n] that sum to 1."""

    values: np.ndarray
    probabilities: np.ndarray


class Uniform(NamedTuple):
    """Ends of the interval, f64[K] each."""

    low: np.ndarray
    high: np.ndarray


class Exponential(NamedTuple):
    """rate: f64[K] > 0, one over the mean."""

    rate: np.ndarray


class Beta(NamedTuple):
    """Shape parameters, f64[K] > 0 each; float32-safe from 0.01 upwards."""

    a: np.ndarray
    b: np.ndarray


def _column(x, like):
    """Parameters f64[K] against points of any shape: f64[K, 1, ...]."""
    return np.reshape(x, (-1, *(1,) * np.ndim(like)))


def _bernoulli_sample(noise, params):
    return (noise[0] < params.probability).astype(noise.dtype)


def _bernoulli_atoms(params):
    p = np.asarray(params.probability, np.float64)
    return np.broadcast_to([0.0, 1.0], (p.size, 2)), np.stack([1 - p, p], axis=1)


def _discrete_sample(noise, params):
    """The first value whose cumulative probability exceeds the uniform."""
    upper = jnp.cumsum(params.probabilities)
    # The last bin takes what rounding leaves above the last cumulative probability.
    upper = jnp.where(jnp.arange(upper.shape[0]) == upper.shape[0] - 1, 2.0, upper)
    lower = jnp.concatenate([jnp.zeros_like(upper[:1]), upper[:-1]])
    hit = (noise[0] >= lower) & (noise[0] < upper)
    return jnp.sum(jnp.where(hit, params.values, 0.0))


def _discrete_mean(params):
    return np.sum(np.asarray(params.values) * np.asarray(params.probabilities), axis=1)


def _exponential_sample(noise, params):
    return -jnp.log1p(-noise[0]) / params.rate


def _frozen(family, *columns):
    """Host cdf and pdf of a SciPy family with parameters as functions of ours."""

    def cdf(params, x):
        return family.cdf(x, *(_column(c(params), x) for c in columns))

    def pdf(params, x):
        return family.pdf(x, *(_column(c(params), x) for c in columns))

    return {"cdf": cdf, "pdf": pdf}


bernoulli = Law(
    "Bernoulli",
    1,
    _bernoulli_sample,
    lambda params: np.asarray(params.probability, np.float64),
    atoms=_bernoulli_atoms,
)
discrete = Law(
    "discrete",
    1,
    _discrete_sample,
    _discrete_mean,
    atoms=lambda params: (np.asarray(params.values), np.asarray(params.probabilities)),
)
uniform = Law(
    "uniform",
    1,
    lambda noise, params: params.low + noise[0] * (params.high - params.low),
    lambda params: (np.asarray(params.low) + np.asarray(params.high)) / 2,
    **_frozen(stats.uniform, lambda p: p.low, lambda p: np.subtract(p.high, p.low)),
)
exponential = Law(
    "exponential",
    1,
    _exponential_sample,
    lambda params: 1 / np.asarray(params.rate, np.float64),
    **_frozen(
        stats.expon, lambda p: np.zeros_like(p.rate), lambda p: 1 / np.asarray(p.rate)
    ),
)
beta = Law(
    "Beta",
    4,
    lambda noise, params: beta_from_uniforms_small(noise, params.a, params.b),
    lambda params: np.asarray(params.a) / (np.asarray(params.a) + np.asarray(params.b)),
    **_frozen(stats.beta, lambda p: p.a, lambda p: p.b),
)
