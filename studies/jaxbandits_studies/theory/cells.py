"""Cell Thompson sampling: a bound for posteriors that are exact, and what is lost.

Limits cut an arm's consumption into M cells. A run that enters cell d ends there with
the hazard h_d, and then gains mu_d on average (theory/cell-thompson.md).
"""

import numpy as np
from scipy.special import gammaincc
from scipy.stats import norm

from jaxbandits.checks import (
    Numbers,
    at_least_one,
    between_zero_and_one,
    finite,
    flag,
    in_unit_interval,
    non_negative,
    numbers,
    positive,
    whole,
)
from jaxbandits_studies.theory.plain import plain_numbers, up_to
from jaxbandits_studies.theory.products import largest_products, spread_out


@plain_numbers
def values(hazard: Numbers, gain: Numbers, penalty: Numbers) -> np.ndarray:
    """What every limit of an arm is worth, eq. (2) of Bengs & Huellermeier (2022).

    ``sum_{d <= m} S_{d-1} h_d mu_d - lambda_m S_m`` with ``S_d = prod (1 - h_i)``.

    Args:
      hazard: real ``[M]`` in [0, 1], the chance to end in a cell that was entered.
      gain: real ``[M]``, the mean gain of the runs that end there.
      penalty: real ``[M]`` >= 0, of the limits at the cells' ends.

    Returns:
      f64[M].

    Raises:
      ValueError: if an argument is out of its range or the shapes do not agree.
    """
    hazard, gain, penalty = _cells(hazard, gain, penalty)
    survival = np.cumprod(1 - hazard)
    entering = np.append(1.0, survival[:-1])
    return np.cumsum(entering * hazard * gain) - penalty * survival


@plain_numbers
def deviation(
    hazard: Numbers,
    gain: Numbers,
    penalty: Numbers,
    other_hazard: Numbers,
    other_gain: Numbers,
    largest_cost: float = 0.0,
) -> np.ndarray:
    """How far the values of other cells can be from those of the given ones.

    ``sum_{d <= m} S_{d-1} ((1 + max(c, lambda_m)) |h'_d - h_d| + h_d |mu'_d - mu_d|)``:
    an error in a cell counts as often as runs enter it.

    Args:
      hazard, gain, penalty: as for `values`; S, h and mu are of these.
      other_hazard, other_gain: likewise, h' and mu'.
      largest_cost: c >= 0; gains lie in [-c, 1].

    Returns:
      f64[M], at least the difference of `values`.

    Raises:
      ValueError: if an argument is out of its range or the shapes do not agree.
    """
    non_negative(largest_cost=largest_cost)
    hazard, gain, penalty = _cells(hazard, gain, penalty, least=-largest_cost)
    other_hazard, other_gain, _ = _cells(
        other_hazard, other_gain, penalty, "other_", -largest_cost
    )
    entering = np.append(1.0, np.cumprod(1 - hazard)[:-1])
    in_hazard = np.cumsum(entering * np.abs(other_hazard - hazard))
    in_gain = np.cumsum(entering * hazard * np.abs(other_gain - gain))
    return (1 + np.maximum(largest_cost, penalty)) * in_hazard + in_gain


@plain_numbers
def bayes_regret_bound(
    horizon: Numbers,
    num_arms: int,
    penalty: Numbers,
    *,
    coins: bool = True,
    size: int = 1,
    largest_cost: float = 0.0,
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
      penalty: real ``[M]`` >= 0, lambda at the limits.
      coins: whether gains are coins of unknown chances, or else known.
      size: m, arms in a round, in [1, K].
      largest_cost: c >= 0, of known gains in [-c, 1]; 0 for coins.

    Returns:
      f64 of the shape of `horizon`.

    Raises:
      ValueError: if an argument is out of its range.
      TypeError: if an integer is none, or `coins` no flag.
    """
    horizon = numbers("horizon", horizon)
    at_least_one(horizon=horizon)
    num_arms = whole("num_arms", num_arms, 1)
    size = whole("size", size, 1, num_arms)
    penalty = numbers("penalty", penalty, 1)
    non_negative(penalty=penalty, largest_cost=largest_cost)
    if flag("coins", coins) and largest_cost > 0:
        raise ValueError(f"largest_cost must be 0 for coins, got {largest_cost:g}")
    spread = spread_out(num_arms, size)

    def learnt(factors: int) -> np.ndarray:
        """q, of what is observed after so many steps."""
        entries = horizon * largest_products(factors, num_arms, size)
        likely = horizon * largest_products(factors, num_arms)
        log = np.log1p(entries / (2 * num_arms))
        return np.sqrt(spread * num_arms * likely * log / 2)

    bound = np.zeros(horizon.shape)
    for d, charge in enumerate(penalty):
        bound += (1 + max(largest_cost, charge)) * learnt(d)
        bound += learnt(d + 1) if coins else 0.0
    return bound


@plain_numbers
def chance_after_failures(failures: Numbers, level: float) -> np.ndarray:
    """How likely a cell is drawn above a level by whom it has gained nothing so far.

    That is, by the normal posterior of `cell_thompson` without costs after n gains of
    0: of mean ``1 / (n + 2)`` and variance ``(n + 1) / ((n + 2)^2 (n + 3))``.

    Args:
      failures: whole numbers >= 0, n.
      level: number in (0, 1).

    Returns:
      f64 like `failures`.

    Raises:
      ValueError: if an argument is out of its range.
    """
    n = numbers("failures", failures)
    non_negative(failures=n)
    between_zero_and_one(level=level)
    deviation = np.sqrt((n + 1) / (n + 3)) / (n + 2)
    return norm.sf((level - 1 / (n + 2)) / deviation)


@plain_numbers
def lost_regret(rounds: Numbers, best: float, other: float) -> np.ndarray:
    """Mean regret, up to round t, of runs that begin with failures and wait for long.

    ``max over n of (p - q) (1 - p)^n E min(W_n, t - n)``, W_n the rounds in which arm 1
    is not drawn above q, one after the other, each with `chance_after_failures`. A
    lower bound of all regret of `cell_thompson` where arm 1 gains 1 with the chance p
    and else 0, arm 2 is known to gain q, and no run is censored.

    Args:
      rounds: real >= 1 of any shape, t.
      best, other: p > q, in (0, 1).

    Returns:
      f64 like `rounds`.

    Raises:
      ValueError: if an argument is out of its range, or p is not above q.
    """
    rounds = numbers("rounds", rounds)
    at_least_one(rounds=rounds)
    between_zero_and_one(best=best, other=other)
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


@plain_numbers
def chance_of_trial(
    value: float, penalty: float, num_limits: int = 1, prior_passed: float = 1.0
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

    Raises:
      ValueError: if an argument is out of its range.
      TypeError: if `num_limits` is no integer.
    """
    non_negative(penalty=penalty)
    at_least_one(prior_passed=prior_passed)
    ended = (value + penalty) / (1 + penalty)  # 1 - S that such a draw needs
    if not 0 <= ended < 1:
        raise ValueError(f"value must be in [{-penalty:g}, 1), got {value:g}")
    shape = whole("num_limits", num_limits, 1)
    return float(gammaincc(shape, -prior_passed * np.log1p(-ended)))


def _cells(
    hazard: Numbers,
    gain: Numbers,
    penalty: Numbers,
    prefix: str = "",
    least: float | None = None,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """All three checked, under their names with a prefix."""
    names = f"{prefix}hazard", f"{prefix}gain"
    in_unit_interval(**{names[0]: hazard})
    non_negative(penalty=penalty)
    hazard = numbers(names[0], hazard, 1)
    gain = numbers(names[1], gain, 1)
    penalty = numbers("penalty", penalty, 1)
    finite(**{names[1]: gain})
    if not hazard.size:
        raise ValueError(f"{names[0]} must have at least one cell, got none")
    for name, array in ((names[1], gain), ("penalty", penalty)):
        if array.shape != hazard.shape:
            raise ValueError(
                f"{name} must have the shape {hazard.shape} of {names[0]}, got "
                f"{array.shape}"
            )
    if least is not None and not np.all((gain >= least) & (gain <= 1)):
        raise ValueError(f"{names[1]} must be in [{least:g}, 1], got {gain}")
    return hazard, gain, penalty
