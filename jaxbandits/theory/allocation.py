"""Bounds for RA-UCB in the allocation game with a known budget.

Montanari, Fiegel, Pla, Saha & Perchet, "Learning to Allocate Resources with Censored
Feedback": Theorem 3.1 and Appendix B (lower bound), Theorems 4.8 and 4.11 with
Appendices E and F (upper bounds), Appendix H (exponential thresholds). Thresholds are
exponential, ``G(x, lambda) = 1 - exp(-lambda x)``, unless a function says otherwise.

Where a proof gives something else than the formula after it, the functions follow the
proof and say so. Three things to know before laying a curve over a plot:

- The upper bounds say nothing at any horizon one can play: with the numbers of Appendix
  A.1 (K = 10, B = 40, m = 1, M = 80) `sqrt_bound` exceeds ``K T`` up to some T = 1e17,
  `log_bound` up to some 1e95. They warn (`VacuousBound`).
- Appendix E adds up the errors ``alpha = u^-3`` of the rounds u < t as if they were
  ``t^-3``. The theorems need radii with log T in place of log t.
- They need the estimates to be consistent; the paper's are not when x < B, for it takes
  a threshold seen at x < B for one truncated to [0, B].
"""

import warnings
from typing import NamedTuple

import numpy as np
from scipy.special import zeta

from jaxbandits.checks import (
    at_least_one,
    in_unit_interval,
    instance,
    non_negative,
    numbers,
    positive,
    whole,
)
from jaxbandits.theory.vacuous import VacuousBound

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


class LowerBoundInstance(NamedTuple):
    """Rates of the instances of Appendix B: budget 1, ``p_i = 1``.

    Attributes:
      epsilon: f64, by how much the rate of the one better arm is larger.
      rate: f64, lambda, the rate of the other arms; at least epsilon.
    """

    epsilon: np.ndarray
    rate: np.ndarray


class EtcRate(NamedTuple):
    """Orders of the regret of Explore-Then-Commit in its two phases."""

    exploring: np.ndarray
    committed: np.ndarray


class Radii(NamedTuple):
    """Confidence radii of one arm: of its rate, and of its probability."""

    rate: np.ndarray
    probability: np.ndarray


def g(v) -> np.ndarray:
    """``g(v) = 1 / v - exp(-v) / (1 - exp(-v))``, so that ``mu = B g(lambda B)``.

    The mean of an exponential variable of rate v given that it is at most 1.

    Args:
      v: real >= 0 of any shape.

    Returns:
      f64 of the shape of `v` in (0, 1/2], decreasing; 1/2 at 0.

    Raises:
      ValueError: if `v` is negative or not finite.
    """
    v = _non_negative(v)
    near, far = np.minimum(v, _SMALL), np.maximum(v, _SMALL)
    powers = near[..., None] ** (2 * _ORDERS - 1)
    series = 0.5 - powers @ _SERIES
    return np.where(v < _SMALL, series, 1 / far + np.exp(-far) / np.expm1(-far))


def g_slope(v) -> np.ndarray:
    """``g'(v) = exp(-v) / (1 - exp(-v))^2 - 1 / v^2`` (Lemma H.1).

    Minus the variance of an exponential variable of rate v given that it is at most 1.

    Args:
      v: real >= 0 of any shape.

    Returns:
      f64 of the shape of `v` in [-1/12, 0), increasing; -1/12 at 0.

    Raises:
      ValueError: if `v` is negative or not finite.
    """
    v = _non_negative(v)
    near, far = np.minimum(v, _SMALL), np.maximum(v, _SMALL)
    powers = near[..., None] ** (2 * _ORDERS - 2)
    series = -powers @ ((2 * _ORDERS - 1) * _SERIES)
    return np.where(v < _SMALL, series, np.exp(-far) / np.expm1(-far) ** 2 - 1 / far**2)


def lipschitz_constants(m, M, budget) -> LipschitzConstants:
    """Constants of the exponential family with rates in [m / B, M / B] (Appendix H).

    As printed, and valid: ``L_tilde`` is larger than it need be by the factor ``m + 1``
    and ``mu_G`` smaller by the factor ``min(M / m, exp(M - m))``.

    Args:
      m: number > 0, B times the smallest rate.
      M: number > m, B times the largest rate.
      budget: number > 0, B.

    Returns:
      LipschitzConstants of f64 numbers. ``L_mu = B^2 D`` with ``D = |g'(M)|``.

    Raises:
      ValueError: if an argument is out of its range.
    """
    m, M, B = _range(m, M, budget)
    return LipschitzConstants(
        L_lambda=B,
        L_mu=-(B**2) * g_slope(M)[()],
        L_delta=B / m,
        L_tilde=M * B * (m + 1) / m**2,
        L_tilde_other=B / m,
        mu_G=m**2 * np.exp(-M) / B**2,
        L_G=M**2 / B**2,
        G_max=M / B,
        L_g=M,
        L_g_other=np.float64(1.0),
    )


def oracle(probability, rate, budget) -> np.ndarray:
    """The best allocation: maximises ``sum p_i (1 - exp(-lambda_i x_i))`` (53).

    Exact water-filling: ``x_i = (log(p_i lambda_i) - log nu)_+ / lambda_i``, with nu
    such that the sum is B.

    Args:
      probability: real ``[K]`` >= 0, p. Above 1 are the weights of (54), ``p_i
        lambda'_i / lambda_i``.
      rate: real ``[K]`` > 0, lambda.
      budget: number > 0, B.

    Returns:
      f64[K] >= 0 of sum B; B / K each if all probabilities are 0.

    Raises:
      ValueError: if an argument is out of its range or the shapes are not one ``[K]``.
    """
    non_negative(probability=probability)
    positive(rate=rate, budget=budget)
    probability, rate = _floats(probability, rate)
    if probability.shape != rate.shape or rate.ndim != 1 or not rate.size:
        raise ValueError(
            f"probability and rate must have one shape [K], got {probability.shape} "
            f"and {rate.shape}"
        )
    useful = probability > 0
    if not useful.any():
        return np.full(rate.shape, budget / rate.size)
    height = np.log(probability[useful]) + np.log(rate[useful])
    order = np.argsort(-height, kind="stable")
    height, width = height[order], 1 / rate[useful][order]
    level = (np.cumsum(height * width) - budget) / np.cumsum(width)
    # An arm gets a share if it is worth more than the level without it.
    level = level[np.flatnonzero(height[1:] > level[:-1]).max(initial=-1) + 1]
    allocation = np.zeros(rate.shape)
    share = np.empty(width.shape)
    share[order] = np.maximum(height - level, 0.0) * width
    allocation[useful] = share
    return allocation


def lower_bound(horizon, num_arms: int) -> np.ndarray:
    """Regret that no policy can promise, ``K^(2/3) T^(1/3) / 48`` (Theorem 3.1).

    Whatever the policy, on some instance its regret is more. The proof of Appendix B
    ends with half of this, but the theorem is true for K >= 2: `proved_lower_bound` is
    more for K >= 3, and with the scale 0.14 for K = 2 and T >= 3; for K = T = 2 the
    first round alone costs 1/4 when one of the arms has a rate near 0, the other ``2
    log 2 / B``. For K = 1 it is false: spend all on the arm.

    Args:
      horizon: real >= K of any shape, T.
      num_arms: K, an integer >= 2.

    Returns:
      f64 of the shape of `horizon`.

    Raises:
      ValueError: if an argument is out of its range.
      TypeError: if `num_arms` is no integer.
    """
    T, K = _long_enough(horizon, num_arms)
    return K ** (2 / 3) * T ** (1 / 3) / 48


def proved_lower_bound(horizon, num_arms: int, scale=1 / 12) -> np.ndarray:
    """What the proof of Theorem 3.1 gives for ``epsilon = scale (K / T)^(2/3)``.

    ``epsilon T / 2 (1 - 1 / K - TV)``, a bound on the regret of any policy on the worst
    of the K instances of `lower_bound_instance`, with ``TV <= sqrt(KL / 2)`` and
    ``KL <= sqrt(2) epsilon^(3/2) T / K``. The divergence of a censored exponential is
    in fact ``(1 - exp(-lambda x)) (epsilon / lambda - log(1 + epsilon / lambda))``, so
    that the first term of Lemma B.1 is enough; the paper keeps both, which gives ``5
    sqrt(2) / 4``, and prints 3/2. It goes on with ``1 / K <= 1/2`` and ``TV <= 1/4``:
    this makes 1/96 where it says 1/48.

    Args:
      horizon: real >= K of any shape, T.
      num_arms: K, an integer >= 2.
      scale: number > 0, 1/12 in the paper.

    Returns:
      f64 of the shape of `horizon`; negative if `scale` is much too large.

    Raises:
      ValueError: if an argument is out of its range, or `scale` so large that epsilon
        is above 1/8.
      TypeError: if `num_arms` is no integer.
    """
    epsilon = lower_bound_instance(horizon, num_arms, scale).epsilon
    T, K = _long_enough(horizon, num_arms)
    variation = np.sqrt(scale**1.5 / np.sqrt(2))
    return epsilon * T / 2 * (1 - 1 / K - variation)


def lower_bound_instance(horizon, num_arms: int, scale=1 / 12) -> LowerBoundInstance:
    """The instances of Appendix B, hard to learn in T rounds.

    ``epsilon = scale (K / T)^(2/3)`` and ``(lambda + epsilon)^2 = epsilon / 2``. All
    arms have the rate lambda but one, which has ``lambda + epsilon``. Which one is the
    secret: the arm that the policy spends least on (the arg min of the paper's sum,
    which it prints as min). An ``epsilon <= lambda`` needs ``epsilon <= 1/8``, not >=.

    Args:
      horizon: real >= K of any shape, T.
      num_arms: K, an integer >= 2.
      scale: number > 0, 1/12 in the paper.

    Returns:
      LowerBoundInstance of arrays of the shape of `horizon`. For a budget B divide both
      by B.

    Raises:
      ValueError: if an argument is out of its range, or `scale` so large that epsilon
        is above 1/8.
      TypeError: if `num_arms` is no integer.
    """
    T, K = _long_enough(horizon, num_arms)
    positive(scale=scale)
    epsilon = scale * (K / T) ** (2 / 3)
    if np.any(epsilon > 1 / 8):
        raise ValueError(
            f"scale must be at most (T / K)^(2/3) / 8, got {scale} with T / K = "
            f"{np.min(T) / K:g}"
        )
    return LowerBoundInstance(epsilon, np.sqrt(epsilon / 2) - epsilon)


def sqrt_constant(probability, success, floor, budget, constants) -> np.float64:
    """``C_sqrt`` of Theorem 4.8 for any family of thresholds (Appendix E).

    ``sqrt(96) (C~1 sum (1 + p) / (C sqrt(q)) + C~2 sum 1 / q)`` over the arms with
    ``x* > 0``, ``C~1 = 2 sqrt(2) B L_lambda / L_mu`` and ``C~2 = sqrt(2) B / L_mu
    (L_tilde + L_lambda + L_tilde' + 2 L_delta)``. The second sum is as printed; the
    derivation gives ``1 / sqrt(q)``, which is less.

    Args:
      probability: real ``[S]`` in [0, 1], p of the arms with ``x* > 0``.
      success: real ``[S]`` > 0, ``q = p G(x*, lambda)``.
      floor: real ``[S]`` > 0, ``C = G(x*, m / B)``.
      budget: number > 0, B.
      constants: LipschitzConstants of the family.

    Returns:
      f64, the factor of ``sqrt(K T log T)``.

    Raises:
      ValueError: if an argument is out of its range.
    """
    p, q, C = _arms(probability, success, floor)
    instance("constants", constants, LipschitzConstants, "of lipschitz_constants")
    positive(budget=budget, L_mu=constants.L_mu)
    error = np.sqrt(2) * budget / constants.L_mu
    first = 2 * error * constants.L_lambda
    second = error * (
        constants.L_tilde
        + constants.L_lambda
        + constants.L_tilde_other
        + 2 * constants.L_delta
    )
    sums = first * np.sum((1 + p) / (C * np.sqrt(q))) + second * np.sum(1 / q)
    return np.sqrt(96) * sums


def sqrt_bound(horizon, probability, rate, budget, m, M) -> np.ndarray:
    """Bound on the regret of RA-UCB of order ``sqrt(T log T)``, eq. (55).

    ``C_sqrt sqrt(K T log T) + 3 K^2 log T + 8 K^2``, with `sqrt_constant`. Eq. (55)
    rounds ``sqrt(192)`` up to 14, and prints ``M (m + 1) / m`` where the constants of
    Appendix H give ``M (m + 1) / m^2``: the same for m = 1, too small for m < 1.

    Args:
      horizon: real >= 1 of any shape, T.
      probability: real ``[K]`` in [0, 1], not all 0.
      rate: real ``[K]`` in [m / B, M / B].
      budget: number > 0, B.
      m: number > 0.
      M: number > m.

    Returns:
      f64 of the shape of `horizon`. Warns with `VacuousBound` if it says nothing at any
      of them.

    Raises:
      ValueError: if an argument is out of its range or the shapes do not agree.
    """
    at_least_one(horizon=horizon)
    p, q, C = _optimum(probability, rate, budget, m, M)
    T, K = np.asarray(horizon, np.float64), len(probability)
    constant = sqrt_constant(p, q, C, budget, lipschitz_constants(m, M, budget))
    bound = constant * np.sqrt(K * T * np.log(T)) + _remainder(T, K)
    return _checked(bound, "the bound of Theorem 4.8, eq. (55),", T, K)


def log_constant(
    probability, success, floor, budget, constants, p_min, num_arms
) -> np.float64:
    """``C_log`` of Theorem 4.11 for any family of thresholds (Appendix F).

    ``15 K sum Gamma / q`` over the arms with ``x* > 0``, ``Gamma = L_G (B / (p_min mu_G
    L_mu))^2 (G_max L_lambda (1 + p) / C + L_g + L_g')^2``. Appendix F ends with 5 K,
    having lost the 3 of ``log(1 / alpha) = 3 log t``; eq. (56) has it.

    Args:
      probability: real ``[S]`` in [0, 1], p of the arms with ``x* > 0``.
      success: real ``[S]`` > 0, ``q = p G(x*, lambda)``.
      floor: real ``[S]`` > 0, ``C = G(x*, m / B)``.
      budget: number > 0, B.
      constants: LipschitzConstants of the family.
      p_min: number in (0, 1], the least probability of any arm (Assumption 4.9).
      num_arms: K, an integer >= 1.

    Returns:
      f64, the factor of ``log(T)^2``; ``inf`` if it is beyond float64.

    Raises:
      ValueError: if an argument is out of its range.
      TypeError: if `num_arms` is no integer.
    """
    p, q, C = _arms(probability, success, floor)
    instance("constants", constants, LipschitzConstants, "of lipschitz_constants")
    positive(budget=budget, p_min=p_min, L_mu=constants.L_mu)
    num_arms = whole("num_arms", num_arms, 1)
    slopes = constants.L_g + constants.L_g_other
    gradient = constants.G_max * constants.L_lambda * (1 + p) / C + slopes
    # exp(2 M) is in here, and may be beyond float64.
    with np.errstate(over="ignore", divide="ignore"):
        stability = np.float64(budget) / (p_min * constants.mu_G) / constants.L_mu
        gamma = constants.L_G * (stability * gradient) ** 2
        return 15 * num_arms * np.sum(gamma / q)


def log_bound(horizon, probability, rate, budget, m, M, p_min=None) -> np.ndarray:
    """Bound on the regret of RA-UCB of order ``log(T)^2``, eq. (56).

    ``C_log (log(T)^2 + log T) + 3 K^2 log T + 8 K^2``, with `log_constant`. Three
    repairs of what surrounds eq. (56): the sum is over the arms with ``x* > 0`` (it
    divides by 0 at the others); ``C = 1 - exp(-m x* / B)`` as Lemma 4.3 has it and its
    proof needs, not ``1 - exp(-lambda x*)``; and Appendix F takes all multipliers to be
    equal, which holds only where every ``x* > 0``: elsewhere the bound is not proved.

    Args:
      horizon: real >= 1 of any shape, T.
      probability: real ``[K]`` in [0, 1], not all 0.
      rate: real ``[K]`` in [m / B, M / B].
      budget: number > 0, B.
      m: number > 0.
      M: number > m.
      p_min: number in (0, min p], or None for ``min p``.

    Returns:
      f64 of the shape of `horizon`, ``inf`` beyond float64. Warns with `VacuousBound`
      if it says nothing at any of them.

    Raises:
      ValueError: if an argument is out of its range or the shapes do not agree.
    """
    at_least_one(horizon=horizon)
    p, q, C = _optimum(probability, rate, budget, m, M)
    T, K = np.asarray(horizon, np.float64), len(probability)
    least = np.min(probability)
    p_min = least if p_min is None else p_min
    positive(p_min=p_min)
    if p_min > least:
        raise ValueError(f"p_min must be at most {least:g}, got {p_min}")
    constants = lipschitz_constants(m, M, budget)
    constant = log_constant(p, q, C, budget, constants, p_min, K)
    log = np.log(T)
    # At T = 1 the logarithms are 0, and an infinite constant times 0 is no number.
    leading = np.where(log > 0, constant, 0.0) * (log**2 + log)
    bound = leading + _remainder(T, K)
    return _checked(bound, "the bound of Theorem 4.11, eq. (56),", T, K)


def problem_independent_bound(horizon, num_arms: int, rho) -> np.ndarray:
    """Order of a bound that holds for all instances, ``K rho^(3/5) T^(4/5)``.

    Theorem H.2 calls it a bound. The derivation drops log T, the powers of p_min and
    the factor 14 / D of eq. (55), 9e4 in Appendix A.1: scale it before comparing.

    Args:
      horizon: real >= 1 of any shape, T.
      num_arms: K, an integer >= 1.
      rho: number >= 1, a bound on the ratio of any two ``lambda_i x*_i > 0``.

    Returns:
      f64 of the shape of `horizon`, below `trivial_bound` for ``T > rho^3``. Warns with
      `VacuousBound` if no horizon is as large.

    Raises:
      ValueError: if an argument is out of its range.
      TypeError: if `num_arms` is no integer.
    """
    at_least_one(horizon=horizon, rho=rho)
    K = whole("num_arms", num_arms, 1)
    T = np.asarray(horizon, np.float64)
    bound = K * np.float64(rho) ** 0.6 * T**0.8
    return _checked(bound, "the bound of Theorem H.2", T, K)


def etc_rate(horizon, alpha=2 / 3) -> EtcRate:
    """Orders of the regret of Explore-Then-Commit (Remark 4.7).

    ``T^alpha`` while exploring and ``T^(1 - alpha / 2)`` from then on; ``alpha = 2/3``
    makes the larger of them least. Without constants, logarithms and K.

    Args:
      horizon: real >= 1, T.
      alpha: real in [0, 1]: each arm is explored for ``T^alpha`` rounds.

    Returns:
      EtcRate of f64 arrays of the broadcast shape.

    Raises:
      ValueError: if an argument is out of its range.
    """
    at_least_one(horizon=horizon)
    T, alpha = _floats(horizon, _share("alpha", alpha))
    return EtcRate(T**alpha, T ** (1 - alpha / 2))


def printed_radii(count, round, m, M, budget, p_hat, c_hat) -> Radii:
    """RA-UCB's confidence radii as printed, for exponential thresholds (Section 4.3).

    With ``s = sqrt(3 log t / 2 n)``, the radius of the rate is ``B / L_mu s = s / (B
    D)`` and that of the probability ``L_lambda / L_mu B (1 + p) / C s = (1 + p) / (C D)
    s``, before the ends of the intervals are clipped.

    Args:
      count: real >= 0, n, successes of the arm.
      round: real >= 1, t.
      m: number > 0.
      M: number > m; ``D = |g'(M)|``.
      budget: number > 0, B.
      p_hat: real in [0, 1], the estimated probability.
      c_hat: real in [0, 1], ``G(x, m / B)`` at the arm's allocation x.

    Returns:
      Radii of f64 arrays of the broadcast shape; ``inf`` without successes, and for the
      probability where ``c_hat = 0``.

    Raises:
      ValueError: if an argument is out of its range.
    """
    non_negative(count=count)
    at_least_one(round=round)
    m, M, B = _range(m, M, budget)
    count, t = _floats(count, round)
    p_hat, c_hat = _share("p_hat", p_hat), _share("c_hat", c_hat)
    some, seen = count > 0, c_hat > 0
    spread = np.sqrt(1.5 * np.log(t) / np.where(some, count, 1.0)) / -g_slope(M)
    rate = np.where(some, spread / B, np.inf)
    reach = (1 + p_hat) / np.where(seen, c_hat, 1.0)
    probability = np.where(some & seen, reach * spread, np.inf)
    return Radii(*np.broadcast_arrays(rate, probability))


def trivial_bound(horizon, num_arms: int) -> np.ndarray:
    """Largest regret of any policy, ``K T``: an arm has at most one success a round.

    Args:
      horizon: real >= 1 of any shape, T.
      num_arms: K, an integer >= 1.

    Returns:
      f64 of the shape of `horizon`.

    Raises:
      ValueError: if an argument is out of its range.
      TypeError: if `num_arms` is no integer.
    """
    at_least_one(horizon=horizon)
    return whole("num_arms", num_arms, 1) * np.asarray(horizon, np.float64)


def is_vacuous(bound, horizon, num_arms: int) -> np.ndarray:
    """Where a bound on the regret exceeds `trivial_bound` and so says nothing.

    Args:
      bound: real of any shape, may be ``inf``.
      horizon: real >= 1, broadcastable against `bound`.
      num_arms: K, an integer >= 1.

    Returns:
      bool of the broadcast shape.

    Raises:
      ValueError: if an argument is out of its range or `bound` is not a number.
      TypeError: if `num_arms` is no integer.
    """
    bound = numbers("bound", bound)
    if np.any(np.isnan(bound)):
        raise ValueError(f"bound must be numbers, got {bound}")
    return bound > trivial_bound(horizon, num_arms)


def _checked(bound, name, T, K):
    """The bound; warns the caller of the caller if it is vacuous throughout."""
    if bound.size and np.all(is_vacuous(bound, T, K)):
        warnings.warn(
            f"{name} says nothing here: it exceeds K T, the largest regret of any "
            f"policy, at every horizon asked for (from {np.min(T):g} to {np.max(T):g})",
            VacuousBound,
            stacklevel=3,
        )
    return bound


def _remainder(T, K):
    """The initialisation, ``K^2 log T``, and bad events, ``2 K^2 log T + 8 K^2``."""
    return 3 * K**2 * np.log(T) + 8 * K**2


def _optimum(probability, rate, budget, m, M):
    """p, q and C of the arms with ``x* > 0``, the input checked."""
    probability = _share("probability", probability)
    m, M, B = _range(m, M, budget)
    allocation = oracle(probability, rate, B)
    (rate,) = _floats(rate)
    if np.any(rate * B < m * (1 - 1e-12)) or np.any(rate * B > M * (1 + 1e-12)):
        raise ValueError(f"rate must be in [{m / B:g}, {M / B:g}], got {rate}")
    if not probability.any():
        raise ValueError("probability must have a positive entry, got only 0")
    used = allocation > 0
    p, rate, x = probability[used], rate[used], allocation[used]
    return p, -p * np.expm1(-rate * x), -np.expm1(-m * x / B)


def _arms(probability, success, floor):
    p = _share("probability", probability)
    positive(success=success, floor=floor)
    success, floor = _floats(success, floor)
    if not p.shape == success.shape == floor.shape or p.ndim != 1 or not p.size:
        raise ValueError(
            "probability, success and floor must have one shape [S], got "
            f"{p.shape}, {success.shape} and {floor.shape}"
        )
    return p, success, floor


def _range(m, M, budget):
    positive(m=m, M=M, budget=budget)
    for name, value in (("m", m), ("M", M), ("budget", budget)):
        if np.ndim(value):
            raise ValueError(f"{name} must be a number, got {value}")
    if m >= M:
        raise ValueError(f"m must be below M = {M:g}, got {m}")
    return np.float64(m), np.float64(M), np.float64(budget)


def _long_enough(horizon, num_arms):
    K = whole("num_arms", num_arms, 2)
    at_least_one(horizon=horizon)
    T = np.asarray(horizon, np.float64)
    if np.any(T < K):
        raise ValueError(f"horizon must be at least num_arms = {K}, got {horizon}")
    return T, K


def _non_negative(v):
    non_negative(v=v)
    return np.asarray(v, np.float64)


def _share(name, value):
    in_unit_interval(**{name: value})
    return numbers(name, value)


def _floats(*values):
    return [np.asarray(value, np.float64) for value in values]
