"""Rounds inside one kernel: a thread plays a run from one checkpoint to the next.

State lies in memory as ``[entries, runs]``, so that the threads of a warp read and
write side by side; single numbers of a run stay in registers. Nothing is padded,
nothing is launched between rounds, and no two threads share a number.
"""

import math
from functools import cache, partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton

from jaxbandits.engine.gpu.draws import tape_row
from jaxbandits.engine.gpu.space import (
    COMPACT,
    MANY_OPERATIONS,
    WIDE,
    Memory,
    Space,
    Style,
    held_as,
)
from jaxbandits.engine.gpu.values import Entries, Stored, Value
from jaxbandits.engine.gpu.writer import Writer, any_lane
from jaxbandits.engine.gpu.writes import write_all
from jaxbandits.engine.rules import Carry, Rules, play_round, spending
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


class Leaf(NamedTuple):
    """How a value lies in memory.

    Attributes:
      shape: in one run.
      dtype: of the value.
      own: whether every run has its own.
    """

    shape: tuple[int, ...]
    dtype: Any
    own: bool

    @property
    def size(self) -> int:
        """Numbers of a run."""
        return math.prod(self.shape)

    def packed(self, x):
        """The array that the kernel is given: ``[entries, runs]``, without bools."""
        x = jnp.asarray(x).astype(held_as(self.dtype))
        return x.reshape(self.size, *x.shape[len(self.shape) :])

    def unpacked(self, x):
        """What a caller outside expects, of an array that the kernel has written."""
        return x.reshape(*self.shape, *x.shape[1:]).astype(self.dtype)

    def block(self, lanes: int) -> pl.BlockSpec:
        """What one program sees of the packed array."""
        if self.own:
            return pl.BlockSpec((self.size, lanes), lambda i: (0, i))
        return pl.BlockSpec((self.size,), lambda i: (0,))

    def memory(self, ref) -> Memory:
        """The packed array inside the kernel."""
        return Memory(ref, self.size, self.dtype, self.own)

    def value(self, space: Space, memory: Memory) -> Value:
        """Numbers are loaded at once; of an array, what is needed when it is."""
        if self.size == 1:
            return Entries(space, [space.load(memory, 0)], self.shape, self.dtype)
        return Stored(space, memory, self.shape)


class Sketch(NamedTuple):
    """What a leg needs beside its arguments.

    Attributes:
      tables: arrays of constants.
      scratch: ``((dtype, entries of a run), ...)``.
      style: how much is written out.
      missing: notes of what has no rule.
    """

    tables: tuple[np.ndarray, ...]
    scratch: tuple[tuple[np.dtype, int], ...]
    style: Style
    missing: tuple[str, ...]

    def bytes_per_run(self) -> int:
        """Of scratch."""
        return sum(dtype.itemsize * size for dtype, size in self.scratch)


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
    by_lane = jax.tree.map(lambda x: x.shape[-1] > 1, instance)
    instance = jax.tree.map(lambda x, f: x if f else x[..., 0], instance, by_lane)

    def leaf(x, own):
        return Leaf(x.shape[:-1] if own else x.shape, np.dtype(x.dtype), own)

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
        given = bounds, (keys, params, instance)
        own = (
            (rules.by_budget,) * len(bounds),
            (
                *jax.tree.map(lambda x: True, (keys, params)),
                by_lane,
            ),
        )
        arrays, structure = jax.tree.flatten(given)
        fixed = tuple(map(leaf, map(jnp.asarray, arrays), jax.tree.leaves(own)))
        arrays = [f.packed(x) for f, x in zip(fixed, arrays, strict=True)]
        states, tree = jax.tree.flatten((carry.policy, carry.environment))
        state = tuple(leaf(x, True) for x in states)
        states = [f.packed(x) for f, x in zip(state, states, strict=True)]
        told = Told(rules, structure, fixed, tree, state)
        sketch = sketched(told)
        if sketch.missing:
            raise NotImplementedError("; ".join(sketch.missing))
        entries = [f.size for f in state] + [n for _, n in sketch.scratch]
        if (most := MOST_NUMBERS // max(entries, default=1)) < num_lanes:
            raise ValueError(f"chunk must be at most {most} lanes, got {num_lanes}")
        arrays += [jnp.asarray(x.reshape(-1), held_as(x.dtype)) for x in sketch.tables]
        extra = [jnp.zeros((n, num_lanes), dtype) for dtype, n in sketch.scratch]
        outputs = [start[None], *states, *extra]
        specs = [f.block(lanes) for f in fixed]
        specs += [Leaf((x.size,), x.dtype, False).block(lanes) for x in sketch.tables]
        written = [Leaf(x.shape[:1], x.dtype, True).block(lanes) for x in outputs]
        after = pl.pallas_call(
            partial(_kernel, told, sketch, lanes),
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


class Told(NamedTuple):
    """What a kernel is written from. Hashable, no data.

    Attributes:
      rules: the policy and the environment.
      structure: of ``bounds, (keys, params, instance)``; the bounds are the first
        round, the target, the last round and, in a game with a budget, who plays.
      fixed: leaves of these.
      tree: structure of both states.
      state: leaves of these.
    """

    rules: Rules
    structure: Any
    fixed: tuple[Leaf, ...]
    tree: Any
    state: tuple[Leaf, ...]


@cache
def sketched(told: Told) -> Sketch:
    """What a leg needs, found by writing it once without a kernel around it."""
    space, missing = _dry(told, WIDE)
    if space.operations > MANY_OPERATIONS:
        space, missing = _dry(told, COMPACT)
    scratch = tuple(sorted(space.used.items(), key=str))
    return Sketch(tuple(space.tables.values()), scratch, space.style, tuple(missing))


def _dry(told: Told, style: Style) -> tuple[Space, list[str]]:
    """A leg written to nowhere: what it used, and what has no rule."""
    found = []

    def write():
        space, missing = Space(1, style=style), []
        memories = [[f.memory(None) for f in part] for part in (told.fixed, told.state)]
        _play(told, space, *memories, Memory(None, 1, np.int32, own=True), missing)
        found.extend([space, missing])

    jax.eval_shape(write)
    return tuple(found)


def _kernel(told: Told, sketch: Sketch, lanes: int, *refs) -> None:
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
    space = Space(lanes, tables, scratch, sketch.style)
    fixed = [f.memory(ref) for f, ref in zip(told.fixed, refs, strict=False)]
    state = [f.memory(ref) for f, ref in zip(told.state, written[1:], strict=False)]
    _play(told, space, fixed, state, Memory(written[0], 1, np.int32, own=True))


def _play(told: Told, space: Space, fixed, state, round_memory, missing=None) -> None:
    """Play the rounds of a leg."""
    rules, writer = told.rules, Writer(space, missing)
    values = [f.value(space, m) for f, m in zip(told.fixed, fixed, strict=True)]
    bounds, given = jax.tree.unflatten(told.structure, values)
    singles = [f.size == 1 for f in told.state]

    def unpacked(numbers) -> list[Value]:
        """Both states: single numbers, and what lies in memory."""
        rest = iter(numbers)
        return [
            Entries(space, [next(rest)], f.shape, f.dtype)
            if single
            else Stored(space, m, f.shape)
            for f, m, single in zip(told.state, state, singles, strict=True)
        ]

    def one_round(round_, numbers, mask=None):
        """Write a round; the single numbers after it."""
        round_ = Entries(space, [round_], (), np.int32)
        inputs = [round_, *jax.tree.leaves(given), *unpacked(numbers)]
        after = writer.run(_round(told), inputs)
        new = [
            space.spread(jnp.asarray(x.entry((0,) * len(x.shape))))
            for x, single in zip(after, singles, strict=True)
            if single
        ]
        targets = zip(state, after, singles, strict=True)
        write_all(space, [(m, x) for m, x, single in targets if not single], mask)
        return new

    one_round = space.within(one_round)
    numbers = [
        space.load(m, 0) for m, single in zip(state, singles, strict=True) if single
    ]
    start, target, last, *going = (x.entry(()) for x in bounds)
    if not rules.by_budget:
        end = jnp.minimum(target.astype(jnp.int32), last) + 1
        after = lax.fori_loop(start, end, one_round, numbers)
        round_ = space.spread(jnp.maximum(start, end))
    else:

        def active(round_, numbers):
            inputs = [*jax.tree.leaves(given[2]), *unpacked(numbers)]
            (spent,) = space.within(writer.run)(_spent(told), inputs)
            return (space.spread(spent.entry(())) < target) & (round_ <= last)

        def body(state):
            going, round_, numbers = state
            after = one_round(round_, numbers, going)
            select = partial(jnp.where, going)
            after = [select(new, old) for new, old in zip(after, numbers, strict=True)]
            round_ = round_ + going.astype(jnp.int32)
            return active(round_, after), round_, after

        # Who begins is said by those who ask afterwards who has come to an end: two
        # programs may round what is spent in two ways, and nobody would play on.
        begin = going[0] & (start <= last), start, numbers
        _, round_, after = lax.while_loop(lambda s: any_lane(s[0]), body, begin)
    space.store(round_memory, 0, round_)
    rest = iter(after)
    for memory, single in zip(state, singles, strict=True):
        if single:
            space.store(memory, 0, next(rest))


def _shapes(told: Told):
    """One run's ``(keys, params, instance), states``, for tracing."""

    def struct(f):
        return jax.ShapeDtypeStruct(f.shape, f.dtype)

    _, given = jax.tree.unflatten(told.structure, [struct(f) for f in told.fixed])
    return given, jax.tree.unflatten(told.tree, [struct(f) for f in told.state])


@cache
def _round(told: Told):
    """The jaxpr of a round: ``(round, keys, params, instance, states) -> states``."""
    given, states = _shapes(told)

    def play(round_, given, states):
        keys, params, instance = given
        return play_round(
            told.rules, round_, keys, instance, params, states, draw=tape_row
        )

    round_ = jax.ShapeDtypeStruct((), jnp.int32)
    return jax.make_jaxpr(play)(round_, given, states)


@cache
def _spent(told: Told):
    """The jaxpr of what is spent: ``(instance, states) -> number``."""
    (_, _, instance), states = _shapes(told)

    def spent(instance, states):
        return told.rules.game.spent(instance, states[1])

    return jax.make_jaxpr(spent)(instance, states)
