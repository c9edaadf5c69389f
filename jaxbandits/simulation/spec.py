"""Specs of sweeps: policies with points, environments, an end, and seeds."""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
import xarray as xr

from jaxbandits import checks
from jaxbandits.protocol import Entry as Entry
from jaxbandits.results.names import INSTANCE
from jaxbandits.simulation.arguments import seeds_of


class HalfWidth(NamedTuple):
    """Play until the mean of a metric at the end is known to within `half_width`.

    This is Stein's two-stage rule (1945): the variance of a pilot says how many seeds
    are needed in all. The interval ``mean ± half_width`` then covers the mean with at
    least the stated probability if the values are normal, whatever their variance;
    playing on until an interval looks short enough does not have this property. If the
    pilot is skewed, or all its values are equal, a `jaxbandits.stats.CoverageWarning`
    says that it tells too little.

    With `each`, every point of every policy in every environment is played on as many
    seeds as its own pilot asks for, rounded up by a tenth at most; the coordinate
    ``seeds`` of the results has these numbers. Each single interval covers as stated;
    docs/statistics.md says what holds for all intervals together.

    If several seeds share a drawn instance (``runs_per_instance > 1``), the rule counts
    instances, and all runs of an instance are played.

    Attributes:
      metric: name of the metric.
      half_width: of the interval of every policy, point and environment.
      level: coverage of each interval, in (0, 1).
      at_most: the most seeds that are played.
      pilot: the number of seeds of the pilot, or the seeds.
      each: whether every point has a number of seeds of its own; by default all have
        the number of the point that needs most.
    """

    metric: str
    half_width: checks.Positive
    level: checks.BetweenZeroAndOne = 0.95
    at_most: int = 100_000
    pilot: int | Iterable[int] = 100
    each: bool = False


def pilot_of(until: HalfWidth, runs_per_instance: int = 1) -> np.ndarray:
    """The seeds of the pilot of a half-width, u32[S], checked like all else of it.

    Raises:
      TypeError, ValueError: naming the field that is out of range.
    """
    checks.check_fields("seeds", until)
    seeds = seeds_of(until.pilot, "pilot")
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
    return seeds


def seeds_needed(dataset: xr.Dataset, until: HalfWidth, pilot: int) -> np.ndarray:
    """How many seeds the interval of each point takes, by the first `pilot` seeds.

    The result is i64[environment, policy, params], at most 2**62. It is 0 for a point
    that a policy lacks.

    Raises:
      ValueError: if the metric is not finite at the end of some run.

    Warns:
      CoverageWarning: if the pilot does not support the coverage.
    """
    # Imported here: few programs need SciPy's distributions.
    from jaxbandits.stats.fixed_width import seeds_as_reals
    from jaxbandits.stats.lookup import metric_values

    # Only the pilot is read: the whole store may not fit into memory.
    pilots = dataset.isel(checkpoint=-1, seed=slice(pilot))
    values = metric_values(pilots, until.metric)
    there = (pilots["rounds"].values > 0).all(axis=-1)  # Policies may lack points.
    cells = xr.DataArray(values.values[there], dims=("cell", "seed"))
    if INSTANCE in pilots.coords:
        cells = cells.assign_coords({INSTANCE: ("seed", pilots[INSTANCE].values)})
    needed = np.zeros(there.shape, np.int64)
    reals = seeds_as_reals(cells, until.half_width, until.level)
    needed[there] = np.minimum(reals.values, 2.0**62)
    return needed


class Spec(NamedTuple):
    """A sweep, by the arguments of `jaxbandits.simulate` and three more.

    Attributes:
      policies: by the name that results show, or as `simulate` takes them.
      environments: by the name that results show, or as `simulate` takes them.
      seeds: the number of seeds, the seeds, or a `HalfWidth`.
      horizon: number of rounds; give this, `budget` or both.
      budget: play until this much is spent.
      checkpoints: when metrics are recorded.
      root_seed: root seed of the whole sweep.
      runs_per_instance: how many consecutive seeds share a drawn instance.
      metrics: names of metrics and reports to keep; None for all.
      engine: the engine; None for the machine's.
      keep: arrays of the record that are results too.
      text: of the file of the spec, which a store keeps.
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
