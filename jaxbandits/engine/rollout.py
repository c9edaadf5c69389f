"""The rollout: one compiled program that plays a policy against an environment.

A *lane* is one run: one seed of one parameter point. `draw` makes its instance, `begin`
sets it up, `advance` plays it to a series of checkpoints and returns what the
environment records there.
Memory is proportional to the number of checkpoints, never to the number of rounds.

Two ways to stop: after a number of rounds (all lanes in step), or when a budget is
spent (every lane comes to its checkpoints in rounds of its own, see `visits`).
"""

from functools import lru_cache, partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, PartitionSpec

from jaxbandits.engine.cpu.lanes import fill, lanes
from jaxbandits.engine.legs import SCAN, no_legs
from jaxbandits.engine.rules import Carry, Engine, Rules, flagged, spending
from jaxbandits.engine.tape import Stream, instance_key, stream_key
from jaxbandits.engine.visits import each_in_its_time, in_step, seen_by
from jaxbandits.engine.xla import compiler_options, platform_of
from jaxbandits.protocol import Environment, Policy

LANES = "lanes"  # name of the mesh axis
# Lanes per device are a multiple of this: every lane goes through the same vector code,
# whatever the chunk. (XLA treats narrower loops in another way, at 5 times the cost.)
LANE_QUANTUM = 64


# That are kept, with what they were compiled to (some 4 MiB each).
MOST_PROGRAMS = 128


class Program(NamedTuple):
    """Compiled-on-demand functions of one policy in one environment.

    * ``draw(root, seeds, setup) -> instance``, with `seeds` u32[L]; leaves of
      `instance` have a lane axis (last) of length L, or 1 if shared.
    * ``begin(seeds, params, instance) -> carry``, with leaves of `params` ``[..., L]``.
    * ``advance(root, seeds, params, tables, instance, carry, known, targets, count,
      last_round, steps) -> (carry, known, Found, spent)``: to checkpoints, in at most
      `steps` rounds one after the other. `tables` are the environment's in float64,
      with lane axes as in `instance`; `known` i32[L] of the `targets` [C] were found by
      earlier calls, and `count` are to be found (the rest fills up the shape); `spent`
      [L] is what lanes have spent of a budget.
    """

    draw: Any
    begin: Any
    advance: Any


def program_for(
    policy: Policy,
    environment: Environment,
    by_budget: bool,
    mesh: Mesh,
    engine: Engine | None = None,
    uniform: tuple[bool, ...] = (),
    keep: tuple[str, ...] = (),
) -> Program:
    """The program of a policy in an environment on the devices of `mesh`.

    Args:
      policy: the policy.
      environment: the environment.
      by_budget: whether checkpoints are amounts of spent budget.
      mesh: devices to share lanes over.
      engine: how they are played; `SCAN` by default.
      uniform: which leaves of the parameters are the same in all lanes; by default
        none is known to be.
      keep: fields of the record that are results.
    """
    functions, game = policy.functions, environment.game
    engine, platform = engine or SCAN, platform_of(mesh)
    rules = Rules(functions, game, by_budget, uniform, engine, platform, keep)
    return _program(rules, mesh)


@lru_cache(MOST_PROGRAMS)
def _program(rules: "Rules", mesh) -> Program:
    """Build the program; equal functions (not data) give the same program."""
    legs = rules.engine.legs
    return Program(
        _drawing(rules.game.sample, mesh),
        jax.jit(
            _sharded(partial(_begin, rules), mesh, lane_args=(0, 1, 2)),
            compiler_options=compiler_options(mesh),
        ),
        jax.jit(
            _sharded(
                partial(_advance, rules, legs),
                mesh,
                lane_args=(1, 2, 3, 4, 5, 6),
                like=partial(_advance, rules, no_legs),
            ),
            donate_argnums=5,
            compiler_options=compiler_options(mesh),
        ),
    )


@lru_cache(MOST_PROGRAMS)
def _drawing(sample, mesh):
    """`draw` is compiled once for all policies."""
    return jax.jit(
        _sharded(partial(drawn, sample, platform_of(mesh)), mesh, lane_args=(1,)),
        compiler_options=compiler_options(mesh),
    )


def _sharded(fn, mesh, lane_args, like=None):
    """Run `fn` on every device of the mesh, each on its own share of the lanes.

    Lane axes are last, so the specification of an array follows from its shape; a last
    axis of length 1 is that of an instance which all lanes share. `like` is a function
    that is traced faster and returns the same shapes.
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
        shapes = jax.eval_shape(like or fn, *args)
        return jax.shard_map(
            fn,
            mesh=mesh,
            in_specs=in_specs,
            out_specs=jax.tree.map(spec, shapes),
            check_vma=False,
        )(*args)

    return wrapped


def drawn(sample, platform, root, seeds, setup):
    """Instances of the lanes; a leaf that does not depend on the seed is shared."""

    def one(root, seed, setup):
        return sample(instance_key(root, seed), setup)

    mapped = lanes(one, (False, True, False), seeds.shape[0], platform)
    return jax.tree.map(
        lambda x, lane: x if lane else jnp.asarray(x)[..., None],
        *mapped(root, seeds, setup),
    )


def _begin(rules: Rules, seeds, params, instance):
    num_lanes = seeds.shape[0]
    instance, flags = flagged(instance)
    policy = rules.lanes(rules.policy.init, (True,), num_lanes)(params)
    its = rules.lanes(rules.game.init, (flags,), num_lanes)(instance)
    states = (fill(*state, num_lanes) for state in (policy, its))
    return Carry(jnp.ones((num_lanes,), jnp.int32), *states)


def _advance(
    rules: Rules,
    legs,
    root,
    seeds,
    params,
    tables,
    instance,
    carry,
    known,
    targets,
    count,
    last_round,
    steps,
):
    keys = {s: stream_key(root, seeds, s) for s in Stream if s != Stream.INSTANCE}
    leg = legs(rules, keys, params, instance, last_round)
    seen = seen_by(rules, params, tables, instance)
    if not rules.by_budget:
        result = in_step(leg, seen, carry, known, targets, count, steps)
        return *result, jnp.zeros_like(carry.round)
    spent_of = spending(rules, instance, seeds.shape[0])

    def reaches(carry, target):
        return ~(spent_of(carry) < target) | (carry.round > last_round)

    carry, known, result = each_in_its_time(
        leg, seen, reaches, carry, known, targets, count, steps
    )
    return carry, known, result, spent_of(carry)


def to_device(x):
    """Numbers in JAX's precision: float32 and int32 unless 64 bits are enabled."""
    x = np.asarray(x)
    return jnp.asarray(x, jnp.int32 if x.dtype.kind == "i" else None)
