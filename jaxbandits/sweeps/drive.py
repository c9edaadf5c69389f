"""A sweep from beginning to end: make or open the store, play what is missing.

Nothing here changes a number: a sweep that was killed, resumed on another number of
devices or processes and extended holds the same bits as one that was not.
"""

import itertools
import json
import math
import os
import tempfile
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import jax
import xarray as xr

from jaxbandits import checks
from jaxbandits.arguments import seeds_of
from jaxbandits.engine.run import Clock, choose_chunk
from jaxbandits.engine.shares import device_shares, side_by_side
from jaxbandits.play import lane_params, play
from jaxbandits.progress import reporter
from jaxbandits.results import provenance
from jaxbandits.results.store import (
    check_store,
    create_store,
    grow_store,
    open_store,
    played,
    remove_leavings,
    set_attributes,
    stored_shapes,
    write_block,
)
from jaxbandits.sweeps.blocks import Block, block_shape, outstanding, rectangle
from jaxbandits.sweeps.hosts import meet
from jaxbandits.sweeps.identity import compare, describe, fingerprint, union
from jaxbandits.sweeps.plan import Plan, axes, make_plan, metric_shapes
from jaxbandits.sweeps.spec import Spec
from jaxbandits.sweeps.until import HalfWidth, check_until, verdict

DEFAULT_MEMORY = 1 << 30


class Machine(NamedTuple):
    """What a sweep is played on, and how it is watched.

    Attributes:
      devices: of this process.
      memory: cap on the bytes of what is played at a time.
      progress: whether to show it; None if stderr is a terminal.
    """

    devices: list
    memory: int = DEFAULT_MEMORY
    progress: bool | None = None


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
) -> xr.Dataset:
    """Play a sweep, or what is missing of it. See `jaxbandits.sweep`."""
    checks.whole("memory", memory, 1)
    if block is not None:
        checks.whole("block", block, 1)
    devices = jax.local_devices() if devices is None else list(devices)
    machine = Machine(devices, memory, progress)
    if store is None:
        if jax.process_count() > 1:
            raise ValueError("store: several processes need one that all can write to")
        with tempfile.TemporaryDirectory(prefix="jaxbandits-") as folder:
            path = Path(folder) / "sweep.zarr"
            _run(spec, path, extend, until, block, machine)
            with open_store(path) as dataset:
                return dataset.load()
    _run(spec, Path(store), extend, until, block, machine)
    return open_store(store)


def _run(spec: Spec, path: Path, extend, until, block, machine: Machine) -> None:
    pilot = len(seeds_of(spec.seeds))
    if until is None:
        _fill(_prepared(spec, path, extend, block, machine), path, machine)
        return
    check_until(until, pilot)
    # The store may have seeds of the second stage, from an earlier call.
    plan = _prepared(spec, path, True, block, machine)
    _fill(plan, path, machine)
    found = verdict(open_store(path), until, pilot)
    meet("counted")
    if found.needed > found.seeds:
        warnings.warn(
            f"a half-width of {until.half_width:g} takes {found.needed} seeds; "
            f"stopped at at_most = {found.seeds}",
            stacklevel=3,
        )
    new = itertools.filterfalse(
        set(plan.seeds.tolist()).__contains__, itertools.count()
    )
    missing = max(found.seeds - len(plan.seeds), 0)
    seeds = [*plan.seeds.tolist(), *itertools.islice(new, missing)]
    if missing:
        more = plan.spec._replace(seeds=seeds)
        _fill(_prepared(more, path, True, block, machine), path, machine)


def _prepared(spec: Spec, path: Path, extend, block, machine: Machine) -> Plan:
    """The plan, and a store that has room for it, made by the first process."""
    if jax.process_index() == 0:
        plan = _opened(spec, path, extend, block, machine, write=True)
    meet("prepared")
    if jax.process_index() > 0:
        plan = _opened(spec, path, extend, block, machine, write=False)
    return plan


def _opened(spec, path: Path, extend, block, machine: Machine, write: bool) -> Plan:
    plan = make_plan(spec)
    wanted = describe(plan)
    if not path.exists():
        if write:
            _check_folder(path.parent)
            shapes = metric_shapes(plan)
            platform = machine.devices[0].platform
            shape = (
                rectangle(plan, block) if block else block_shape(plan, shapes, platform)
            )
            attributes = _attributes(plan, wanted, [], machine)
            create_store(path, axes(plan), shapes, shape, attributes)
        return plan
    attributes = check_store(path)
    stored = json.loads(attributes["spec"])
    found = compare(stored, wanted)
    if found.changed or found.lost:
        lines = [*found.changed, *(f"{line} only in the store" for line in found.lost)]
        raise ValueError(f"store: {path} holds another sweep:\n  " + "\n  ".join(lines))
    if (found.added or found.absent) and not extend:
        lines = [f"only in the spec: {line}" for line in found.added]
        lines += [f"only in the store: {line}" for line in found.absent]
        raise ValueError(
            f"store: {path} holds a sweep of another extent:\n  "
            + "\n  ".join(lines)
            + "\nextend (--extend) adds what is new to what is there"
        )
    plan = make_plan(union(spec, wanted, stored))
    if write:
        _check_folder(path)
        remove_leavings(path)
        sessions = json.loads(attributes["sessions"])
        new = _attributes(plan, describe(plan), sessions, machine)
        if found.added:
            shapes = stored_shapes(path) | metric_shapes(plan)
            grow_store(path, axes(plan), shapes, new)
        else:
            set_attributes(path, new)
    return plan


def _attributes(plan: Plan, description, sessions: list, machine) -> dict[str, Any]:
    """Attributes of the dataset, with one more session."""
    devices = [str(d.device_kind) for d in machine.devices]
    session = provenance(devices=devices, processes=jax.process_count())
    instances = plan.spec.instances
    first = next(iter(instances.values()))
    return {
        "environment": ", ".join(instances),
        "setting": (first.provenance or {}).get("setting", ""),
        "checkpoint_kind": plan.rules.end.kind,
        "fingerprint": fingerprint(description),
        "spec": json.dumps(description),
        "sessions": json.dumps([*sessions, session]),
    }


def _fill(plan: Plan, path: Path, machine: Machine) -> None:
    """Play and write the blocks that are this process's to play."""
    attributes = check_store(path)
    session = len(json.loads(attributes["sessions"]))
    complete, shape = played(path)
    hosts = jax.process_index(), jax.process_count()
    blocks = outstanding(plan, complete, shape, *hosts)
    # Nobody writes before everybody has seen what is missing.
    meet("planned")
    checkpoints = len(plan.rules.end.checkpoints)
    work = sum(_lanes(block) for block in blocks) * checkpoints
    last = plan.rules.end.checkpoints[-1]
    write = _writer(path, session, len(blocks))
    chunk_for = _chunks(plan, math.prod(shape), machine)
    with reporter(machine.progress, work, path.name, last / checkpoints) as report:

        def work_on(block: Block, share: list, check: Callable[[], None]) -> None:
            def advanced(done):
                report(done, " ".join(block.key))
                check()

            game, place = plan.games[block.key], block.place
            found = play(
                game.policy,
                game.environment,
                game.points[place.params],
                plan.seeds[place.seed],
                plan.rules,
                clock=Clock([], []),
                chunk=chunk_for(block.key, len(share)),
                same_shape=True,
                memory=machine.memory,
                devices=share,
                progress=advanced,
            )
            write(block, found)

        shares = device_shares(machine.devices, math.prod(shape))
        for _ in side_by_side(work_on, blocks, shares):
            pass
    meet("filled")


def _chunks(plan: Plan, lanes: int, machine: Machine):
    """Lanes to play at a time, by game: one shape, so one program, for all blocks."""

    @cache
    def chunk_for(key, num_devices):
        game = plan.games[key]
        return choose_chunk(
            game.policy,
            game.environment,
            lane_params(game.policy, game.points[:1], 1),
            lanes,
            len(plan.rules.end.checkpoints),
            machine.memory,
            machine.devices[:num_devices],
        )

    return chunk_for


def _writer(path: Path, session: int, total: int):
    """A function that puts a block's results into the store."""
    kept = stored_shapes(path)
    written = []

    def write(block: Block, found) -> None:
        values = {k: x for k, x in found.metrics.items() if k in kept}
        try:
            write_block(path, block.place, values | {"rounds": found.rounds}, session)
        except OSError as error:
            raise OSError(
                error.errno,
                f"store: cannot write to {path}: {error.strerror or error}; "
                f"{len(written)} of {total} blocks of this run are complete and safe, "
                "the same command goes on from there",
            ) from error
        written.append(block)

    return write


def _lanes(block: Block) -> int:
    params, seed = block.place.params, block.place.seed
    return (params.stop - params.start) * (seed.stop - seed.start)


def _check_folder(folder: Path) -> None:
    """Raise before anything is played if nothing can be written."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        message = f"store: cannot write to {folder}: {error.strerror}"
        raise OSError(error.errno, message) from error
