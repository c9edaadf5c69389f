"""How many seeds an interval of a given width takes: Stein's two-stage procedure.

Stein (1945), "A two-sample test for a linear hypothesis whose power is independent of
the variance", Ann. Math. Stat. 16, 243-258. A pilot of n seeds with the standard
deviation s decides once how many seeds N there will be, and the interval of all N
keeps the pilot's s and its n - 1 degrees of freedom. For normal values N depends on
the pilot's variance only, which is independent of the mean of all N seeds, so that
``sqrt(N) (mean - truth) / s`` has Student's distribution with n - 1 degrees of freedom
whatever the variance: the coverage is exact.

A t interval computed anew after every batch until it is narrow enough covers less
than its level says. It stops where the sample variance happens to be small, so that
the interval at the stop is too narrow, and with every look there is another chance of
that. Only as the width goes to 0 is the loss made good (Chow and Robbins 1965, "On the
asymptotic theory of fixed-width sequential confidence intervals for the mean", Ann.
Math. Stat. 36, 457-462).
"""

import numpy as np
import scipy
import xarray as xr
from numpy.typing import ArrayLike

from jaxbandits import checks
from jaxbandits.results.names import COUNT, INSTANCE
from jaxbandits.stats.checks import check_level
from jaxbandits.stats.intervals import Interval, variance
from jaxbandits.stats.lookup import by_seed, is_ragged, warn_of_missing
from jaxbandits.stats.ragged import per_point
from jaxbandits.stats.replications import group, replications, shared_instances
from jaxbandits.stats.soundness import warn_of_coverage


def seeds_needed(
    pilot_values: xr.DataArray | ArrayLike, half_width: float, level: float = 0.95
) -> xr.DataArray:
    """Total number of seeds for an interval ``mean +- half_width``.

    ``N = max(n, ceil((t s / half_width)^2))`` with the pilot's number n of seeds, its
    standard deviation s and the quantile t of Student's distribution with n - 1 degrees
    of freedom. For several means on the same seeds take the largest N: for jointly
    normal values the coverage of each stays exact.

    Args:
      pilot_values: the pilot's values, a `DataArray` with the dimension ``seed`` or an
        array ``[..., n]``; finite, n >= 2. Fewer than about 10 make t large and N with
        it. With the coordinate ``instance`` of shared instances the N counts seeds all
        the same: all runs of as many instances as it takes.
      half_width: positive, in the unit of the values.
      level: coverage in (0, 1).

    Returns:
      int64 array ``[...]``, the pilot's seeds included.

    Raises:
      ValueError: if `pilot_values` has less than two seeds (or two drawn instances) or
        one of them twice, is not finite, or its instances have different numbers of
        runs, `half_width` is not positive and finite or so small that the number is no
        int64, or `level` is not in (0, 1).
      TypeError: if an argument is of another type.

    Warns:
      CoverageWarning: if the pilot does not support the coverage.
    """
    needed = seeds_as_reals(pilot_values, half_width, level)
    if not (needed < 2.0**63).all():
        raise ValueError(f"half_width: {half_width} takes more than 2^63 seeds")
    return needed.astype(np.int64)


def seeds_as_reals(
    pilot_values: xr.DataArray | ArrayLike, half_width: float, level: float
) -> xr.DataArray:
    """`seeds_needed` as float64, however large; infinity where that overflows."""
    values = by_seed(pilot_values, "pilot_values")
    check_level(level)
    checks.number("half_width", half_width)
    if not 0 < half_width < np.inf:
        raise ValueError(f"half_width must be positive and finite, got {half_width}")
    if not np.isfinite(values).all():
        raise ValueError("pilot_values must be finite")
    runs = _runs_per_instance(values, "pilot_values")
    values = replications(values)
    pilot = values.sizes["seed"]
    if pilot < 2:
        unit = "seeds" if runs == 1 else "drawn instances"
        raise ValueError(f"pilot_values: needs at least 2 {unit}, got {pilot}")
    warn_of_coverage(values, f"the {100 * level:g} % intervals of a fixed width")
    quantile = scipy.special.stdtrit(pilot - 1, (1 + level) / 2)
    with np.errstate(over="ignore"):
        needed = np.ceil((quantile * np.sqrt(variance(values)) / half_width) ** 2)
    return np.maximum(needed, pilot) * runs


def fixed_width_interval(
    values: xr.DataArray | ArrayLike, pilot: int, level: float = 0.95
) -> Interval:
    """Stein's interval: the mean of all seeds, the variance of the pilot.

    The half width is ``t s / sqrt(N)``, at most what `seeds_needed` was asked for.
    Where points stopped one by one (the coordinate ``seeds``) N is each point's own.

    Args:
      values: all N seeds, a `DataArray` with the dimension ``seed`` or an array
        ``[..., N]``, of which the first `pilot` are the pilot. Their number must have
        been decided by the pilot's variance alone.
      pilot: number of seeds of the pilot, in 2, ..., N.
      level: coverage in (0, 1).

    Returns:
      An `Interval` of arrays without the dimension ``seed``; NaN where a seed is NaN.

    Raises:
      ValueError: if `values` has a seed twice, `pilot` is not in 2, ..., N or ends
        within a drawn instance, or `level` is not in (0, 1).
      TypeError: if an argument is of another type.

    Warns:
      CoverageWarning: if the pilot does not support the coverage.
    """
    values = by_seed(values, "values")
    check_level(level)
    checks.whole("pilot", pilot, 0)
    size = values.sizes["seed"]
    if size < 2:
        raise ValueError(f"values must be of at least 2 seeds, got {size}")
    if is_ragged(values):
        counts = values[COUNT].values
        size = int(counts[counts > 0].min())
    if not 2 <= pilot <= size:
        raise ValueError(
            f"pilot must be in 2, ..., {size}, the seeds of values, got {pilot}"
        )
    warn_of_missing(values, repr(values.name) if values.name else "values")
    first = values.isel(seed=slice(pilot))
    runs = _runs_per_instance(first, "pilot")
    if (
        shared_instances(values) is not None
        and np.isin(first[INSTANCE], values[INSTANCE][pilot:]).any()
    ):
        raise ValueError(f"pilot: {pilot} seeds end within a drawn instance")
    warn_of_coverage(
        replications(first), f"the {100 * level:g} % intervals of a fixed width"
    )

    def of(part: xr.DataArray) -> Interval:
        return _of_pilot(replications(part), pilot // runs, level)

    return Interval(*per_point(values, of))


def _of_pilot(values: xr.DataArray, pilot: int, level: float) -> Interval:
    """Stein's interval of replications, the first of which are the pilot."""
    center = values.mean("seed", skipna=False)
    quantile = scipy.special.stdtrit(pilot - 1, (1 + level) / 2)
    spread = variance(values.isel(seed=slice(pilot)))
    half = quantile * np.sqrt(spread / values.sizes["seed"])
    # A NaN beyond the pilot makes the mean NaN, and so the ends.
    return Interval(center, center - half, center + half)


def _runs_per_instance(values: xr.DataArray, argument: str) -> int:
    """Runs of every drawn instance, 1 if none is shared; equal, or a ValueError."""
    numbers = shared_instances(values)
    if numbers is None:
        return 1
    sizes = group(numbers).sizes
    if (sizes != sizes[0]).any():
        raise ValueError(
            f"{argument} must have equally many seeds of every drawn instance, got "
            f"{sizes.min()} to {sizes.max()}"
        )
    return int(sizes[0])
