"""The rollout: one compiled program that plays a policy in an environment.

A *lane* is one run: one seed of one parameter point. `draw` makes its instance, `begin`
its first states, and `advance` plays it to a series of checkpoints, where it records
metrics. Memory is proportional to the number of checkpoints, never to that of rounds.

A run stops after a number of rounds (then all lanes are in step) or when a budget is
spent (then every lane reaches its checkpoints in rounds of its own, see `visits`).
"""

from functools import lru_cache, partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, PartitionSpec

from jaxbandits.engine.accounting import MOST_PROGRAMS
from jaxbandits.engine.cpu.lanes import lanes
from jaxbandits.engine.rules import Carry, Rules, flagged, spending
from jaxbandits.engine.tape import instance_key, stream_keys
from jaxbandits.engine.visits import Play, recorder, visit
from jaxbandits.engine.xla import compiler_options, platform_of

LANES = "lanes"  # name of the mesh axis
# Lanes per device are a multiple of this: every lane goes through the same vector code,
# whatever the chunk. (XLA treats narrower loops in another way, at 5 times the cost.)
LANE_QUANTUM = 64


class Program(NamedTuple):
    """Compiled-on-demand functions of one policy in one environment.

    * ``draw(root, seeds, setup) -> instance``, with `seeds` u32[L]; leaves of
      `instance` have a lane axis (last) of length L, or 1 if shared.
    * ``begin(seeds, params, tables, instance, targets) -> Play``, with leaves of
      `params` ``[..., L]``; `tables` are the environment's in float64, with lane axes
      as in `instance`; of `targets` [C] only the shape counts.
    * ``advance(root, seeds, params, tables, instance, play, targets, first, count,
      last_round, steps) -> Play``: plays to the `targets`, see `visits.visit`. No lane
      plays beyond `last_round`.
    """

    draw: Any
    begin: Any
    advance: Any


@lru_cache(MOST_PROGRAMS)
def program_for(rules: Rules, mesh: Mesh) -> Program:
    """The program of a policy in an environment on the devices of `mesh`.

    Equal functions (not data) give the same program.
    """
    return Program(
        _drawing(rules.game.sample, mesh),
        _compiled(partial(begin, rules), mesh, lane_args=(0, 1, 2, 3)),
        _compiled(partial(_advance, rules), mesh, lane_args=(1, 2, 3, 4, 5), play=5),
    )


@lru_cache(MOST_PROGRAMS)
def _drawing(sample, mesh):
    """`draw` is compiled once for all policies."""
    draw = partial(drawn, sample, platform_of(mesh))
    return _compiled(draw, mesh, lane_args=(1,))


def _compiled(fn, mesh, lane_args, play=None):
    """Run `fn` on every device of the mesh, each on its own share of the lanes.

    Lane axes are last, so the specification of an array follows from its shape; a last
    axis of length 1 is that of an instance which all lanes share. `play` is the place
    of an argument that the result replaces.
    """

    def spec(x):
        if x.shape[-1] == 1:
            return PartitionSpec()
        return PartitionSpec(*(None,) * (x.ndim - 1), LANES)

    def wrapped(*args):
        in_specs = tuple(
            jax.tree.map(spec, arg) if i in lane_args else PartitionSpec()
            for i, arg in enumerate(args)
        )
        out = jax.eval_shape(fn, *args) if play is None else args[play]
        return jax.shard_map(
            fn,
            mesh=mesh,
            in_specs=in_specs,
            out_specs=jax.tree.map(spec, out),
            check_vma=False,
        )(*args)

    options = compiler_options(mesh)
    return jax.jit(wrapped, donate_argnums=play, compiler_options=options)


def drawn(sample, platform, root, seeds, setup):
    """Instances of the lanes; a leaf that does not depend on the seed is shared."""

    def one(root, seed, setup):
        return sample(instance_key(root, seed), setup)

    mapped = lanes(one, (False, True, False), seeds.shape[0], platform)
    return jax.tree.map(
        lambda x, lane: x if lane else jnp.asarray(x)[..., None],
        *mapped(root, seeds, setup),
    )


def first_carry(rules: Rules, num_lanes: int, params, instance) -> Carry:
    """Rounds and states before the first round."""
    own, flags = flagged(instance)
    policy = rules.lanes(rules.policy.init, (True,), num_lanes)(params)
    its = rules.lanes(rules.game.init, (flags,), num_lanes)(own)
    return Carry(jnp.ones((num_lanes,), jnp.int32), policy, its)


def begin(rules: Rules, seeds, params, tables, instance, targets) -> Play:
    """Where lanes are before their first round; arguments as of `Program`."""
    num_lanes = seeds.shape[0]
    carry = first_carry(rules, num_lanes, params, instance)
    record_of = recorder(rules, params, tables, instance)
    target = jnp.broadcast_to(targets[0], (num_lanes,))
    shapes = jax.eval_shape(record_of, carry, target)
    with jax.enable_x64(True):
        rows = jax.tree.map(
            lambda x: jnp.zeros((len(targets), *x.shape), x.dtype), shapes
        )
    spent = spending(rules, instance, num_lanes)(carry)
    return Play(carry, jnp.zeros_like(carry.round), rows, spent)


def _advance(
    rules: Rules,
    root,
    seeds,
    params,
    tables,
    instance,
    play,
    targets,
    first,
    count,
    last_round,
    steps,
):
    keys = stream_keys(root, seeds)
    leg = rules.engine.legs(rules, keys, params, instance, last_round)
    spent_of = spending(rules, instance, seeds.shape[0])

    def reaches(carry, target):
        if not rules.by_budget:
            return carry.round > target
        return ~(spent_of(carry) < target) | (carry.round > last_round)

    record_of = recorder(rules, params, tables, instance)
    carry, reached, rows = visit(
        leg, record_of, reaches, play, targets, first, count, steps
    )
    return Play(carry, reached, rows, spent_of(carry))


def to_device(x):
    """Numbers in JAX's precision: float32 and int32 unless 64 bits are enabled.

    `jnp.asarray` would compile a program for every new shape.
    """
    x = np.asarray(x)
    return jax.device_put(x.astype(np.int32) if x.dtype.kind == "i" else x)
