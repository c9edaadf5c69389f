"""P values of several tests, corrected for their number."""

import numpy as np
import scipy

CORRECTIONS = ("holm", "bonferroni", "holm-sidak", "fdr_bh")


def corrected(p: np.ndarray, correction: str) -> np.ndarray:
    """Adjusted p values: a test is significant at level a if its adjusted p is <= a.

    "bonferroni": m p; "holm" (Holm 1979, Scand. J. Stat. 6, 65-70): the i-th
    smallest times m + 1 - i; "holm-sidak": likewise with 1 - (1 - p)^(m + 1 - i); both
    no smaller than those of smaller p; "fdr_bh": Benjamini and Hochberg (1995, JRSS B
    57, 289-300), for the share of wrong ones.
    """
    if correction == "fdr_bh":
        return np.asarray(scipy.stats.false_discovery_control(p))
    if correction == "bonferroni":
        return np.minimum(p.size * p, 1)
    order = np.argsort(p)
    left = np.arange(p.size, 0, -1)
    if correction == "holm":
        steps = np.minimum(left * p[order], 1)
    else:
        with np.errstate(divide="ignore"):  # log(0), of p = 1
            steps = -np.expm1(left * np.log1p(-p[order]))
    adjusted = np.empty_like(p)
    adjusted[order] = np.maximum.accumulate(steps)
    return adjusted
