"""What hazard Thompson sampling's regret bound rests on, and what a prior costs.

Waits of 1, ..., D units, of which giving up costs the time waited
(theory/hazard-thompson.md).
"""

import numpy as np
from scipy.integrate import quad

from jaxbandits.checks import (
    MOST,
    Numbers,
    at_least_one,
    in_unit_interval,
    number,
    numbers,
    whole,
)
from jaxbandits_studies.theory.plain import plain_numbers
from jaxbandits_studies.theory.products import largest_products


@plain_numbers
def rates(hazard: Numbers, value: Numbers) -> np.ndarray:
    """Reward per unit of time of every wait, eq. (2) of Sharoff et al. (2020).

    Args:
      hazard: real ``[D]`` in [0, 1], the chance to end in a unit that was entered.
      value: real ``[D]`` in [0, 1], the mean reward of those that end there.

    Returns:
      f64[D].

    Raises:
      ValueError: if an argument is out of its range or the shapes do not agree.
    """
    hazard, value = _units(hazard, value)
    entering = _entering(hazard)
    return np.cumsum(entering * hazard * value) / np.cumsum(entering)


@plain_numbers
def deviation(
    hazard: Numbers, value: Numbers, other_hazard: Numbers, other_value: Numbers
) -> np.ndarray:
    """How far the rates of other units can be from those of the given ones.

    ``sum_{d <= j} S_{d-1} ((1 + j g_j) |h'_d - h_d| + h_d |v'_d - v_d|)``: an error in
    a unit counts as often as the unit is entered.

    Args:
      hazard, value: as for `rates`; S, g, h and v are of these.
      other_hazard, other_value: likewise, h' and v'.

    Returns:
      f64[D], at least ``|g'_j - g_j|``.

    Raises:
      ValueError: if an argument is out of its range or the shapes do not agree.
    """
    hazard, value = _units(hazard, value)
    other = _units(other_hazard, other_value, "other_")
    if other[0].shape != hazard.shape:
        raise ValueError(
            f"other_hazard must have the shape {hazard.shape} of hazard, got "
            f"{other[0].shape}"
        )
    entering = _entering(hazard)
    in_hazard = np.cumsum(entering * np.abs(other[0] - hazard))
    in_value = np.cumsum(entering * hazard * np.abs(other[1] - value))
    waits = np.arange(1, hazard.size + 1)
    return (1 + waits * rates(hazard, value)) * in_hazard + in_value


@plain_numbers
def bayes_regret_bound(horizon: Numbers, num_arms: int, num_waits: int) -> np.ndarray:
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

    Raises:
      ValueError: if an argument is out of its range.
      TypeError: if an integer is none.
    """
    horizon = numbers("horizon", horizon)
    at_least_one(horizon=horizon)
    num_arms = whole("num_arms", num_arms, 1, MOST)
    num_waits = whole("num_waits", num_waits, 1, MOST)

    def learnt(factors: int) -> np.ndarray:
        """q, of what is observed after so many steps."""
        entries = horizon * largest_products(factors, num_arms)
        log = np.log1p(entries / (2 * num_arms))
        spread = 1 + np.sqrt(2 * np.log(2 * num_arms))
        return spread * np.sqrt(num_arms * entries * log) / 2

    units = range(1, num_waits + 1)
    return num_waits * sum(learnt(d - 1) + learnt(d) for d in units)


@plain_numbers
def chance_of_trial(rate: float, prior_passed: float) -> float:
    """How likely a new macro-arm of one wait is drawn above a rate that is known.

    ``P(h v > g)`` for h of Beta(1, prior_passed) and v uniform: at most ``(1 - g) **
    prior_passed``.

    Args:
      rate: number in [0, 1), g.
      prior_passed: number >= 1, of the prior.

    Raises:
      ValueError: if an argument is out of its range.
    """
    in_unit_interval(rate=rate)
    at_least_one(prior_passed=prior_passed)
    rate, passed = number("rate", rate), number("prior_passed", prior_passed)
    if rate == 0:
        return 1.0

    def above(hazard: float) -> float:
        density = passed * (1 - hazard) ** (passed - 1)
        return density * (1 - rate / hazard)

    return float(quad(above, rate, 1.0)[0])


def _entering(hazard: np.ndarray) -> np.ndarray:
    """``S_{d-1}``, the chance to enter a unit."""
    return np.cumprod(np.append(1.0, 1 - hazard[:-1]))


def _units(
    hazard: Numbers, value: Numbers, prefix: str = ""
) -> tuple[np.ndarray, np.ndarray]:
    """Both checked, under their names with a prefix."""
    names = f"{prefix}hazard", f"{prefix}value"
    in_unit_interval(**dict(zip(names, (hazard, value), strict=True)))
    hazard, value = numbers(names[0], hazard, 1), numbers(names[1], value, 1)
    if not hazard.size:
        raise ValueError(f"{names[0]} must have at least one unit, got none")
    if hazard.shape != value.shape:
        raise ValueError(
            f"{names[1]} must have the shape {hazard.shape} of {names[0]}, got "
            f"{value.shape}"
        )
    return hazard, value
