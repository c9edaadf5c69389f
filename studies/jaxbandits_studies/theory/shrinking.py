"""How long omega*-UCB with log t leaves an arm alone that has shown no variance.

The interval of an arm's reward is Wilson's with ``eta z**2``, ``z**2 = 2 rho log t``,
and eta is learnt (theory/shrunk-omega.md). Costs are known and alike; the rival
always gains q. An arm of which n pulls have all brought r has an index above the
rival's if and only if ``n (q - r)**2 < eta z**2 q (1 - q)``.

Arguments: ``pulls``, whole numbers of any shape: n; ``rounds``, real of any shape: t
(where a `Vector`, increasing); ``rho``, of the policy; ``shown``: r in (0, q), the
reward of all n pulls; ``rival``: q, what the rival always brings; ``best``: p > q, the
best arm's mean; ``variance``: ``shrunk``, ``switch``, or ``none`` for omega-UCB.
"""

from collections.abc import Callable
from typing import Literal

import numpy as np

from jaxbandits.checks import positive
from jaxbandits_studies.theory.domains import (
    AtLeastOne,
    Inside,
    Numbers,
    Positive,
    Vector,
    domains,
    up_to,
)

PRIOR_PULLS, LEAST_PULLS = 10, 30  # of `budgeted.omega_ucb`

# eta by pulls that have all shown the same, not at an end of the range.
ETAS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "shrunk": lambda n: PRIOR_PULLS / (PRIOR_PULLS + n - 1),
    "switch": lambda n: np.where(n < LEAST_PULLS, 1.0, 0.0),
    "none": np.ones_like,  # omega-UCB
}

Variance = Literal["shrunk", "switch", "none"]


@domains
def rounds_left_alone(
    pulls: AtLeastOne[Numbers],
    rho: Positive[float],
    shown: Inside[float],
    rival: Inside[float],
    variance: Variance = "shrunk",
) -> np.ndarray:
    """The round t until which an arm of n equal rewards is left alone.

    ``exp(n (q - r)^2 / (2 rho eta q (1 - q)))``: with "shrunk" ``eta = 10 / (n + 9)``,
    so that the exponent grows like the square of n; with "switch" without end from 30
    pulls on.

    Returns:
      f64 like `pulls`; ``inf`` where it never ends, or beyond 1e308.
    """
    exponent = _exponent(pulls, rho, shown, rival, variance)
    with np.errstate(over="ignore"):
        return np.exp(exponent)


@domains
def pulls_until_given_up(
    rounds: AtLeastOne[Numbers],
    rho: Positive[float],
    shown: Inside[float],
    rival: Inside[float],
    variance: Variance = "shrunk",
) -> np.ndarray:
    """The fewest equal rewards after which an arm is left alone up to round t.

    Returns:
      i64 like `rounds`, at least 1.
    """
    one = _exponent(np.ones(()), rho, shown, rival, "none")
    most = 2 + np.log(np.max(rounds, initial=1)) / one
    n = up_to(most, rho=rho, shown=shown, rival=rival)
    enough = _exponent(n.astype(float), rho, shown, rival, variance)
    return n[np.argmax(enough >= np.log(rounds)[..., None], axis=-1)]


@domains
def lost_regret(
    rounds: Vector,
    rho: float,
    shown: float,
    rival: float,
    best: Inside[float],
    chance: Inside[float],
    variance: Variance = "shrunk",
) -> np.ndarray:
    """Mean regret, up to round t, of runs whose best arm begins with equal rewards.

    A lower bound of all regret: ``(p - q) (1 - w)^n (t - n)`` at the fewest n that give
    it up, the largest such number so far.

    Args:
      chance: w in (0, 1), that a pull of it brings anything else than `shown`.

    Returns:
      f64[T].
    """
    positive(best_minus_rival=best - rival)
    n = pulls_until_given_up(rounds, rho, shown, rival, variance)
    lost = (best - rival) * (1 - chance) ** n * np.maximum(rounds - n, 0)
    return np.maximum.accumulate(lost)


def _exponent(
    pulls: np.ndarray, rho: float, shown: float, rival: float, variance: str
) -> np.ndarray:
    """log t at which the arm's index has reached the rival's, `inf` if never."""
    positive(rival_minus_shown=rival - shown)
    most = 2 * rho * ETAS[variance](pulls) * rival * (1 - rival)
    wide = most > 0
    reached = pulls * (rival - shown) ** 2 / np.where(wide, most, 1.0)
    return np.where(wide, reached, np.inf)
