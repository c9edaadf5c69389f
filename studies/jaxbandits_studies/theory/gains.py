"""What mean and variance of gains say of larger means, and what all gains say.

Of a law F of gains in [0, 1] with a mean below q, ``K(F, q) = max over x in [0, 1] of
E log(1 - x (X - q) / (1 - q))`` is the information in an observation against a mean of
q or more (Honda & Takemura 2010): n gains look like F, up to a power of n, with the
chance exp(-n K) if that is their mean. `cell_thompson` knows n, the mean and the
variance, and takes the law on two values, one of them 1, that has the least K of all
with these (theory/cell-thompson.md).

``mean`` and ``variance``, which is in [0, mean (1 - mean)], are of the gains, and
broadcast; ``level`` is q, of the mean that is spoken against.
"""

import numpy as np
from scipy.special import rel_entr
from scipy.stats import beta

from jaxbandits_studies.theory.domains import (
    AtLeastOne,
    Inside,
    Numbers,
    OfArms,
    Share,
    domains,
)
from jaxbandits_studies.theory.lai_robbins import above

_QUADRATURE = np.polynomial.legendre.leggauss(200)


@domains
def two_values(
    mean: Share[Numbers], variance: Numbers
) -> tuple[np.ndarray, np.ndarray]:
    """The law on 1 and one more value with this mean and variance.

    Returns:
      The other value, f64 in [0, 1], and the chance of 1, f64.
    """
    most = mean * (1 - mean)
    if not np.all((variance >= 0) & (variance <= most * (1 + 1e-12))):
        raise ValueError(
            f"variance must be in [0, mean (1 - mean)], here [0, {most}], got "
            f"{variance}"
        )
    missing = np.where(mean < 1, 1 - mean, 1.0)
    return mean - variance / missing, variance / (missing**2 + variance)


@domains
def information(mean: Numbers, variance: Numbers, level: Inside[Numbers]) -> np.ndarray:
    """K of the law on two values: least of all laws with this mean and variance.

    Returns:
      f64 of the broadcast shape; 0 where the level is not above the mean.
    """
    value, chance = two_values(mean, variance)
    above = mean < level
    at = (np.where(above, level, 0.5) - value) / np.where(above, 1 - value, 1.0)
    at = np.where(above, at, chance)
    informed: np.ndarray = rel_entr(chance, at) + rel_entr(1 - chance, 1 - at)
    return informed


@domains
def least_information(gains: Share[OfArms], level: Inside[float]) -> float:
    """K of the law that gives every one of some gains the same chance.

    Args:
      gains: real ``[n]`` in [0, 1].
    """
    chances = np.full((1, gains.size), 1 / gains.size)
    return float(above(gains[None], chances, [level]).divergence[0])


@domains
def chance_above(
    count: AtLeastOne[float], mean: float, variance: float, level: Inside[float]
) -> float:
    """How likely `cell_thompson` draws a mean gain of at least a level, by quadrature.

    Args:
      count: whole number >= 1 of gains in [0, 1], which no run has to pay for.
      mean, variance: theirs, as for `two_values`.
      level: q in (0, 1).
    """
    value, chance = two_values(mean, variance)
    below = count * (1 - chance)
    # A draw is s (x + (1 - x) w), s of Beta(n + 1, 1) and w of Beta(1 + n a, n - n a):
    # it is at least q with the chance of w >= (q / s - x) / (1 - x), for s from q on.
    if below == 0 or value == 1:
        return float(1 - level ** (count + 1))
    nodes, weights = _QUADRATURE
    u = level ** (count + 1) + (1 - level ** (count + 1)) * (nodes + 1) / 2
    s = u ** (1 / (count + 1))
    w = (level / s - value) / (1 - value)
    above = np.where(w <= 0, 1.0, beta.sf(w, 1 + count - below, below))
    return float((1 - level ** (count + 1)) * (weights @ above) / 2)


@domains
def least_chance_above(
    count: AtLeastOne[Numbers],
    mean: Numbers,
    variance: Numbers,
    level: Inside[float],
    more: float,
) -> np.ndarray:
    """Lower bound of `chance_above` for a level above the mean.

    ``d (1 - q - d) exp(-n K(q + d)) / (e (n + 1)^2)``, with K of `information`.

    Args:
      more: d > 0, with q + d < 1.
    """
    further = level + more
    if not level < further < 1:
        raise ValueError(f"more must be in (0, {1 - level:g}), got {more:g}")
    rate = information(mean, variance, further)
    scale = (further - level) * (1 - further) / np.exp(1.0)
    return scale * np.exp(-count * rate) / (count + 1) ** 2
