"""Where the results of a sweep go: to memory or to a store."""

from collections.abc import Callable
from typing import NamedTuple

import xarray as xr

from jaxbandits.sweeps.plan import Plan
from jaxbandits.sweeps.spec import Spec


class Sink(NamedTuple):
    """What the driver asks of a place for results.

    Attributes:
      seeds: ``() -> list``, the seeds that have a place there.
      complete: ``(spec, grows) -> Plan``: plays what is missing of a spec, whose seeds
        are a list; `grows` if they may be more than there is a place for.
      dataset: ``() -> Dataset``, what is there.
      whole: ``(plan) -> bool``: whether all of a plan is there; others may still play.
    """

    seeds: Callable[[], list[int]]
    complete: Callable[[Spec, bool], Plan]
    dataset: Callable[[], xr.Dataset]
    whole: Callable[[Plan], bool]
