"""The store of a sweep: asked for what is wanted, filled with what is missing."""

import random
import threading
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import jax
import xarray as xr

from jaxbandits import checks
from jaxbandits.results.parts import Block, Part
from jaxbandits.simulation.estimate import block_size
from jaxbandits.simulation.machine import Machine, kind_of, machine_of, site_of
from jaxbandits.simulation.plan import Plan, metric_shapes, with_engines
from jaxbandits.simulation.workers import (
    Workers,
    described_for,
    forget_programs,
    have_played,
    platform_of,
    play_into,
    player_for,
    session_for,
    share_programs,
    workers_of,
)
from jaxbandits.store.block_store import BlockStore
from jaxbandits.store.open import dataset_of, open_store
from jaxbandits.store.place import place_of
from jaxbandits.store.request import Request

KEPT = ("runs", "moments")


class Store(NamedTuple):
    """A store for a sweep, new or of the same sweep, and what may happen to it.

    Attributes:
      path: the folder, or a URL (``s3://bucket/x``, with ``jaxbandits[remote]``).
      extend: whether seeds, points, policies and environments may be new to the store.
      block: runs (seeds times points) that are written at a time, for a new store; by
        default by their size and duration.
      verify: so many blocks of the store, drawn at random, are played once more and
        compared, bit by bit.
      metrics: names of what to keep; by default everything, or what a `Spec` says.
      keep: ``"runs"``, the default of a new store, or ``"moments"``: of every metric
        that is a number, by point and checkpoint, the number of runs, four moments,
        extremes and a sketch of the quantiles, in place of the runs.
      accept_version: whether to go on with a newer patch of JAX than the store was
        made with (0.12.1 for 0.12.0); each block says by which it was played.
    """

    path: Any
    extend: bool = False
    block: int | None = None
    verify: int = 0
    metrics: Iterable[str] | None = None
    keep: str | None = None
    accept_version: bool = False


def store_of(store: Any) -> Store:
    """A store that can be used, from one or a path; its path is a `Place`.

    Raises:
      TypeError, ValueError: naming what is wrong.
    """
    if not isinstance(store, Store):
        store = Store(store)
    checks.flag("store: extend", store.extend)
    checks.flag("store: accept_version", store.accept_version)
    checks.whole("store: verify", store.verify, 0)
    if store.block is not None:
        checks.whole("store: block", store.block, 1)
    if store.keep is not None:
        checks.one_of("store: keep", store.keep, KEPT)
    metrics = store.metrics
    return store._replace(
        path=place_of(store.path),
        metrics=list(metrics) if isinstance(metrics, Iterator) else metrics,
    )


class InStore:
    """Where results are kept if there is a store, and who plays its blocks.

    Args:
      store, executor, shard: the arguments of `run_sweep`.
      machine: what to play on.
      stop: see `run_sweep`.

    Raises:
      TypeError, ValueError: that names the argument that is out of range.
    """

    def __init__(
        self,
        store: Any,
        executor: Any,
        shard: Any,
        machine: Machine,
        stop: threading.Event | None,
    ) -> None:
        self.workers = None if executor is None else workers_of(executor)
        self.share = _share(shard, self.workers)
        if self.workers and getattr(machine, "devices", None) is not None:
            raise ValueError(
                "machine: devices must be left out: workers have their own"
            )
        if store is None:
            raise ValueError("store: several processes need one that all can write to")
        self.options, self.machine, self.stop = (
            store_of(store),
            machine_of(machine),
            stop,
        )
        self.store, self.metrics = BlockStore(self.options.path), self.options.metrics

    @cached_property
    def platform(self) -> str:
        """Of the devices on which blocks are played."""
        if self.workers:
            return platform_of(self.workers)
        return str(self.machine.devices[0].platform)

    @property
    def keep(self) -> str:
        """Whether runs or moments are kept."""
        if self.options.keep is None and self.store.exists():
            return self.store.keep
        return self.options.keep or KEPT[0]

    def with_engines(self, plan: Plan) -> Plan:
        """The plan with an engine for every match: those of the store stay."""
        known = None
        if self.store.exists():
            self._mend()
            known = self.store.sweep()
        return with_engines(plan, self.platform, known)

    def play(self, plan: Plan, parts: Sequence[Part], grow: bool = False) -> bool:
        """Play what is missing of some parts.

        Args:
          plan: the plan, with engines.
          parts: what is wanted.
          grow: whether the store may grow for them, whatever its options say.

        Returns:
          Whether all are there now; others may still play.
        """
        store, accepts = self.store, self.options.accept_version
        store.ask(self._request(plan, parts), grow or self.options.extend)
        asked = store.blocks(parts)
        number, count = self.share or (0, 1)
        mine = asked[number::count]
        self._mend(mine)
        # Or all who are done with their share would play the same ones.
        others = [block for i, block in enumerate(asked) if i % count != number]
        random.shuffle(others)
        todo = store.missing([*mine, *others])
        if todo and self.workers:
            options = self.workers, self.machine, self.stop, accepts
            have_played(store, plan.spec, todo, *options)
        elif todo:
            player = player_for(store, plan, todo, self.machine)
            # Those who share find the sizes of chunks themselves, which takes a trace.
            facts, site = player.facts(count == 1), site_of(self.machine.devices)
            own = {"share": f"{number}/{count}"} if self.share else {}
            session = session_for(store, site, accepts, engines=facts, **own)
            if count > 1:
                share_programs(store.place)
            play_into(store, player, self.stop, session)
        entries: Iterable[Mapping[str, Any]] = store.sessions().values()
        kinds = {kind_of(entry) for entry in entries if "backend" in entry}
        if len(kinds) > 1:
            warnings.warn(
                f"store: {store.place.name} is played on several kinds of machines ("
                + "; ".join(sorted(kinds))
                + "): their numbers agree up to rounding only",
                stacklevel=3,
            )
        store.seal()
        whole = not store.missing(asked)
        if whole and (count > 1 or self.workers):
            forget_programs(store.place)
        return whole

    def dataset(self, plan: Plan, parts: Sequence[Part]) -> xr.Dataset:
        """What the store holds of some parts."""
        return dataset_of(self.store, self.store.sweep(), parts)

    def result(self, plan: Plan, parts: Sequence[Part]) -> xr.Dataset:
        """All that the store holds; some blocks are played again first, if wanted."""
        if self.options.verify:
            from jaxbandits.simulation.stores import replayed

            asked = self.store.blocks(parts)
            replayed(self.store, plan, asked, self.options.verify, self.machine)
        return open_store(self.options.path)

    def _request(self, plan: Plan, parts: Sequence[Part]) -> Request:
        store, block, shapes = self.store, self.options.block, metric_shapes(plan)
        moments = self.keep == "moments"
        if moments and plan.terms.runs_per_instance > 1:
            raise ValueError(
                "store: keep must be 'runs' with runs_per_instance > 1: moments of "
                "runs do not tell those of the instances that they share"
            )
        size = block_size(plan, shapes, self.platform, moments)
        if block is not None:
            held = store.requests()[0].size.runs if store.exists() else block
            if held != block:
                raise ValueError(
                    f"block must be left out (--block): {store.place.name} has blocks "
                    f"of {held} runs, which cannot change, got {block}"
                )
            size = size._replace(runs=block)
        accepts = self.options.accept_version
        sweep = described_for(plan, self.platform, store, accepts)
        return Request(sweep, [*parts], size, self.keep, shapes, plan.spec.text or "")

    def _mend(self, blocks: Iterable[Block] = ()) -> None:
        """Mend a store that is there, and warn of files that were damaged."""
        if files := self.store.mend(blocks):
            few = ", ".join(files[:3]) + (", ..." if len(files) > 3 else "")
            again = sum(name.startswith("blocks/") for name in files)
            warnings.warn(
                f"store: {self.store.place.name} was damaged; mended: {few}"
                + (f"; blocks to be played again: {again}" if again else ""),
                stacklevel=4,
            )


def _share(shard: Any, workers: Workers | None) -> tuple[int, int] | None:
    """(number, count): whose blocks are this process's, if others play the rest."""
    processes = jax.process_count()
    if shard is None:
        return (jax.process_index(), processes) if processes > 1 else None
    if workers or processes > 1:
        raise ValueError("shard must be left out where there are workers or processes")
    if not isinstance(shard, tuple) or len(shard) != 2:
        raise TypeError(f"shard must be (number, of), got {checks.shown(shard)}")
    checks.whole("shard: of", shard[1], 1)
    checks.whole("shard: number", shard[0], 0, shard[1] - 1)
    return shard
