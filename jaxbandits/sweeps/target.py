"""Where the results of a sweep are kept, and who plays its blocks."""

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import jax
import xarray as xr

from jaxbandits import checks
from jaxbandits.results.reading import open_store
from jaxbandits.simulation.machine import Machine
from jaxbandits.sweeps.blocks import Share
from jaxbandits.sweeps.crew import Crew, in_store
from jaxbandits.sweeps.plan import Plan
from jaxbandits.sweeps.sink import Sink
from jaxbandits.sweeps.site import site_of
from jaxbandits.sweeps.spec import Spec
from jaxbandits.sweeps.spread import Workers, at_work, workers_of
from jaxbandits.sweeps.stores import Store, store_of
from jaxbandits.sweeps.verify import verify
from jaxbandits.sweeps.worker import survey


class Target(NamedTuple):
    """A store, and who writes to it.

    Attributes:
      store: where results are kept.
      workers: who plays, in place of this process.
      share: which blocks are this process's, if others play the rest.
    """

    store: Store
    workers: Workers | None
    share: Share | None

    def kept(self, spec: Spec) -> Spec:
        """The sweep with the metrics that the store says, if it says some."""
        metrics = self.store.metrics
        if isinstance(metrics, Iterator):
            metrics = list(metrics)
        return spec if metrics is None else spec._replace(metrics=metrics)

    def check_keeps_runs(self) -> None:
        """Raise a ValueError if only moments are kept."""
        if self.store.keep == "moments":
            raise ValueError(
                "store: keep must be 'runs' where a half-width says how many seeds "
                "there are: that takes the runs of the pilot"
            )

    def played(
        self,
        spec: Spec,
        machine: Machine,
        stop: threading.Event | None,
        play: Callable[[Sink, Spec, bool], Plan],
    ) -> xr.Dataset:
        """Have the missing blocks played, and open the store.

        Args:
          spec: the sweep.
          machine: what to play on.
          stop: see `run_sweep`.
          play: completes a spec in a sink; the flag says whether the store may grow.
        """
        store = self.store
        with self._crew(machine, stop) as crew:
            with in_store(spec, store, crew) as sink:
                plan = play(sink, spec, store.extend)
            if store.verify:
                verify(plan, store.path, store.verify, machine)
        return open_store(store.path)

    @contextmanager
    def _crew(self, machine: Machine, stop: threading.Event | None) -> Iterator[Crew]:
        """Who plays."""
        if self.workers is None:
            yield Crew(machine, site_of(machine.devices), stop, self.share)
            return
        with at_work(self.workers) as executor:
            site = executor().submit(survey).result()
            yield Crew(machine, site, stop, None, executor, self.workers.tasks)


def target_of(
    store: str | os.PathLike | Store | None, executor: Any, shard: Any, machine: Machine
) -> Target:
    """The target of a sweep, from the arguments of `run_sweep`.

    Raises:
      TypeError, ValueError: that names the argument that is out of range.
    """
    workers = None if executor is None else workers_of(executor)
    share = _share(shard, workers)
    if workers is not None and getattr(machine, "devices", None) is not None:
        raise ValueError("machine: devices must be left out: workers have their own")
    if store is None:
        raise ValueError("store: several processes need one that all can write to")
    return Target(store_of(store), workers, share)


def _share(shard: Any, workers: Workers | None) -> Share | None:
    """Which blocks are this process's, if others play the rest."""
    processes = jax.process_count()
    if shard is None:
        return Share(jax.process_index(), processes) if processes > 1 else None
    if workers is not None or processes > 1:
        raise ValueError("shard must be left out where there are workers or processes")
    if not isinstance(shard, tuple) or len(shard) != 2:
        raise TypeError(f"shard must be (number, of), got {checks.shown(shard)}")
    checks.whole("shard: of", shard[1], 1)
    return Share(checks.whole("shard: number", shard[0], 0, shard[1] - 1), shard[1])
