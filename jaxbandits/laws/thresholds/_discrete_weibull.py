"""Discrete Weibull thresholds on 1, 2, ...: G(x) = 1 - exp(-(rate floor(x)) ** k).

This models the number of impressions before a click (appendix A.2). A draw is a Weibull
variate rounded up, which has exactly this distribution function.
"""

import jax.numpy as jnp
import numpy as np
from jax import Array

from jaxbandits.laws.thresholds.generalised_gamma import weibull
from jaxbandits.laws.thresholds.threshold import LEAST, Threshold, checked
from jaxbandits.protocol import Noise

MOST = 1e26  # minus the least log probability: sums of a million are finite
LOG_LEAST = -40.0  # log v, below which 1 - exp(-v) is v


def _cdf(x: Array, rate: Array, shape: Array) -> Array:
    return weibull.cdf(jnp.floor(x), rate, shape)


def _log_pdf(x: Array, rate: Array, shape: Array) -> Array:
    """Log probability of floor(x), from the survival before and at it."""
    whole = jnp.maximum(jnp.floor(x), 1.0)
    before = jnp.minimum((rate * (whole - 1)) ** shape, MOST)
    # In logarithms, small probabilities stay above 0 and large numbers stay finite.
    log_step = shape * jnp.log(rate) + jnp.log(whole**shape - (whole - 1) ** shape)
    step = jnp.exp(jnp.clip(log_step, LOG_LEAST, -LOG_LEAST))
    small = log_step < LOG_LEAST
    return -before + jnp.where(small, log_step, jnp.log(-jnp.expm1(-step)))


def _log_cdf(x: Array, rate: Array, shape: Array) -> Array:
    return weibull.log_cdf(jnp.maximum(jnp.floor(x), 1.0), rate, shape)


LARGEST = 64  # terms of the truncated mean; beyond, thresholds count as this


def _truncated_mean(x: Array, rate: Array, shape: Array) -> Array:
    """``E[X; X <= x] = sum_{j=0}^{x-1} (P(X > j) - P(X > x))``, over G(x)."""
    x = jnp.clip(jnp.floor(x), 1.0, LARGEST)
    full = jnp.exp(-((rate * x) ** shape))
    total = jnp.zeros_like(full)
    for j in range(LARGEST):
        survival = jnp.exp(-((rate * j) ** shape))
        total = total + jnp.where(j < x, survival - full, 0.0)
    return total / jnp.maximum(_cdf(x, rate, shape), LEAST)


def _sample(noise: Noise, rate: Array, shape: Array) -> Array:
    return jnp.maximum(jnp.ceil(weibull.sample(noise, rate, shape)), 1.0)


discrete_weibull = Threshold(
    "discrete Weibull",
    True,
    _cdf,
    _log_pdf,
    _log_cdf,
    _truncated_mean,
    scale=weibull.scale,
    sample=_sample,
    log_height=None,
    fall=None,
    concave=lambda shape: np.asarray(shape) <= 1,
    bounded=lambda shape: np.ones(np.shape(shape), bool),
    integer=True,
    sharpness=np.asarray,
)
discrete_weibull = checked(discrete_weibull)
