"""How many seeds it takes until a mean is known well enough."""

from collections.abc import Mapping
from typing import NamedTuple

import xarray as xr

from jaxbandits import checks
from jaxbandits.results import seeds_needed
from jaxbandits.results.lookup import metric_values
from jaxbandits.results.store import PLAYED


class HalfWidth(NamedTuple):
    """Play until the mean of a metric at the end is known to within `half_width`.

    Stein's two stages (1945): the seeds of the spec are the pilot, whose variance says
    how many seeds there must be in all. So the interval ``mean ± half_width`` covers
    with at least the stated probability, for normal values exactly, whatever the
    variance; looking again and again until an interval is short enough does not.

    Attributes:
      metric: name of the metric.
      half_width: of the interval of every policy, point and instance.
      level: coverage of each interval, in (0, 1).
      at_most: seeds at which to stop in any case.
    """

    metric: str
    half_width: float
    level: float = 0.95
    at_most: int = 100_000


class Verdict(NamedTuple):
    """What the pilot says.

    Attributes:
      needed: number of seeds that the half-width takes.
      seeds: number of seeds to play in all: that, or `at_most`.
    """

    needed: int
    seeds: int


def check_until(
    until: HalfWidth, pilot: int, shapes: Mapping[str, tuple[int, ...]]
) -> None:
    """Raise a ValueError or TypeError that names what is out of range.

    Args:
      until: the half-width that is wanted.
      pilot: number of seeds of the first stage.
      shapes: of the metrics that are kept.
    """
    if until.metric not in shapes:
        raise ValueError(f"metric: {until.metric!r} is unknown; known are {[*shapes]}")
    if shapes[until.metric]:
        raise ValueError(f"metric: {until.metric!r} must be a number per run")
    checks.positive(half_width=until.half_width)
    checks.between_zero_and_one(level=until.level)
    checks.whole("at_most", until.at_most, pilot)
    if pilot < 2:
        raise ValueError(f"seeds must be at least 2 with a half-width, got {pilot}")


def verdict(dataset: xr.Dataset, until: HalfWidth, pilot: int) -> Verdict:
    """How many seeds the widest interval takes.

    Args:
      dataset: a sweep whose first `pilot` seeds are complete.
      until: the half-width that is wanted.
      pilot: number of seeds of the first stage.

    Raises:
      ValueError: if the metric is not finite at the end of some run.
    """
    # First, for the rest of the store may not fit into memory.
    pilots = dataset.isel(checkpoint=-1, seed=slice(pilot))
    values = metric_values(pilots, until.metric)
    # Not all policies have all points.
    there = pilots[PLAYED].values.all(axis=-1)
    found = seeds_needed(values.values[there], until.half_width, until.level)
    needed = int(found.max(initial=pilot))
    return Verdict(needed, min(needed, until.at_most))
