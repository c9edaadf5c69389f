"""Values that are computed at once: once for all who read them."""

import numpy as np

from jaxbandits.engine.gpu.positions import in_a_row, plus
from jaxbandits.engine.gpu.space import IN_REGISTERS, Memory, Space
from jaxbandits.engine.gpu.values import Draws, Entries, Known, Moved, Stored, Value

# Operations that cost more than to store their result and to load it.
DEAR = 12


def settled(space: Space, value: Value) -> Value:
    """A value that is read more than once, computed once."""
    if isinstance(value, Entries | Known | Stored) or not value.size:
        return value
    return copied(space, value)


def copied(space: Space, value: Value) -> Value:
    """A value as it is now, whatever is written to the memory that it reads."""
    if isinstance(value, Moved) and value.in_order:
        return shaped(copied(space, value.operand), value.shape)
    # Words are drawn in pairs, and not in vain.
    few = isinstance(value, Draws) or value.size * value.cost <= space.style.settled
    if few and value.size <= IN_REGISTERS:
        entries = [value.entry(i) for i in np.ndindex(value.shape)]
        return Entries(space, entries, value.shape, value.dtype)
    memory = space.scratch(value.size, value.dtype)
    if isinstance(value, Draws):
        _draw_all(space, value, memory)
        return Stored(space, memory, value.shape)

    def keep(index, carry):
        space.store(memory, in_a_row(index, value.shape), value.entry(index))
        return carry

    space.over(value.shape, value.cost + 1, keep)
    return Stored(space, memory, value.shape)


def _draw_all(space: Space, words: Draws, memory: Memory) -> None:
    """Store all words, two to an encryption."""
    half, odd = divmod(words.width, 2)

    def keep(index, carry):
        (i,) = index
        first, second = words.pair(i)
        space.store(memory, i, first)
        space.store(memory, plus(i, half + odd), second)
        return carry

    space.over((half,), words.cost, keep)
    if odd:
        space.store(memory, half, words.entry((half,)))


def shaped(value: Entries | Stored, shape) -> Value:
    """What has been computed, its entries in the same order in another shape."""
    if isinstance(value, Stored):
        return Stored(value.space, value.memory, shape)
    return Entries(value.space, value.entries, shape, value.dtype)


def number_or(space, value: Value) -> Value:
    """A value of shape ``()`` as a number."""
    if value.shape or isinstance(value, Entries | Known):
        return value
    return Entries(space, [value.entry(())], (), value.dtype)
