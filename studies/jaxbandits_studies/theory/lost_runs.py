"""How often a policy with Wilson's interval gives its best arm up, at what cost.

For policies whose index is the upper end of Wilson's interval over a known cost: with
``z**2 = 2 rho log(1 + t / (sqrt(K) n))`` share-UCB by the money spent, with ``z**2 = 2
rho log(t / n)`` omega*-UCB with log(t/n) and shrunk variances
(theory/share-ucb.md). Two Bernoulli arms of equal cost, the better one of mean p,
the other of mean q.

Arguments: ``rounds``, real of any shape: t (where a `Vector`, increasing); ``rho``, of
the policy; ``best`` and ``other``: p and q, p > q but for `chance_of_loss`;
``confidence``: ``share``, of share-UCB, or ``log_share``, log(t/n).
"""

from typing import Any, Literal

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import rel_entr

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


def _share(rounds: Any, pulls: Any) -> Any:
    return np.log1p(rounds / (2**0.5 * pulls))


def _log_share(rounds: Any, pulls: Any) -> Any:
    return np.log(rounds / pulls)


# What z**2 / (2 rho) is, by round and pulls, of two arms.
CONFIDENCES = {"share": _share, "log_share": _log_share}
Confidence = Literal["share", "log_share"]


@domains
def pulls_until_given_up(
    rounds: AtLeastOne[Numbers],
    rho: Positive[float],
    other: Inside[float],
    confidence: Confidence = "share",
) -> np.ndarray:
    """The fewest failures in a row after which the best arm is not pulled again.

    The least n with ``n q / (1 - q) >= z**2``: from then on an arm of n failures has an
    index below q, up to round t.

    Returns:
      i64 like `rounds`, at least 1.
    """
    width = CONFIDENCES[confidence]
    odds = other / (1 - other)
    # So many suffice for the longest t, as z**2 falls with n.
    most = 1 + np.ceil(2 * rho * max(width(np.max(rounds, initial=1), 1), 1.0) / odds)
    n = up_to(most, rho=rho, other=other)
    enough = n * odds >= 2 * rho * width(rounds[..., None], n)
    return n[np.argmax(enough, axis=-1)]


@domains
def chance_of_loss(
    rounds: Numbers,
    rho: float,
    best: Inside[float],
    other: float,
    confidence: Confidence = "share",
) -> np.ndarray:
    """The chance that the best arm begins with so many failures, like `rounds`.

    Args as of `lost_regret`, but that p may be below q.
    """
    pulls = pulls_until_given_up(rounds, rho, other, confidence)
    lost: np.ndarray = (1 - best) ** pulls
    return lost


@domains
def lost_regret(
    rounds: Vector,
    rho: float,
    best: Inside[float],
    other: Inside[float],
    confidence: Confidence = "share",
) -> np.ndarray:
    """Mean regret of the runs that are given up, in rewards, up to round t.

    A lower bound of all regret but for a factor: the chance that the other arm's mean
    never falls below q, or a little less (theory/share-ucb.md).

    Those given up with n failures are so until the last t for which n are enough: what
    they lose grows until then, and its largest value so far counts.
    """
    gap = best - other
    positive(best_minus_other=gap)
    pulls = pulls_until_given_up(rounds, rho, other, confidence)
    lost = (1 - best) ** pulls * gap * np.maximum(rounds - pulls, 0)
    return np.maximum.accumulate(lost)


@domains
def exponent(rho: Positive[float], best: Inside[float], other: Inside[float]) -> float:
    """The power a of t with which the chance of loss falls.

    Regret is at least of the order ``t ** (1 - a)``.
    ``2 rho min over x <= q of kl(x, p) q (1 - q) / (q - x)**2``: the best arm's mean
    falls to x by the pulls that make its index q. At x = 0, failures only, it is
    ``2 rho (1 - q) / q log(1 / (1 - p))``.
    """
    p, q = best, other
    positive(best_minus_other=p - q)

    def at(x: float) -> Any:
        divergence = rel_entr(x, p) + rel_entr(1 - x, 1 - p)
        return divergence * q * (1 - q) / (q - x) ** 2

    inside = minimize_scalar(at, bounds=(0.0, q), method="bounded")
    return 2 * rho * min(at(0.0), float(inside.fun))
