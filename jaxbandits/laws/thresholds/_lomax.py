"""Lomax thresholds of known tail index: G(x) = 1 - (1 + rate x) ** -shape.

Not of exponential form in the rate; with ``s = other / rate`` the slope
``shape other (1 + rate x) ** -(shape + 1)`` has Property iii of Assumption 4.4.
"""

import jax.numpy as jnp
import numpy as np
from jax import Array

from jaxbandits.arrays import log_survival
from jaxbandits.laws.thresholds.threshold import LEAST, Threshold, checked


def _cdf(x: Array, rate: Array, shape: Array) -> Array:
    return -jnp.expm1(-shape * jnp.log1p(rate * x))


def _log_pdf(x: Array, rate: Array, shape: Array) -> Array:
    return jnp.log(shape * rate) - (shape + 1) * jnp.log1p(rate * x)


def _log_cdf(x: Array, rate: Array, shape: Array) -> Array:
    return jnp.log(jnp.maximum(_cdf(x, rate, shape), LEAST))


def _truncated_mean(x: Array, rate: Array, shape: Array) -> Array:
    """``E[X; X <= x] = E[min(X, x)] - x P(X > x)``, over G(x)."""
    log_one = jnp.log1p(rate * x)
    less = shape - 1
    # E[min(X, x)] = (1 - (1 + rate x)**(1 - shape)) / (rate (shape - 1)).
    near = jnp.abs(less * log_one) < 1e-4
    safe = jnp.where(near, 1.0, less)
    reached = jnp.where(
        near, log_one * (1 - less * log_one / 2), -jnp.expm1(-less * log_one) / safe
    )
    kept = reached / rate - x * jnp.exp(-shape * log_one)
    mean = kept / jnp.maximum(_cdf(x, rate, shape), LEAST)
    # The difference cancels for small x, where there is a series in v = rate x.
    c, v = shape + 1, jnp.where((shape + 1) * rate * x < 0.05, rate * x, 0.0)
    cubic = c * (c * c / 720 - c / 360 - 1 / 40)
    series = x * (0.5 + v * (-c / 12 + v * (c / 24 + v * cubic)))
    return jnp.where(v > 0, series, mean)


lomax = Threshold(
    "Lomax",
    True,
    _cdf,
    _log_pdf,
    _log_cdf,
    _truncated_mean,
    scale=lambda rate, other, shape: other / rate,
    # Four words: with a tail index near 1 the mean lies in the tail, at 1.1 a tenth of
    # it in probabilities below 2**-32 and 2 % below 2**-64.
    sample=lambda noise, rate, shape: jnp.expm1(-log_survival(*noise) / shape) / rate,
    words=4,
    hazard=lambda low, high, rate, shape: (
        shape * jnp.log1p(rate * (high - low) / (1 + rate * low))
    ),
    log_height=lambda rate, shape: jnp.log(shape * rate),
    fall=lambda drop, rate, shape: (
        jnp.expm1(jnp.maximum(drop, 0.0) / (shape + 1)) / rate
    ),
    concave=lambda shape: np.ones(np.shape(shape), bool),
    bounded=lambda shape: np.ones(np.shape(shape), bool),
    falling_hazard=lambda shape: np.ones(np.shape(shape), bool),
)
lomax = checked(lomax)
