"""The text that the GPU engine writes for a policy; nothing is built or run."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh

from jaxbandits.engine.accounting import lanes_last
from jaxbandits.engine.gpu import FUSED, legs
from jaxbandits.engine.rollout import LANES, program_for, to_device
from jaxbandits.engine.rules import Rules
from jaxbandits.engine.tape import root_key
from jaxbandits.engine.xla import platform_of

WIDTH = 96  # runs


def text_of(policy, environment, width=WIDTH):
    """The kernel of a leg."""
    found = []

    def call(text, runs):
        found.append(text)
        return "nowhere", {}

    engine = FUSED._replace(legs=partial(legs, call=call))
    here = Mesh(np.array(jax.devices("cpu")[:1]), (LANES,))
    traced(policy, environment, engine, here, width)
    return found[0]


def traced(policy, environment, engine, mesh, width=WIDTH, **how):
    """The program of `called` on the devices of a mesh."""
    program, args = called(policy, environment, engine, mesh, width, **how)

    def shape(x):
        if x.dtype.itemsize < 8:
            return jax.ShapeDtypeStruct(x.shape, x.dtype)
        with jax.enable_x64(True):  # tables and metrics, whatever the precision of play
            return jnp.zeros(x.shape, x.dtype)

    return program.advance.trace(*jax.tree.map(shape, args))


def called(policy, environment, engine, mesh, width=WIDTH, last=100, marks=2):
    """A program, and arguments of `advance`: at most `last` rounds are played.

    It has room for `marks` checkpoints, the first of them at the last round.
    """
    by_budget = environment.game.spent is not None
    here = Mesh(np.array(jax.devices("cpu")[:1]), (LANES,))
    rules = Rules(policy.functions, environment.game, by_budget, engine=engine)
    program, on_cpu = (
        program_for(rules._replace(platform=platform_of(m)), m) for m in (mesh, here)
    )
    seeds, root = jnp.arange(width, dtype=jnp.uint32), root_key(0)
    params = jax.tree.map(
        lambda x: to_device(np.full(width, x, np.float64)), policy.params
    )
    setup = jax.tree.map(to_device, environment.setup)
    instance = on_cpu.draw(root, seeds, setup)
    own = jax.tree.map(lambda x: np.moveaxis(np.asarray(x), -1, 0), instance)
    tables = lanes_last(environment.tables(own))
    targets = to_device((1e6 if by_budget else last) * np.arange(1, marks + 1))
    play = on_cpu.begin(seeds, params, tables, instance, targets)
    limits = jnp.int32([0, marks, last, last])
    args = (root, seeds, params, tables, instance, play, targets, *limits)
    return program, args
