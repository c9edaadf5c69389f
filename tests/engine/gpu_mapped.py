"""A function of one run, written as a kernel, built by g++ and called."""

import jax

from jaxbandits.engine.gpu.build import on_cpu
from jaxbandits.engine.gpu.rounds import Kernel, Leaf


def written(fn, *args):
    """The kernel of ``fn`` over the last axis of all leaves of `args`.

    An output of the shape and type of the argument at its place is written over it, as
    a state is; the others have memory of their own.

    Returns:
      ``(text, which outputs of the kernel are those of fn, shapes of all of them)``.
    """
    leaves, structure = jax.tree.flatten(args)
    one = [jax.ShapeDtypeStruct(x.shape[:-1], x.dtype) for x in leaves]
    closed, out = jax.make_jaxpr(fn, return_shape=True)(*structure.unflatten(one))
    given = [Leaf(x.shape, str(x.dtype), own=True) for x in one]
    found = [Leaf(x.shape, str(x.dtype), own=True) for x in jax.tree.leaves(out)]
    kernel, places = Kernel(), []
    values = [kernel.written(f"x{k}", leaf) for k, leaf in enumerate(given)]
    own = [value.memory for value in values]
    for k, leaf in enumerate(found):
        if given[k : k + 1] != [leaf]:
            places.append(len(values))
            values.append(kernel.written(f"y{k}", leaf))
        else:
            places.append(k)
    outputs = kernel.writer.run(closed, values[: len(given)], own)
    targets = [values[place].memory for place in places]
    kernel.writer.write(list(zip(targets, outputs, strict=True)))
    if kernel.writer.missing:
        raise NotImplementedError("; ".join(kernel.writer.missing))
    num_runs = leaves[0].shape[-1]
    fresh = [found[k] for k, place in enumerate(places) if place >= len(given)]
    shapes = [
        jax.ShapeDtypeStruct((*leaf.shape, num_runs), leaf.dtype)
        for leaf in [*given, *fresh]
    ]
    return kernel.text(num_runs), places, shapes, jax.tree.structure(out)


def mapped(fn, *args):
    """``fn`` over the last axis of all leaves of `args`, in one kernel."""
    text, places, shapes, structure = written(fn, *args)
    leaves, num_runs = jax.tree.leaves(args), shapes[0].shape[-1]
    name, _ = on_cpu(text, num_runs)
    before = [*leaves, *(jax.numpy.zeros(x.shape, x.dtype) for x in shapes)]
    before = before[: len(leaves)] + before[2 * len(leaves) :]
    scratch = jax.ShapeDtypeStruct((text.words, num_runs), "uint32")
    call = jax.ffi.ffi_call(
        name,
        [*shapes, scratch],
        input_output_aliases={k: k for k in range(len(shapes))},
    )
    after = call(*before)
    return jax.tree.unflatten(structure, [after[place] for place in places])
