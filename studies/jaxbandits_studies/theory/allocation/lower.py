"""What no policy can promise, Theorem 3.1 and Appendix B, and what none exceeds.

``horizon`` is T, real >= K of any shape; ``num_arms`` is K. What comes back is f64 of
the shape of ``horizon``.
"""

from typing import Annotated, NamedTuple

import numpy as np

from jaxbandits_studies.theory.domains import (
    AtLeastOne,
    Count,
    Numbers,
    Positive,
    Whole,
    domains,
)

Arms = Annotated[int, Whole(2)]


class LowerBoundInstance(NamedTuple):
    """Rates of the instances of Appendix B: budget 1, ``p_i = 1``.

    Attributes:
      epsilon: f64, by how much the rate of the one better arm is larger.
      rate: f64, lambda, the rate of the other arms; at least epsilon.
    """

    epsilon: np.ndarray
    rate: np.ndarray


@domains
def lower_bound(horizon: AtLeastOne[Numbers], num_arms: Arms) -> np.ndarray:
    """Regret that no policy can promise, ``K^(2/3) T^(1/3) / 48`` (Theorem 3.1).

    Whatever the policy, on some instance its regret is more. The proof of Appendix B
    ends with half of this, but the theorem is true for K >= 2: `proved_lower_bound` is
    more for K >= 3, and with the scale 0.14 for K = 2 and T >= 3; for K = T = 2 the
    first round alone costs 1/4 when one of the arms has a rate near 0, the other ``2
    log 2 / B``. For K = 1 it is false: spend all on the arm.
    """
    T, K = horizon, _arms_within(horizon, num_arms)
    return K ** (2 / 3) * T ** (1 / 3) / 48


@domains
def proved_lower_bound(
    horizon: AtLeastOne[Numbers], num_arms: Arms, scale: Positive[float] = 1 / 12
) -> np.ndarray:
    """What the proof of Theorem 3.1 gives for ``epsilon = scale (K / T)^(2/3)``.

    ``epsilon T / 2 (1 - 1 / K - TV)``, a bound on the regret of any policy on the worst
    of the K instances of `lower_bound_instance`, with ``TV <= sqrt(KL / 2)`` and
    ``KL <= sqrt(2) epsilon^(3/2) T / K``. The divergence of a censored exponential is
    in fact ``(1 - exp(-lambda x)) (epsilon / lambda - log(1 + epsilon / lambda))``, so
    that the first term of Lemma B.1 is enough; the paper keeps both, which gives ``5
    sqrt(2) / 4``, and prints 3/2. It goes on with ``1 / K <= 1/2`` and ``TV <= 1/4``:
    this makes 1/96 where it says 1/48.

    Args:
      scale: number > 0, 1/12 in the paper.

    Returns:
      f64 of the shape of `horizon`; negative if `scale` is much too large.
    """
    epsilon = lower_bound_instance(horizon, num_arms, scale).epsilon
    variation = np.sqrt(scale**1.5 / np.sqrt(2))
    return epsilon * horizon / 2 * (1 - 1 / num_arms - variation)


@domains
def lower_bound_instance(
    horizon: AtLeastOne[Numbers], num_arms: Arms, scale: Positive[float] = 1 / 12
) -> LowerBoundInstance:
    """The instances of Appendix B, hard to learn in T rounds.

    ``epsilon = scale (K / T)^(2/3)`` and ``(lambda + epsilon)^2 = epsilon / 2``. All
    arms have the rate lambda but one, which has ``lambda + epsilon``. Which one is the
    secret: the arm that the policy spends least on (the arg min of the paper's sum,
    which it prints as min). An ``epsilon <= lambda`` needs ``epsilon <= 1/8``, not >=.

    Args:
      scale: number > 0, 1/12 in the paper.

    Returns:
      LowerBoundInstance of arrays of the shape of `horizon`. For a budget B divide both
      by B.
    """
    T, K = horizon, _arms_within(horizon, num_arms)
    epsilon = scale * (K / T) ** (2 / 3)
    if np.any(epsilon > 1 / 8):
        raise ValueError(
            f"scale must be at most (T / K)^(2/3) / 8, got {scale} with T / K = "
            f"{np.min(T) / K:g}"
        )
    return LowerBoundInstance(epsilon, np.sqrt(epsilon / 2) - epsilon)


def _arms_within(horizon: np.ndarray, num_arms: int) -> int:
    """The arms, of which no horizon has fewer rounds."""
    if np.any(horizon < num_arms):
        raise ValueError(
            f"horizon must be at least num_arms = {num_arms}, got {horizon}"
        )
    return num_arms


@domains
def trivial_bound(horizon: AtLeastOne[Numbers], num_arms: Count) -> np.ndarray:
    """Largest regret of any policy, ``K T``: an arm has at most one success a round."""
    return np.asarray(num_arms * horizon)


@domains
def is_vacuous(bound: Numbers, horizon: Numbers, num_arms: int) -> np.ndarray:
    """Where a bound on the regret exceeds `trivial_bound` and so says nothing.

    Args:
      bound: real of any shape, may be ``inf``.

    Returns:
      bool of the broadcast shape.
    """
    if np.any(np.isnan(bound)):
        raise ValueError(f"bound must be numbers, got {bound}")
    return np.asarray(bound > trivial_bound(horizon, num_arms))
