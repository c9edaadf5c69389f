"""Whether seeds show enough of their distribution for a statement about its mean.

A t statistic has Student's distribution for normal values, and nearly so if their
skewness is small relative to the square root of their number: the first term of the
difference is ``skewness / sqrt(S)`` (Hall 1987, "Edgeworth expansion for Student's t
statistic under minimal moment conditions", Ann. Probab. 15, 920-931). So the skewness
of the sample is checked, from `FEWEST` seeds on; fewer seeds do not show it.

No statistic can account for unobserved events (Bahadur and Savage 1956, "The
nonexistence of certain statistical procedures in nonparametric problems", Ann. Math.
Stat. 27, 1115-1122): a loss with probability p does not occur in S seeds with
probability ``(1 - p)^S``. If such losses are possible and the metric has known bounds,
the methods "bounded" hold without any condition.
"""

import numpy as np
import xarray as xr

from jaxbandits.console import faults
from jaxbandits.results.moments import Moments

# Seeds from which on the sample's skewness tells much: of 20 exponential seeds three
# samples in four are seen to be skewed, of log-normal ones nearly all.
FEWEST = 20
# |skewness| / sqrt(S) above which intervals warn. Where the distribution has 0.2,
# Student's t covers .94 instead of .95; one normal sample of 20 seeds in 17 is above
# it, hardly any of 50 (docs/statistics.md).
SKEWED = 0.2
# Spread of equal numbers after some arithmetic in float64, relative.
ROUNDING = 1e-12


class CoverageWarning(UserWarning):
    """The seeds do not support the coverage that an interval states.

    There are too few to see how skewed they are, they are all equal, or they are so
    skewed that Student's t and the bootstrap cover less than about 0.9 at level 0.95.
    """


def warn(message: str, category: type[Warning] = CoverageWarning) -> None:
    """Warn of the line outside this package that has led here."""
    faults.warn(message, category)


def moments(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Skewness and effective number of seeds.

    Args:
      rows: f64[..., S].

    Returns:
      Two f64[...]. The skewness ``m3 / m2^1.5`` of the sample, at most about
      ``sqrt(S)`` in magnitude. The effective number ``(sum r^2)^2 / sum r^4`` of the
      deviations r from the mean: S if all are equally large, S / 3 for normal values,
      1 if one seed makes the variance. NaN where all seeds are equal or one is not
      finite.
    """
    size = rows.shape[-1]
    rows = np.where(np.isfinite(rows).all(axis=-1, keepdims=True), rows, np.nan)
    residuals = rows - rows.mean(axis=-1, keepdims=True)
    scale = np.abs(residuals).max(axis=-1, keepdims=True)
    proper = ~constant(rows)[..., None] & (scale > 0)
    # Scaled first, as high powers of what is small vanish.
    residuals = np.where(proper, residuals, np.nan) / np.where(proper, scale, 1)
    squares = residuals**2
    second, third, fourth = (
        # NumPy takes tens of times as long for a power of 3 as for a product.
        (squares * other).sum(axis=-1)
        for other in (1, residuals, squares)
    )
    return np.sqrt(size) * third / second**1.5, second**2 / fourth


def constant(rows: np.ndarray, scale: np.ndarray | None = None) -> np.ndarray:
    """bool[...], whether all seeds of ``rows [..., S]`` are equal up to rounding.

    `scale` [...] is the magnitude of what was rounded, by default of the rows; of
    differences it is that of what was subtracted.
    """
    if scale is None:
        scale = np.abs(rows).max(axis=-1)
    # NaN is not equal to NaN.
    return rows.max(axis=-1) - rows.min(axis=-1) <= ROUNDING * scale


def supported(rows: np.ndarray) -> np.ndarray:
    """bool[...], whether ``rows [..., S]`` support an interval of their mean."""
    size = rows.shape[-1]
    skewness, _ = moments(rows)
    # NaN, of what is constant, is not supported.
    return (size >= FEWEST) & (np.abs(skewness) <= SKEWED * np.sqrt(size))


def warn_of_coverage(values: xr.DataArray, what: str, joint: bool = False) -> bool:
    """Warn, once, if intervals of means over ``seed`` may cover less than they say.

    For curves only the last checkpoint counts: the first ones show too few rounds.

    Args:
      values: independent replications along ``seed``; of a single one all intervals are
        NaN, and samples with a value that is not finite have none to warn of.
      what: the intervals, for the message.
      joint: whether all checkpoints count, as what is covered is the whole curve; those
        at which all seeds are equal do not.

    Returns:
      Whether it has warned.
    """
    if "checkpoint" in values.dims and not joint:
        values = values.isel(checkpoint=-1)
    rows = np.asarray(values.transpose(..., "seed").values, np.float64)
    rows = rows.reshape(-1, rows.shape[-1])
    rows = rows[np.isfinite(rows).all(axis=1)]
    if rows.shape[1] == 1:
        warn_of_one(what)
        return True
    equal = constant(rows)
    if joint and not equal.all():
        rows, equal = rows[~equal], equal[~equal]
    return _warned(rows.shape[1], equal, *moments(rows), what)


def warn_of_one(what: str) -> None:
    """Warn that what is said of the spread over seeds is NaN, as there is one."""
    warn(
        f"{what} are NaN: a single replication does not tell how much others would "
        "differ"
    )


def warn_of_moments(result: Moments, what: str) -> None:
    """`warn_of_coverage` by moments, in arrays of one shape, at one checkpoint."""
    proper = np.isfinite(result.mean) & (result.number > 1)
    if not proper.any():
        if (result.number == 1).any():
            warn_of_one(what)
        return
    number, _, m2, m3, m4, low, high = (x[proper] for x in result)
    equal = high - low <= ROUNDING * np.maximum(np.abs(low), np.abs(high))
    m2 = np.where(equal, np.nan, m2)
    skewness, effective = np.sqrt(number) * m3 / m2**1.5, m2**2 / m4
    _warned(int(number.min()), equal, skewness, effective, what)


def _warned(
    size: int,
    equal: np.ndarray,
    skewness: np.ndarray,
    effective: np.ndarray,
    what: str,
) -> bool:
    """Whether there is something to warn of in some samples, each of `size` seeds."""
    parts = []
    if size < FEWEST:
        parts.append(
            f"{size} replications are too few to see how skewed they are (it takes "
            f"{FEWEST})"
        )
    if equal.any():
        parts.append(
            f"in {equal.sum()} of {equal.size} samples all replications are equal, "
            "which does not tell how much others would differ"
        )
    skewed = np.abs(skewness) > SKEWED * np.sqrt(size)
    if size >= FEWEST and skewed.any():
        worst = np.nanargmax(np.abs(skewness))
        parts.append(
            f"{skewed.sum()} of {equal.size} samples are too skewed (the worst: "
            f"skewness {skewness[worst]:.2g}, {size} replications with the weight of "
            f"{effective[worst]:.2g})"
        )
    if not parts or not equal.size:
        return False
    warn(
        f"coverage of {what} is not assured: {'; '.join(parts)}. See docs/statistics.md"
    )
    return True
