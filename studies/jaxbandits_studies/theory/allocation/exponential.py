"""Exponential thresholds (Appendix H): constants, best allocation, RA-UCB's radii.

``budget`` is B, ``m`` < ``M`` are B times the smallest and the largest rate; ``v`` is
real of any shape.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import zeta

from jaxbandits_studies.theory.domains import (
    AtLeastOne,
    NonNegative,
    Numbers,
    OfArms,
    Positive,
    Share,
    broadcast_domains,
    domains,
)

_ORDERS = np.arange(1, 17)
# B_2k / (2k)!, B the Bernoulli numbers: 1 / expm1(v) = 1/v - 1/2 + sum_k c_k v^(2k-1).
_SERIES = 2 * (-1.0) ** (_ORDERS + 1) * zeta(2 * _ORDERS) / (2 * np.pi) ** (2 * _ORDERS)
# The series has the radius 2 pi; below this, 16 terms are exact in float64.
_SMALL = 2.0


class LipschitzConstants(NamedTuple):
    """The constants of Assumptions 2.3, 4.1, 4.4 and 4.10.

    Attributes:
      L_lambda: ``|dG / dlambda|`` at most.
      L_mu: ``|dmu / dlambda|`` at least, ``mu = E[X | X <= B]``.
      L_delta: ``|G~(x, l, l') - G(x, l)| <= L_delta |l - l'|``.
      L_tilde: ``|dG~ / dlambda|`` at most.
      L_tilde_other: ``|dG~ / dlambda'|`` at most.
      mu_G: ``-d^2 G~ / dx^2`` at least.
      L_G: ``-d^2 G~ / dx^2`` at most.
      G_max: ``dG~ / dx`` at most.
      L_g: ``|d^2 G~ / dx dlambda|`` at most.
      L_g_other: ``|d^2 G~ / dx dlambda'|`` at most.
    """

    L_lambda: float
    L_mu: float
    L_delta: float
    L_tilde: float
    L_tilde_other: float
    mu_G: float
    L_G: float
    G_max: float
    L_g: float
    L_g_other: float


@domains
def g(v: NonNegative[Numbers]) -> np.ndarray:
    """``g(v) = 1 / v - exp(-v) / (1 - exp(-v))``, so that ``mu = B g(lambda B)``.

    The mean of an exponential variable of rate v given that it is at most 1.

    Returns:
      f64 of the shape of `v` in (0, 1/2], decreasing; 1/2 at 0.
    """
    near, far = np.minimum(v, _SMALL), np.maximum(v, _SMALL)
    powers = near[..., None] ** (2 * _ORDERS - 1)
    series = 0.5 - powers @ _SERIES
    return np.where(v < _SMALL, series, 1 / far + np.exp(-far) / np.expm1(-far))


@domains
def g_slope(v: NonNegative[Numbers]) -> np.ndarray:
    """``g'(v) = exp(-v) / (1 - exp(-v))^2 - 1 / v^2`` (Lemma H.1).

    Minus the variance of an exponential variable of rate v given that it is at most 1.

    Returns:
      f64 of the shape of `v` in [-1/12, 0), increasing; -1/12 at 0.
    """
    near, far = np.minimum(v, _SMALL), np.maximum(v, _SMALL)
    powers = near[..., None] ** (2 * _ORDERS - 2)
    series = -powers @ ((2 * _ORDERS - 1) * _SERIES)
    return np.where(v < _SMALL, series, np.exp(-far) / np.expm1(-far) ** 2 - 1 / far**2)


@domains
def lipschitz_constants(
    m: Positive[float], M: Positive[float], budget: Positive[float]
) -> LipschitzConstants:
    """Constants of the exponential family with rates in [m / B, M / B] (Appendix H).

    As printed, and valid: ``L_tilde`` is larger than it need be by the factor ``m + 1``
    and ``mu_G`` smaller by the factor ``min(M / m, exp(M - m))``.

    Returns:
      LipschitzConstants of f64 numbers. ``L_mu = B^2 D`` with ``D = |g'(M)|``.
    """
    check_range(m, M)
    # exp(2 M) is in here, and may be beyond float64.
    m, M, B = np.float64(m), np.float64(M), np.float64(budget)
    return LipschitzConstants(
        L_lambda=B,
        L_mu=-(B**2) * float(g_slope(M)),
        L_delta=B / m,
        L_tilde=M * B * (m + 1) / m**2,
        L_tilde_other=B / m,
        mu_G=m**2 * np.exp(-M) / B**2,
        L_G=M**2 / B**2,
        G_max=M / B,
        L_g=M,
        L_g_other=np.float64(1.0),
    )


@domains
def best_allocation(
    probability: NonNegative[OfArms], rate: Positive[OfArms], budget: Positive[float]
) -> np.ndarray:
    """The best allocation: maximises ``sum p_i (1 - exp(-lambda_i x_i))`` (53).

    Exact water-filling: ``x_i = (log(p_i lambda_i) - log nu)_+ / lambda_i``, with nu
    such that the sum is B.

    Args:
      probability: real ``[K]`` >= 0, p. Above 1 are the weights of (54), ``p_i
        lambda'_i / lambda_i``.
      rate: real ``[K]`` > 0, lambda.

    Returns:
      f64[K] >= 0 of sum B; B / K each if all probabilities are 0.
    """
    useful = probability > 0
    if not useful.any():
        return np.full(rate.shape, budget / rate.size)
    height = np.log(probability[useful]) + np.log(rate[useful])
    order = np.argsort(-height, kind="stable")
    height, width = height[order], 1 / rate[useful][order]
    level = (np.cumsum(height * width) - budget) / np.cumsum(width)
    # An arm gets a share if it is worth more than the level without it.
    least = int(np.max(np.flatnonzero(height[1:] > level[:-1]), initial=-1)) + 1
    level = level[least]
    allocation = np.zeros(rate.shape)
    share = np.empty(width.shape)
    share[order] = np.maximum(height - level, 0.0) * width
    allocation[useful] = share
    return allocation


class Radii(NamedTuple):
    """Confidence radii of one arm: of its rate, and of its probability."""

    rate: np.ndarray
    probability: np.ndarray


@broadcast_domains
def printed_radii(
    count: NonNegative[Numbers],
    round: AtLeastOne[Numbers],
    m: Positive[float],
    M: Positive[float],
    budget: Positive[float],
    p_hat: Share[Numbers],
    c_hat: Share[Numbers],
) -> Radii:
    """RA-UCB's confidence radii as printed, for exponential thresholds (Section 4.3).

    With ``s = sqrt(3 log t / 2 n)``, the radius of the rate is ``B / L_mu s = s / (B
    D)`` and that of the probability ``L_lambda / L_mu B (1 + p) / C s = (1 + p) / (C D)
    s``, before the ends of the intervals are clipped.

    Args:
      count: real >= 0, n, successes of the arm.
      round: real >= 1, t.
      p_hat: real in [0, 1], the estimated probability.
      c_hat: real in [0, 1], ``G(x, m / B)`` at the arm's allocation x.

    Returns:
      Radii of f64 arrays of the broadcast shape; ``inf`` without successes, and for the
      probability where ``c_hat = 0``.
    """
    check_range(m, M)
    some, seen = count > 0, c_hat > 0
    spread = np.sqrt(1.5 * np.log(round) / np.where(some, count, 1.0)) / -g_slope(M)
    rate = np.where(some, spread / budget, np.inf)
    reach = (1 + p_hat) / np.where(seen, c_hat, 1.0)
    probability = np.where(some & seen, reach * spread, np.inf)
    return Radii(*np.broadcast_arrays(rate, probability))


def check_range(m: float, M: float) -> None:
    """Rates lie in [m / B, M / B]."""
    if m >= M:
        raise ValueError(f"m must be below M = {M:g}, got {m}")
