"""Where the results of a sweep are kept, and who plays its blocks."""

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import jax

from jaxbandits import checks
from jaxbandits.simulation.machine import Machine
from jaxbandits.sweeps.site import site_of
from jaxbandits.sweeps.spec import Spec
from jaxbandits.sweeps.stored import InStore, Store, store_of
from jaxbandits.sweeps.workers import Workers, at_work, workers_of


class Target(NamedTuple):
    """A store, and who writes to it.

    Attributes:
      store: where results are kept.
      workers: who plays, in place of this process.
      share: (number, count): whose blocks are this process's, if others play the rest.
    """

    store: Store
    workers: Workers | None
    share: tuple[int, int] | None

    def kept(self, spec: Spec) -> Spec:
        """The sweep with the metrics that the store says, if it says some."""
        metrics = self.store.metrics
        if isinstance(metrics, Iterator):
            metrics = list(metrics)
        return spec if metrics is None else spec._replace(metrics=metrics)

    @contextmanager
    def sink(self, machine: Machine, stop: threading.Event | None) -> Iterator[InStore]:
        """What results are played into."""
        with at_work(self.workers) as pool:
            site = pool.survey() if pool else site_of(machine.devices)
            yield InStore(self.store, machine, site, stop, self.share, pool)

    def check_keeps_runs(self, sink: InStore) -> None:
        """Raise a ValueError if only moments are kept."""
        if sink.keeps_moments:
            raise ValueError(
                "store: keep must be 'runs' where a half-width says how many seeds "
                "there are: that takes the runs of the pilot"
            )


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


def _share(shard: Any, workers: Workers | None) -> tuple[int, int] | None:
    """Whose blocks are this process's, if others play the rest."""
    processes = jax.process_count()
    if shard is None:
        return (jax.process_index(), processes) if processes > 1 else None
    if workers is not None or processes > 1:
        raise ValueError("shard must be left out where there are workers or processes")
    if not isinstance(shard, tuple) or len(shard) != 2:
        raise TypeError(f"shard must be (number, of), got {checks.shown(shard)}")
    checks.whole("shard: of", shard[1], 1)
    checks.whole("shard: number", shard[0], 0, shard[1] - 1)
    return shard
