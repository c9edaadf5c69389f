"""Rounds inside one kernel: from one checkpoint to the next for a block of lanes.

A program of the kernel loads the state of a few lanes, plays their rounds in registers
with words that it draws itself, and stores the state. Nothing is launched between
rounds and nothing goes through memory.
"""

import math
from functools import cache, partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton
from jax.extend.core import ClosedJaxpr

from jaxbandits.engine.fused.draws import tape_row
from jaxbandits.engine.fused.padded import Padded, pad, padded_shape
from jaxbandits.engine.fused.transform import Evaluator, any_lane, apply, full, where
from jaxbandits.engine.rollout import LANE_QUANTUM
from jaxbandits.engine.rules import Carry, Rules, play_round

# Numbers of the padded state that a thread holds. A GPU has 255 registers for them and
# for all that a round computes; a few that do not fit cost less than idle threads.
WORDS_PER_THREAD = 256
MOST_WARPS = 8
# A large GPU has some 500 schedulers, and a warp alone keeps none of them busy.
LEAST_WARPS = 1024


class Block(NamedTuple):
    """What one program of the kernel works on.

    Attributes:
      lanes: a power of two.
      warps: of 32 threads; one has no need to wait for others.
    """

    lanes: int
    warps: int


def block_for(carry: Carry) -> Block:
    """As few warps as hold the state of a lane, and as many lanes as these then hold.

    The more lanes in a warp, the fewer instructions each of them takes
    (docs/fused.md); but there should be `LEAST_WARPS` warps.

    Args:
      carry: leaves ``[..., L]``, for their shapes.

    Returns:
      At most `LANE_QUANTUM` lanes and `MOST_WARPS` warps.
    """
    words = sum(math.prod(padded_shape(x.shape[:-1])) for x in jax.tree.leaves(carry))
    of_warp = 32 * WORDS_PER_THREAD
    warps = min(1 << max(-(-words // of_warp) - 1, 0).bit_length(), MOST_WARPS)
    fitting = max(warps * of_warp // words, 1)
    spread = max(carry.round.shape[0] * warps // LEAST_WARPS, 1)
    lanes = 1 << (min(fitting, spread).bit_length() - 1)
    return Block(min(lanes, LANE_QUANTUM), warps)


class Leaf(NamedTuple):
    """How a value enters and leaves the kernel.

    Attributes:
      shape: in one lane.
      dtype: of the value.
      batched: whether it has the lane axis.
    """

    shape: tuple[int, ...]
    dtype: Any
    batched: bool

    def packed(self, x):
        """The array that the kernel is given: padded, without bools and scalars."""
        x = pad(x, len(self.shape))
        x = x.astype(jnp.int32) if self.dtype == bool else x
        return x if x.ndim else x[None]

    def block(self, lanes: int) -> pl.BlockSpec:
        """What one program sees of the packed array."""
        wide = padded_shape(self.shape)
        if not self.batched:
            wide = wide or (1,)
            return pl.BlockSpec(wide, lambda i: (0,) * len(wide))
        return pl.BlockSpec((*wide, lanes), lambda i: (*(0,) * len(wide), i))

    def loaded(self, ref):
        """The value inside the kernel."""
        value = ref[...] if self.batched or self.shape else ref[0]
        return value != 0 if self.dtype == bool else value

    def stored(self, ref, value):
        """Write a value with the lane axis."""
        ref[...] = value.astype(jnp.int32) if self.dtype == bool else value

    def unpacked(self, x):
        """What a caller outside expects, of an array that the kernel has written."""
        x = x[tuple(slice(n) for n in self.shape)]
        return x != 0 if self.dtype == bool else x


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
      block: what one program works on, its lanes dividing L; by default `block_for`,
        or all lanes of a quantum where it is an ordinary program.

    Returns:
      ``leg(carry, target, steps) -> (carry, steps)``. In a game with a budget `target`
      is [L], and all lanes are played to theirs, however many steps it takes.

    Raises:
      Missing: if there is no rule for something in the policy or the environment.
    """

    def described(x, batched):
        return Leaf(x.shape[:-1] if batched else x.shape, x.dtype, batched)

    by_lane = jax.tree.map(lambda x: x.shape[-1] > 1, instance)
    instance = jax.tree.map(lambda x, f: x if f else x[..., 0], instance, by_lane)
    fixed = (keys, params, instance)
    fixed_flags = (*jax.tree.map(lambda x: True, fixed[:2]), by_lane)

    def leg(carry: Carry, target, steps):
        if not rules.by_budget:
            done = carry.round[0] - 1
            target = done + jnp.minimum(target - done, steps)
        default = Block(LANE_QUANTUM, 1) if interpret else block_for(carry)
        lanes, warps = block or default
        num_lanes = carry.round.shape[0]
        if num_lanes % lanes:
            raise ValueError(f"block must divide {num_lanes} lanes, got {lanes}")
        given = (jnp.asarray(target), last_round, carry.round[0]), fixed, carry
        flags = (
            (rules.by_budget, False, False),
            fixed_flags,
            jax.tree.map(lambda x: True, carry),
        )
        arrays, structure = jax.tree.flatten(given)
        leaves = tuple(map(described, arrays, jax.tree.leaves(flags)))
        closed = _program(rules, structure, leaves, lanes)
        leaves += tuple(Leaf(x.shape, x.dtype, False) for x in closed.consts)
        arrays = [
            f.packed(x) for f, x in zip(leaves, [*arrays, *closed.consts], strict=True)
        ]
        # The carry is what comes last of the arguments, and comes back.
        last = structure.num_leaves
        first = last - len(jax.tree.leaves(carry))
        specs = [f.block(lanes) for f in leaves]
        after = pl.pallas_call(
            partial(_kernel, closed, leaves, slice(first, last)),
            grid=(num_lanes // lanes,),
            in_specs=specs,
            out_specs=specs[first:last],
            out_shape=[jax.typeof(x) for x in arrays[first:last]],
            input_output_aliases={i: i - first for i in range(first, last)},
            compiler_params=triton.CompilerParams(num_warps=warps),
            interpret=interpret,
        )(*arrays)
        after = [f.unpacked(x) for f, x in zip(leaves[first:last], after, strict=True)]
        after = jax.tree.unflatten(jax.tree.structure(carry), after)
        return after, steps - (after.round[0] - carry.round[0])

    return leg


def _kernel(closed: ClosedJaxpr, leaves, carried: slice, *refs):
    """Load, play, store."""
    inputs, outputs = refs[: len(leaves)], refs[len(leaves) :]
    values = [f.loaded(ref) for f, ref in zip(leaves, inputs, strict=True)]
    num_args = len(leaves) - len(closed.consts)
    after = jax.core.eval_jaxpr(closed.jaxpr, values[num_args:], *values[:num_args])
    for f, ref, x in zip(leaves[carried], outputs, after, strict=True):
        f.stored(ref, x)


@cache
def _program(
    rules: Rules, structure, leaves: tuple[Leaf, ...], lanes: int
) -> ClosedJaxpr:
    """What a block of lanes computes in a leg; its constants are arrays.

    It maps the padded values to those of the carry.
    """
    shapes = [
        jax.ShapeDtypeStruct((*padded_shape(f.shape), *(lanes,) * f.batched), f.dtype)
        for f in leaves
    ]

    def play(*values):
        values = [
            Padded(x, f.shape, f.batched) for x, f in zip(values, leaves, strict=True)
        ]
        return _play(rules, lanes, *jax.tree.unflatten(structure, values))

    return jax.make_jaxpr(play)(*shapes)


def _play(rules: Rules, lanes: int, bounds, fixed, carry: Carry) -> list:
    """The arrays of the carry after a leg."""
    evaluator = Evaluator(lanes)
    keys, params, instance = fixed
    states, tree = jax.tree.flatten((carry.policy, carry.environment))
    leaves = [Leaf(x.shape, x.dtype, True) for x in states]

    def unpacked(values):
        values = [Padded(x, f.shape, True) for x, f in zip(values, leaves, strict=True)]
        return jax.tree.unflatten(tree, values)

    def one_round(round_: Padded, values):
        """The arrays of both states after a round."""
        play = partial(play_round, rules, draw=tape_row)
        after = apply(evaluator, play, round_, keys, instance, params, unpacked(values))
        return [
            full(evaluator, x, f.dtype)
            for x, f in zip(jax.tree.leaves(after), leaves, strict=True)
        ]

    target, last_round, start = bounds
    values = [x.value for x in states]
    if not rules.by_budget:
        end = target.value.astype(jnp.int32) + 1
        after = lax.fori_loop(
            start.value,
            end,
            lambda t, values: one_round(Padded(t, (), False), values),
            values,
        )
        return [jnp.full((lanes,), jnp.maximum(start.value, end)), *after]

    def active(round_, values):
        spent = apply(evaluator, rules.game.spent, instance, unpacked(values)[1])
        spent = full(evaluator, spent, spent.dtype)
        return (spent < target.value) & (round_ <= last_round.value)

    def body(state):
        going, round_, values = state
        after = one_round(Padded(round_, (), True), values)
        after = [where(going, new, old) for new, old in zip(after, values, strict=True)]
        round_ = jnp.where(going, round_ + 1, round_)
        return active(round_, after), round_, after

    state = active(carry.round.value, values), carry.round.value, values
    _, round_, after = lax.while_loop(lambda state: any_lane(state[0]), body, state)
    return [round_, *after]
