"""A function of one run, written as a kernel, built by g++ and called."""

import jax
import jax.numpy as jnp

from jaxbandits.engine.gpu.build import on_cpu
from jaxbandits.engine.gpu.rounds import Kernel


def written(fn, *args):
    """The kernel of ``fn`` over the last axis of all leaves of `args`.

    An output of the shape and type of the argument at its place is written over it, as
    a state is; the others have memory of their own. The result is the text, which
    outputs of the kernel are those of `fn`, and the shapes of all of them.
    """
    leaves, num_runs = jax.tree.leaves(args), jax.tree.leaves(args)[0].shape[-1]
    kernel = Kernel(num_runs)
    shapes = [jax.ShapeDtypeStruct(x.shape, x.dtype) for x in leaves]
    values = kernel.arguments("x", shapes, written=True)
    own = [value.memory for value in values]
    given = jax.tree.unflatten(jax.tree.structure(args), values)
    outputs, places = kernel.outputs(fn, *given, own=own), []
    for k, output in enumerate(outputs):
        shape = jax.ShapeDtypeStruct((*output.shape, num_runs), output.dtype)
        same = k < len(leaves) and shapes[k] == shape
        places.append(k if same else len(shapes))
        if not same:
            shapes.append(shape)
            own.append(kernel.arguments(f"y{k}_", shape, written=True).memory)
    targets = [own[place] for place in places]
    kernel.writer.write(list(zip(targets, outputs, strict=True)))
    if kernel.writer.missing:
        raise NotImplementedError("; ".join(kernel.writer.missing))
    return kernel.text(), places, shapes


def mapped(fn, *args):
    """``fn`` over the last axis of all leaves of `args`, in one kernel."""
    text, places, shapes = written(fn, *args)
    leaves, num_runs = jax.tree.leaves(args), shapes[0].shape[-1]
    name, _ = on_cpu(text, num_runs)
    more = [jnp.zeros(x.shape, x.dtype) for x in shapes[len(leaves) :]]
    scratch = jax.ShapeDtypeStruct((text.words, num_runs), "uint32")
    aliases = {k: k for k in range(len(shapes))}
    call = jax.ffi.ffi_call(name, [*shapes, scratch], input_output_aliases=aliases)
    after = call(*leaves, *more)
    one = jax.eval_shape(jax.vmap(fn, -1, -1), *args)
    return jax.tree.unflatten(
        jax.tree.structure(one), [after[place] for place in places]
    )
