"""Upper bounds for RA-UCB: Theorems 4.8, 4.11 and H.2, Appendices E, F and H.

Beside them Explore-Then-Commit, Remark 4.7.

Arguments, unless a function says otherwise; their ranges stand in the annotations:

- ``horizon``, real of any shape: T; ``num_arms``: K; ``budget``: B; ``m`` < ``M``: B
  times the smallest and the largest rate;
- ``probability``, real ``[K]``, not all 0, and ``rate``, real ``[K]`` in [m / B, M /
  B]: of the arms; for any family of thresholds those ``[S]`` with ``x* > 0`` alone,
  with ``success``: ``q = p G(x*, lambda)``, ``floor``: ``C = G(x*, m / B)``, and the
  family's ``constants``.

What comes back is f64 of the shape of ``horizon``.
"""

from typing import Annotated, NamedTuple, TypeVar

import numpy as np

from jaxbandits.checks import in_unit_interval, instance, positive
from jaxbandits_studies.theory.allocation.exponential import (
    LipschitzConstants,
    best_allocation,
    check_range,
    lipschitz_constants,
)
from jaxbandits_studies.theory.allocation.lower import trivial_bound
from jaxbandits_studies.theory.domains import (
    AtLeastOne,
    Count,
    Numbers,
    OfArms,
    Positive,
    Scalars,
    Share,
    broadcast_domains,
    domains,
)
from jaxbandits_studies.theory.vacuous import checked

N = TypeVar("N")
Least = Annotated[N, in_unit_interval, positive]


@domains
def sqrt_constant(
    probability: Share[OfArms],
    success: Positive[OfArms],
    floor: Positive[OfArms],
    budget: Positive[float],
    constants: LipschitzConstants,
) -> np.float64:
    """``C_sqrt`` of Theorem 4.8 for any family of thresholds (Appendix E).

    ``sqrt(96) (C~1 sum (1 + p) / (C sqrt(q)) + C~2 sum 1 / q)`` over the arms with
    ``x* > 0``, ``C~1 = 2 sqrt(2) B L_lambda / L_mu`` and ``C~2 = sqrt(2) B / L_mu
    (L_tilde + L_lambda + L_tilde' + 2 L_delta)``. The second sum is as printed; the
    derivation gives ``1 / sqrt(q)``, which is less.

    Returns:
      f64, the factor of ``sqrt(K T log T)``.
    """
    p, q, C = probability, success, floor
    _check(constants)
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


@domains
def sqrt_bound(
    horizon: AtLeastOne[Numbers],
    probability: Share[OfArms],
    rate: Positive[OfArms],
    budget: Positive[float],
    m: Positive[float],
    M: Positive[float],
) -> np.ndarray:
    """Bound on the regret of RA-UCB of order ``sqrt(T log T)``, eq. (55).

    ``C_sqrt sqrt(K T log T) + 3 K^2 log T + 8 K^2``, with `sqrt_constant`. Eq. (55)
    rounds ``sqrt(192)`` up to 14, and prints ``M (m + 1) / m`` where the constants of
    Appendix H give ``M (m + 1) / m^2``: the same for m = 1, too small for m < 1.

    Returns:
      f64 of the shape of `horizon`. Warns with `VacuousBound` if it says nothing at any
      of them.
    """
    p, q, C = _optimum(probability, rate, budget, m, M)
    T, K = horizon, probability.size
    constant = sqrt_constant(p, q, C, budget, lipschitz_constants(m, M, budget))
    bound = constant * np.sqrt(K * T * np.log(T)) + _remainder(T, K)
    return checked(bound, trivial_bound(T, K), "the bound of Theorem 4.8, eq. (55),")


@domains
def log_constant(
    probability: Share[OfArms],
    success: Positive[OfArms],
    floor: Positive[OfArms],
    budget: Positive[float],
    constants: LipschitzConstants,
    p_min: Least[float],
    num_arms: Count,
) -> np.float64:
    """``C_log`` of Theorem 4.11 for any family of thresholds (Appendix F).

    ``15 K sum Gamma / q`` over the arms with ``x* > 0``, ``Gamma = L_G (B / (p_min mu_G
    L_mu))^2 (G_max L_lambda (1 + p) / C + L_g + L_g')^2``. Appendix F ends with 5 K,
    having lost the 3 of ``log(1 / alpha) = 3 log t``; eq. (56) has it.

    Args:
      p_min: number in (0, 1], the least probability of any arm (Assumption 4.9).

    Returns:
      f64, the factor of ``log(T)^2``; ``inf`` if it is beyond float64.
    """
    p, q, C = probability, success, floor
    _check(constants)
    slopes = constants.L_g + constants.L_g_other
    gradient = constants.G_max * constants.L_lambda * (1 + p) / C + slopes
    # exp(2 M) is in here, and may be beyond float64.
    with np.errstate(over="ignore", divide="ignore"):
        stability = np.float64(budget) / (p_min * constants.mu_G) / constants.L_mu
        gamma = constants.L_G * (stability * gradient) ** 2
        return 15 * num_arms * np.sum(gamma / q)


@domains
def log_bound(
    horizon: AtLeastOne[Numbers],
    probability: Share[OfArms],
    rate: Positive[OfArms],
    budget: Positive[float],
    m: Positive[float],
    M: Positive[float],
    p_min: Positive[float] | None = None,
) -> np.ndarray:
    """Bound on the regret of RA-UCB of order ``log(T)^2``, eq. (56).

    ``C_log (log(T)^2 + log T) + 3 K^2 log T + 8 K^2``, with `log_constant`. Three
    repairs of what surrounds eq. (56): the sum is over the arms with ``x* > 0`` (it
    divides by 0 at the others); ``C = 1 - exp(-m x* / B)`` as Lemma 4.3 has it and its
    proof needs, not ``1 - exp(-lambda x*)``; and Appendix F takes all multipliers to be
    equal, which holds only where every ``x* > 0``: elsewhere the bound is not proved.

    Args:
      p_min: number in (0, min p], or None for ``min p``.

    Returns:
      f64 of the shape of `horizon`, ``inf`` beyond float64. Warns with `VacuousBound`
      if it says nothing at any of them.
    """
    p, q, C = _optimum(probability, rate, budget, m, M)
    T, K, least = horizon, probability.size, float(np.min(probability))
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
    return checked(bound, trivial_bound(T, K), "the bound of Theorem 4.11, eq. (56),")


@domains
def problem_independent_bound(
    horizon: AtLeastOne[Numbers], num_arms: Count, rho: AtLeastOne[float]
) -> np.ndarray:
    """Order of a bound that holds for all instances, ``K rho^(3/5) T^(4/5)``.

    Theorem H.2 calls it a bound. The derivation drops log T, the powers of p_min and
    the factor 14 / D of eq. (55), 9e4 in Appendix A.1: scale it before comparing.

    Args:
      rho: number >= 1, a bound on the ratio of any two ``lambda_i x*_i > 0``.

    Returns:
      f64 of the shape of `horizon`, below `trivial_bound` for ``T > rho^3``. Warns with
      `VacuousBound` if no horizon is as large.
    """
    bound = np.asarray(num_arms * rho**0.6 * horizon**0.8)
    trivial = trivial_bound(horizon, num_arms)
    return checked(bound, trivial, "the bound of Theorem H.2")


class EtcRate(NamedTuple):
    """Orders of the regret of Explore-Then-Commit in its two phases."""

    exploring: np.ndarray
    committed: np.ndarray


@broadcast_domains
def etc_rate(horizon: AtLeastOne[Numbers], alpha: Share[Scalars] = 2 / 3) -> EtcRate:
    """Orders of the regret of Explore-Then-Commit (Remark 4.7).

    ``T^alpha`` while exploring and ``T^(1 - alpha / 2)`` from then on; ``alpha = 2/3``
    makes the larger of them least. Without constants, logarithms and K.

    Args:
      alpha: real in [0, 1]: each arm is explored for ``T^alpha`` rounds.

    Returns:
      EtcRate of f64 arrays of the broadcast shape.
    """
    return EtcRate(horizon**alpha, horizon ** (1 - alpha / 2))


def _remainder(T: np.ndarray, K: int) -> np.ndarray:
    """The initialisation, ``K^2 log T``, and bad events, ``2 K^2 log T + 8 K^2``."""
    return 3 * K**2 * np.log(T) + 8 * K**2


def _optimum(
    probability: np.ndarray, rate: np.ndarray, B: float, m: float, M: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """p, q and C of the arms with ``x* > 0``, the input checked."""
    check_range(m, M)
    allocation = best_allocation(probability, rate, B)
    if np.any(rate * B < m * (1 - 1e-12)) or np.any(rate * B > M * (1 + 1e-12)):
        raise ValueError(f"rate must be in [{m / B:g}, {M / B:g}], got {rate}")
    if not probability.any():
        raise ValueError("probability must have a positive entry, got only 0")
    used = allocation > 0
    p, rate, x = probability[used], rate[used], allocation[used]
    return p, -p * np.expm1(-rate * x), -np.expm1(-m * x / B)


def _check(constants: LipschitzConstants) -> None:
    instance("constants", constants, LipschitzConstants, "of lipschitz_constants")
    positive(L_mu=constants.L_mu)
