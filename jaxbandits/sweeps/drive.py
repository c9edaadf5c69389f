"""A sweep from beginning to end: play what is missing in the store.

Nothing here changes a number: a sweep that was killed, resumed on another number of
devices or processes and extended holds the same bits as one that was not.
"""

import itertools
import json
import os
import tempfile
import threading
import warnings
from collections.abc import Iterable
from contextlib import nullcontext
from pathlib import Path

import jax
import xarray as xr

from jaxbandits import checks
from jaxbandits.arguments import devices_of, seeds_of
from jaxbandits.engine.choice import say
from jaxbandits.engine.flags import in_play
from jaxbandits.results.cuts import warn_of_cuts, with_cuts
from jaxbandits.results.root import local
from jaxbandits.results.store import check_store, naming, only_writer, open_store
from jaxbandits.sweeps import stores
from jaxbandits.sweeps.fill import DEFAULT_MEMORY, Machine, fill
from jaxbandits.sweeps.hosts import meet
from jaxbandits.sweeps.identity import listed
from jaxbandits.sweeps.plan import Plan, make_plan, metric_shapes
from jaxbandits.sweeps.spec import Spec
from jaxbandits.sweeps.until import HalfWidth, check_until, verdict
from jaxbandits.sweeps.verify import verify as play_again


def run_sweep(
    spec: Spec,
    store: str | os.PathLike | None = None,
    *,
    extend: bool = False,
    until: HalfWidth | None = None,
    block: int | None = None,
    memory: int = DEFAULT_MEMORY,
    devices: list | None = None,
    progress: bool | None = None,
    verify: int = 0,
    stop: threading.Event | None = None,
) -> xr.Dataset:
    """Play a sweep, or what is missing of it. See `jaxbandits.sweep`.

    Args:
      verify: so many complete blocks are played once more and compared, bit by bit.
      stop: when it is set (by a signal, by another thread), the blocks under way are
        finished, and `sweeps.fill.StoppedError` is raised.
    """
    checks.unforked()
    checks.instance("spec", spec, Spec, "of jaxbandits.sweeps, or see read_spec")
    checks.flag("extend", extend)
    if until is not None:
        checks.instance("until", until, HalfWidth, "of jaxbandits.sweeps")
    if progress is not None:
        checks.flag("progress", progress)
    checks.whole("memory", memory, 1)
    checks.whole("verify", verify, 0)
    if block is not None:
        checks.whole("block", block, 1)
    machine = Machine(devices_of(devices), memory, progress, stop)
    if store is None:
        if jax.process_count() > 1:
            raise ValueError("store: several processes need one that all can write to")
        with tempfile.TemporaryDirectory(prefix="jaxbandits-") as folder:
            path = Path(folder) / "sweep.zarr"
            _run(spec, path, extend, until, block, machine, verify)
            with open_store(path) as dataset:
                dataset = dataset.load()
        if spec.max_rounds is not None:
            dataset = with_cuts(dataset, spec.max_rounds)
    else:
        _run(spec, local(store), extend, until, block, machine, verify)
        dataset = open_store(store)
    if spec.max_rounds is not None:
        warn_of_cuts(dataset, spec.max_rounds, stacklevel=3)
    return dataset


@in_play()
def _run(
    spec: Spec, path: Path, extend, until, block, machine: Machine, verify: int
) -> None:
    spec = spec._replace(seeds=seeds_of(spec.seeds).tolist())
    # All that can be wrong with it, in every process and before there is a store.
    shapes = metric_shapes(make_plan(spec))
    if until is not None:
        check_until(until, spec.seeds, shapes, spec.runs_per_instance)
    first = jax.process_index() == 0
    with naming(path):
        there = path.exists()
    if first and not there:
        stores.create(spec, path, block, machine.devices)
    with only_writer(path) if first else nullcontext():
        if first:
            stores.mend(path)
        meet("created")
        stores.check_block(path, block)
        plan = _play(spec, path, extend, until, machine)
        if verify:
            play_again(plan, path, verify, machine)


def _play(spec: Spec, path: Path, extend, until, machine: Machine) -> Plan:
    """Play what is missing, all stages of it."""
    if until is None:
        return _complete(spec, path, extend, machine)
    # The store may have seeds of the second stage, from an earlier call.
    stored = listed(json.loads(check_store(path)["spec"])["seeds"])
    seeds = list(_joined(spec.seeds, stored))
    plan = _complete(spec._replace(seeds=seeds), path, extend, machine)
    with open_store(path) as dataset:
        pilot = dataset.sel(seed=spec.seeds)
        found = verdict(pilot, until, len(spec.seeds))
    meet("counted")
    if found.needed > found.seeds:
        warnings.warn(
            f"a half-width of {until.half_width:g} takes {found.needed} seeds; "
            f"stopped at at_most = {found.seeds}",
            stacklevel=3,
        )
    if found.seeds > len(plan.seeds):
        seeds = _joined(plan.seeds.tolist(), itertools.count())
        seeds = list(itertools.islice(seeds, found.seeds))
        return _complete(plan.spec._replace(seeds=seeds), path, True, machine)
    return plan


def _joined(seeds: list[int], others: Iterable[int]) -> Iterable[int]:
    """The seeds, then those of the others that are new."""
    return itertools.chain(
        seeds, itertools.filterfalse(set(seeds).__contains__, others)
    )


def _complete(spec: Spec, path: Path, extend: bool, machine: Machine) -> Plan:
    """Play what the store lacks of a spec."""
    plan, grows = stores.fit(spec, path, extend, machine.devices)
    # Every process has the same objections, if any, before one of them writes.
    meet("fitted")
    if jax.process_index() == 0:
        if spec.engine == "auto" and machine.progress is not False:
            for name in plan.spec.environments:
                matches = plan.matches.items()
                say(name, {k[1]: m.choice for k, m in matches if k[0] == name})
        stores.enter(plan, path, grows, machine.devices)
    meet("entered")
    fill(plan, path, machine)
    meet("filled")
    return plan
