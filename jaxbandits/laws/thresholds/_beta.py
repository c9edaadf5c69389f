"""Beta thresholds on [0, 1]; the rate is the second shape.

`beta_shaped` has a known first shape; `beta_one` is Beta(1, rate), G(x) = 1 - (1 - x)
** rate, with closed forms. An amount of 1 or more always suffices. Rates are at least
1: for smaller ones the density increases at 1, and water-filling is not valid.

The surrogate scale of Beta(a, .) is ``B(a, rate) / B(a, other)``, B the beta function:
the slope ``x**(a-1) (1-x)**(rate-1) / B(a, other)`` has Property iii.
"""

import jax.numpy as jnp
import numpy as np
from jax import Array, lax
from jax.scipy.special import betainc, betaln, xlog1py, xlogy

from jaxbandits.arrays import log_survival, unit_interval
from jaxbandits.kernels.bisection import bisect
from jaxbandits.kernels.gamma import beta_from_uniforms_small
from jaxbandits.laws.thresholds.threshold import LEAST, Threshold, checked

LOG_NEAREST = -60.0  # log of the least distance from the mode that counts as not 0


def _inside(x: Array) -> Array:
    """x in [0, 1]."""
    return jnp.clip(x, 0.0, 1.0)


def _inner(x: Array) -> Array:
    """x in (0, 1), where logarithms are finite."""
    return jnp.clip(x, LEAST, 1 - jnp.finfo(jnp.result_type(float)).eps)


def _cdf(x: Array, rate: Array, shape: Array) -> Array:
    return betainc(shape, rate, _inside(x))


def _log_pdf(x: Array, rate: Array, shape: Array) -> Array:
    x = _inner(x)
    return xlogy(shape - 1, x) + xlog1py(rate - 1, -x) - betaln(shape, rate)


def _truncated_mean(x: Array, rate: Array, shape: Array) -> Array:
    above = betainc(shape + 1, rate, _inside(x))
    mean = shape / (shape + rate)
    return mean * above / jnp.maximum(_cdf(x, rate, shape), LEAST)


def _mode(rate: Array, shape: Array) -> Array:
    """Mode of the density: 0 if it decreases, 1 if it increases."""
    spread = jnp.where(shape + rate > 2, shape + rate - 2, 1.0)
    return jnp.where(shape > 1, jnp.clip((shape - 1) / spread, 0.0, 1.0), 0.0)


def _log_height(rate: Array, shape: Array) -> Array:
    """Log density at the mode if it is in (0, 1), else ``log rate`` as reference."""
    return jnp.where(
        shape > 1, _log_pdf(_mode(rate, shape), rate, shape), jnp.log(rate)
    )


def _fall(drop: Array, rate: Array, shape: Array) -> Array:
    target = _log_height(rate, shape) - drop
    mode = _mode(rate, shape)

    def at(log_excess):
        return mode + (1 - mode) * jnp.exp(log_excess)

    def before(log_excess):
        return _log_pdf(at(log_excess), rate, shape) > target

    low = jnp.full_like(target, LOG_NEAREST)
    x = lax.stop_gradient(at(bisect(before, low, jnp.zeros_like(low))))
    # One Newton step adds the derivative, which bisection lacks.
    inner = _inner(x)
    slope = (shape - 1) / inner - (rate - 1) / (1 - inner)
    step = (target - _log_pdf(inner, rate, shape)) / jnp.where(slope < 0, slope, -1.0)
    return _inside(jnp.where((drop > 0) & (slope < 0), inner + step, x))


def _scale(rate: Array, other: Array, shape: Array) -> Array:
    return jnp.exp(betaln(shape, rate) - betaln(shape, other))


beta_shaped = Threshold(
    "beta",
    True,
    _cdf,
    _log_pdf,
    lambda x, rate, shape: jnp.log(jnp.maximum(_cdf(x, rate, shape), LEAST)),
    _truncated_mean,
    scale=_scale,
    sample=lambda noise, rate, shape: beta_from_uniforms_small(
        unit_interval(noise), shape, rate
    ),
    log_height=_log_height,
    fall=_fall,
    concave=lambda shape: np.asarray(shape) <= 1,
    bounded=lambda shape: np.asarray(shape) >= 1,
    words=4,
    least_rate=1.0,
    sharpness=lambda shape: np.sqrt(np.maximum(shape, 1.0)),
)


def _cdf_one(x: Array, rate: Array, shape: Array | None = None) -> Array:
    return -jnp.expm1(xlog1py(rate, -_inner(x))) * (x > 0)


def _log_pdf_one(x: Array, rate: Array, shape: Array | None = None) -> Array:
    return jnp.log(rate) + xlog1py(rate - 1, -_inner(x))


def _truncated_mean_one(x: Array, rate: Array, shape: Array | None = None) -> Array:
    """``E[X; X <= x] = (1 - (1 - x)**(r + 1)) / (r + 1) - x (1 - x)**r``."""
    x = _inside(x)
    log_rest = jnp.log1p(-_inner(x))
    reached = -jnp.expm1((rate + 1) * log_rest) / (rate + 1)
    kept = reached - x * jnp.exp(rate * log_rest)
    mean = kept / jnp.maximum(_cdf_one(x, rate), LEAST)
    # The difference cancels for small x, where the density is nearly linear.
    c = rate - 1
    small = jnp.maximum(c, 1.0) * x < 0.02
    u = jnp.where(small, x, 0.0)
    return jnp.where(small, u * (0.5 - u * c / 12 * (1 + u / 2)), mean)


def _fall_one(drop: Array, rate: Array, shape: Array | None = None) -> Array:
    steep = rate - 1
    fraction = jnp.maximum(drop, 0.0) / jnp.where(steep > 0, steep, 1.0)
    # The marginal value of a uniform law is constant: it takes all of [0, 1] at once.
    return jnp.where(steep > 0, -jnp.expm1(-fraction), (drop > 0) * 1.0)


beta_one = Threshold(
    "beta(1, rate)",
    False,
    _cdf_one,
    _log_pdf_one,
    lambda x, rate, shape=None: jnp.log(jnp.maximum(_cdf_one(x, rate), LEAST)),
    _truncated_mean_one,
    scale=lambda rate, other, shape=None: other / rate,
    sample=lambda noise, rate, shape=None: -jnp.expm1(log_survival(*noise) / rate),
    log_height=lambda rate, shape=None: jnp.log(rate),
    fall=_fall_one,
    concave=lambda shape: np.asarray(True),
    bounded=lambda shape: np.asarray(True),
    least_rate=1.0,
)
beta_shaped, beta_one = checked(beta_shaped), checked(beta_one)
