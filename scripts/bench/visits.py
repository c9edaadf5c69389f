"""How often the GPU engine's loops go round that end when the last run is done.

No machine code says so: it depends on what is played. So the rounds are played, in
blocks of 32 runs, by the kernel as an ordinary program, and the loops are counted.
"""

from collections import Counter
from contextlib import contextmanager
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh

from jaxbandits.engine.books import lanes_last
from jaxbandits.engine.gpu import loops
from jaxbandits.engine.gpu.kernel import Block, legs
from jaxbandits.engine.legs import SCAN
from jaxbandits.engine.rollout import LANES, program_for, to_device
from jaxbandits.engine.tape import root_key

ROUNDS, BLOCKS = 300, 2


def measured(policy, environment, number: int) -> list[float]:
    """Rounds of the `number` loops per round of the game, by their place in the kernel.

    The mean of the first `ROUNDS` rounds of `BLOCKS` blocks.
    """
    if not number:
        return []
    seeds = jnp.arange(BLOCKS * Block().lanes, dtype=jnp.uint32)
    mesh = Mesh(np.array(jax.devices("cpu")[:1]), (LANES,))
    engine = SCAN._replace(legs=partial(legs, interpret=True))
    by_budget = environment.game.spent is not None
    program = program_for(policy, environment, by_budget, mesh, engine)
    params = jax.tree.map(
        lambda x: to_device(np.full(len(seeds), x, float)), policy.params
    )
    setup = jax.tree.map(to_device, environment.setup)
    instance = program.draw(root_key(0), seeds, setup)
    own = jax.tree.map(lambda x: np.moveaxis(np.asarray(x), -1, 0), instance)
    tables = lanes_last(environment.tables(own))
    carry = program.begin(seeds, params, instance)
    # A budget that lasts: the last round is the end.
    target = to_device(np.array([1e6 if by_budget else ROUNDS]))
    known, limits = jnp.zeros(len(seeds), jnp.int32), jnp.int32([1, ROUNDS, ROUNDS])
    args = (root_key(0), seeds, params, tables, instance, carry, known, target, *limits)
    with _counting() as counts:
        jax.block_until_ready(program.advance(*args))
        jax.effects_barrier()
    return [counts[i] / (ROUNDS * BLOCKS) for i in range(number)]


@contextmanager
def _counting():
    """Counts how often the bodies of loops are run, by their place in the kernel."""
    counts, places, plain = Counter(), [], loops.LOOPS["while"]

    def count(place):
        counts[int(place)] += 1

    def counted(writer, step, *args):
        if writer.space.dry:
            return plain(writer, step, *args)
        place = len(places)
        places.append(step)
        return plain(_Counted(writer, step, partial(count, place)), step, *args)

    loops.LOOPS["while"] = counted
    try:
        yield counts
    finally:
        loops.LOOPS["while"] = plain


class _Counted:
    """A writer that tells when the body of a loop is run."""

    def __init__(self, writer, step, tell):
        self.space, self._run = writer.space, writer.run
        self._body, self._tell = step.eqn.params["body_jaxpr"], tell

    def run(self, closed, *args):
        if closed is self._body:
            jax.debug.callback(self._tell)
        return self._run(closed, *args)
