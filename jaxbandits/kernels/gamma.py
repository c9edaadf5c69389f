"""Gamma and Beta variates at a fixed cost, as functions of uniforms.

``jax.random.gamma`` is a rejection loop: in a batch, all runs wait for the slowest one.
Here a gamma variate is computed by its quantile function, a correction of the
Wilson-Hilferty cube-root normal approximation: with ``s = 1 / sqrt(shape)``,

    G = shape * (1 + s * w(z, s)) ** 3,        z a standard normal score,

where ``w`` is smooth on the whole strip ``shape >= 1`` and is stored as a polynomial.
The distribution function of the result is within `GAMMA_CDF_ERROR` of the exact one
(tests/kernels/test_gamma.py measures it), invisible in fewer than 1e8 draws. In float32
the rounding of the result adds up to ``1e-7 * sqrt(shape)``, which shows from 1e5 on.
"""

from functools import cache

import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.typing import ArrayLike
from jaxtyping import Float, Real
from numpy.polynomial import chebyshev

from jaxbandits.arrays.real import Floats, Reals, alike, real
from jaxbandits.checks import kinds
from jaxbandits.kernels.normal import normal_quantile

GAMMA_CDF_ERROR = 5e-5  # stated bound, for every shape >= 1
BETA_LEAST = 1e-15  # smaller Beta variates are set to this
SCORES = 5.6  # |z| of the most extreme uniform of the tape is 5.29
DEGREE_SCORE, DEGREE_SHAPE = 16, 6  # numbers of coefficients


@cache
def _coefficients() -> np.ndarray:
    """Coefficients of ``w``: powers of ``z / SCORES`` by powers of ``s``.

    Least squares at Chebyshev nodes against SciPy's incomplete gamma functions.
    """
    from scipy import special  # imported late: it takes a third of JAX's import time

    z = SCORES * _chebyshev_nodes(4 * DEGREE_SCORE)
    s = (1 + _chebyshev_nodes(4 * DEGREE_SHAPE)) / 2
    shape = 1 / s**2
    lower = special.gammaincinv(shape, special.ndtr(np.minimum(z, 0))[:, None])
    upper = special.gammainccinv(shape, special.ndtr(-np.maximum(z, 0))[:, None])
    gamma = np.where(z[:, None] < 0, lower, upper)
    w = (np.cbrt(gamma / shape) - 1) / s
    by_score = chebyshev.chebfit(z / SCORES, w, DEGREE_SCORE - 1)
    by_both = chebyshev.chebfit(2 * s - 1, by_score.T, DEGREE_SHAPE - 1).T
    to_power_z = np.stack([_power_basis(k, DEGREE_SCORE) for k in range(DEGREE_SCORE)])
    shifted = np.polynomial.Polynomial([-1, 2])
    to_power_s = np.zeros((DEGREE_SHAPE, DEGREE_SHAPE))
    for k in range(DEGREE_SHAPE):
        power = np.polynomial.Polynomial(_power_basis(k, DEGREE_SHAPE))(shifted)
        to_power_s[k, : power.coef.size] = power.coef
    return to_power_z.T @ by_both @ to_power_s


def _chebyshev_nodes(count: int) -> np.ndarray:
    return np.cos(np.pi * (np.arange(count) + 0.5) / count)


def _power_basis(degree: int, length: int) -> np.ndarray:
    power = chebyshev.cheb2poly(np.eye(degree + 1)[degree])
    return np.pad(power, (0, length - power.size))


def gamma_quantile(score: Reals, shape: Reals) -> Floats:
    """Gamma quantile at a normal score, for shapes of at least 1.

    Args:
      score: real array, the standard normal quantile of the wanted probability; it is
        cut to [-5.6, 5.6], beyond any number that a single word of a tape gives.
      shape: real array >= 1, broadcastable against `score`; the scale is 1.

    Returns:
      Positive array of the broadcast shape.
    """
    score, shape = alike(*real(score=score, shape=shape))
    s = 1 / jnp.sqrt(shape)
    return shape * _cube_root(score, s) ** 3


def log_gamma_quantile(score: Reals, shape: Reals) -> Floats:
    """Logarithm of `gamma_quantile`; same arguments."""
    score, shape = alike(*real(score=score, shape=shape))
    return jnp.log(shape) + 3 * jnp.log(_cube_root(score, 1 / jnp.sqrt(shape)))


def _cube_root(score: Array, s: Array) -> Array:
    """``(G / shape) ** (1/3)`` by Horner's rule in both variables."""
    table = _coefficients().astype(np.float32)
    x = jnp.clip(score / SCORES, -1.0, 1.0)  # a polynomial says nothing beyond
    w = 0.0
    for row in table[::-1]:
        in_s = 0.0
        for coefficient in row[::-1]:
            in_s = in_s * s + float(coefficient)
        w = w * x + in_s
    # The fit may cross zero only where G itself is below 1e-8.
    return jnp.maximum(1 + s * w, 1e-3)


@kinds
def beta_from_uniforms(
    uniforms_a: Reals, uniforms_b: Reals, a: Reals, b: Reals
) -> Floats:
    """Beta(a, b) variates for ``a, b >= 1``.

    Args:
      uniforms_a: array in (0, 1), drives the first gamma variate.
      uniforms_b: array in (0, 1), drives the second.
      a: real array >= 1.
      b: real array >= 1; all four broadcast together.

    Returns:
      Array in (0, 1).
    """
    x = gamma_quantile(normal_quantile(uniforms_a), a)
    y = gamma_quantile(normal_quantile(uniforms_b), b)
    return x / (x + y)


@kinds
def beta_from_uniforms_small(
    noise: Float[Array, "4"], a: Real[ArrayLike, ""], b: Real[ArrayLike, ""]
) -> Float[Array, ""]:
    """Beta(a, b) variates for any positive parameters, also far below 1.

    A gamma variate of shape a is a variate of shape ``a + 1`` times ``U ** (1/a)``
    (Marsaglia & Tsang 2000, section 6). The powers underflow float32 for small
    parameters, so the ratio is formed from logarithms.

    Args:
      noise: f32[4] in (0, 1).
      a: f32[] > 0.
      b: f32[] > 0.

    Returns:
      f32[] in [1e-15, 1]: never 0, since a cost of 0 would look free; 1 where
      float32 has no closer number.
    """
    logit = beta_logit_from_uniforms(noise, a, b)
    # The logistic function, with the exponential of a number <= 0 only.
    ratio = jnp.exp(-jnp.abs(logit))
    return jnp.maximum(jnp.where(logit < 0, ratio, 1.0) / (1 + ratio), BETA_LEAST)


@kinds
def beta_logit_from_uniforms(
    noise: Float[Array, "4"], a: Real[ArrayLike, ""], b: Real[ArrayLike, ""]
) -> Float[Array, ""]:
    """``log(X / (1 - X))`` of the variate X of `beta_from_uniforms_small`, not clipped.

    Same arguments. With a parameter of 0.01 two fifths of the variates are below
    float32's smallest number; their logits are representable.
    """
    scores = normal_quantile(noise)
    log_x = _boosted(scores[0], noise[1], a)
    return log_x - _boosted(scores[2], noise[3], b)


def _boosted(score: Array, uniform: Array, shape: ArrayLike) -> Array:
    """Log of a gamma variate: of ``shape + 1``, times ``uniform ** (1 / shape)``."""
    log_uniform, shape = alike(jnp.log(uniform), jnp.asarray(shape))
    return log_gamma_quantile(score, shape + 1) + log_uniform / shape
