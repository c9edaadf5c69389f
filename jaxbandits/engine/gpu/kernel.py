"""Rounds inside one kernel: a thread plays a run from one checkpoint to the next.

State lies in memory as ``[entries, runs]``, so that the threads of a warp read and
write side by side; single numbers of a run stay in registers. Nothing is padded,
nothing is launched between rounds, and no two threads share a number.
"""

from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton

from jaxbandits.engine.gpu.leaves import Leaf
from jaxbandits.engine.gpu.rounds import Sketch, Told, play, sketched
from jaxbandits.engine.gpu.space import Memory, Space, held_as
from jaxbandits.engine.rules import Carry, Rules, spending
from jaxbandits.engine.tape import Stream

# Of one array: places are counted in 32 bits.
MOST_NUMBERS = 2**31 - 1


class Block(NamedTuple):
    """What one program of the kernel works on.

    Attributes:
      lanes: a power of two; runs, one to a thread.
      warps: of 32 threads. Those of one program wait for one another where a loop goes
        on until the last run is done.
    """

    lanes: int = 32
    warps: int = 1


def legs(
    rules: Rules, keys, params, instance, last_round, *, interpret=False, block=None
):
    """How rounds are played, as `legs.scan_legs`: all of a leg in one kernel.

    Args:
      rules: the policy and the environment.
      keys: stream keys of the lanes, by `Stream`.
      params: leaves ``[..., L]``.
      instance: leaves with a lane axis (last), of length 1 if shared.
      last_round: i32[], no lane plays beyond it.
      interpret: whether to run the kernel as an ordinary program, on any platform.
      block: what one program works on, its lanes dividing L; by default `Block()`.

    Returns:
      ``leg(carry, target, steps) -> (carry, steps)``. In a game with a budget `target`
      is [L], and all lanes are played to theirs, or until the steps are used up.

    Raises:
      NotImplementedError: if there is no rule for something in the policy or the
        environment; its message names it.
      ValueError: if the block does not divide the lanes, or there are too many.
    """
    num_lanes = keys[Stream.ACT].low.shape[0]
    spent_of = spending(rules, instance, num_lanes) if rules.by_budget else None
    given = keys, params, instance

    def leg(carry: Carry, target, steps):
        start = carry.round
        lanes, warps = block or Block()
        if num_lanes % lanes:
            raise ValueError(f"block must divide {num_lanes} lanes, got {lanes}")
        if rules.by_budget:
            first, last = start, jnp.minimum(last_round, start + steps - 1)
            bounds = first, target, last, spent_of(carry) < target
        else:
            bounds = start[0], target, start[0] + steps - 1
        told, arrays, states = _written(rules, bounds, given, carry)
        fixed, tree, state = told.fixed, told.tree, told.state
        arrays = [f.packed(x) for f, x in zip(fixed, arrays, strict=True)]
        states = [f.packed(x) for f, x in zip(state, states, strict=True)]
        sketch = sketched(told)
        if sketch.missing:
            raise NotImplementedError("; ".join(sketch.missing))
        entries = [f.size for f in state] + [n for _, n in sketch.scratch]
        if (most := MOST_NUMBERS // max(entries, default=1)) < num_lanes:
            raise ValueError(f"chunk must be at most {most} lanes, got {num_lanes}")
        arrays += [jnp.asarray(x.reshape(-1), held_as(x.dtype)) for x in sketch.tables]
        extra = [jnp.zeros((n, num_lanes), dtype) for dtype, n in sketch.scratch]
        outputs = [start[None], *states, *extra]
        specs = [f.block(num_lanes) for f in fixed]
        specs += [
            Leaf((x.size,), x.dtype, False).block(num_lanes) for x in sketch.tables
        ]
        written = [Leaf(x.shape[:1], x.dtype, True).block(num_lanes) for x in outputs]
        after = pl.pallas_call(
            partial(_kernel, told, sketch, lanes, num_lanes, not interpret),
            grid=(num_lanes // lanes,),
            in_specs=specs + written,
            out_specs=written,
            out_shape=[jax.typeof(x) for x in outputs],
            input_output_aliases={len(arrays) + i: i for i in range(len(outputs))},
            compiler_params=triton.CompilerParams(num_warps=warps, num_stages=1),
            interpret=interpret,
        )(*arrays, *outputs)
        round_, states = after[0][0], after[1 : 1 + len(state)]
        states = [f.unpacked(x) for f, x in zip(state, states, strict=True)]
        played = jnp.max(round_ - start)
        return Carry(round_, *jax.tree.unflatten(tree, states)), steps - played

    return leg


def _written(rules: Rules, bounds, given, carry: Carry):
    """What a kernel is written from, its arguments, and the leaves of both states."""
    keys, params, instance = given
    by_lane = jax.tree.map(lambda x: x.shape[-1] > 1, instance)
    instance = jax.tree.map(lambda x, f: x if f else x[..., 0], instance, by_lane)

    def leaf(x, own):
        return Leaf(x.shape[:-1] if own else x.shape, np.dtype(x.dtype), own)

    own = (
        (rules.by_budget,) * len(bounds),
        (*jax.tree.map(lambda x: True, (keys, params)), by_lane),
    )
    arrays, structure = jax.tree.flatten((bounds, (keys, params, instance)))
    fixed = tuple(map(leaf, map(jnp.asarray, arrays), jax.tree.leaves(own)))
    states, tree = jax.tree.flatten((carry.policy, carry.environment))
    state = tuple(leaf(x, True) for x in states)
    return Told(rules, structure, fixed, tree, state), arrays, states


def scratch(rules: Rules, keys, params, instance, carry: Carry) -> int:
    """Bytes of a run that `legs` need beside states; all arguments may be shapes."""
    found = []

    def write(keys, params, instance, carry):
        start = carry.round
        bounds = (start[0], jnp.int32(0), jnp.int32(0))
        if rules.by_budget:
            target = jnp.zeros_like(spending(rules, instance, len(start))(carry))
            bounds = (start, target, start, start < 0)
        told, *_ = _written(rules, bounds, (keys, params, instance), carry)
        found.extend(sketched(told).scratch)

    jax.eval_shape(write, keys, params, instance, carry)
    return sum(dtype.itemsize * entries for dtype, entries in found)


def _kernel(
    told: Told, sketch: Sketch, lanes: int, num_lanes: int, compiled: bool, *refs
) -> None:
    """A leg of a block of runs, in place."""
    num_fixed, num_tables = len(told.fixed), len(sketch.tables)
    num_written = 1 + len(told.state) + len(sketch.scratch)
    # What is read is what is written: the inputs of these are not looked at.
    written = refs[-num_written:]
    tables = refs[num_fixed : num_fixed + num_tables]
    extra = written[1 + len(told.state) :]
    scratch = {
        dtype: ref for (dtype, _), ref in zip(sketch.scratch, extra, strict=True)
    }
    lane = pl.program_id(0) * lanes + lax.broadcasted_iota(jnp.int32, (lanes,), 0)
    # Changes nothing, but says how large a place can be: the compiler computes more of
    # the addresses before the rounds, and needs fewer registers for them.
    lane = lane & jnp.int32((1 << (num_lanes - 1).bit_length()) - 1)
    space = Space(lane, tables, scratch, sketch.style, compiled)
    fixed = [f.memory(ref) for f, ref in zip(told.fixed, refs, strict=False)]
    state = [f.memory(ref) for f, ref in zip(told.state, written[1:], strict=False)]
    play(told, space, fixed, state, Memory(written[0], 1, np.int32, own=True))
