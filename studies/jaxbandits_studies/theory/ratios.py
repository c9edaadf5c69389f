"""How rarely ratio Thompson sampling tries an arm that brought nothing and cost all.

Reward and cost are drawn independently. Of an arm whose pulls bring 1 for nothing with
the chance p, and else nothing for 1, a beginning with n failures has the chance (1 -
p)^n, and speaks against its reward and against its cost: that both are drawn well again
is rarer than one failure in a row is likely (theory/ratio-thompson.md).

``best`` is p, the chance to bring 1 for nothing; ``other`` is q < p, what the other arm
always brings, for 1 - q.
"""

from typing import TypeVar

import numpy as np
from scipy.special import betainc, betaln

from jaxbandits.checks import positive
from jaxbandits_studies.theory.domains import (
    AtLeastOne,
    Inside,
    Numbers,
    Positive,
    domains,
    up_to,
)

T = TypeVar("T", float, np.ndarray)


@domains
def chance_after_failures(
    failures: AtLeastOne[Numbers], ratio: Positive[Numbers]
) -> np.ndarray:
    """How likely the ratio of an arm of failures is drawn at a level or above.

    Its reward is of Beta(1, n + 1), its cost of Beta(n + 1, 1): with x the level,

        (n + 1) B(n + 1, n + 2) I_min(x, 1)(n + 1, n + 2) / x^(n + 1).

    Args:
      failures: n >= 1.
      ratio: level > 0; the two broadcast.
    """
    n = failures
    share = betainc(n + 1, n + 2, np.minimum(ratio, 1.0))
    log = np.log(n + 1) + betaln(n + 1, n + 2) - (n + 1) * np.log(ratio)
    return share * np.exp(log)


@domains
def power(best: Inside[Numbers], other: Inside[Numbers]) -> np.ndarray:
    """The power of the budget that regret exceeds, but for logarithms.

    ``1 - log(1 / (1 - p)) / log(w)`` with w = 4 x, or 1 / (1 - x) where x < 1/2, and x
    the other arm's ratio q / (1 - q): n failures of the best arm have the chance (1 -
    p)^n, and it is then drawn above x with at most the chance (n + 1) / w^n.
    """
    ratio = _ratio(best, other)
    rarer = np.where(ratio < 0.5, -np.log1p(-np.minimum(ratio, 0.5)), np.log(4 * ratio))
    return 1 + np.log1p(-best) / rarer


@domains
def lost_regret(
    budget: AtLeastOne[Numbers], best: Inside[float], other: Inside[float]
) -> np.ndarray:
    """Mean regret of runs that begin with failures and never try the arm again.

    ``max over n of (1 - p)^n (1 - P_n)^(B / (1 - q)) (B - n) (p / (1 - p) - q / (1 -
    q))`` with P_n of `chance_after_failures`: a lower bound of all regret where the
    other arm is known.

    Args:
      budget: real >= 1 of any shape, B.
    """
    p, q, ratio = best, other, _ratio(best, other)
    # Beyond, an arm is hardly drawn above the ratio once in all rounds.
    per_failure = abs(np.log(max(0.25 / ratio if ratio > 0.5 else 1 - ratio, 1e-3)))
    most = 2 + 3 * np.log(np.max(budget, initial=1) / (1 - q) + 9) / per_failure
    n = up_to(most, other=other)
    again = np.minimum(chance_after_failures(n, ratio), 1 - 1e-15)
    money = budget[..., None]
    never = np.exp(money / (1 - q) * np.log1p(-again))
    gap = p / (1 - p) - ratio
    return np.max((1 - p) ** n * never * np.maximum(money - n, 0.0) * gap, axis=-1)


def _ratio(best: T, other: T) -> T:
    """The other arm's ratio; that it is the worse one is checked."""
    positive(best_minus_other=best - other)
    return other / (1 - other)
