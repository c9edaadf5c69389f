"""Whether a store holds what was written, and what was played."""

import json
from pathlib import Path
from typing import Any

import jax
import numpy as np

from jaxbandits.engine.flags import in_play
from jaxbandits.engine.run import Clock
from jaxbandits.results.home import Home, home_of, place_of
from jaxbandits.results.layout import layout_of, results_of, written
from jaxbandits.results.mending import mend_chunks, named
from jaxbandits.results.reading import read_block
from jaxbandits.results.store import (
    as_stored,
    check_store,
    sessions,
    stored_shapes,
)
from jaxbandits.simulation.machine import HERE, Machine, machine_of
from jaxbandits.simulation.play import Played
from jaxbandits.sweeps.blocks import Block, Share, outstanding
from jaxbandits.sweeps.files import spec_from_text
from jaxbandits.sweeps.fill import play_blocks, work_of
from jaxbandits.sweeps.identity import seeds_in
from jaxbandits.sweeps.plan import Plan
from jaxbandits.sweeps.spec import Spec
from jaxbandits.sweeps.stores import fit


def verify(plan: Plan, path: Path | Home, count: int, machine: Machine) -> int:
    """Play blocks of a store again, of those that are complete; nothing is written.

    Args:
      plan: the plan of all that the store holds.
      path: the store.
      count: of blocks, which are drawn anew in every call; of each process.
      machine: what to play on.

    Returns:
      How many blocks were compared.

    Raises:
      ValueError: if a block differs, naming its place and the variable.
    """
    who = sessions(path)
    shape = who.chunks[-2:]
    share = Share(jax.process_index(), jax.process_count())
    blocks = [
        block
        for block in outstanding(plan, np.broadcast_to(0, who.shape), shape, share)
        if not block.missing(who[block.place]).any()
    ]
    chosen = np.random.default_rng().permutation(len(blocks))[:count]
    kept = {*stored_shapes(path), "rounds"}
    layout = layout_of(results_of(home_of(path)))
    different = []

    def compare(block: Block, found: Played, clock: Clock) -> None:
        del clock
        values = as_stored(layout, found.metrics | {"rounds": found.rounds})
        stored_values = read_block(path, block.place)
        # Of a block of which points have ended; of moments all are one row.
        runs = ... if block.ends is None else block.runs
        for name in sorted(kept & values.keys()):
            stored = stored_values[name]
            again = np.asarray(values[name], stored.dtype)
            if stored[runs].tobytes() != again[runs].tobytes():
                different.append(f"{name} of {' '.join(block.key)}, {block.place[2:]}")

    sample = [blocks[i] for i in sorted(chosen)]
    work = work_of(plan, sample, machine, shape)
    play_blocks(plan, work, machine, None, compare)
    if different:
        raise ValueError(
            f"store: {path} holds other numbers than this machine and program give: "
            + "; ".join(different)
        )
    return len(sample)


def examine(path: Any) -> int:
    """Read every file of a store; how many blocks are there.

    Raises:
      ValueError: if one is damaged or missing, naming it.
    """
    path = place_of(path)
    check_store(path)
    found = mend_chunks(path, only_look=True)
    if found.files:
        raise ValueError(
            f"store: {path} is damaged: {named(found.files)}; the next "
            f"sweep into the store mends it and plays {found.blocks} blocks again"
        )
    return len({numbers[:4] for numbers in written(home_of(path))})


def replay(path: Any, spec: Spec | None, count: int) -> int:
    """`verify` a store by itself.

    Args:
      path: the store.
      spec: of its sweep; by default from the text in the store, if that is TOML.
      count: of blocks.

    Returns:
      How many blocks were compared.

    Raises:
      ValueError: if a bit differs, if the spec is another sweep's, or if it is unknown.
    """
    path, stored = place_of(path), check_store(path)
    if spec is None:
        try:
            spec = spec_from_text(stored.get("text") or "=", f"the text in {path}")
        except ValueError as error:
            raise ValueError(
                f"store: {path} does not say in TOML of what sweep it is, so its file "
                f"must be given (--spec): {error}"
            ) from error
    machine = machine_of(HERE)
    description = json.loads(stored["spec"])
    spec = spec._replace(seeds=seeds_in(description), engine=description["engine"])
    with in_play():
        plan, _ = fit(spec, path, False, machine.devices[0].platform)
        return verify(plan, path, count, machine)
