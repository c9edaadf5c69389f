"""Blocks played into a store by this process."""

import hashlib
import shutil
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

import jax

from jaxbandits.engine.run import Clock
from jaxbandits.results._provenance import provenance
from jaxbandits.results.parts import Block, Game
from jaxbandits.simulation.description import describe
from jaxbandits.simulation.fill import Played, Player
from jaxbandits.simulation.machine import Machine, Site, job, site_of
from jaxbandits.simulation.plan import Plan
from jaxbandits.store.block_store import BlockStore, variables_of
from jaxbandits.store.place import Folder, Place
from jaxbandits.store.request import Json, accepting, changes

LOOK = 5.0  # seconds between two looks at what others have played
GOES_ON = "complete and safe, the same command goes on from there"
_PROGRAMS = "work/programs"  # compiled by one process of a store, read by all


def player_for(
    store: BlockStore, plan: Plan, blocks: list[Block], machine: Machine
) -> Player:
    """What plays blocks of a store, which share programs with all of their games."""
    games = {block.game for block in blocks}
    asked = [block for block in store.blocks() if block.game in games]
    return Player(plan, machine, blocks, asked)


def session_for(store: BlockStore, site: Site, accepted: bool, **more: Any) -> Json:
    """What a store says of this process, which is about to play, put on record."""
    session = provenance(
        **site._asdict(),
        **job(),
        processes=jax.process_count(),
        at=time.time(),
        **({"accepted": True} if accepted else {}),
        **more,
    )
    store.enter(session)
    return session


def play_into(
    store: BlockStore, player: Player, stop: threading.Event | None, session: Json
) -> None:
    """Play blocks into a store, but those that others have played meanwhile.

    Raises:
      StoppedError: if it was asked to stop before all was played.
      OSError: if a block cannot be written.
    """
    kept = {"rounds", *variables_of(store.requests())}
    there, looked, written = store.played(), time.monotonic(), 0

    def wanted(block: Block) -> bool:
        nonlocal there, looked
        if time.monotonic() - looked > LOOK:
            there, looked = store.played(), time.monotonic()
        return block.key not in there

    def receive(block: Block, result: Played, clock: Clock) -> None:
        nonlocal written
        values = {**result.metrics, "rounds": result.rounds}
        values = {name: x for name, x in values.items() if name in kept}
        seconds = {"running": sum(clock.running), "compiling": sum(clock.compiling)}
        safe = f"; {written} of {len(player.blocks)} blocks of this run are {GOES_ON}"
        store.write(block, values, session, seconds, safe)
        written += 1

    player.play(receive, stop, wanted)


def described_for(
    plan: Plan,
    platform: str,
    store: BlockStore,
    accepts: bool,
    games: Sequence[Game] = (),
) -> Json:
    """The description of a plan for a store, which may accept other versions of JAX."""
    sweep = describe(plan, platform, games)
    return accepting(store.sweep(), sweep) if accepts and store.exists() else sweep


def check_worker(
    store: BlockStore, plan: Plan, platform: str, accepts: bool, games: Sequence[Game]
) -> None:
    """Raise a ValueError if a worker would not play what its coordinator does.

    Args:
      store: the store.
      plan: the worker's plan.
      platform: of the worker's devices.
      accepts: see `accepting`.
      games: (environment, policy), what it is to play.
    """
    sweep = described_for(plan, platform, store, accepts, games)
    if games and (lines := changes(store.sweep(), sweep)):
        raise ValueError(
            f"store: {store.place.name} is not one that this worker can play into; "
            "all must have the same code, versions and kind of devices:\n  "
            + "\n  ".join(lines)
        )


def share_programs(place: Place) -> None:
    """Have JAX keep programs in a store's folder, with those of machines like this one.

    Nothing happens where it keeps them somewhere already, or the store is no folder.
    """
    if not isinstance(place, Folder) or jax.config.jax_compilation_cache_dir:
        return
    here = site_of(jax.local_devices())
    kind = hashlib.sha256(repr(here._replace(devices=here.devices[:1])).encode())
    folder = place.path / _PROGRAMS / kind.hexdigest()[:16]
    update: Callable[[str, Any], None] = jax.config.update
    update("jax_compilation_cache_dir", str(folder))
    update("jax_persistent_cache_min_compile_time_secs", 0.0)
    update("jax_persistent_cache_min_entry_size_bytes", -1)


def forget_programs(place: Place) -> None:
    """Remove the programs of a store that is complete."""
    if isinstance(place, Folder):
        shutil.rmtree(place.path / _PROGRAMS, ignore_errors=True)
