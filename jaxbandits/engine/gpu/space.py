"""What a kernel works in: memory of the runs, tables, scratch, loops over entries."""

import itertools
import math
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental.pallas import triton

from jaxbandits.engine.gpu.positions import At, key, number

# Entries of a value that are held in registers.
IN_REGISTERS = 16
# Entries in a turn of a loop, at least, which share what is computed of an address: of
# an axis that would fit registers, and of a longer one.
SHARING = 2, 3


class Style(NamedTuple):
    """How much is written out where a loop would do.

    The compiler's time grows with the square of the operations in a kernel, times its
    loads and stores: 2,000 operations take some 5 seconds, 7,000 ten minutes.

    Attributes:
      entries: operations of a short axis.
      settled: operations of a short value that is computed once.
      stretch: operations of a stretch of a longer axis.
      carried: entries that a loop carries in registers.
    """

    entries: int
    settled: int
    stretch: int
    carried: int


WIDE = Style(160, 320, 80, IN_REGISTERS)
# For kernels that hold more operations than that.
MANY_OPERATIONS = 1500
COMPACT = Style(16, 64, 16, 1)


class Memory:
    """Numbers in the memory of a GPU, in a row: every run's own, or shared by all.

    Attributes:
      size: how many there are (of a run).
      dtype: of what is loaded; bools lie there as whole numbers.
      own: whether every run has its own.
      first: where it begins in scratch; None if it is not part of it.
    """

    def __init__(self, ref, size: int, dtype, own: bool, first: int | None = None):
        self.ref, self.size, self.dtype, self.own = ref, size, np.dtype(dtype), own
        self.first = first

    def load(self, position, lane):
        """The number at a position, which must be inside."""
        if self.ref is None:
            shape = lane.shape if self.own or np.ndim(number(position)) else ()
            return jnp.zeros(shape, self.dtype)
        at = number(position)
        at = at + jnp.int32(self.first) if self.first else at
        if not self.own:
            found = triton.load(self.ref.at[at])
        else:
            found = triton.load(self.ref.at[at, lane])
        return found != 0 if self.dtype.kind == "b" else found

    def store(self, position, value, lane, mask=None):
        """Write a number where `mask` holds; the position must be inside there."""
        if self.ref is None:
            return
        at = number(position)
        value = value.astype(jnp.int32) if self.dtype.kind == "b" else value
        value = jnp.broadcast_to(value, lane.shape)
        at = at + jnp.int32(self.first) if self.first else at
        target = self.ref.at[at, lane]
        triton.store(target, value, mask=mask)


def held_as(dtype) -> np.dtype:
    """The type of numbers in memory."""
    dtype = np.dtype(dtype)
    return np.dtype(np.int32) if dtype.kind == "b" else dtype


class Space:
    """Where the values of a kernel live while it is written.

    Without references it writes nothing, and finds out how much it would need.

    Attributes:
      lane: i32[B], places of the runs of a block; given as B, the first ones.
      tables: arrays that the kernel reads, by their contents.
      used: entries of scratch that are in use, by type.
      style: how much is written out.
      compiled: whether it is compiled for a GPU, and not run as an ordinary program.
      operations: how many entries were computed, loaded or stored so far.
    """

    def __init__(self, lane, tables=None, scratch=None, style=WIDE, compiled=False):
        self.style, self.operations, self.compiled = style, 0, compiled
        if isinstance(lane, int):
            lane = lax.broadcasted_iota(jnp.int32, (lane,), 0)
        self.lane = lane
        self.dry = tables is None
        self.tables: dict[Any, np.ndarray] = {}
        self._refs = tables
        self._scratch = scratch or {}
        self.used: dict[np.dtype, int] = {}
        self._memo: list[dict] = [{}]

    def load(self, memory: Memory, position):
        """A number from memory."""
        return memory.load(position, self.lane)

    def store(self, memory: Memory, position, value, mask=None):
        """A number to memory."""
        memory.store(position, value, self.lane, mask)
        self.operations += 1

    def spread(self, x):
        """A number, shared or not, in all lanes: ``[B]``."""
        if jnp.ndim(x):
            return x
        return lax.broadcast_in_dim(x, self.lane.shape, ())

    def table(self, array: np.ndarray) -> Memory:
        """Memory that holds a constant."""
        name = (array.shape, array.dtype.str, array.tobytes())
        self.tables.setdefault(name, array)
        place = list(self.tables).index(name)
        ref = None if self.dry else self._refs[place]
        return Memory(ref, array.size, array.dtype, own=False)

    def scratch(self, size: int, dtype) -> Memory:
        """Memory of every run for what does not fit registers."""
        held = held_as(dtype)
        first = self.used.get(held, 0)
        self.used[held] = first + size
        return Memory(self._scratch.get(held), size, dtype, own=True, first=first)

    def remembered(self, value, index, compute):
        """What was computed for an entry, in this loop or around it."""
        name = (id(value), *map(key, index))
        for memo in reversed(self._memo):
            if name in memo:
                return memo[name][0]
        found = compute()
        self.operations += 1
        # With what the name stands for, so that nothing else takes that name.
        self._memo[-1][name] = (found, value, index)
        return found

    def within(self, fn):
        """`fn` as the body of a loop, where something may be computed anew."""

        def inner(*args):
            self._memo.append({})
            try:
                return fn(*args)
            finally:
                self._memo.pop()

        return inner

    def writes_out(self, shape, cost: int) -> bool:
        """Whether `over` needs no loop that runs."""
        size = math.prod(shape)
        few = size <= IN_REGISTERS and size * cost <= self.style.entries
        return size == 1 or few

    def over(self, shape, cost: int, body, carry=()):
        """``carry = body(index, carry)`` for all entries of a shape, row by row.

        Args:
          shape: of what is gone through.
          cost: operations of `body`.
          body: function ``(index, carry) -> carry``.
          carry: pytree of numbers, made ``[B]`` where a loop carries them.
        """
        if not math.prod(shape):
            return carry
        return self._over(tuple(shape), max(cost, 1), body, carry, ())

    def _over(self, shape, cost, body, carry, before):
        if self.writes_out(shape, cost):
            for index in itertools.product(*map(range, shape)):
                carry = body((*before, *index), carry)
            return carry
        if len(shape) > 1:

            def row(i, carry):
                return self._over(shape[1:], cost, body, carry, (*before, At(i, 1, 0)))

            return self.loop(shape[0], row, carry)
        (length,) = shape
        least = SHARING[length > IN_REGISTERS]
        stride = min(max(least, self.style.stretch // cost), length)

        def stretch(i, carry):
            for j in range(stride):
                carry = body((*before, At(i, stride, j)), carry)
            return carry

        carry = self.loop(length // stride, stretch, carry)
        for j in range(length - length % stride, length):
            carry = body((*before, j), carry)
        return carry

    def loop(self, length: int, body, carry):
        """``carry = body(i, carry)`` for i = 0, ..., length - 1."""
        if length == 1:
            return body(jnp.int32(0), carry)
        leaves, structure = jax.tree.flatten(carry)

        def step(i, leaves):
            after = body(i, jax.tree.unflatten(structure, leaves))
            return [self.spread(x) for x in jax.tree.leaves(after)]

        start = [self.spread(jnp.asarray(x)) for x in leaves]
        step = self.within(step)
        after = lax.fori_loop(np.int32(0), np.int32(length), step, start)
        return jax.tree.unflatten(structure, after)
