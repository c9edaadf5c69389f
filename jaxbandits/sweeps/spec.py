"""What a sweep is: policies with parameter points, environments, seeds, an end."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from jaxbandits.protocol import Environment, Policy
from jaxbandits.sweeps.grid import Point


class Entry(NamedTuple):
    """A policy of a sweep.

    Attributes:
      policy: the policy, or a function that makes it from ``environment.problem``.
      points: parameters that are not default, by leaf; one dict per point.
    """

    policy: Policy | Callable[[Any], Policy]
    points: tuple[Point, ...] = ({},)


class Spec(NamedTuple):
    """A sweep; what is not described here is as for `jaxbandits.simulate`.

    Attributes:
      policies: by the name that results show.
      environments: by the name that results show.
      seeds: how many, or which.
      horizon: number of rounds; this or `budget`.
      budget: play until this much is spent.
      checkpoints: when metrics are recorded.
      max_rounds: with `budget`, the round after which a run is cut off.
      root_seed: root seed of the whole sweep.
      runs_per_instance: how many consecutive seeds meet the same drawn instance.
      metrics: names of what to keep; None for everything.
      engine: how rounds are played.
      keep: arrays on record that are results too.
    """

    policies: Mapping[str, Entry]
    environments: Mapping[str, Environment]
    seeds: int | Sequence[int] | np.ndarray = 100
    horizon: int | None = None
    budget: float | None = None
    checkpoints: Any = "linear"
    max_rounds: int | None = None
    root_seed: int = 0
    runs_per_instance: int = 1
    metrics: Iterable[str] | None = None
    engine: str = "scan"
    keep: Sequence[str] = ()
