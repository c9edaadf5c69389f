"""Expected largest products of uniform numbers: chances to get far, before any data.

An arm whose hazards are uniform and independent lets a run enter its cell d + 1 with a
chance that is a product of d uniform numbers.
"""

import numpy as np
from scipy.integrate import quad
from scipy.special import gammaincc
from scipy.stats import binom


def largest_products(factors: int, num_arms: int, size: int = 1) -> float:
    """Expected sum of the `size` largest of `num_arms` products of uniform numbers.

    A product of d of them is below s with the probability of a Gamma variable with the
    shape d beyond ``log(1 / s)``.

    Args:
      factors: d >= 0; of none the product is 1.
      num_arms: K >= 1, independent products.
      size: m in [1, K].
    """
    if factors == 0:
        return float(size)
    ranks = np.arange(size)

    def expected_above(s: float) -> float:
        """How many of the m largest products are expected to be above s."""
        above = 1 - gammaincc(factors, -np.log(s))
        return float(np.sum(binom.sf(ranks, num_arms, above)))

    return float(quad(expected_above, 0.0, 1.0, epsabs=1e-9)[0])


def spread_out(num_arms: int, size: int) -> float:
    """The largest ``sum p log(1 / p)`` of K probabilities that sum to at most m.

    All are alike: ``m log(K / m)``, or ``K / e`` where m / K is above 1 / e, at which
    ``p log(1 / p)`` is largest.
    """
    share = min(size / num_arms, 1 / np.e)
    return float(-num_arms * share * np.log(share))
