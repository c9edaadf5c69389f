"""Rounds inside one kernel: a thread plays a run from one checkpoint to the next.

State lies in memory as ``[entries, runs]``, so that the threads of a warp read and
write side by side; single numbers of a run stay in registers. Nothing is launched
between rounds, no two threads share a number, and none waits for another.
"""

import jax
import jax.numpy as jnp

from jaxbandits.engine.gpu.rounds import Leaf, Plan, text_of
from jaxbandits.engine.rules import Carry, Rules, spending
from jaxbandits.engine.tape import Stream

MOST_NUMBERS = 2**31 - 1  # of one array: places are counted in 32 bits


def legs(rules: Rules, keys, params, instance, last_round, *, call):
    """How rounds are played, as `legs.scan_legs`: all of a leg in one kernel.

    Args:
      rules: the policy and the environment.
      keys: stream keys of the lanes, by `Stream`.
      params: leaves ``[..., L]``.
      instance: leaves with a lane axis (last), of length 1 if shared.
      last_round: i32[], no lane plays beyond it.
      call: ``(text, runs) -> (target, attributes)`` of the foreign call: `build.on_gpu`
        or `build.on_cpu`.

    Returns:
      ``leg(carry, target, steps) -> (carry, steps)``. In a game with a budget `target`
      is [L], and all lanes are played to theirs, or until the steps are used up.

    Raises:
      NotImplementedError: if something in the policy or the environment cannot be
        written; the message names it.
      ValueError: if there are too many lanes.
    """
    num_lanes = keys[Stream.ACT].low.shape[0]
    spent_of = spending(rules, instance, num_lanes) if rules.by_budget else None
    given = keys, params, instance

    def leg(carry: Carry, target, steps):
        start = carry.round
        bounds = [jnp.minimum(jnp.asarray(target, jnp.int32), start[0] + steps - 1)]
        if rules.by_budget:
            last = jnp.minimum(last_round, start + steps - 1)
            bounds = [last, target, spent_of(carry) < target]
        plan = _plan(rules, bounds, given, carry)
        text = text_of(plan)
        if text.missing:
            raise NotImplementedError("; ".join(text.missing))
        largest = max([text.words, *(leaf.size for leaf in plan.state)])
        if (most := MOST_NUMBERS // max(largest, 1)) < num_lanes:
            raise ValueError(f"chunk must be at most {most} lanes, got {num_lanes}")
        states, tree = jax.tree.flatten((carry.policy, carry.environment))
        before = [*bounds, *jax.tree.leaves(given)]
        written = [start, *states]
        shapes = [jax.ShapeDtypeStruct(x.shape, x.dtype) for x in written]
        scratch = jax.ShapeDtypeStruct((text.words, num_lanes), jnp.uint32)
        name, attributes = call(text, num_lanes)
        aliases = {len(before) + k: k for k in range(len(written))}
        kernel = jax.ffi.ffi_call(
            name, [*shapes, scratch], input_output_aliases=aliases
        )
        round_, *states, _ = kernel(*before, *written, **attributes)
        played = jnp.max(round_ - start)
        return Carry(round_, *jax.tree.unflatten(tree, states)), steps - played

    return leg


def _plan(rules: Rules, bounds, given, carry: Carry) -> Plan:
    """What a kernel is written from."""
    num_lanes = carry.round.shape[0]

    def leaf(x) -> Leaf:
        """Lanes come last; an instance that all lanes share has one."""
        own = bool(x.ndim) and x.shape[-1] == num_lanes
        return Leaf(x.shape[:-1], str(x.dtype), own)

    arrays, structure = jax.tree.flatten(given)
    states, tree = jax.tree.flatten((carry.policy, carry.environment))
    parts = (tuple(map(leaf, each)) for each in (bounds, arrays, states))
    bounds, arrays, states = parts
    # Who plays with what is no part of a round.
    rules = rules._replace(engine=None, keep=(), uniform=())
    return Plan(rules, num_lanes, structure, bounds, arrays, tree, states)


def scratch(rules: Rules, keys, params, instance, carry: Carry) -> int:
    """Bytes of a run that `legs` need beside states; all arguments may be shapes."""
    found = []

    def write(keys, params, instance, carry):
        start = carry.round
        bounds = [start[0]]
        if rules.by_budget:
            target = jnp.zeros_like(spending(rules, instance, len(start))(carry))
            bounds = [start, target, start < 0]
        text = text_of(_plan(rules, bounds, (keys, params, instance), carry))
        found.append(4 * text.words)

    jax.eval_shape(write, keys, params, instance, carry)
    return found[0]
