"""A function of one run, written as a kernel and run as an ordinary program."""

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl

from jaxbandits.engine.gpu.leaves import Leaf
from jaxbandits.engine.gpu.space import WIDE, Space, held_as
from jaxbandits.engine.gpu.writer import Writer
from jaxbandits.engine.gpu.writes import write_all


def mapped(fn, *args, style=WIDE):
    """``fn`` over the last axis of all leaves of `args`, in one kernel.

    An output of the shape and type of the argument at its place is written over it, as
    a state is; the others have memory of their own.
    """
    leaves, structure = jax.tree.flatten(args)
    num_lanes = leaves[0].shape[-1]
    one = [jax.ShapeDtypeStruct(x.shape[:-1], x.dtype) for x in leaves]
    closed, out = jax.make_jaxpr(fn, return_shape=True)(*structure.unflatten(one))
    given = [_leaf(x) for x in one]
    found = [_leaf(x) for x in jax.tree.leaves(out)]
    fresh = [f for i, f in enumerate(found) if given[i : i + 1] != [f]]

    def write(space, memories):
        """Play `fn`; where its outputs are."""
        first, rest = memories[: len(given)], iter(memories[len(given) :])
        values = [f.value(space, m) for f, m in zip(given, first, strict=True)]
        targets = [
            first[i] if given[i : i + 1] == [f] else next(rest)
            for i, f in enumerate(found)
        ]
        outputs = Writer(space).run(closed, values, first)
        write_all(space, list(zip(targets, outputs, strict=True)))
        return [memories.index(m) for m in targets]

    def dry():
        space = Space(1, style=style)
        places = write(space, [f.memory(None) for f in [*given, *fresh]])
        notes.append((places, tuple(space.tables.values()), dict(space.used)))

    notes: list = []
    jax.eval_shape(dry)
    ((places, tables, scratch),) = notes
    arrays = [f.packed(x) for f, x in zip(given, leaves, strict=True)]
    arrays += [jnp.zeros((f.size, num_lanes), held_as(f.dtype)) for f in fresh]
    arrays += [jnp.zeros((n, num_lanes), dtype) for dtype, n in scratch.items()]

    def kernel(*refs):
        written = refs[len(tables) + len(arrays) :]
        extra = dict(zip(scratch, written[len(given) + len(fresh) :], strict=True))
        space = Space(num_lanes, refs[: len(tables)], extra, style)
        leaves = zip([*given, *fresh], written, strict=False)
        write(space, [f.memory(ref) for f, ref in leaves])

    after = pl.pallas_call(
        kernel,
        out_shape=[jax.typeof(x) for x in arrays],
        input_output_aliases={len(tables) + i: i for i in range(len(arrays))},
        interpret=True,
    )(*(jnp.asarray(x.reshape(-1), held_as(x.dtype)) for x in tables), *arrays)
    outputs = [f.unpacked(after[i]) for f, i in zip(found, places, strict=True)]
    return jax.tree.unflatten(jax.tree.structure(out), outputs)


def _leaf(x) -> Leaf:
    return Leaf(x.shape, np.dtype(x.dtype), own=True)
