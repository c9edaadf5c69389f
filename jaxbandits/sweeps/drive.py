"""A sweep from beginning to end: play what is missing in the store.

Nothing here changes a number: a sweep that was killed, resumed on another number of
devices or processes and extended holds the same bits as one that was not.
"""

import itertools
import json
import math
import os
import tempfile
import warnings
from collections.abc import Callable, Iterable
from contextlib import nullcontext
from functools import cache
from pathlib import Path
from typing import NamedTuple

import jax
import xarray as xr

from jaxbandits import checks
from jaxbandits.arguments import seeds_of
from jaxbandits.devices import local_devices
from jaxbandits.engine.run import Clock, choose_chunk, uniform_leaves
from jaxbandits.engine.shares import device_shares, side_by_side
from jaxbandits.play import Played, lane_params, play
from jaxbandits.progress import reporter
from jaxbandits.results.store import (
    check_store,
    naming,
    only_writer,
    open_store,
    sessions,
    stored_shapes,
    write_block,
)
from jaxbandits.sweeps import stores
from jaxbandits.sweeps.blocks import Block, outstanding
from jaxbandits.sweeps.hosts import meet
from jaxbandits.sweeps.plan import Plan
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
    devices = local_devices() if devices is None else list(devices)
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
    spec = spec._replace(seeds=seeds_of(spec.seeds).tolist())
    if until is not None:
        check_until(until, spec.seeds, spec.runs_per_instance)
    first = jax.process_index() == 0
    if first and not path.exists():
        stores.create(spec, path, block, machine.devices)
    meet("created")
    with only_writer(path) if first else nullcontext():
        if until is None:
            _complete(spec, path, extend, machine)
            return
        if until.metric not in (known := stored_shapes(path)):
            raise ValueError(
                f"metric: {until.metric!r} is unknown; known are {[*known]}"
            )
        # The store may have seeds of the second stage, from an earlier call.
        with open_store(path) as dataset:
            seeds = list(_joined(spec.seeds, dataset["seed"].values.tolist()))
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
            _complete(plan.spec._replace(seeds=seeds), path, True, machine)


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
        stores.enter(plan, path, grows, machine.devices)
    meet("entered")
    _fill(plan, path, machine)
    meet("filled")
    return plan


def _fill(plan: Plan, path: Path, machine: Machine) -> None:
    """Play and write the blocks that are this process's to play."""
    session = len(json.loads(check_store(path)["sessions"]))
    who = sessions(path)
    shape = who.chunks[-2:]
    hosts = jax.process_index(), jax.process_count()
    blocks = outstanding(plan, who, shape, *hosts)
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
                uniform=uniform_leaves(lane_params(game.policy, game.points, 1)),
                memory=machine.memory,
                devices=share,
                progress=advanced,
            )
            write(block, found)

        shares = device_shares(machine.devices, math.prod(shape))
        for _ in side_by_side(work_on, blocks, shares):
            pass


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

    def write(block: Block, found: Played) -> None:
        values = {k: x for k, x in found.metrics.items() if k in kept}
        safe = (
            f"; {len(written)} of {total} blocks of this run are complete and safe, "
            "the same command goes on from there"
        )
        with naming(path, safe):
            write_block(path, block.place, values | {"rounds": found.rounds}, session)
        written.append(block)

    return write


def _lanes(block: Block) -> int:
    params, seed = block.place.params, block.place.seed
    return (params.stop - params.start) * (seed.stop - seed.start)
