"""What a sweep is: policies with parameter points, environments, seeds, an end."""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from jaxbandits.protocol import Entry
from jaxbandits.simulation.until import HalfWidth

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
