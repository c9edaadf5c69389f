"""Upper bounds for RA-UCB: Theorems 4.8, 4.11 and H.2, Appendices E, F and H."""

import numpy as np

from jaxbandits.checks import (
    Numbers,
    at_least_one,
    in_unit_interval,
    instance,
    number,
    positive,
    whole,
)
from jaxbandits_studies.theory.allocation.arguments import floats, rates, share
from jaxbandits_studies.theory.allocation.exponential import (
    LipschitzConstants,
    best_allocation,
    lipschitz_constants,
)
from jaxbandits_studies.theory.allocation.trivial import checked
from jaxbandits_studies.theory.plain import plain_numbers


@plain_numbers
def sqrt_constant(
    probability: Numbers,
    success: Numbers,
    floor: Numbers,
    budget: float,
    constants: LipschitzConstants,
) -> np.float64:
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


@plain_numbers
def sqrt_bound(
    horizon: Numbers,
    probability: Numbers,
    rate: Numbers,
    budget: float,
    m: float,
    M: float,
) -> np.ndarray:
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
    T, K = np.asarray(horizon, np.float64), np.size(probability)
    constant = sqrt_constant(p, q, C, budget, lipschitz_constants(m, M, budget))
    bound = constant * np.sqrt(K * T * np.log(T)) + _remainder(T, K)
    return checked(bound, "the bound of Theorem 4.8, eq. (55),", T, K)


@plain_numbers
def log_constant(
    probability: Numbers,
    success: Numbers,
    floor: Numbers,
    budget: float,
    constants: LipschitzConstants,
    p_min: float,
    num_arms: int,
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
    p_min = number("p_min", p_min)
    positive(budget=budget, p_min=p_min, L_mu=constants.L_mu)
    in_unit_interval(p_min=p_min)
    num_arms = whole("num_arms", num_arms, 1)
    slopes = constants.L_g + constants.L_g_other
    gradient = constants.G_max * constants.L_lambda * (1 + p) / C + slopes
    # exp(2 M) is in here, and may be beyond float64.
    with np.errstate(over="ignore", divide="ignore"):
        stability = np.float64(budget) / (p_min * constants.mu_G) / constants.L_mu
        gamma = constants.L_G * (stability * gradient) ** 2
        return 15 * num_arms * np.sum(gamma / q)


@plain_numbers
def log_bound(
    horizon: Numbers,
    probability: Numbers,
    rate: Numbers,
    budget: float,
    m: float,
    M: float,
    p_min: float | None = None,
) -> np.ndarray:
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
    T, K = np.asarray(horizon, np.float64), np.size(probability)
    least = float(np.min(np.asarray(probability)))
    p_min = least if p_min is None else number("p_min", p_min)
    positive(p_min=p_min)
    if p_min > least:
        raise ValueError(f"p_min must be at most {least:g}, got {p_min}")
    constants = lipschitz_constants(m, M, budget)
    constant = log_constant(p, q, C, budget, constants, p_min, K)
    log = np.log(T)
    # At T = 1 the logarithms are 0, and an infinite constant times 0 is no number.
    leading = np.where(log > 0, constant, 0.0) * (log**2 + log)
    bound = leading + _remainder(T, K)
    return checked(bound, "the bound of Theorem 4.11, eq. (56),", T, K)


@plain_numbers
def problem_independent_bound(
    horizon: Numbers, num_arms: int, rho: float
) -> np.ndarray:
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
    return checked(bound, "the bound of Theorem H.2", T, K)


def _remainder(T: np.ndarray, K: int) -> np.ndarray:
    """The initialisation, ``K^2 log T``, and bad events, ``2 K^2 log T + 8 K^2``."""
    return 3 * K**2 * np.log(T) + 8 * K**2


def _optimum(
    probability: Numbers, rate: Numbers, budget: float, m: float, M: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """p, q and C of the arms with ``x* > 0``, the input checked."""
    probability = share("probability", probability)
    m, M, B = rates(m, M, budget)
    allocation = best_allocation(probability, rate, B)
    (rate,) = floats(rate)
    if np.any(rate * B < m * (1 - 1e-12)) or np.any(rate * B > M * (1 + 1e-12)):
        raise ValueError(f"rate must be in [{m / B:g}, {M / B:g}], got {rate}")
    if not probability.any():
        raise ValueError("probability must have a positive entry, got only 0")
    used = allocation > 0
    p, rate, x = probability[used], rate[used], allocation[used]
    return p, -p * np.expm1(-rate * x), -np.expm1(-m * x / B)


def _arms(
    probability: Numbers, success: Numbers, floor: Numbers
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    p = share("probability", probability)
    positive(success=success, floor=floor)
    success, floor = floats(success, floor)
    if not p.shape == success.shape == floor.shape or p.ndim != 1 or not p.size:
        raise ValueError(
            "probability, success and floor must have one shape [S], got "
            f"{p.shape}, {success.shape} and {floor.shape}"
        )
    return p, success, floor
