"""What a sweep is: policies with parameter points, environments, an end, and seeds."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import xarray as xr

from jaxbandits import checks
from jaxbandits.protocol import Entry
from jaxbandits.results.names import INSTANCE


class HalfWidth(NamedTuple):
    """Play until the mean of a metric at the end is known to within `half_width`.

    Stein's two stages (1945): first a pilot is played, whose variance says how
    many seeds there must be in all. So the interval ``mean ± half_width`` covers
    with at least the stated probability, for normal values exactly, whatever the
    variance; looking again and again until an interval is short enough does not. A
    pilot that is skewed, or all equal, says too little: it is warned of
    (`jaxbandits.stats.CoverageWarning`).

    With `each` every point of every policy on every environment has a number of its
    own, which its own pilot gives it, rounded up by about a tenth at most, and is
    played no further; results have it as the coordinate ``seeds``. The interval of each
    covers as stated; that all of them do at once is another statement, see
    docs/statistics.md.

    Where several seeds share a drawn instance (``runs_per_instance > 1``) the instances
    are counted: it takes all runs of as many as their means need.

    Attributes:
      metric: name of the metric.
      half_width: of the interval of every policy, point and environment.
      level: coverage of each interval, in (0, 1).
      at_most: seeds at which to stop in any case.
      pilot: how many seeds to begin with, or which.
      each: whether points stop one by one; by default all are played until the last
        mean is known so well.
    """

    metric: str
    half_width: float
    level: float = 0.95
    at_most: int = 100_000
    pilot: int | Sequence[int] = 100
    each: bool = False


class Verdict(NamedTuple):
    """What the pilot says.

    Attributes:
      needed: number of seeds that the half-width takes, at the point that needs most.
      seeds: number of seeds to play in all: that, or `at_most` (of whole instances).
      most: `at_most`, of whole instances.
      counts: i64[environment, policy, params], of each point likewise; 0 of one that a
        policy has not.
    """

    needed: int
    seeds: int
    most: int
    counts: np.ndarray


def check_half_width(until: HalfWidth) -> HalfWidth:
    """Require what must be so whatever is played, but for the pilot; return it."""
    checks.text("metric", until.metric)
    checks.positive(half_width=until.half_width)
    checks.between_zero_and_one(level=until.level)
    checks.flag("each", until.each)
    return until


def check_until(
    until: HalfWidth,
    seeds: np.ndarray,
    shapes: Mapping[str, tuple[int, ...]],
    runs_per_instance: int = 1,
) -> None:
    """Raise a ValueError or TypeError that names what is out of range.

    Args:
      until: the half-width that is wanted.
      seeds: those of the first stage.
      shapes: of the metrics that are kept.
      runs_per_instance: how many consecutive seeds share a drawn instance.
    """
    check_half_width(until)
    if until.metric not in shapes:
        raise ValueError(f"metric: {until.metric!r} is unknown; known are {[*shapes]}")
    if shapes[until.metric]:
        raise ValueError(f"metric: {until.metric!r} must be a number per run")
    pilot = len(seeds)
    checks.whole("at_most", until.at_most, pilot)
    if pilot < 2:
        raise ValueError(f"pilot must be at least 2 seeds, got {pilot}")
    whole = pilot % runs_per_instance == 0 and np.array_equal(seeds, np.arange(pilot))
    if runs_per_instance > 1 and (not whole or pilot < 2 * runs_per_instance):
        raise ValueError(
            f"pilot must be seeds 0, 1, ... and all {runs_per_instance} runs of two or "
            f"more drawn instances, got {pilot}"
        )


def verdict(dataset: xr.Dataset, until: HalfWidth, pilot: int) -> Verdict:
    """How many seeds the intervals take.

    Args:
      dataset: as `simulate` makes it, with all environments; its first `pilot` seeds
        are complete.
      until: the half-width that is wanted.
      pilot: number of seeds of the first stage.

    Raises:
      ValueError: if the metric is not finite at the end of some run.

    Warns:
      CoverageWarning: if the pilot does not support the coverage.
    """
    # SciPy's distributions are loaded where they are asked for.
    from jaxbandits.stats.fixed_width import seeds_as_reals
    from jaxbandits.stats.lookup import metric_values

    # First, for the rest of the store may not fit into memory.
    pilots = dataset.isel(checkpoint=-1, seed=slice(pilot))
    values = metric_values(pilots, until.metric)
    # Not all policies have all points.
    there = (pilots["rounds"].values > 0).all(axis=-1)
    cells = xr.DataArray(values.values[there], dims=("cell", "seed"))
    whole = 1
    if INSTANCE in pilots.coords:
        cells = cells.assign_coords({INSTANCE: ("seed", pilots[INSTANCE].values)})
        whole = pilot // len(np.unique(cells[INSTANCE]))
    result = seeds_as_reals(cells, until.half_width, until.level)
    result = np.minimum(result.values, 2.0**62)  # so many or more: still an int64
    needed, most = int(result.max(initial=pilot)), until.at_most // whole * whole
    counts = np.zeros(there.shape, np.int64)
    counts[there] = np.minimum(result, most)
    return Verdict(needed, min(needed, most), most, counts)


__all__ = ["Entry", "Spec"]


class Spec(NamedTuple):
    """A sweep; what is not described here is as for `jaxbandits.simulate`.

    Attributes:
      policies: by the name that results show, or as `simulate` takes them.
      environments: by the name that results show, or as `simulate` takes them.
      seeds: how many, which, or a `HalfWidth`: as many as it takes.
      horizon: number of rounds; this, `budget` or both.
      budget: play until this much is spent.
      checkpoints: when metrics are recorded.
      root_seed: root seed of the whole sweep.
      runs_per_instance: how many consecutive seeds meet the same drawn instance.
      metrics: names of what to keep; None for everything.
      engine: how rounds are played; None for what the machine says.
      keep: arrays on record that are results too.
      text: of the file that it was read from, for the record.
    """

    policies: Any
    environments: Any
    seeds: int | Iterable[int] | np.ndarray | HalfWidth = 100
    horizon: int | None = None
    budget: float | None = None
    checkpoints: Any = "linear"
    root_seed: int = 0
    runs_per_instance: int = 1
    metrics: Iterable[str] | None = None
    engine: str | None = None
    keep: Iterable[str] = ()
    text: str | None = None
