"""Sweeps whose results are kept in a store: missing blocks are played."""

import hashlib
import random
import shutil
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import Annotated, Any, NamedTuple

import jax
import xarray as xr

from jaxbandits import checks
from jaxbandits.console.faults import warn
from jaxbandits.results._provenance import provenance
from jaxbandits.results.dataset import Results
from jaxbandits.results.parts import Game, Part
from jaxbandits.simulation.estimate import block_size
from jaxbandits.simulation.fill import Player
from jaxbandits.simulation.machine import Machine, job, kind_of, machine_of, site_of
from jaxbandits.simulation.plan import Plan, describe, with_engines
from jaxbandits.store.block_store import BlockStore, stored_arrays
from jaxbandits.store.open import dataset_of, open_store
from jaxbandits.store.place import Folder, Place, place_of
from jaxbandits.store.request import Json, Request, accepting, changes

KEPT = ("runs", "moments")
LOOK = 5.0  # seconds between two looks at what others have played
GOES_ON = "complete and safe, the same command goes on from there"
_PROGRAMS = "work/programs"  # compiled by one process of a store, read by all


class Store(NamedTuple):
    """A store for a sweep, and what may be done with it.

    Attributes:
      path: the folder, or a URL (``s3://bucket/x``, with ``jaxbandits[remote]``).
      extend: whether to add seeds, points, policies and environments to a store.
      block: runs (seeds times points) of a block of a new store; by default their
        number follows from the size of the results and the duration of play.
      verify: how many random blocks are played again and compared, bit by bit.
      metrics: names of metrics and reports to keep; by default those of the `Spec`, or
        all.
      keep: ``"runs"``, the default of a new store, or ``"moments"``: in place of the
        runs the number of runs, four moments, extremes and a sketch of the quantiles
        of every metric that is a number, by point and checkpoint.
      accept_version: whether a store may be played on with a newer patch of JAX (0.12.1
        for 0.12.0); each block says which version played it.
    """

    path: Any
    extend: bool = False
    block: Annotated[int | None, checks.at_least_one] = None
    verify: Annotated[int, checks.non_negative] = 0
    metrics: Iterable[str] | None = None
    keep: str | None = None
    accept_version: bool = False


def store_of(store: Any) -> Store:
    """The checked options of a store, given options or a path; the path is a `Place`.

    Raises:
      TypeError, ValueError: naming the attribute that is wrong.
    """
    if not isinstance(store, Store):
        store = Store(store)
    checks.check_fields("store", store)
    if store.keep is not None:
        checks.one_of("store: keep", store.keep, KEPT)
    metrics = store.metrics
    return store._replace(
        path=place_of(store.path),
        metrics=list(metrics) if isinstance(metrics, Iterator) else metrics,
    )


class InStore:
    """A sweep whose results are kept in a store.

    The share is ``(number, count)`` where other processes play the rest of the blocks.
    """

    together = False  # whether workers play the blocks

    def __init__(
        self,
        store: Any,
        machine: Machine,
        stop: threading.Event | None = None,
        share: tuple[int, int] | None = None,
    ) -> None:
        self.options, self.machine = store_of(store), machine_of(machine)
        self.stop, self.share = stop, share
        self.store, self.metrics = BlockStore(self.options.path), self.options.metrics
        self.session: Json | None = None  # what the store says of this process

    @cached_property
    def platform(self) -> str:
        """Platform of the devices on which blocks are played."""
        return str(self.machine.devices[0].platform)

    @property
    def keep(self) -> str:
        """``"runs"`` or ``"moments"``."""
        if self.options.keep is None and self.store.exists():
            return self.store.keep
        return self.options.keep or KEPT[0]

    def with_engines(self, plan: Plan) -> Plan:
        """The plan with engines; a store keeps its own."""
        if not self.store.exists():
            return with_engines(plan, self.platform)
        self._mend()
        return with_engines(plan, self.platform, self.store.sweep())

    def play(self, plan: Plan, parts: Sequence[Part], grow: bool = False) -> bool:
        """Ask for some parts, play what is missing, and return whether all is there.

        With `grow` the store may grow, whatever its options say.
        """
        store = self.store
        store.ask(self._request(plan, parts), grow or self.options.extend)
        asked = store.blocks(parts)
        number, count = self.share or (0, 1)
        mine = asked[number::count]
        self._mend(mine)
        # In random order, so that those who have finished play different blocks.
        others = [block for i, block in enumerate(asked) if i % count != number]
        random.shuffle(others)
        if missing := store.missing([*mine, *others]):
            self.play_blocks(plan, missing)
        sessions = store.sessions().values()
        kinds = {kind_of(session) for session in sessions if "backend" in session}
        if len(kinds) > 1:
            warn(
                f"store: {store.place.name} is played on several kinds of machines ("
                + "; ".join(sorted(kinds))
                + "): their numbers agree up to rounding only"
            )
        store.seal()
        whole = not store.missing(asked)
        if whole and (count > 1 or self.together) and isinstance(store.place, Folder):
            shutil.rmtree(store.place.path / _PROGRAMS, ignore_errors=True)
        return whole

    def play_blocks(self, plan: Plan, blocks: list[Part]) -> None:
        """Play blocks into the store, except those that others play meanwhile.

        Raises:
          StoppedError: if blocks were left when it was asked to stop.
          OSError: if a block cannot be written.
        """
        store, player, shared = self.store, self._player(plan, blocks), self.share
        if self.session is None:
            # Processes of a share find the chunk, which takes a trace, when they play.
            facts = player.facts(sized=shared is None)
            of = {"share": f"{shared[0]}/{shared[1]}"} if shared else {}
            self.enter(engines=facts, **of)
        if shared:
            share_programs(store.place)
        kept = {"rounds", *store.variables()}
        there, looked, written = store.played(), time.monotonic(), 0

        def wanted(block: Part) -> bool:
            nonlocal there, looked
            if time.monotonic() - looked > LOOK:
                there, looked = store.played(), time.monotonic()
            return block.key not in there

        def receive(block: Part, result: Results) -> None:
            nonlocal written
            values = {name: x for name, x in result.values.items() if name in kept}
            seconds = {"running": result.running, "compiling": result.compiling}
            safe = f"; {written} of {len(blocks)} blocks of this run are {GOES_ON}"
            store.write(block, values, self.session or {}, seconds, safe)
            written += 1

        player.play(receive, self.stop, wanted)

    def enter(self, **more: Any) -> None:
        """Record in the store that this process is about to play."""
        accepted = {"accepted": True} if self.options.accept_version else {}
        self.session = provenance(
            **site_of(self.machine.devices),
            **job(),
            processes=jax.process_count(),
            at=time.time(),
            **accepted,
            **more,
        )
        self.store.enter(self.session)

    def check_same(self, plan: Plan, games: Sequence[Game]) -> None:
        """Require that this process plays some games as the store describes them."""
        if not games:
            return
        if lines := changes(self.store.sweep(), self._described(plan, games)):
            raise ValueError(
                f"store: {self.store.place.name} is not one that this worker can play "
                "into; all must have the same code, versions and kind of devices:\n  "
                + "\n  ".join(lines)
            )

    def verify(self, plan: Plan, blocks: Sequence[Part], count: int) -> int:
        """Play a number of the blocks that are there again, and return this number.

        Raises:
          ValueError: if a bit differs, naming the block and the variable.
        """
        store, there = self.store, self.store.played()
        known = [block for block in blocks if block.key in there]
        chosen = random.sample(known, min(count, len(known)))
        kept, lines = {"rounds", *store.variables()}, list[str]()

        def compare(block: Part, result: Results) -> None:
            own = {name: x for name, x in result.values.items() if name in kept}
            lines.extend(store.differing(block, stored_arrays(own, store.keep)))

        self._player(plan, chosen).play(compare)
        if lines:
            raise ValueError(
                f"store: {store.place.name} holds other numbers than this machine and "
                f"program give: {'; '.join(lines)}"
            )
        return len(chosen)

    def dataset(self, plan: Plan, parts: Sequence[Part]) -> xr.Dataset:
        """The results of some parts."""
        return dataset_of(self.store, self.store.sweep(), parts)

    def result(self, plan: Plan, parts: Sequence[Part]) -> xr.Dataset:
        """All results of the store, of which some are verified before, if wanted."""
        if self.options.verify:
            self.verify(plan, self.store.blocks(parts), self.options.verify)
        return open_store(self.options.path)

    def _player(self, plan: Plan, blocks: list[Part]) -> Player:
        games = {block.game for block in blocks}
        asked = [block for block in self.store.blocks() if block.game in games]
        return Player(plan, self.machine, blocks, asked)

    def _described(self, plan: Plan, games: Sequence[Game] = ()) -> Json:
        sweep = describe(plan, self.platform, games)
        if self.options.accept_version and self.store.exists():
            return accepting(self.store.sweep(), sweep)
        return sweep

    def _request(self, plan: Plan, parts: Sequence[Part]) -> Request:
        store, block, shapes = self.store, self.options.block, plan.variables or {}
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
        sweep, text = self._described(plan), plan.spec.text or ""
        return Request(sweep, [*parts], size, self.keep, shapes, text)

    def _mend(self, blocks: Iterable[Part] = ()) -> None:
        """Mend the store, and warn of files that were damaged."""
        if files := self.store.mend(blocks):
            few = ", ".join(files[:3]) + (", ..." if len(files) > 3 else "")
            again = sum(name.startswith("blocks/") for name in files)
            warn(
                f"store: {self.store.place.name} was damaged; mended: {few}"
                + (f"; blocks to be played again: {again}" if again else "")
            )


def share_of(shard: Any, executor: Any) -> tuple[int, int] | None:
    """The number and count of the share of this process, if others play the rest."""
    processes = jax.process_count()
    if shard is None:
        return (jax.process_index(), processes) if processes > 1 else None
    if executor is not None or processes > 1:
        raise ValueError("shard must be left out where there are workers or processes")
    if not isinstance(shard, tuple) or len(shard) != 2:
        raise TypeError(f"shard must be (number, of), got {checks.shown(shard)}")
    checks.whole("shard: of", shard[1], 1)
    checks.whole("shard: number", shard[0], 0, shard[1] - 1)
    return shard


def share_programs(place: Place) -> None:
    """Have JAX keep compiled programs in a store's folder, by the kind of machine.

    Nothing happens if JAX keeps them in a folder already, or the store is in a bucket.
    """
    if not isinstance(place, Folder) or jax.config.jax_compilation_cache_dir:
        return
    site = site_of(jax.local_devices()[:1])
    kind = hashlib.sha256(repr(site).encode()).hexdigest()[:16]
    update: Callable[[str, Any], None] = jax.config.update
    update("jax_compilation_cache_dir", str(place.path / _PROGRAMS / kind))
    update("jax_persistent_cache_min_compile_time_secs", 0.0)
    update("jax_persistent_cache_min_entry_size_bytes", -1)
