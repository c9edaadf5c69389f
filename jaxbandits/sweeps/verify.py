"""A sample of a store's blocks played once more and compared, bit by bit."""

from pathlib import Path

import jax
import numpy as np

from jaxbandits.engine.run import Clock
from jaxbandits.machine import Machine
from jaxbandits.play import Played
from jaxbandits.results.home import Home, home_of
from jaxbandits.results.layout import layout_of, results_of
from jaxbandits.results.reading import read_block
from jaxbandits.results.store import as_stored, sessions, stored_shapes
from jaxbandits.sweeps.blocks import Block, outstanding
from jaxbandits.sweeps.fill import play_blocks, work_of
from jaxbandits.sweeps.plan import Plan


def verify(plan: Plan, path: Path | Home, count: int, machine: Machine) -> int:
    """Play blocks of a complete store again; nothing is written.

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
    hosts = jax.process_index(), jax.process_count()
    blocks = outstanding(plan, np.broadcast_to(0, who.shape), shape, *hosts)
    chosen = np.random.default_rng().permutation(len(blocks))[:count]
    kept = {*stored_shapes(path), "rounds"}
    layout = layout_of(results_of(home_of(path)))
    different = []

    def compare(block: Block, found: Played, clock: Clock) -> None:
        del clock
        values = as_stored(layout, found.metrics | {"rounds": found.rounds})
        stored_values = read_block(path, block.place)
        for name in sorted(kept & values.keys()):
            stored = stored_values[name]
            if stored.tobytes() != np.asarray(values[name], stored.dtype).tobytes():
                different.append(f"{name} of {' '.join(block.key)}, {block.place[2:]}")

    title = f"{path.name}, again"
    sample = [blocks[i] for i in sorted(chosen)]
    work = work_of(plan, sample, machine, shape)
    play_blocks(plan, work, machine, None, title, compare)
    if different:
        raise ValueError(
            f"store: {path} holds other numbers than this machine and program give: "
            + "; ".join(different)
        )
    return len(sample)
