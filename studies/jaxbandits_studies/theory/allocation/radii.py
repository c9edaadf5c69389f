"""The confidence radii of RA-UCB as printed (Section 4.3)."""

from typing import NamedTuple

import numpy as np

from jaxbandits.checks import Numbers, at_least_one, non_negative
from jaxbandits_studies.theory.allocation.arguments import floats, rates, share
from jaxbandits_studies.theory.allocation.exponential import g_slope
from jaxbandits_studies.theory.plain import plain_numbers


class Radii(NamedTuple):
    """Confidence radii of one arm: of its rate, and of its probability."""

    rate: np.ndarray
    probability: np.ndarray


@plain_numbers
def printed_radii(
    count: Numbers,
    round: Numbers,
    m: float,
    M: float,
    budget: float,
    p_hat: Numbers,
    c_hat: Numbers,
) -> Radii:
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
    m, M, B = rates(m, M, budget)
    count, t = floats(count, round)
    p_hat, c_hat = share("p_hat", p_hat), share("c_hat", c_hat)
    some, seen = count > 0, c_hat > 0
    spread = np.sqrt(1.5 * np.log(t) / np.where(some, count, 1.0)) / -g_slope(M)
    rate = np.where(some, spread / B, np.inf)
    reach = (1 + p_hat) / np.where(seen, c_hat, 1.0)
    probability = np.where(some & seen, reach * spread, np.inf)
    return Radii(*np.broadcast_arrays(rate, probability))
