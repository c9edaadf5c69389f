"""A function of one run, played by the GPU engine's writer as an ordinary program."""

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl

from jaxbandits.engine.gpu.kernel import Leaf
from jaxbandits.engine.gpu.space import WIDE, Space, held_as
from jaxbandits.engine.gpu.writer import Writer
from jaxbandits.engine.gpu.writes import write_all


def mapped(fn, *args, style=WIDE):
    """``fn`` over the last axis of all leaves of `args`, in one kernel.

    The outputs lie in memory of their own; an output of the shape and type of the
    argument at the same place takes its memory over, as a state does.
    """
    leaves, structure = jax.tree.flatten(args)
    num_lanes = leaves[0].shape[-1]
    one = [jax.ShapeDtypeStruct(x.shape[:-1], x.dtype) for x in leaves]
    closed, out = jax.make_jaxpr(fn, return_shape=True)(*structure.unflatten(one))
    given = [Leaf(x.shape, np.dtype(x.dtype), True) for x in one]
    found = [Leaf(x.shape, np.dtype(x.dtype), True) for x in jax.tree.leaves(out)]
    over = [i < len(given) and given[i] == f for i, f in enumerate(found)]

    def write(space, given_refs, found_refs):
        memories = [f.memory(r) for f, r in zip(given, given_refs, strict=True)]
        values = [f.value(space, m) for f, m in zip(given, memories, strict=True)]
        outputs = Writer(space).run(closed, values)
        targets = [
            memories[i] if taken else f.memory(r)
            for i, (taken, f, r) in enumerate(zip(over, found, found_refs, strict=True))
        ]
        write_all(space, list(zip(targets, outputs, strict=True)))

    sketch = []

    def dry():
        space = Space(1, style=style)
        write(space, [None] * len(given), [None] * len(found))
        sketch.append((tuple(space.tables.values()), tuple(space.used.items())))

    jax.eval_shape(dry)
    tables, scratch = sketch[0]

    def kernel(*refs):
        refs = list(refs)
        table_refs = refs[: len(tables)]
        refs = refs[len(refs) // 2 :] if False else refs[len(tables) + num_written :]
        given_refs, refs = refs[: len(given)], refs[len(given) :]
        found_refs, extra = refs[: len(found)], refs[len(found) :]
        by_type = {t: r for (t, _), r in zip(scratch, extra, strict=True)}
        space = Space(num_lanes, table_refs, by_type, style)
        write(space, given_refs, found_refs)

    zeros = [np.zeros((f.size, num_lanes), held_as(f.dtype)) for f in found]
    extra = [np.zeros((n, num_lanes), dtype) for dtype, n in scratch]
    written = [f.packed(x) for f, x in zip(given, leaves, strict=True)]
    written += [jnp.asarray(x) for x in [*zeros, *extra]]
    num_written = len(written)
    constants = [jnp.asarray(x.reshape(-1), held_as(x.dtype)) for x in tables]
    after = pl.pallas_call(
        kernel,
        out_shape=[jax.typeof(x) for x in written],
        input_output_aliases={len(constants) + i: i for i in range(num_written)},
        interpret=True,
    )(*constants, *written)
    places = [
        i if taken else len(given) + i for i, taken in enumerate(over)
    ]
    outputs = [f.unpacked(after[i]) for f, i in zip(found, places, strict=True)]
    return jax.tree.unflatten(jax.tree.structure(out), outputs)
