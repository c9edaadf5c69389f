"""The text that the GPU engine writes for a policy; nothing is built or run."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh

from jaxbandits.engine.books import lanes_last
from jaxbandits.engine.gpu import FUSED, legs
from jaxbandits.engine.rollout import LANES, program_for, to_device
from jaxbandits.engine.tape import root_key

WIDTH = 96  # runs


def text_of(policy, environment):
    """The kernel of a leg of `WIDTH` runs."""
    found = []

    def call(text, runs):
        found.append(text)
        return "nowhere", {}

    engine = FUSED._replace(legs=partial(legs, call=call))
    traced(policy, environment, engine, Mesh(np.array(jax.devices()[:1]), (LANES,)))
    return found[0]


def traced(policy, environment, engine, mesh, width=WIDTH):
    """The program that plays a leg on the devices of a mesh."""
    by_budget = environment.game.spent is not None
    here = Mesh(np.array(jax.devices("cpu")[:1]), (LANES,))
    program, on_cpu = (
        program_for(policy, environment, by_budget, m, engine) for m in (mesh, here)
    )
    seeds, root = jnp.arange(width, dtype=jnp.uint32), root_key(0)
    params = jax.tree.map(
        lambda x: to_device(np.full(width, x, np.float64)), policy.params
    )
    setup = jax.tree.map(to_device, environment.setup)
    instance = on_cpu.draw(root, seeds, setup)
    own = jax.tree.map(lambda x: np.moveaxis(np.asarray(x), -1, 0), instance)
    tables = lanes_last(environment.tables(own))
    carry = jax.eval_shape(on_cpu.begin, seeds, params, instance)
    targets = to_device(np.array([10.0, 20.0] if by_budget else [10, 20]))
    known, limits = jnp.zeros(carry.round.shape, jnp.int32), jnp.int32([2, 100, 100])
    args = (root, seeds, params, instance, carry, known, targets, *limits)
    shapes = jax.tree.map(lambda x: jax.ShapeDtypeStruct(x.shape, x.dtype), args)
    return program.advance.trace(*shapes[:3], tables, *shapes[3:])
