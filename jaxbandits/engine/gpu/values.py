"""Values of the one-run program while a kernel is written: entries on request.

An array is not computed; it says how an entry of it is. Whoever needs all entries (a
reduction, a store) goes through them in a loop, so that an index such as
``estimate + scale * width`` is two loads, a product and a sum inside the argmax. A
number (shape ``()``) is computed at once.
"""

import math

import jax.numpy as jnp
import numpy as np
from jax import lax

from jaxbandits.arrays import threefry
from jaxbandits.engine.gpu.positions import At, in_a_row, number, plus
from jaxbandits.engine.gpu.space import Memory, Space
from jaxbandits.engine.tape import Key

# How the entry of a value depends on what lies in memory: it is read at the same index
# (WHOLE), at the same index but for the first axis (ROW), or elsewhere.
WHOLE, ROW, ELSEWHERE = "whole", "row", "elsewhere"
MOST_COST = 10_000
DRAW = 80  # operations of an encryption


class Value:
    """One value.

    Attributes:
      shape: in one run.
      dtype: of its entries.
      cost: operations that an entry takes.
      reads: ``{memory: how}`` of an entry.
    """

    def __init__(self, space: Space, shape, dtype, operands=(), cost: int = 0):
        self.space, self.shape, self.dtype = space, tuple(shape), np.dtype(dtype)
        self.cost = min(cost + sum(x.cost for x in operands), MOST_COST)
        self.reads: dict[Memory, str] = {}
        for operand in operands:
            self.reading(operand.reads)

    @property
    def size(self) -> int:
        """Number of entries."""
        return math.prod(self.shape)

    def reading(self, reads, how: str | None = None) -> None:
        """An operand's reads are this value's too."""
        for memory, each in reads.items():
            each = how if how and each != ELSEWHERE else each
            if self.reads.setdefault(memory, each) != each:
                self.reads[memory] = ELSEWHERE

    def entry(self, index):
        """The number at an index: ``[B]``, or ``[]`` where all runs have the same."""
        raise NotImplementedError


class Entries(Value):
    """Numbers in registers; every other value of shape ``()``."""

    def __init__(self, space, entries, shape, dtype):
        super().__init__(space, shape, dtype)
        self.entries = list(entries)

    def entry(self, index):
        position = in_a_row(index, self.shape)
        if isinstance(position, int):
            return self.entries[position]
        return self.space.remembered(self, index, lambda: self._chosen(position))

    def _chosen(self, position):
        at = number(position)
        found = self.entries[0]
        for i, entry in enumerate(self.entries[1:], 1):
            values = at == i, entry, found
            if any(jnp.ndim(x) for x in values):
                values = [self.space.spread(x) for x in values]
            found = lax.select(*values)
        return found


class Known(Value):
    """Numbers that are known while the kernel is written."""

    def __init__(self, space, array):
        array = np.asarray(array)
        super().__init__(space, array.shape, array.dtype, cost=1 if array.ndim else 0)
        self.array = array

    def entry(self, index):
        if all(isinstance(i, int) for i in index):
            return self.array[index]
        if self.size == 1 or np.all(self.array == self.array.flat[0]):
            return self.array.flat[0]
        return self.space.remembered(self, index, lambda: self._looked_up(index))

    def _looked_up(self, index):
        if self.dtype.kind in "iu":
            base, strides = _base_and_strides(self.array)
            grid = np.indices(self.shape)
            line = base + sum(s * g for s, g in zip(strides, grid, strict=True))
            if np.array_equal(line, self.array):
                parts = (
                    number(i) * jnp.int32(s)
                    for s, i in zip(strides, index, strict=True)
                    if s
                )
                return (sum(parts) + jnp.int32(base)).astype(self.dtype)
        memory = self.space.table(self.array)
        return self.space.load(memory, in_a_row(index, self.shape))


def _base_and_strides(array):
    base = int(array.flat[0])
    ones = np.eye(array.ndim, dtype=int)
    return base, [
        int(array[tuple(one)]) - base if n > 1 else 0
        for one, n in zip(ones, array.shape, strict=True)
    ]


class Stored(Value):
    """What lies in memory, row by row."""

    def __init__(self, space, memory: Memory, shape):
        super().__init__(space, shape, memory.dtype, cost=1)
        self.memory = memory
        if memory.own:
            self.reads = {memory: WHOLE}

    def entry(self, index):
        position = in_a_row(index, self.shape)
        load = self.space.load
        return self.space.remembered(self, index, lambda: load(self.memory, position))


class Computed(Value):
    """An operation, entry by entry.

    Args:
      compute: function of the operands' entries.
      operands: values of the same shape, or numbers.
    """

    def __init__(self, space, compute, operands, shape, dtype, cost=1):
        super().__init__(space, shape, dtype, operands, cost)
        self.compute, self.operands = compute, operands

    def entry(self, index):
        def found():
            entries = (x.entry(index if x.shape else ()) for x in self.operands)
            return self.compute(*entries)

        return self.space.remembered(self, index, found)


class Moved(Value):
    """Another value, its entries at other indices.

    Args:
      source: maps an index to that of the operand.
      how: the entries are read `ROW` by row, `ELSEWHERE`, or as they were (None).
      in_order: whether the entries are the same in the same row-major order.
    """

    def __init__(self, operand: Value, source, shape, how=ELSEWHERE, in_order=False):
        super().__init__(operand.space, shape, operand.dtype)
        self.operand, self.source, self.in_order = operand, source, in_order
        self.cost = operand.cost
        self.reading(operand.reads, how)

    def entry(self, index):
        return self.operand.entry(self.source(index))


class Joined(Value):
    """Parts along an axis, one after the other."""

    def __init__(self, parts, axis: int, shape):
        super().__init__(parts[0].space, shape, parts[0].dtype, parts, len(parts))
        self.parts, self.axis = parts, axis
        self.reads = dict.fromkeys(self.reads, ELSEWHERE)

    def entry(self, index):
        at = index[self.axis]
        if isinstance(at, int):
            for part in self.parts:
                if at < part.shape[self.axis]:
                    return part.entry(self._placed(index, at))
                at -= part.shape[self.axis]
        return self.space.remembered(self, index, lambda: self._chosen(index, at))

    def _placed(self, index, at):
        return (*index[: self.axis], at, *index[self.axis + 1 :])

    def _chosen(self, index, at):
        start, found = 0, None
        at = number(at)
        for part in self.parts:
            length = part.shape[self.axis]
            if not length:
                continue
            # Where it is another part's turn, some entry of this one.
            inside = jnp.minimum(jnp.maximum(at - start, 0), length - 1)
            entry = part.entry(self._placed(index, inside))
            found = entry if found is None else self._later(at >= start, entry, found)
            start += length
        return found

    def _later(self, condition, entry, found):
        values = condition, entry, found
        if any(jnp.ndim(x) for x in values):
            values = [self.space.spread(x) for x in values]
        return lax.select(*map(jnp.asarray, values))


class Put(Value):
    """A value of which the entries from `position` on, in a row, are those of `row`.

    Attributes:
      base: the value before.
      index: tuple of positions along the first axes.
      row: what stands there now, of the shape of the other axes.
    """

    def __init__(self, base: Value, index, row: Value):
        super().__init__(base.space, base.shape, base.dtype, (base,), cost=2)
        self.base, self.index, self.row = base, index, row
        self.cost = min(self.cost + row.cost, MOST_COST)
        self.reading(row.reads, ELSEWHERE)

    def entry(self, index):
        def found():
            here = None
            for own, i in zip(self.index, index, strict=False):
                same = number(own) == number(i)
                here = same if here is None else here & same
            row = self.row.entry(index[len(self.index) :])
            values = here, row, self.base.entry(index)
            return lax.select(*map(self.space.spread, values))

        return self.space.remembered(self, index, found)


class Reduced(Value):
    """A reduction over some axes, entry by entry of what is left."""

    def __init__(self, reduce, operand: Value, axes, shape):
        cost = min(operand.cost * (operand.size // max(math.prod(shape), 1)), MOST_COST)
        super().__init__(operand.space, shape, operand.dtype, cost=cost)
        self.reading(operand.reads, ELSEWHERE)
        self.reduce, self.operand, self.axes = reduce, operand, axes

    def entry(self, index):
        kept = [a for a in range(len(self.operand.shape)) if a not in self.axes]

        def at(inner):
            whole = dict(zip(kept, index, strict=True))
            whole |= dict(zip(self.axes, inner, strict=True))
            return self.operand.entry(tuple(whole[a] for a in range(len(whole))))

        lengths = [self.operand.shape[a] for a in self.axes]
        compute = lambda: self.reduce(self.operand, at, lengths)  # noqa: E731
        return self.space.remembered(self, index, compute)


class Draws(Value):
    """Words of the tape, drawn when they are needed; as `tape.draw_words`."""

    def __init__(self, space, key: Key, round_, width: int):
        super().__init__(space, (width,), np.uint32, cost=DRAW)
        self.key, self.round, self.width = key, round_, width

    def entry(self, index):
        half = (self.width + 1) // 2
        (at,) = index
        if isinstance(at, int):
            return self.pair(at % half)[at // half]
        return self.space.remembered(self, index, lambda: self._drawn(number(at), half))

    def pair(self, counter):
        """One encryption yields two words: columns j and j + half."""
        return self.space.remembered(
            self, ("pair", counter), lambda: self._encrypted(number(counter))
        )

    def _encrypted(self, counter):
        spread = self.space.spread
        words = (
            spread(jnp.asarray(x).astype(jnp.uint32)) for x in (self.round, counter)
        )
        return threefry(Key(*map(spread, self.key)), tuple(words))

    def _drawn(self, at, half):
        at = self.space.spread(at)
        second = at >= half
        counter = jnp.where(second, at - half, at)
        first_word, second_word = self._encrypted(counter)
        return lax.select(second, second_word, first_word)


def clipped(start, length: int, size: int):
    """Where a stretch begins: one that does not fit is moved inside, as `lax` does."""
    if isinstance(start, int):
        return min(max(start, 0), size - length)
    if isinstance(start, At):
        start = number(start)
    return jnp.minimum(jnp.maximum(start, 0), size - length)


def shifted(start, index):
    """The index of an entry of a stretch in what it was cut out of."""
    return tuple(plus(a, b) for a, b in zip(start, index, strict=True))
