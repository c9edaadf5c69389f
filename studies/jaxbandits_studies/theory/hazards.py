"""What hazard Thompson sampling's regret bound rests on, and what a prior costs.

Waits of 1, ..., D units, of which giving up costs the time waited
(theory/hazard-thompson.md).

``hazard``, real ``[D]``, is the chance to end in a unit that was entered, ``value``,
real ``[D]``, the mean reward of those that end there.
"""

import numpy as np
from scipy.integrate import quad

from jaxbandits_studies.theory.domains import (
    AtLeastOne,
    Count,
    Numbers,
    OfLimits,
    Share,
    domains,
)
from jaxbandits_studies.theory.products import largest_products


@domains
def rates(hazard: Share[OfLimits], value: Share[OfLimits]) -> np.ndarray:
    """Reward per unit of time of every wait, eq. (2) of Sharoff et al. (2020).

    Returns:
      f64[D].
    """
    entering = _entering(hazard)
    return np.cumsum(entering * hazard * value) / np.cumsum(entering)


@domains
def deviation(
    hazard: Share[OfLimits],
    value: Share[OfLimits],
    other_hazard: Share[OfLimits],
    other_value: Share[OfLimits],
) -> np.ndarray:
    """How far the rates of other units can be from those of the given ones.

    ``sum_{d <= j} S_{d-1} ((1 + j g_j) |h'_d - h_d| + h_d |v'_d - v_d|)``: an error in
    a unit counts as often as the unit is entered. S, g, h and v are of the given ones.

    Args:
      other_hazard, other_value: likewise, h' and v'.

    Returns:
      f64[D], at least ``|g'_j - g_j|``.
    """
    entering = _entering(hazard)
    in_hazard = np.cumsum(entering * np.abs(other_hazard - hazard))
    in_value = np.cumsum(entering * hazard * np.abs(other_value - value))
    waits = np.arange(1, hazard.size + 1)
    return (1 + waits * rates(hazard, value)) * in_hazard + in_value


@domains
def bayes_regret_bound(
    horizon: AtLeastOne[Numbers], num_arms: Count, num_waits: Count
) -> np.ndarray:
    """Bound on the Bayes regret of hazard Thompson sampling, of rewards 0 or 1.

    On instances that are drawn with hazards and chances of a reward uniform on [0, 1]
    and independent. With ``r(d)`` the expected largest of K products of d uniform
    numbers,

        D sum_d  q(d - 1) + q(d),
        q(d) = (1 + sqrt(2 log(2 K))) sqrt(K T r(d) log(1 + T r(d) / (2 K))) / 2.

    Args:
      horizon: real >= 1 of any shape, the time T.
      num_arms: K.
      num_waits: D, waits of 1, ..., D.

    Returns:
      f64 of the shape of `horizon`. It says nothing where it is above T.
    """

    def learnt(factors: int) -> np.ndarray:
        """q, of what is observed after so many steps."""
        entries = horizon * largest_products(factors, num_arms)
        log = np.log1p(entries / (2 * num_arms))
        spread = 1 + np.sqrt(2 * np.log(2 * num_arms))
        return np.asarray(spread * np.sqrt(num_arms * entries * log) / 2)

    units = range(1, num_waits + 1)
    return np.asarray(num_waits * sum(learnt(d - 1) + learnt(d) for d in units))


@domains
def chance_of_trial(rate: Share[float], prior_passed: AtLeastOne[float]) -> float:
    """How likely a new macro-arm of one wait is drawn above a rate that is known.

    ``P(h v > g)`` for h of Beta(1, prior_passed) and v uniform: at most ``(1 - g) **
    prior_passed``.

    Args:
      rate: number in [0, 1), g.
      prior_passed: number >= 1, of the prior.
    """
    passed = prior_passed
    if rate == 0:
        return 1.0

    def above(hazard: float) -> float:
        density = passed * (1 - hazard) ** (passed - 1)
        return density * (1 - rate / hazard)

    return float(quad(above, rate, 1.0)[0])


def _entering(hazard: np.ndarray) -> np.ndarray:
    """``S_{d-1}``, the chance to enter a unit."""
    return np.cumprod(np.append(1.0, 1 - hazard[:-1]))
