"""Rounds inside one kernel: a thread plays a run from one checkpoint to the next.

State lies in memory as ``[entries, runs]``, so that the threads of a warp read and
write side by side; single numbers of a run stay in registers. Nothing is launched
between rounds, no two threads share a number, and none waits for another.
"""

from functools import cache

import jax
import jax.numpy as jnp
import numpy as np

from jaxbandits.engine.gpu.rounds import Leaf, Plan, text_of
from jaxbandits.engine.legs import SCAN
from jaxbandits.engine.rules import Carry, Rules, spending
from jaxbandits.engine.tape import Key, Stream

MOST_NUMBERS = 2**31 - 1  # of one array: places are counted in 32 bits


class UnsupportedError(ValueError):
    """A policy or an environment does something that the kernel cannot do."""


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
        text = text_of(_plan(rules, bounds, given, carry))
        if text.missing:
            raise NotImplementedError("; ".join(text.missing))
        states, tree = jax.tree.flatten((carry.policy, carry.environment))
        largest = max([text.words, 1, *(x.size // num_lanes for x in states)])
        if (most := MOST_NUMBERS // largest) < num_lanes:
            raise ValueError(f"chunk must be at most {most} lanes, got {num_lanes}")
        before, written = [*bounds, *jax.tree.leaves(given)], [start, *states]
        shapes = [jax.ShapeDtypeStruct(x.shape, x.dtype) for x in written]
        shapes.append(jax.ShapeDtypeStruct((text.words, num_lanes), jnp.uint32))
        aliases = {len(before) + k: k for k in range(len(written))}
        name, attributes = call(text, num_lanes)
        kernel = jax.ffi.ffi_call(name, shapes, input_output_aliases=aliases)
        round_, *states, _ = kernel(*before, *written, **attributes)
        played = jnp.max(round_ - start)
        return Carry(round_, *jax.tree.unflatten(tree, states)), steps - played

    return leg


def _plan(rules: Rules, bounds, given, carry: Carry) -> Plan:
    """What a kernel is written from."""
    num_lanes = carry.round.shape[0]

    def leaf(x) -> Leaf:
        """Lanes come last; an instance that all lanes share has one."""
        own = bool(x.shape) and x.shape[-1] == num_lanes
        return Leaf(x.shape[:-1], str(x.dtype), own)

    arrays, structure = jax.tree.flatten(given)
    states, tree = jax.tree.flatten((carry.policy, carry.environment))
    parts = (tuple(map(leaf, each)) for each in (bounds, arrays, states))
    bounds, arrays, states = parts
    # How the game is played is no part of a round.
    rules = rules._replace(engine=None, keep=(), uniform=())
    return Plan(rules, num_lanes, structure, bounds, arrays, tree, states)


def _written(rules: Rules, keys, params, instance, carry: Carry):
    """The text of a leg; all arguments may be shapes."""
    result = []

    def write(keys, params, instance, carry):
        bounds = [carry.round[0]]
        if rules.by_budget:
            spent = spending(rules, instance, len(carry.round))(carry)
            bounds = [carry.round, spent, carry.round < 0]
        result.append(text_of(_plan(rules, bounds, (keys, params, instance), carry)))

    jax.eval_shape(write, keys, params, instance, carry)
    return result[0]


def scratch(rules: Rules, keys, params, instance, carry: Carry) -> int:
    """Bytes of a run that `legs` need beside states; all arguments may be shapes."""
    return 4 * _written(rules, keys, params, instance, carry).words


def unsupported(policy, environment) -> list[str]:
    """Why a policy cannot be played in an environment by the kernel; nothing if it can.

    Args:
      policy: the policy.
      environment: the environment.

    Returns:
      Texts such as ``"sort (rcucb.py:110)"``: the operation that cannot be written, and
      the line of the source that asks for it.
    """
    game = environment.game
    rules = Rules(policy.functions, game, game.spent is not None)
    numbers = jax.tree.map(_shape, (policy.params, environment.setup))
    leaves, structure = jax.tree.flatten(numbers)
    return list(_missing(rules, tuple(leaves), structure))


def _shape(x):
    x = np.asarray(x)
    dtype = jnp.int32 if x.dtype.kind == "i" else jnp.asarray(x[..., None][:0]).dtype
    return jax.ShapeDtypeStruct(x.shape, dtype)


@cache
def _missing(rules: Rules, leaves, structure) -> tuple[str, ...]:
    params, setup = structure.unflatten(leaves)
    instance = jax.eval_shape(rules.game.sample, jax.random.key(0), setup)
    mine = jax.eval_shape(rules.policy.init, params)
    its = jax.eval_shape(rules.game.init, instance)
    word = jax.ShapeDtypeStruct((), jnp.uint32)
    keys = {each: Key(word, word) for each in Stream if each != Stream.INSTANCE}
    carry = Carry(jax.ShapeDtypeStruct((), jnp.int32), mine, its)
    one = jax.tree.map(
        lambda x: jax.ShapeDtypeStruct((*x.shape, 1), x.dtype),
        (keys, params, instance, carry),
    )
    return _written(rules._replace(engine=SCAN), *one).missing


def check_supported(policy, environment) -> None:
    """Require that the kernel can play a policy in an environment.

    Raises:
      UnsupportedError: naming what it cannot do, and the engines that can.
    """
    if reasons := unsupported(policy, environment):
        raise UnsupportedError(
            f"engine = 'fused' cannot play {policy.name!r} in "
            f"{environment.name!r}: {'; '.join(reasons)}; 'scan' and 'vmap' can"
        )
