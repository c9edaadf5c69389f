"""Simultaneous confidence bands, which cover the whole curve and not only each point.

The critical value is a quantile of the largest t statistic along the curve, simulated
with the multiplier bootstrap: Chernozhukov, Chetverikov and Kato (2013), "Gaussian
approximations and multiplier bootstrap for maxima of sums of high-dimensional random
vectors", Ann. Stat. 41, 2786-2819. The multipliers are random signs and every
simulated sample is studentised by its own variance, which Telschow and Schwartzman
(2022), "Simultaneous confidence bands for functional data using the Gaussian kinematic
formula", J. Stat. Plan. Inference 216, 70-94, find the best of its kind for few
replications.
"""

from collections.abc import Sequence

import numpy as np
import xarray as xr

from jaxbandits.stats.bootstrap import BATCH
from jaxbandits.stats.checks import check_bootstrap, check_level
from jaxbandits.stats.intervals import Interval, variance
from jaxbandits.stats.lookup import metric_values
from jaxbandits.stats.replications import replications
from jaxbandits.stats.soundness import warn_of_coverage


def band(
    dataset: xr.Dataset,
    metric: str,
    level: float = 0.95,
    over: Sequence[str] = ("checkpoint",),
    *,
    resamples: int = 4999,
    seed: int = 0,
) -> Interval:
    """Confidence band that covers the mean over seeds everywhere at once.

    For every policy and parameter point, the curve of means lies inside its band at
    all checkpoints with probability `level`. This holds for many seeds, and in
    simulations from 5 normal seeds on. For skewed seeds the coverage is lower, as of a
    t interval (0.91 instead of 0.95 for 20 seeds of a sum of exponentials). The half
    width is a common multiple of the standard error: the band is narrow where the seeds
    agree.

    Args:
      dataset: as `build_dataset` makes it.
      metric: name of a metric.
      level: probability in (0, 1) of covering everything along `over`.
      over: dimensions over which the coverage is joint, ``("policy", "checkpoint")``
        for the curves of all policies, say.
      resamples: number of bootstrap samples.
      seed: seed of the bootstrap; the same seed gives the same band.

    Returns:
      An `Interval` of arrays ``[policy, params, checkpoint]``. If all seeds are equal
      (at checkpoint 0, say), the band has no width. If a seed is not finite, the ends
      are NaN there, and the band is joint over the other checkpoints. With a single
      seed all ends are NaN. With few seeds (up to 5 at level 0.95) ends may be
      infinite, as so few signs do not bound the t statistic.

    Raises:
      ValueError: if `metric` is unknown, `level` is not in (0, 1), `over` is empty or
        names what is no dimension of the metric or ``seed``, `resamples` is below
        ``2 / (1 - level)``, or there is no seed.
      TypeError: if an argument is of another type.

    Warns:
      CoverageWarning: if the seeds at some checkpoint do not support the coverage, or
        there is a single one.
    """
    values = metric_values(dataset, metric)
    check_level(level)
    check_bootstrap(resamples, seed, level)
    over = _names(over)
    known = [str(dim) for dim in values.dims if dim != "seed"]
    if not over or not set(over) <= set(known):
        raise ValueError(
            f"over must name some of the dimensions {', '.join(known)}, got {over}"
        )
    values = replications(values)
    warn_of_coverage(values, f"the {100 * level:g} % bands of {metric!r}", joint=True)
    center = values.mean("seed", skipna=False)
    if values.sizes["seed"] < 2:
        nothing = xr.full_like(center, np.nan)
        return Interval(center, nothing, nothing)
    equal = (values == values.isel(seed=0, drop=True)).all("seed")
    finite = values.where(np.isfinite(values).all("seed"))  # type: ignore[call-overload]
    error = np.sqrt(variance(finite) / values.sizes["seed"])
    joint = [dim for dim in known if dim not in over]
    # [joint, over, S], with a dimension for each even if it is empty.
    rows = values.transpose(*joint, *over, "seed").values
    count = int(np.prod(rows.shape[: len(joint)]))
    critical = _critical(
        rows.reshape(count, -1, rows.shape[-1]), level, resamples, seed
    )
    critical = xr.DataArray(critical.reshape(rows.shape[: len(joint)]), dims=joint)
    # An infinite multiple of no error is no width.
    half = (critical * error.where(~equal, 1.0)).where(~equal, 0.0)  # type: ignore[attr-defined]
    half = half.transpose(*center.dims)
    return Interval(center, center - half, center + half)


def _names(over: str | Sequence[str]) -> list[str]:
    """The different dimensions that `over` names, one or several."""
    names = [over] if isinstance(over, str) else over
    if not isinstance(names, Sequence) or not all(isinstance(x, str) for x in names):
        raise TypeError(f"over must be names of dimensions, got {over!r}")
    if len(set(names)) < len(names):
        raise ValueError(f"over must name different dimensions, got {list(names)}")
    return list(names)


def _critical(rows: np.ndarray, level: float, resamples: int, seed: int) -> np.ndarray:
    """f64[J], the multiple of the standard error for each of J sets of curves.

    With signs ``e`` and residuals ``u`` of unit variance, a simulated sample ``e u``
    has the mean ``z / sqrt(S)``, ``z = sum(e u) / sqrt(S)``, and the unbiased variance
    ``1 - z^2 / (S - 1)``, as ``sum(u^2) = S - 1`` whatever the signs. Its t statistic
    increases in ``|z|``, so that the largest one belongs to the largest ``|z|``.
    """
    joint, cells, size = rows.shape
    rows = rows.reshape(-1, size)
    residuals = np.zeros_like(rows)
    proper = np.isfinite(rows).all(axis=1) & (rows != rows[:, :1]).any(axis=1)
    residuals[proper] = rows[proper] - rows[proper].mean(axis=1, keepdims=True)
    # In two steps, as the square of a small residual may vanish.
    residuals[proper] /= np.abs(residuals[proper]).max(axis=1, keepdims=True)
    residuals[proper] /= residuals[proper].std(axis=1, ddof=1, keepdims=True)
    rng = np.random.default_rng(seed)
    largest = np.empty((resamples, joint))
    step = max(1, BATCH // max(size, len(rows)))
    for start in range(0, resamples, step):
        part = largest[start : start + step]
        signs = rng.choice([-1.0, 1.0], (len(part), size))
        z = np.abs(signs @ residuals.T) / np.sqrt(size)
        part[:] = z.reshape(-1, joint, cells).max(axis=2)
    # An order statistic and not below the level; the t statistic is monotone in it.
    z = np.quantile(largest, level, axis=0, method="higher")
    left = 1 - z**2 / (size - 1)
    # If all signs are those of the residuals, only rounding errors are left.
    proper = left > 1e-9
    return np.where(proper, z / np.sqrt(np.where(proper, left, 1)), np.inf)
