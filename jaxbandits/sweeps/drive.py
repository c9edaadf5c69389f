"""A sweep from beginning to end: play what is missing, into memory or a store.

Nothing here changes a number: a sweep that was killed, resumed on another number of
devices or processes and extended holds the same bits as one that was not.
"""

import itertools
import os
import threading
import warnings
from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING, Any

import jax
import xarray as xr

from jaxbandits import checks
from jaxbandits.console.progress import doing
from jaxbandits.engine.flags import in_play
from jaxbandits.results.cuts import warn_of_cuts, with_cuts
from jaxbandits.simulation.arguments import seeds_of
from jaxbandits.simulation.machine import HERE, Machine, machine_of
from jaxbandits.sweeps.memory import in_memory
from jaxbandits.sweeps.plan import Plan, make_plan, metric_shapes
from jaxbandits.sweeps.ragged import Ragged
from jaxbandits.sweeps.sink import Sink
from jaxbandits.sweeps.spec import Spec
from jaxbandits.sweeps.until import HalfWidth, check_until, verdict

if TYPE_CHECKING:
    from jaxbandits.sweeps.stores import Store


def run_sweep(
    spec: Spec,
    store: "str | os.PathLike | Store | None" = None,
    machine: Machine = HERE,
    *,
    executor: Any = None,
    shard: tuple[int, int] | None = None,
    stop: threading.Event | None = None,
) -> xr.Dataset:
    """Play a sweep, or what is missing of it. See `jaxbandits.simulate`.

    Args:
      spec: the sweep.
      store: where to; memory by default.
      machine: what to play on.
      executor: who plays the blocks of a store, in place of this process: any
        `concurrent.futures.Executor`, a number of processes on this machine, or
        `sweeps.Workers`, which says more of it.
      shard: ``(number, of)``: this process plays its share of the blocks of a store,
        others the rest, at the same time or not; nobody waits for anybody.
      stop: when it is set (by a signal, by another thread), the blocks under way are
        finished, and `sweeps.fill.StoppedError` is raised.

    Raises:
      OSError: if the store cannot be written, or workers die again and again.
    """
    if store is None and jax.process_count() > 1:
        raise ValueError("store: several processes need one that all can write to")
    if stop is not None:
        checks.instance("stop", stop, threading.Event, "of threading")
    dataset = play_spec(spec, store, machine, stop, executor, shard)
    warn_of_cuts(dataset, spec.budget, spec.horizon, stacklevel=2)
    return dataset


def play_spec(
    spec: Spec,
    store: "str | os.PathLike | Store | None",
    machine: Machine,
    stop: threading.Event | None = None,
    executor: Any = None,
    shard: tuple[int, int] | None = None,
) -> xr.Dataset:
    """`run_sweep` without the warning that runs were cut off."""
    checks.unforked()
    checks.instance("spec", spec, Spec, "of jaxbandits.sweeps, or see read_spec")
    target = None
    if any(given is not None for given in (store, executor, shard)):
        # Zarr and executors are loaded where they are asked for.
        from jaxbandits.sweeps.target import target_of

        target = target_of(store, executor, shard, machine)
    machine = machine_of(machine)
    if spec.engine is None:
        spec = spec._replace(engine=machine.engine)
    if target is not None:
        spec = target.kept(spec)
    with in_play():
        spec, until = _pilot(spec)
        # All that can be wrong with it, in every process and before there is a store.
        with doing("checking policies and environments", machine.progress):
            plan = make_plan(spec)
            # In memory, one environment with all its metrics takes what comes.
            several = len(spec.environments) > 1 or spec.metrics is not None
            if target is not None or until is not None or several:
                shapes = metric_shapes(plan)
                if until is not None:
                    check_until(until, spec.seeds, shapes, spec.runs_per_instance)
        if target is not None:
            if until is not None:
                target.check_keeps_runs()
            return target.played(spec, machine, stop, partial(_play, until=until))
        sink = in_memory(machine, stop)
        _play(sink, spec, False, until)
        return with_cuts(sink.dataset(), spec.budget, spec.horizon)


def _pilot(spec: Spec) -> tuple[Spec, HalfWidth | None]:
    """The spec with its seeds in an array, at first those of the pilot."""
    if isinstance(spec.seeds, HalfWidth):
        return spec._replace(seeds=seeds_of(spec.seeds.pilot, "pilot")), spec.seeds
    return spec._replace(seeds=seeds_of(spec.seeds)), None


def _play(sink: Sink, spec: Spec, grows: bool, until: HalfWidth | None) -> Plan:
    """Play what is missing, all stages of it."""
    if until is None:
        return sink.complete(spec, grows)
    # A store may have seeds of the second stage, from an earlier call.
    pilot, stored = spec.seeds.tolist(), sink.seeds()
    seeds: Any = list(_joined(pilot, stored))
    if until.each:
        # Who stops early has the first ones, of which the pilot must be.
        if [*stored, *sorted(set(pilot) - set(stored))][: len(pilot)] != pilot:
            raise ValueError(
                "pilot must be the first seeds of the store where each point stops by "
                f"itself, from {stored[0]} on, in their order"
            )
        seeds = Ragged(seeds, len(pilot))
    plan = sink.complete(spec._replace(seeds=seeds), grows)
    if not sink.whole(plan):
        warnings.warn(
            "the pilot is not complete, others play the rest of it; the same command "
            "plays on when they have done so",
            stacklevel=3,
        )
        return plan
    found = verdict(sink.dataset().sel(seed=pilot), until, len(pilot))
    if found.needed > found.seeds:
        warnings.warn(
            f"a half-width of {until.half_width:g} takes {found.needed} seeds; "
            f"stopped at at_most = {found.seeds}",
            stacklevel=3,
        )
    held = len(plan.seeds)
    seeds = _joined(plan.seeds.tolist(), itertools.count())
    seeds = list(itertools.islice(seeds, max(found.seeds, held)))
    if until.each:
        policies = len(plan.spec.policies)
        least = {
            key: found.counts[divmod(number, policies)][: match.points.count]
            for number, (key, match) in enumerate(plan.matches.items())
        }
        own = plan.counts or dict.fromkeys(least, held)
        more = any((least[key] > own[key]).any() for key in least)
        seeds = Ragged(seeds, least)
    else:
        more = found.seeds > held
    return sink.complete(plan.spec._replace(seeds=seeds), True) if more else plan


def _joined(seeds: list[int], others: Iterable[int]) -> Iterable[int]:
    """The seeds, then those of the others that are new."""
    return itertools.chain(
        seeds, itertools.filterfalse(set(seeds).__contains__, others)
    )
