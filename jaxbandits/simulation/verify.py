"""Whether a store holds what was written, and what was played."""

import random
from typing import Any

from jaxbandits.engine.flags import in_play
from jaxbandits.engine.run import Clock
from jaxbandits.results.parts import Block
from jaxbandits.simulation.files import spec_from_text
from jaxbandits.simulation.machine import HERE, Machine, machine_of
from jaxbandits.simulation.plan import Plan, make_plan, with_engines
from jaxbandits.simulation.play import Played
from jaxbandits.simulation.play_into import check_worker, player_for
from jaxbandits.simulation.spec import Spec
from jaxbandits.store.block_store import BlockStore, stored_arrays, variables_of


def replayed(
    store: BlockStore, plan: Plan, asked: list[Block], count: int, machine: Machine
) -> int:
    """Play blocks again, of those that are there; nothing is written.

    Args:
      store: the store.
      plan: the plan, settled.
      asked: which blocks may be played again.
      count: how many, drawn anew in every call.
      machine: what to play on.

    Returns:
      How many blocks were compared.

    Raises:
      ValueError: if a block differs, naming its place and the variable.
    """
    there = store.played()
    known = [block for block in asked if block.key in there]
    chosen = random.sample(known, min(count, len(known)))
    kept, different = {"rounds", *variables_of(store.requests())}, []

    def compare(block: Block, result: Played, clock: Clock) -> None:
        del clock
        values = {**result.metrics, "rounds": result.rounds}
        own = {name: x for name, x in values.items() if name in kept}
        for name, again in stored_arrays(own, store.keep).items():
            stored = store.read(block.key, name)
            if stored is None or stored.tobytes() != again.tobytes():
                seeds = f"seeds {block.seeds}"
                different.append(f"{name} of {' '.join(block.game)}, {seeds}")

    player_for(store, plan, chosen, machine).play(compare)
    if different:
        raise ValueError(
            f"store: {store.place.name} holds other numbers than this machine and "
            f"program give: {'; '.join(different)}"
        )
    return len(chosen)


def replay(path: Any, spec: Spec | None, count: int) -> int:
    """Play blocks of a store again, by itself.

    Args:
      path: the store.
      spec: of its sweep; by default from the text in the store, if that is TOML.
      count: of blocks.

    Returns:
      How many blocks were compared.

    Raises:
      ValueError: if a bit differs, if the spec is another sweep's, or if it is unknown.
    """
    store, machine = BlockStore(path), machine_of(HERE)
    if spec is None:
        text = next((each.text for each in store.requests() if each.text), "=")
        try:
            spec = spec_from_text(text, f"the text in {store.place.name}")
        except ValueError as error:
            raise ValueError(
                f"store: {store.place.name} does not say in TOML of what sweep it is, "
                f"so its file must be given (--spec): {error}"
            ) from error
    sweep = store.sweep()
    spec = spec._replace(engine=sweep["engine"], metrics=sweep["metrics"], seeds=1)
    platform = machine.devices[0].platform
    with in_play():
        plan = with_engines(make_plan(spec), platform, sweep)
        games = [*plan.matches]
        check_worker(store, plan, platform, True, games)
        asked = [block for block in store.blocks() if block.game in plan.matches]
        return replayed(store, plan, asked, count, machine)
