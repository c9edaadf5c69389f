"""A sweep from beginning to end: play what is missing, into memory or a store.

Nothing here changes a number: a sweep that was killed, resumed on another number of
devices or processes and extended holds the same bits as one that was not.
"""

import itertools
import os
import threading
import warnings
from collections.abc import Iterable, Iterator

import jax
import xarray as xr

from jaxbandits import checks
from jaxbandits.arguments import seeds_of
from jaxbandits.engine.flags import in_play
from jaxbandits.machine import HERE, Machine, machine_of
from jaxbandits.results.cuts import warn_of_cuts, with_cuts
from jaxbandits.results.reading import open_store
from jaxbandits.sweeps.memory import in_memory
from jaxbandits.sweeps.plan import Plan, make_plan, metric_shapes
from jaxbandits.sweeps.sink import Sink
from jaxbandits.sweeps.spec import Spec
from jaxbandits.sweeps.stores import Store, in_store, store_of
from jaxbandits.sweeps.until import HalfWidth, check_until, verdict
from jaxbandits.sweeps.verify import verify


def run_sweep(
    spec: Spec,
    store: str | os.PathLike | Store | None = None,
    machine: Machine = HERE,
    *,
    stop: threading.Event | None = None,
) -> xr.Dataset:
    """Play a sweep, or what is missing of it. See `jaxbandits.sweep`.

    Args:
      spec: the sweep.
      store: where to; memory by default.
      machine: what to play on.
      stop: when it is set (by a signal, by another thread), the blocks under way are
        finished, and `sweeps.fill.StoppedError` is raised.
    """
    if store is None and jax.process_count() > 1:
        raise ValueError("store: several processes need one that all can write to")
    dataset = play_spec(spec, store, machine, stop)
    warn_of_cuts(dataset, spec.budget, spec.horizon, stacklevel=2)
    return dataset


def play_spec(
    spec: Spec,
    store: str | os.PathLike | Store | None,
    machine: Machine,
    stop: threading.Event | None = None,
) -> xr.Dataset:
    """`run_sweep` without the warning that runs were cut off."""
    checks.unforked()
    checks.instance("spec", spec, Spec, "of jaxbandits.sweeps, or see read_spec")
    machine = machine_of(machine)
    if store is not None:
        store = store_of(store)
    if spec.engine is None:
        spec = spec._replace(engine=machine.engine)
    if store is not None and store.metrics is not None:
        metrics = store.metrics
        own = list(metrics) if isinstance(metrics, Iterator) else metrics
        spec = spec._replace(metrics=own)
    with in_play():
        spec, until = _pilot(spec)
        # All that can be wrong with it, in every process and before there is a store.
        plan = make_plan(spec)
        # In memory, one environment with all its metrics takes what comes.
        several = len(spec.environments) > 1 or spec.metrics is not None
        if store is not None or until is not None or several:
            shapes = metric_shapes(plan)
            if until is not None:
                check_until(until, spec.seeds, shapes, spec.runs_per_instance)
        if until is not None and getattr(store, "keep", None) == "moments":
            raise ValueError(
                "store: keep must be 'runs' where a half-width says how many seeds "
                "there are: that takes the runs of the pilot"
            )
        if store is None:
            sink = in_memory(machine, stop)
            _play(sink, spec, until, False)
            return with_cuts(sink.dataset(), spec.budget, spec.horizon)
        with in_store(spec, store, machine, stop) as sink:
            plan = _play(sink, spec, until, store.extend)
            if store.verify:
                verify(plan, store.path, store.verify, machine)
        return open_store(store.path)


def _pilot(spec: Spec) -> tuple[Spec, HalfWidth | None]:
    """The spec with its seeds in an array, at first those of the pilot."""
    if isinstance(spec.seeds, HalfWidth):
        seeds, until = spec.seeds.pilot, spec.seeds
    else:
        seeds, until = spec.seeds, None
    return spec._replace(seeds=seeds_of(seeds)), until


def _play(sink: Sink, spec: Spec, until: HalfWidth | None, grows: bool) -> Plan:
    """Play what is missing, all stages of it."""
    if until is None:
        return sink.complete(spec, grows)
    # A store may have seeds of the second stage, from an earlier call.
    seeds = list(_joined(spec.seeds.tolist(), sink.seeds()))
    plan = sink.complete(spec._replace(seeds=seeds), grows)
    pilot = sink.dataset().sel(seed=spec.seeds.tolist())
    found = verdict(pilot, until, len(spec.seeds))
    if found.needed > found.seeds:
        warnings.warn(
            f"a half-width of {until.half_width:g} takes {found.needed} seeds; "
            f"stopped at at_most = {found.seeds}",
            stacklevel=3,
        )
    if found.seeds > len(plan.seeds):
        seeds = _joined(plan.seeds.tolist(), itertools.count())
        seeds = list(itertools.islice(seeds, found.seeds))
        return sink.complete(plan.spec._replace(seeds=seeds), True)
    return plan


def _joined(seeds: list[int], others: Iterable[int]) -> Iterable[int]:
    """The seeds, then those of the others that are new."""
    return itertools.chain(
        seeds, itertools.filterfalse(set(seeds).__contains__, others)
    )
