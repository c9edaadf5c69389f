"""Cell Thompson sampling: a bound for posteriors that are exact, and what is lost.

Limits cut an arm's consumption into M cells. A run that enters cell d ends there with
the hazard h_d, and then gains mu_d on average (theory/cell-thompson.md).

Arguments, unless a function says otherwise; their ranges stand in the annotations:

- ``hazard``, real ``[M]``: the chance to end in a cell that was entered; ``gain``, real
  ``[M]``: the mean gain of the runs that end there; ``penalty``, real ``[M]``: lambda,
  of the limits at the cells' ends;
- ``rounds``, real of any shape: t; ``best`` > ``other``: p and q.
"""

import numpy as np
from scipy.special import gammaincc
from scipy.stats import norm

from jaxbandits.checks import positive, whole
from jaxbandits_studies.theory.domains import (
    AtLeastOne,
    Count,
    Finite,
    Inside,
    NonNegative,
    Numbers,
    OfLimits,
    Share,
    domains,
    up_to,
)
from jaxbandits_studies.theory.products import largest_products, spread_out


@domains
def values(
    hazard: Share[OfLimits], gain: Finite[OfLimits], penalty: NonNegative[OfLimits]
) -> np.ndarray:
    """What every limit of an arm is worth, eq. (2) of Bengs & Huellermeier (2022).

    ``sum_{d <= m} S_{d-1} h_d mu_d - lambda_m S_m`` with ``S_d = prod (1 - h_i)``.

    Returns:
      f64[M].
    """
    survival = np.cumprod(1 - hazard)
    entering = np.append(1.0, survival[:-1])
    return np.cumsum(entering * hazard * gain) - penalty * survival


@domains
def deviation(
    hazard: Share[OfLimits],
    gain: Finite[OfLimits],
    penalty: NonNegative[OfLimits],
    other_hazard: Share[OfLimits],
    other_gain: Finite[OfLimits],
    largest_cost: NonNegative[float] = 0.0,
) -> np.ndarray:
    """How far the values of other cells can be from those of the given ones.

    ``sum_{d <= m} S_{d-1} ((1 + max(c, lambda_m)) |h'_d - h_d| + h_d |mu'_d - mu_d|)``:
    an error in a cell counts as often as runs enter it. S, h and mu are of the given.

    Args:
      other_hazard, other_gain: likewise, h' and mu'.
      largest_cost: c >= 0; gains lie in [-c, 1].

    Returns:
      f64[M], at least the difference of `values`.
    """
    gains = {"gain": gain, "other_gain": other_gain}
    for name, each in gains.items():
        if not np.all((each >= -largest_cost) & (each <= 1)):
            raise ValueError(f"{name} must be in [{-largest_cost:g}, 1], got {each}")
    entering = np.append(1.0, np.cumprod(1 - hazard)[:-1])
    in_hazard = np.cumsum(entering * np.abs(other_hazard - hazard))
    in_gain = np.cumsum(entering * hazard * np.abs(other_gain - gain))
    return (1 + np.maximum(largest_cost, penalty)) * in_hazard + in_gain


@domains
def bayes_regret_bound(
    horizon: AtLeastOne[Numbers],
    num_arms: Count,
    penalty: NonNegative[OfLimits],
    *,
    coins: bool = True,
    size: int = 1,
    largest_cost: NonNegative[float] = 0.0,
) -> np.ndarray:
    """Bound on the Bayes regret of Thompson sampling by the exact posterior of cells.

    On instances that are drawn with hazards uniform on [0, 1] and independent. With
    ``r(d)`` the expected largest product of d uniform numbers of K arms (the sum of the
    m largest, under the inner logarithm, of super arms of m), and ``g`` of
    `spread_out`,

        sum_d  L_d q(d - 1) + q(d),
        q(d) = sqrt(g K T r(d) log(1 + T r(d) / (2 K)) / 2),

    ``L_d = 1 + max(c, lambda_d)``. The second term is that of gains that are 0 or 1
    with unknown chances, uniform as well; it is 0 if the mean gains are known.

    Args:
      horizon: real >= 1 of any shape, T.
      num_arms: K.
      coins: whether gains are coins of unknown chances, or else known.
      size: m, arms in a round, in [1, K].
      largest_cost: c >= 0, of known gains in [-c, 1]; 0 for coins.
    """
    size = whole("size", size, 1, num_arms)
    if coins and largest_cost > 0:
        raise ValueError(f"largest_cost must be 0 for coins, got {largest_cost:g}")
    spread = spread_out(num_arms, size)

    def learnt(factors: int) -> np.ndarray:
        """q, of what is observed after so many steps."""
        entries = horizon * largest_products(factors, num_arms, size)
        likely = horizon * largest_products(factors, num_arms)
        log = np.log1p(entries / (2 * num_arms))
        return np.asarray(np.sqrt(spread * num_arms * likely * log / 2))

    bound = np.zeros(horizon.shape)
    for d, charge in enumerate(penalty):
        bound += (1 + max(largest_cost, charge)) * learnt(d)
        bound += learnt(d + 1) if coins else 0.0
    return bound


@domains
def chance_after_failures(
    failures: NonNegative[Numbers], level: Inside[float]
) -> np.ndarray:
    """How likely a cell is drawn above a level by whom it has gained nothing so far.

    That is, by the normal posterior of `cell_thompson` without costs after n gains of
    0: of mean ``1 / (n + 2)`` and variance ``(n + 1) / ((n + 2)^2 (n + 3))``.

    Args:
      failures: whole numbers >= 0, n.
      level: number in (0, 1).
    """
    n = failures
    deviation = np.sqrt((n + 1) / (n + 3)) / (n + 2)
    return np.asarray(norm.sf((level - 1 / (n + 2)) / deviation))


@domains
def lost_regret(
    rounds: AtLeastOne[Numbers], best: Inside[float], other: Inside[float]
) -> np.ndarray:
    """Mean regret, up to round t, of runs that begin with failures and wait for long.

    ``max over n of (p - q) (1 - p)^n E min(W_n, t - n)``, W_n the rounds in which arm 1
    is not drawn above q, one after the other, each with `chance_after_failures`. A
    lower bound of all regret of `cell_thompson` where arm 1 gains 1 with the chance p
    and else 0, arm 2 is known to gain q, and no run is censored.
    """
    positive(best_minus_other=best - other)
    # Beyond, a draw is above q with less than one chance in the rounds that there are.
    most = np.ceil((2 + np.sqrt(2 * np.log(np.max(rounds, initial=1) + 1))) / other) + 2
    n = up_to(most, other=other)
    again = chance_after_failures(n, other)
    left = np.maximum(rounds[..., None] - n, 0)
    # Where a draw is as good as impossible, all rounds that are left are waited.
    some = np.where(again > 0, again, 1.0)
    waiting = -np.expm1(left * np.log1p(-again)) / some
    waiting = (1 - again) * np.where(again > 0, waiting, left)
    return np.max((best - other) * (1 - best) ** n * waiting, axis=-1)


@domains
def chance_of_trial(
    value: float,
    penalty: NonNegative[float],
    num_limits: Count = 1,
    prior_passed: AtLeastOne[float] = 1.0,
) -> float:
    """Bound of how likely an arm that is new is drawn to be worth more than a value.

    A draw of its best limit is worth at most ``(1 - S) - lambda S``, with lambda the
    smallest penalty and S the product of 1 - h over all cells. With the prior Beta(1,
    b) of hazards ``log(1 / S)`` is a Gamma variable with the shape M and the rate b.

    Args:
      value: number in [-lambda, 1), what is known to be worth.
      penalty: lambda >= 0, of the shortest limit.
      num_limits: M.
      prior_passed: b >= 1.
    """
    ended = (value + penalty) / (1 + penalty)  # 1 - S that such a draw needs
    if not 0 <= ended < 1:
        raise ValueError(f"value must be in [{-penalty:g}, 1), got {value:g}")
    return float(gammaincc(num_limits, -prior_passed * np.log1p(-ended)))
