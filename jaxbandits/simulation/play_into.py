"""Blocks played into a store by this process."""

import threading
import time
from collections.abc import Sequence
from typing import Any

import jax

from jaxbandits.engine.run import Clock
from jaxbandits.results._provenance import provenance
from jaxbandits.results.parts import Block, Game
from jaxbandits.simulation.description import describe
from jaxbandits.simulation.fill import Work, play_blocks, work_of
from jaxbandits.simulation.machine import Machine
from jaxbandits.simulation.plan import Plan
from jaxbandits.simulation.play import Played
from jaxbandits.simulation.site import Site, job
from jaxbandits.store.block_store import BlockStore, variables_of
from jaxbandits.store.compare import accepting, changes
from jaxbandits.store.request import Json

LOOK = 5.0  # seconds between two looks at what others have played
GOES_ON = "complete and safe, the same command goes on from there"


def session_of(site: Site, accepted: bool, **more: Any) -> Json:
    """What a store says of who plays."""
    return provenance(
        **site._asdict(),
        **job(),
        processes=jax.process_count(),
        at=time.time(),
        **({"accepted": True} if accepted else {}),
        **more,
    )


def play_into(
    store: BlockStore,
    plan: Plan,
    work: Work,
    machine: Machine,
    stop: threading.Event | None,
    session: Json,
) -> None:
    """Play blocks into a store, but those that others have played meanwhile.

    Raises:
      StoppedError: if it was asked to stop before all was played.
      OSError: if a block cannot be written.
    """
    kept = variables_of(store.requests())
    there, looked, written = store.played(), time.monotonic(), 0

    def wanted(block: Block) -> bool:
        nonlocal there, looked
        if time.monotonic() - looked > LOOK:
            there, looked = store.played(), time.monotonic()
        return block.key not in there

    def receive(block: Block, result: Played, clock: Clock) -> None:
        nonlocal written
        values = {name: x for name, x in result.metrics.items() if name in kept}
        seconds = {"running": sum(clock.running), "compiling": sum(clock.compiling)}
        safe = f"; {written} of {len(work.blocks)} blocks of this run are {GOES_ON}"
        store.write(block, values | {"rounds": result.rounds}, session, seconds, safe)
        written += 1

    play_blocks(plan, work, machine, stop, receive, wanted)


def work_into(
    store: BlockStore, plan: Plan, blocks: list[Block], machine: Machine
) -> Work:
    """Blocks of a store, which share programs with all others of their games."""
    games = {block.game for block in blocks}
    asked = [block for block in store.blocks() if block.game in games]
    return work_of(plan, blocks, machine, asked)


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
